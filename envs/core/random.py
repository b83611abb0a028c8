"""Random numbers that live in the state, the same compiled and interpreted, in every process.

The generator is Marsaglia's 64-bit xorshift. Each deal starts it again from (lane seed, deal number). So the
cards of a deal never depend on how the deals before it were played.
"""

from enum import IntEnum

import numpy as np

from stichwerk.envs.core.cards import count, first
from stichwerk.envs.jit.compiled import compiled
from stichwerk.support.check import check_whole

LOW_32, LOW_57 = (1 << 32) - 1, (1 << 57) - 1


class Use(IntEnum):
    """Uses of random numbers besides the lanes of an environment; each has its own streams."""

    VALIDATION = 1  # deals that choose the best network
    TEST = 2  # deals that measure agents
    AGENTS = 3  # the chance of agents in a comparison
    OPPONENTS = 4  # the chance of the pool in training
    WORLDS = 5  # resampling
    SWEEP = 6  # what a sweep of trainings tries, and the validation deals that score it
    PUZZLES = 7  # the deals that puzzles are taken from
    RULES = 8  # rule sets, in training and to be measured by
    DATA = 9  # the deals of data sets


def lane_seeds(seed: int | None, lanes: int) -> np.ndarray:
    """Independent seeds int64[lanes]; a lane's seed does not depend on how many lanes there are. None: from
    the system."""
    return np.array([_to_int64(child) for child in np.random.SeedSequence(check_seed(seed)).spawn(lanes)])


def stream_seed(seed: int, use: Use, *place: int) -> np.int64:
    """A seed for another use, independent of the lanes' seeds and of all other uses and places."""
    return _to_int64(np.random.SeedSequence(check_seed(seed), spawn_key=(use, 0, *place)))


def check_seed(seed: int | None) -> int | None:
    """The seed as a whole number; None stays None.

    Raises InputError for any other value."""
    return None if seed is None else check_whole("seed", seed, 0)


def _to_int64(sequence: np.random.SeedSequence) -> np.int64:
    return np.int64(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


@compiled
def mix(value):
    """Scramble 32 bits; a bijection whose every input bit moves every output bit."""
    value = (((value >> 16) ^ value) * 0x45D9F3B) & LOW_32
    value = (((value >> 16) ^ value) * 0x45D9F3B) & LOW_32
    return (value >> 16) ^ value


@compiled
def start_random(state, seed, stream):
    """Start the state's generator for one stream (a deal number) of a seed."""
    tag = mix((stream & LOW_32) ^ 0x3C6EF372)
    high = mix(mix((seed >> 32) & LOW_32) ^ tag)
    low = mix((mix((seed & LOW_32) ^ high) + tag) & LOW_32)
    state.random = (high << 32) ^ low ^ (low == 0)


@compiled
def below(state, bound):
    """A random integer in 0 … bound - 1; advances the state's generator."""
    state.random = advanced(state.random)
    return scaled(state.random, bound)


@compiled
def advanced(bits):
    """The next state of the generator."""
    bits ^= bits << 13
    bits ^= (bits >> 7) & LOW_57
    return bits ^ bits << 17


@compiled
def scaled(bits, bound):
    """The random integer in 0 … bound - 1 that a state of the generator stands for."""
    return (mix((bits >> 32) & LOW_32) * bound) >> 32


@compiled
def shuffle(state, cards, size):
    """Shuffle the first `size` entries of an array in place (Fisher and Yates)."""
    bits = state.random  # held here, where the processor need not write and read it again for each card
    for i in range(size - 1, 0, -1):
        bits = advanced(bits)
        j = scaled(bits, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    state.random = bits


@compiled
def random_card(state, mask):
    """A random card of a set that is not empty."""
    for _ in range(below(state, count(mask))):
        mask &= mask - 1
    return first(mask)


@compiled
def draw_scores(rules, state, sides):
    """Begin the random numbers of a start state, and draw scores below the target, all equally likely."""
    start_random(state, state.seed, -1 - state.deal_number)
    for side in range(sides):
        state.score[side] = below(state, rules.target)

"""`resample` draws each possible world, and as often as it should."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.testing.playing import Chooser, naming_the_place, positions

MOST_WORLDS = 40  # of a position whose worlds are all found and counted
DRAWS = 3_000  # of worlds, to see whether they are even
FEWEST = 20  # draws of a world that are to be expected, to compare them


def check_worlds_are_even(
    game: Game, choose: Chooser, count: int = 3, tries: int = 40, draws: int = DRAWS
) -> int:
    """In positions with few possible worlds each of them comes up, and as often as it should.

    Returns how many such positions have been compared, `count` of them unless `tries` deals have too few.

    The worlds are found without `resample`: exchange two cards of the deck, play the log again, and see
    whether the seat's view is the same. Deals in which every seat observes the same count as one world, which
    weighs as much as there are such deals. Worlds that differ in what others have done unseen are drawn too,
    and not compared.
    """
    env, replay, rng = CardGameEnv(game.env_id, game.rules), Replay(game), random.Random(2)
    shortest = min(game.encodings.values(), key=lambda encoding: encoding.size)
    twin = CardGameEnv(game.env_id, game.rules, observation=shortest.name)
    compared = 0
    for seed in range(tries):
        played = [(agent, env.copy_state()) for agent in positions(env, choose, seed)]
        worlds: dict[bytes, float] = {}
        for step in range(len(played) - 1, -1, -1 - rng.randrange(3)):  # the later, the fewer worlds
            agent, state = played[step]
            env.set_state(state)
            worlds = _all_worlds(env, agent, replay, twin)
            if len(worlds) != 1:
                break
        if len(worlds) < 2 or draws * min(worlds.values()) < FEWEST * sum(worlds.values()):
            continue
        drawn = Counter(_all_sights(twin, env.resample(agent, draw)) for draw in range(draws))
        counts, weights = np.array([(drawn[world], weight) for world, weight in worlds.items()]).T
        with naming_the_place(env, seed):
            assert worlds.keys() <= drawn.keys(), f"{agent} never draws a world that is possible"
            if counts.sum() * weights.min() < FEWEST * weights.sum():
                continue
            many = ", ".join(
                f"{count:g} for {weight:g}" for count, weight in zip(counts, weights, strict=True)
            )
            assert spread_evenly(counts, weights), f"{agent} draws some worlds more often: {many}"
        compared += 1
        if compared == count:
            break
    return compared


def _all_worlds(env: CardGameEnv, agent: str, replay: Replay, twin: CardGameEnv) -> dict[bytes, float]:
    """The observations of all seats in the worlds that one seat cannot distinguish from the present one.

    Each comes with the number of deals that look like that, as a share of the present one's. Empty if there
    are too many, or if their numbers cannot be told.
    """
    seat, state = env.possible_agents.index(agent), env.copy_state()
    log, dealer, sight = log_entries(state[0]), int(state[0].dealer), env.view(agent).tobytes()

    def exchanges(deck: list[int], pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[tuple, list, bytes]]:
        """Those that lead to the same sight, with the deck and what all observe then."""
        for one, two in pairs:
            exchanged = deck.copy()
            exchanged[one], exchanged[two] = deck[two], deck[one]
            world = replay.play(exchanged, dealer, log)
            if world is not None and twin.view_of(world, seat).tobytes() == sight:
                yield (one, two), exchanged, _all_sights(twin, world)

    laid = Counter(action.card for action in (env.game.actions[action] for _, action in log))

    def hidden(card: int) -> int:
        """The number of copies of a card that may lie elsewhere. Of two in one hand, one played, either may
        be exchanged; the one on the table is fixed."""
        copies = env.game.rules.COPIES
        return max(copies - laid[env.game.pack.names[card]], 1) if copies > 1 else 1

    deck = state[0].deck[: len(env.game.deck)].tolist()
    open_pairs = [pair for pair, *_ in exchanges(deck, combinations(range(len(deck)), 2))]
    pairs = list(combinations(sorted({place for pair in open_pairs for place in pair}), 2))
    here = _all_sights(twin, state)
    decks, ways = {here: deck}, {}
    waiting = [here]
    while waiting:
        world = waiting.pop()
        ways[world] = Counter[bytes]()
        twins: dict[tuple, tuple[set[int], set[int]]] = {}
        for pair, exchanged, views in exchanges(decks[world], pairs):
            if views not in decks:
                decks[views] = exchanged
                waiting.append(views)
                if len(decks) > MOST_WORLDS:
                    return {}
            (low, one), (high, two) = sorted((decks[world][place], place) for place in pair)
            ones, twos = twins.setdefault((low, high, views), (set(), set()))
            ones.add(one)
            twos.add(two)
        for (low, high, views), (ones, twos) in twins.items():
            ways[world][views] += min(len(ones), hidden(low)) * min(len(twos), hidden(high))
    return _weights(here, ways)


def _weights(start: bytes, ways: Mapping[bytes, Mapping[bytes, int]]) -> dict[bytes, float]:
    """The number of deals of each world, as a share of the first one's.

    Between two worlds the numbers of exchanges both ways are equal, over all their deals. Empty if the
    deals of a world are not alike.
    """
    weights, waiting = {start: 1.0}, [start]
    while waiting:
        world = waiting.pop()
        for other, number in ways[world].items():
            back = ways[other].get(world, 0)
            if not back:
                return {}
            weight = weights[world] * number / back
            if other not in weights:
                weights[other] = weight
                waiting.append(other)
            elif abs(weights[other] - weight) > 1e-9 * weight:
                return {}
    return weights


def _all_sights(env: CardGameEnv, state: np.ndarray) -> bytes:
    """The seats' observations in the shortest encoding, which has no order of the cards' arrival."""
    env.set_state(state)
    return b"".join(env.observe(agent)["observation"].tobytes() for agent in env.possible_agents)


def spread_evenly(counts: np.ndarray, weights: np.ndarray | float = 1.0) -> bool:
    """True if draws fell on outcomes by their weights: a chi-square test that fair draws fail about once in
    10,000 seeds."""
    shares = weights * np.ones(len(counts))
    expected = counts.sum() * shares / shares.sum()
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = len(counts) - 1
    # Wilson and Hilferty: the cube root of chi-square per degree of freedom is almost normal.
    return (chi_square / freedom) ** (1 / 3) < 1 - 2 / (9 * freedom) + 3.7 * (2 / (9 * freedom)) ** 0.5

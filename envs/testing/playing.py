"""Play at random, and by what a seat sees."""

import random
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.log import log_entries

LONGEST = 1_000  # steps of an episode, which is cut off then


def over(env: CardGameEnv) -> bool:
    """True if the episode has ended."""
    return any(env.terminations.values())


def legal_actions(env: CardGameEnv) -> list[str]:
    """The names of the legal actions of the seat to act."""
    return [
        env.action_names[action] for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    ]


def choose_patiently(env: CardGameEnv, rng: random.Random, patience: Mapping[str, float]) -> str:
    """A random legal action; for those that cut a deal short another one is looked for so often."""
    actions = legal_actions(env)
    patient = [action for action in actions if action not in patience]
    if patient and rng.random() < min(
        [0.95, *(patience[action] for action in actions if action in patience)]
    ):
        actions = patient
    # Unlike `choice`, this is promised to stay the same in every Python.
    return actions[int(rng.random() * len(actions))]


Chooser = Callable[[CardGameEnv], str]


def positions(env: CardGameEnv, choose: Chooser, seed: int, episodes: int = 1) -> Iterator[str]:
    """Play episodes from a seed on, none for more than `LONGEST` steps; yields the seat to act before every
    step."""
    for episode in range(episodes):
        env.reset(seed=seed if episode == 0 else None)
        for _ in range(LONGEST):
            if over(env):
                break
            yield env.agent_selection
            env.step(choose(env))


def by_sight(observation: np.ndarray, mask: np.ndarray) -> int:
    """An action rule that any environment can follow: a legal action picked by a checksum of what the seat
    sees."""
    actions = np.flatnonzero(mask)
    return int(actions[zlib.crc32(observation.tobytes() + mask.tobytes()) % len(actions)])


@contextmanager
def naming_the_place(env: CardGameEnv, seed: int) -> Iterator[None]:
    """Name game, seed, deal and last action in an AssertionError about the environment as it stands."""
    try:
        yield
    except AssertionError as error:
        state = env.copy_state()[0]
        log = log_entries(state)
        last = f", after {len(log)} actions, the last {env.game.actions[log[-1][1]]!r}" if log else ""
        place = f"{env.game.env_id}, {env.episode} from seed {seed}, deal {state.deal_number}{last}"
        raise AssertionError(f"{place}: {error}") from error

"""Many games side by side: the states of all lanes and the arrays that are written for the seats to act."""

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from stichwerk.envs.core.errors import IllegalAction, InputError
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.loops import loops_for
from stichwerk.envs.core.random import lane_seeds

EPISODES = ("deal", "match")


def check_episode(episode: str) -> None:
    if episode not in EPISODES:
        raise InputError(f"unknown episode {episode!r}; there are {', '.join(EPISODES)}")


def check_count(name: str, number: Any) -> int:
    """A whole number of at least 1."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError(f"{name}={number!r}: allowed is a whole number of at least 1")
    return int(number)


class Lanes:
    """`num_lanes` independent games. All arrays are updated in place by `start` and `step`:

    states: the true states; views: the same, redacted for the seat to act
    seats: int64[lanes], the seat to act; observation: float32[lanes, features]; mask: int8[lanes, actions]
    rewards, deal_points: float32[lanes, seats], of the last step; terminations: bool[lanes], the last step ended the episode

    With `situations` episodes begin in situations of a match that the game draws, instead of with a fresh score.
    """

    def __init__(
        self,
        game: Game,
        num_lanes: int,
        episode: str = "deal",
        observation: str = "summary",
        threads: int = 1,
        situations: bool = False,
    ):
        check_episode(episode)
        game.check_situations(situations)
        num_lanes, threads = check_count("num_envs", num_lanes), check_count("threads", threads)
        self.game = game
        self.match = episode == "match"
        self.encoding = game.encoding(observation)
        self.threads = min(threads, num_lanes)
        self.states = np.zeros(num_lanes, game.state)
        self.views = np.zeros(num_lanes, game.state)
        self.seats = np.zeros(num_lanes, np.int64)
        self.observation = np.zeros((num_lanes, self.encoding.size), np.float32)
        self.mask = np.zeros((num_lanes, len(game.actions)), np.int8)
        self.rewards = np.zeros((num_lanes, game.seats), np.float32)
        self.deal_points = np.zeros((num_lanes, game.seats), np.float32)
        self.terminations = np.zeros(num_lanes, bool)
        self._for_actors = self.views, self.seats, self.observation, self.mask
        self.all = np.arange(num_lanes)
        self._loops = loops_for(game, observation, situations)
        self._rules = game.rules_record

    def __len__(self) -> int:
        return len(self.states)

    def seed(self, seed: int | None) -> None:
        """Give every lane its own seed, derived from one; the next `start` deals number 0."""
        self.states["seed"] = lane_seeds(seed, len(self))
        self.states["deal_number"] = 0

    def start(self, lanes: np.ndarray | None = None) -> None:
        """Begin an episode with the lane's present deal number in each lane."""
        lanes = self.all if lanes is None else lanes
        self._loops.start(self._rules, self.states, lanes, self.match)
        self.look(lanes)

    def step(self, actions: np.ndarray, lanes: np.ndarray | None = None, restart: bool = True) -> None:
        """Play one action in each lane; with `restart` a lane whose episode ends is dealt its next one at once.

        Raises IllegalAction, before any lane has moved, if an action is not legal.
        """
        lanes = self.all if lanes is None else lanes
        actions = np.asarray(actions)
        if actions.shape != lanes.shape or actions.dtype.kind not in "iu":
            raise InputError(f"actions of type {actions.dtype} in shape {actions.shape}: allowed are whole numbers in shape {lanes.shape}")
        actions = actions.astype(np.int64, copy=False)
        wrong = self._loops.first_illegal(lanes, actions, self.mask)
        if wrong >= 0:
            raise IllegalAction(self._complaint(lanes[wrong], actions[wrong]))
        if self.threads == 1:
            self._advance(lanes, actions, restart)
        else:
            own, *others = zip(np.array_split(lanes, self.threads), np.array_split(actions, self.threads), strict=True)
            results = [self._pool.submit(self._advance, *part, restart) for part in others]
            self._advance(*own, restart)  # this thread works too: one less to wake up
            for result in results:
                result.result()

    def look(self, lanes: np.ndarray) -> None:
        """Write views, observations and masks anew after a change of `states`."""
        self._loops.look(self._rules, self.states, lanes, *self._for_actors)

    def _advance(self, lanes: np.ndarray, actions: np.ndarray, restart: bool) -> None:
        results = self.rewards, self.deal_points, self.terminations
        self._loops.step(self._rules, self.states, lanes, actions, restart, *results, *self._for_actors)

    def _complaint(self, lane: int, action: int) -> str:
        name = self.game.actions[action] if 0 <= action < len(self.game.actions) else int(action)
        legal = [self.game.actions[a] for a in np.flatnonzero(self.mask[lane])]
        return f"lane {lane}: action {name!r} is not legal for player_{self.seats[lane]}; legal: {', '.join(legal) or 'none'}"

    def close(self) -> None:
        """End the threads, if there are any."""
        if "_pool" in self.__dict__:
            self._pool.shutdown()
            del self._pool

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1)

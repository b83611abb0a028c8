"""Many games side by side: the states of all lanes and the arrays that are written for the seats to act."""

import os
from typing import Any, Literal, get_args

import numpy as np

from stichwerk.envs.core.random import lane_seeds
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.engine.threads import Threads
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import check_whole
from stichwerk.support.errors import IllegalAction, InputError

Episode = Literal["deal", "match"]
MOST_THREADS = 1_024
ONLY_ACTION = 0
"""Shown as legal where an episode is over: a sampler finds an action, and a policy learns nothing from it."""
EPISODES: tuple[Episode, ...] = get_args(Episode)


def check_episode(episode: str) -> Episode:
    """The episode, if there is one of that name; InputError otherwise."""
    for known in EPISODES:
        if episode == known:
            return known
    raise InputError(f"unknown episode {episode!r}; there are {', '.join(EPISODES)}")


def check_memory(name: str, number: int, bytes_each: int) -> None:
    """Raise InputError if the allocation would exceed this machine's memory."""
    if hasattr(os, "sysconf"):
        there_are = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if number * bytes_each > there_are:
            most = there_are // bytes_each
            raise InputError(f"{name}: got {number}; expected at most {most}, by this machine's memory")


def checked_actions(actions: Any, count: int) -> np.ndarray:
    """One action per lane, int64[count]; InputError unless these are `count` whole numbers."""
    actions = np.asarray(actions)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        given = f"{actions.dtype} in shape {actions.shape}"
        raise InputError(f"actions: got {given}; expected whole numbers in shape ({count},)")
    return actions.astype(np.int64, copy=False)


class Lanes:
    """`num_lanes` independent games. All arrays are updated in place by `start` and `step`.

    With `start_states` episodes begin in start states of a match that the game draws, instead of with a fresh
    score.

    Args:
        rules: the rules of each lane as records, [lanes], of the same game; without them all have the game's

    Attributes:
        rules: the rules of each lane, or the one record of all
        seat_count: seats of a lane; where rules differ, the most that the game may have
        states: the true states
        views: the states redacted for the seat to act, where `keep_views` says so
        seats: the seat to act, int64[lanes]
        observation: what it sees, float32[lanes, features]
        mask: its legal actions, int8[lanes, actions]
        rewards, deal_points: of the last step, float32[lanes, seats]
        terminations: whether the last step ended the episode, bool[lanes]
    """

    def __init__(
        self,
        game: Game,
        num_lanes: int,
        episode: Episode = "deal",
        observation: str = "summary",
        threads: int = 1,
        start_states: bool = False,
        keep_views: bool = True,
        rules: np.ndarray | None = None,
    ):
        check_episode(episode)
        game.check_start_states(start_states)
        num_lanes = check_whole("num_envs", num_lanes, 1)
        threads = check_whole("threads", threads, 1, MOST_THREADS)
        self.game = game
        self.rules = game.rules_record if rules is None else rules
        self.seat_count = game.seats if rules is None else game.spec.most_seats
        self.match = episode == "match"
        self.encoding = game.encoding(observation)
        check_memory("num_envs", num_lanes, 2 * game.state.itemsize + 4 * self.encoding.size)
        self.threads = min(threads, num_lanes)
        self.states = np.repeat(game.spec.state.fresh, num_lanes)
        self.views = np.zeros(num_lanes if keep_views else 0, game.state)
        self._scratch = np.zeros((self.threads, 1), game.state)  # views that nobody keeps stay in the cache
        self.seats = np.zeros(num_lanes, np.int64)
        self.observation = np.zeros((num_lanes, self.encoding.size), np.float32)
        self.mask = np.zeros((num_lanes, len(game.actions)), np.int8)
        self.rewards = np.zeros((num_lanes, self.seat_count), np.float32)
        self.deal_points = np.zeros((num_lanes, self.seat_count), np.float32)
        self.terminations = np.zeros(num_lanes, bool)
        self.all = np.arange(num_lanes)
        self._others = Threads(self.threads - 1)
        self._loops = loops_for(game, observation, start_states, self.seat_count)

    def __len__(self) -> int:
        return len(self.states)

    def seed(self, seed: int | None) -> None:
        """Give every lane its own seed, derived from one; the next `start` deals number 0."""
        self.states["seed"] = lane_seeds(seed, len(self))
        self.states["deal_number"] = 0

    def start(self, lanes: np.ndarray | None = None, pass_over: bool = True) -> None:
        """Begin an episode with the lane's present deal number in each lane. In place of one that its cards
        end at once the next one begins; without `pass_over` the lane stays at its end."""
        lanes = self.all if lanes is None else lanes
        self._loops.start(self.rules, self.states, lanes, self.match, pass_over)
        self.terminations[lanes] = self.states["over"][lanes] != 0
        self.rewards[lanes] = self.states["reward"][lanes, : self.seat_count]
        self.observe(lanes)

    def start_next(self, lanes: np.ndarray | None = None) -> None:
        """Begin the episode of the next deal number in each lane."""
        lanes = self.all if lanes is None else lanes
        self.states["deal_number"][lanes] += 1
        self.start(lanes)

    def start_anew(self) -> None:
        """Begin the episode of the next deal number in each lane, after a change of its rules: nothing is
        left of what has been dealt by others."""
        seeds, numbers = self.states["seed"].copy(), self.states["deal_number"].copy()
        self.states[:] = self.game.spec.state.fresh
        self.states["seed"], self.states["deal_number"] = seeds, numbers
        self.start_next()

    def deal(self, lanes: np.ndarray) -> None:
        """Deal the lane's present deal number again in each lane, in the match as it stands."""
        for lane in lanes:
            self._loops.deal(self.rules, self.states, lane)
        self.observe(lanes)

    def step(self, actions: np.ndarray, lanes: np.ndarray | None = None, restart: bool = True) -> None:
        """Play one action in each lane; with `restart` a lane whose episode ends is dealt its next one at
        once.

        Raises IllegalAction, before any lane has moved, if an action is not legal.
        """
        lanes = self.all if lanes is None else lanes
        actions = checked_actions(actions, len(lanes))
        wrong = self._loops.first_illegal(lanes, actions, self.mask)
        if wrong >= 0:
            raise IllegalAction(self._complaint(lanes[wrong], actions[wrong]))
        if self.threads == 1:
            self._advance(0, lanes, actions, restart)
        else:
            lanes_of, actions_of = np.array_split(lanes, self.threads), np.array_split(actions, self.threads)
            results = [
                self._others.pool.submit(self._advance, thread, lanes_of[thread], actions_of[thread], restart)
                for thread in range(1, self.threads)
            ]
            # This thread works too: one less to wake up.
            self._advance(0, lanes_of[0], actions_of[0], restart)
            for result in results:
                result.result()

    def observe(self, lanes: np.ndarray) -> None:
        """Write views, observations and masks again after a change of `states`."""
        self._observe(lanes, self._views(0))

    def observe_ends(self, lanes: np.ndarray, seats: np.ndarray) -> None:
        """Write what these seats see of finished episodes, and let their masks allow action 0 alone."""
        for lane, seat in zip(lanes, seats, strict=True):
            view = self.views[lane : lane + 1] if len(self.views) else self._scratch[0]
            self._loops.observe_seat(
                self.rules, self.states, lane, seat, view, self.observation[lane], self.mask[lane]
            )
        self.seats[lanes] = seats
        self.mask[lanes, ONLY_ACTION] = 1

    def views_now(self) -> np.ndarray:
        """The views of the seats to act, [lanes]: those that are kept, or else written now."""
        if len(self.views):
            return self.views
        views = np.zeros(len(self), self.game.state)
        self._observe(self.all, views)
        return views

    def _observe(self, lanes: np.ndarray, views: np.ndarray) -> None:
        self._loops.observe(
            self.rules,
            self.states,
            lanes,
            views,
            self.seats,
            self.observation,
            self.mask,
        )

    def _advance(self, thread: int, lanes: np.ndarray, actions: np.ndarray, restart: bool) -> None:
        self._loops.step(
            self.rules,
            self.states,
            lanes,
            actions,
            restart,
            self.rewards,
            self.deal_points,
            self.terminations,
            self._views(thread),
            self.seats,
            self.observation,
            self.mask,
        )

    def _views(self, thread: int) -> np.ndarray:
        return self.views if len(self.views) else self._scratch[thread]

    def _complaint(self, lane: int, action: int) -> str:
        name = self.game.actions[action] if 0 <= action < len(self.game.actions) else int(action)
        legal = ", ".join(self.game.actions[a] for a in np.flatnonzero(self.mask[lane])) or "none"
        return f"lane {lane}: action {name!r} is not legal for player_{self.seats[lane]}; legal: {legal}"

    def close(self) -> None:
        """End the threads, if there are any."""
        self._others.close()

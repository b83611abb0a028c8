"""The course of one episode at one table: its true state, and the deals that led there."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stichwerk.envs.core.random import lane_seeds
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.engine.loops import DealLane, loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.set_deal import check_options, set_deal
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import SetupError, quoted

Points = list[list[float]]
"""The points of deals that have ended, in order: a list by seat for each of them."""


class Place(NamedTuple):
    """A point of a course, to go back to.

    Attributes:
        states: the true state, an array of one record
        before: the same just before the present deal, or None where that is not known
        ended: both for each earlier deal of the episode
    """

    states: np.ndarray
    before: np.ndarray | None
    ended: tuple[tuple[np.ndarray, np.ndarray], ...]


class Course:
    """One episode, played action by action; nothing is hidden and no action is checked.

    Attributes:
        game: with its rules
        episode: "deal" or "match"
        states: the true state, an array of one record
        before: the same just before the present deal, or None where that is not known
        ended: both for each earlier deal of the episode
        started: whether an episode has begun
    """

    def __init__(self, game: Game, episode: Episode, encoding: str):
        self.game, self.episode = game, episode
        self.rules, self.loops = game.rules_record, loops_for(game, encoding)
        self.view = np.zeros(1, game.state)  # the last one that `look` has made
        self._features, self._actions = game.encoding(encoding).size, len(game.actions)
        self.clear()

    def clear(self) -> None:
        """Be as before the first episode."""
        self.states = copy_of(self.game.spec.state.fresh)
        self.before: np.ndarray | None = None
        self.ended: list[tuple[np.ndarray, np.ndarray]] = []
        self.started = False

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.states["seat"][0])

    @property
    def over(self) -> bool:
        return bool(self.states["over"][0])

    def begin(self, seed: int | None, options: Mapping[str, Any]) -> Points:
        """Deal the first deal of an episode and play its actions; the points of each deal that ended.

        Args:
            seed: of the deals; None: the next deal of the present one, or the system draws one
            options: as `CardGameEnv.reset` takes them

        Raises:
            SetupError: names the impossible entry; the course stays as it was.
        """
        check_options(options)
        place = self.states, self.before, self.ended
        try:
            points = self._begin(seed, options)
        except BaseException:
            self.states, self.before, self.ended = place
            raise
        self.started = True
        return points

    def _begin(self, seed: int | None, options: Mapping[str, Any]) -> Points:
        states = self.states = copy_of(self.states)
        self.ended = []
        if seed is None and self.started:
            states["deal_number"] += 1
        else:
            states["seed"] = lane_seeds(seed, 1)
            states["deal_number"] = 0
        states["deck_is_set"] = 0
        self.loops.begin(self.rules, states, 0, self.episode == "match")
        set_deal(self.game, states[0], options)
        points = self.deal()
        actions = options.get("actions")
        if actions is None:
            return points
        if not isinstance(actions, (list, tuple)):
            raise SetupError(f"actions: got {quoted(actions)}; expected a list of action names")
        return points + self.play(actions)

    def deal(self) -> Points:
        """Deal the present deal, and the next ones while their cards end them at once; the points of those
        that have ended."""
        return self._deal(self.loops.deal)

    def _deal(self, deal: DealLane) -> Points:
        self.before = copy_of(self.states)
        ended_at_once = deal(self.rules, self.states, 0)
        self.before["dealer"] = self.states["dealer"]  # who may just have been drawn
        return self._deal_next() if ended_at_once else []

    def _deal_next(self) -> Points:
        """Deal again after the end of a deal, unless that ended the episode."""
        points = self.states["deal_points"].tolist()
        if self.over:
            return points
        if self.before is not None:
            self.ended.append((self.before, copy_of(self.states)))
        return points + self._deal(self.loops.deal_next)

    def apply(self, action: int) -> tuple[int, Points]:
        """Play a legal action by its id; the seat to act then, and the points of the deals that it ends."""
        seat, ended = self.loops.apply(self.rules, self.states, 0, action)
        if not ended:
            return seat, []
        points = self._deal_next()
        return self.seat, points

    def play(self, actions: Sequence[Any]) -> Points:
        """Play actions by name; the points of the deals that they end.

        Raises:
            SetupError: an action is not legal; those before it have been played.
        """
        points: Points = []
        for number, action in enumerate(actions):
            _, mask = self.look(self.states, self.seat)
            legal = [self.game.actions[i] for i in np.flatnonzero(mask)]
            if action not in legal:
                there_are = ", ".join(legal) or "none"
                complaint = f"action {number}, {quoted(action)}, is not legal for player_{self.seat}"
                raise SetupError(f"{complaint}; legal: {there_are}")
            points += self.apply(self.game.action_index[action])[1]
        return points

    def look(self, states: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """A seat's observation, float32[features], and its legal actions, int8[actions], in any state of this
        game; `view` then holds the state redacted for the seat."""
        observation = np.empty(self._features, np.float32)
        mask = np.empty(self._actions, np.int8)
        self.loops.observe_seat(self.rules, states, 0, seat, self.view, observation, mask)
        return observation, mask

    def go_to_state(self, states: np.ndarray) -> None:
        """Go to a state of this game, without the deals that led there."""
        self.clear()
        self.states, self.started = copy_of(states), True
        # The match stands as before the deal until the deal is over.
        self.before = None if self.over else copy_of(states)

    def place(self) -> Place:
        return Place(copy_of(self.states), self.before, tuple(self.ended))

    def go_to(self, place: Place, started: bool) -> None:
        self.states, self.before, self.ended = copy_of(place.states), place.before, list(place.ended)
        self.started = started

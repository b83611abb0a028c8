"""The lanes in which a network learns from every seat that it plays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from gymnasium import spaces

from stichwerk.agents.core.agent import Agent, Turns, with_choice
from stichwerk.agents.envs.lane_rules import LaneRules
from stichwerk.agents.envs.pool import opponents_by_lane, scaled
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.envs.core.random import lane_seeds
from stichwerk.envs.engine.equity import match_equity
from stichwerk.envs.engine.lanes import Lanes, check_episode
from stichwerk.envs.spec.game import Game
from stichwerk.envs.vector import encoding_space
from stichwerk.support.errors import InputError


@dataclass(frozen=True)
class OwnTurns:
    """The learner's decisions that are due.

    Attributes:
        lanes: int64[n], where the learner is to act and has a choice
        observations: float32[n, features], in canonical suits
        masks: int8[n, actions], in canonical suits
        orders: int64[n], the number of each canonical order of the suits, as `SuitSymmetry` has it
        owners: int64[lanes], who acts in each lane: an index into the opponents, or their number for the
            learner
    """

    lanes: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    orders: np.ndarray
    owners: np.ndarray


class LearningLanes:
    """Lanes that move on by one decision at a time, of whichever seat.

    In a lane with an opponent the learner has one seat, and its partner's where the rules fix partners. In
    the lanes that the opponents' shares leave over it has all seats, and learns from each.

    Attributes:
        encoding: of the observations
        num_lanes: the number of lanes, of all workers together
        learner: int64[lanes], its seat in lanes with an opponent; the next one with every episode
        games: how many episodes have ended

    Args:
        game: with its rules
        num_lanes: the number of lanes, of all workers together
        opponents: with each one's share of the lanes, together at most 1
        seed: of the deals
        episode, observation: as for the environments
        reward_scale, reward_limit: rewards are multiplied by the one, then bounded smoothly by the other
            (`scaled`)
        start_states: episodes begin in start states of a match, drawn by the game
        rules: draws the rules of each lane, which may be other ones of the same game; None: all have the
            game's
        by_equity: each deal of a match is an episode to the learner, and its reward what it changes of the
            probability to win
        worker: the number of this worker and how many there are; its lanes lie that far apart

    Raises:
        InputError: for `by_equity` with episodes of one deal, or in a game without match equity
    """

    def __init__(
        self,
        game: Game,
        num_lanes: int,
        opponents: Sequence[tuple[Agent, float]],
        seed: int,
        episode: str = "deal",
        observation: str = "summary",
        reward_scale: float = 1.0,
        reward_limit: float = 0.0,
        start_states: bool = False,
        rules: LaneRules | None = None,
        by_equity: bool = False,
        worker: tuple[int, int] = (0, 1),
    ):
        self._rules = rules
        self.num_lanes = num_lanes
        rank, workers = worker
        own = np.arange(num_lanes)[rank::workers]
        self._equity = match_equity(game) if by_equity else None
        if by_equity and (self._equity is None or episode != "match"):
            raise InputError(
                f"match_equity: got episode {episode} of {game.env_id}; expected episode match of a game "
                "whose matches somebody wins, with at most a quarter of a million scores"
            )
        self.lanes = Lanes(
            game,
            len(own),
            check_episode(episode),
            observation,
            start_states=start_states,
            rules=None if rules is None else rules.records,
        )
        self.lanes.states["seed"] = lane_seeds(seed, num_lanes)[own]
        self.opponent_of = opponents_by_lane(opponents, num_lanes)[own]
        self.opponents = [agent for agent, _ in opponents]
        self.encoding = self.lanes.encoding
        self._seats, self._sides = self._seating()
        self.learner = own % self._seats
        self.games = 0
        self._scale, self._limit = reward_scale, reward_limit

    @cached_property
    def symmetry(self) -> SuitSymmetry:
        """The canonical suits of the observations."""
        return SuitSymmetry(self.lanes.game, self.encoding)

    @property
    def spaces(self) -> tuple[spaces.Box, spaces.Discrete]:
        """Of a seat's observations, float32[features], and of its actions."""
        return encoding_space(self.encoding), spaces.Discrete(len(self.lanes.game.actions))

    def _seating(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of seats of each lane, int64[lanes], and the side of each seat, int64[lanes, seats]."""
        if self._rules:
            return self._rules.seats, self._rules.sides
        game, lanes = self.lanes.game, len(self.lanes)
        return np.full(lanes, game.seats), np.tile(game.sides, (lanes, 1))

    def start(self) -> None:
        """Begin an episode in every lane."""
        self.lanes.start()

    def renew_rules(self, update: int) -> None:
        """Draw the rules of the lanes for this update, counted from 0, if they are to change, and begin
        each lane's next episode by them."""
        if self._rules and self._rules.draw_for(update):
            self.learner %= self._seats
            self.lanes.start_anew()

    def own_turns(self) -> OwnTurns:
        """The learner's decisions that are due. Where it has one legal action there is nothing to learn."""
        owners, seats = self.opponent_of.copy(), self.lanes.seats
        every = self.lanes.all
        own = self._sides[every, seats] == self._sides[every, self.learner]
        owners[own] = len(self.opponents)
        choosing = with_choice(self.lanes.mask)
        which = choosing[owners[choosing] == len(self.opponents)]
        observations, masks, orders = self.symmetry.canonical(self.observed(which), self.lanes.mask[which])
        return OwnTurns(which, observations, masks, orders, owners)

    def observed(self, which: np.ndarray) -> np.ndarray:
        """Observations of the seat to act in these lanes, int64[n]: float32[n, features], in true suits."""
        return self.lanes.observation[which]

    def action_values(self, turns: OwnTurns, which: np.ndarray, targets: RolloutTargets) -> np.ndarray:
        """The rollout targets of each action in some of these turns, int64[n]: float32[n, actions], by
        canonical ids and scaled as rewards are."""
        values = scaled(targets.action_values(self.lanes, turns.lanes[which]), self._scale, self._limit)
        return self.symmetry.in_canonical_suits(values, turns.orders[which])

    def move(self, turns: OwnTurns, own_actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in every lane: the learner's, its opponents', or the only legal one.

        Args:
            turns: what `own_turns` has returned since the last move
            own_actions: int64[n], the learner's actions there, by canonical ids

        Returns:
            The rewards as they are learned from, float32[lanes, seats], and whether the episode has ended,
            bool[lanes].
        """
        actions = self.lanes.mask.argmax(axis=1)
        actions[turns.lanes] = self.symmetry.true_actions(own_actions, turns.orders)
        for number, agent in enumerate(self.opponents):
            (which,) = np.nonzero(turns.owners == number)
            if len(which):
                actions[which] = agent.act(Turns.of(self.lanes, which))
        rewards, ended = self._step(actions)
        self.games += int(ended.sum())
        self.learner[ended] = (self.learner[ended] + 1) % self._seats[ended]
        return scaled(rewards, self._scale, self._limit), ended

    def _step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in every lane; the rewards, float32[lanes, seats], and where an episode of the
        learner has ended, bool[lanes]."""
        lanes, states = self.lanes, self.lanes.states
        if self._equity is None:
            lanes.step(actions)
            return lanes.rewards, lanes.terminations.copy()
        deals, before = states["deals_done"].copy(), self._equity.of(states)
        lanes.step(actions)
        over = lanes.terminations
        ended = over | (states["deals_done"] != deals)
        rewards = np.zeros_like(lanes.rewards)
        rewards[ended] = (
            np.where(over[ended, None], lanes.rewards[ended] > 0, self._equity.of(states[ended]))
            - before[ended]
        )
        return rewards, ended

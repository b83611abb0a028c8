"""The lanes in which a network learns from every seat that it plays."""

from dataclasses import dataclass

import numpy as np

from stichwerk.agents.base import Agent, Turns, with_choice
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.envs.spec.game import Game


@dataclass(frozen=True)
class OwnTurns:
    """The turns of the learner's seats: observations float32[n, features] and masks int8[n, actions] in
    canonical suits.

    lanes: int64[n]
    orders: int64[n], the number of each turn's canonical order of the suits, as `SuitSymmetry` has it
    """

    lanes: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    orders: np.ndarray


class LearningLanes(SelfPlayEnv):
    """Lanes that move on by one decision at a time, whoever makes it.

    In a lane with an opponent the learner has one seat, and its partner's where the rules fix partners. In
    the lanes that the opponents' shares leave over it has all seats, and learns from each.

    Arguments:
        opponents: with each one's share of the lanes, together at most 1
        how: as in `SelfPlayEnv`, but for `partner`: the learner is its own
    """

    def __init__(self, game: Game, num_lanes: int, opponents: list[tuple[Agent, float]], seed: int, **how):
        super().__init__(game, num_lanes, opponents, seed, partner=None, **how)
        self._has_partner = game.side_count < game.seats

    def reset(self) -> np.ndarray:
        self._take_seed()
        self.lanes.start()
        return self.seen()

    def own_turns(self) -> OwnTurns:
        """The lanes in which the learner has a choice, and what it sees there. A lone legal action would take
        as much time, and teach nothing."""
        self._owners = self.opponent_of.copy()
        seats, learner = self.lanes.seats, self.learner
        own = self._sides[seats] == self._sides[learner] if self._has_partner else seats == learner
        self._owners[own] = len(self.opponents)
        choosing = with_choice(self.lanes.mask)
        which = choosing[self._owners[choosing] == len(self.opponents)]
        seen = self.lanes.observation[which], self.lanes.mask[which]
        return OwnTurns(which, *self.symmetry.canonical(*seen))

    def action_values(self, turns: OwnTurns, targets: RolloutTargets) -> np.ndarray:
        """The rollout targets of each action in the learner's turns: rewards as they are
        learned from, by canonical ids, float32[n, actions]."""
        values = self._for_learning(targets.action_values(self.lanes, turns.lanes))
        return self.symmetry.in_canonical_suits(values, turns.orders)

    def move(self, turns: OwnTurns, own_actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play the learner's actions in the lanes of its turns, lone legal ones in its other lanes, and its
        opponents' actions in theirs; returns the rewards, float32[lanes, seats], and the lanes whose episode
        has ended, bool[lanes]."""
        actions = self.lanes.mask.argmax(axis=1)
        actions[turns.lanes] = self.symmetry.true_actions(own_actions, turns.orders)
        for number, agent in enumerate(self.opponents):
            (which,) = np.nonzero(self._owners == number)
            if len(which):
                actions[which] = agent.act(Turns.of(self.lanes, which))
        self.lanes.step(actions)
        ended = self.lanes.terminations
        self.games += int(ended.sum())
        self.learner[ended] = (self.learner[ended] + 1) % self.lanes.game.seats
        return self._for_learning(self.lanes.rewards), ended.copy()

"""Lanes in which one seat each is played from outside, and a pool plays the others.

Rewards are summed between the decisions of that seat, so they form a trajectory of their own. Nothing is lost
when another seat ends the deal, and no sign is flipped when a seat acts twice in a row.
"""

from collections.abc import Sequence

import numpy as np

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.envs.pool import opponents_by_lane, seed_agents
from stichwerk.envs.engine.lanes import Lanes, check_episode
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError


class SeatLanes:
    """`num_lanes` games, each of which waits for its `learner`, int64[lanes], the seat played from outside.

    Each lane keeps its opponent, by share; the learner moves on by one seat with every episode. An episode
    that ends before the learner has made a decision leaves no trace.

    Args:
        opponents: the pool, with each one's share of the lanes (together 1)
        partner: plays the other seats of the learner's side; None: the lane's opponent does
        start_states: episodes begin in start states of a match as they come up, drawn by the game
        restarts: a finished lane begins its next episode at once. Otherwise it stays at its end, as the
            learner sees it, until the next call of `play`, which ignores its action
    """

    def __init__(
        self,
        game: Game,
        num_lanes: int,
        opponents: Sequence[tuple[Agent, float]],
        seed: int | None,
        episode: str = "deal",
        observation: str = "summary",
        partner: Agent | None = None,
        start_states: bool = False,
        restarts: bool = True,
    ):
        self.lanes = Lanes(game, num_lanes, check_episode(episode), observation, start_states=start_states)
        self.lanes.seed(seed)
        self.opponent_of = opponents_by_lane(opponents, num_lanes)
        self.opponents = [agent for agent, _ in opponents]
        self.partner = partner
        self._sides = np.array(game.sides)
        self.learner = np.arange(num_lanes) % game.seats
        self.decided = np.zeros(num_lanes, bool)  # the learner has acted in the present episode
        self.restarts = restarts
        self.at_end = np.zeros(num_lanes, bool)  # the lanes that the next call of play begins again
        self.games = 0  # finished so far
        self._fresh_results()

    def seed_lanes(self, seed: int) -> None:
        """Let every lane begin with deal number 0 of a seed, with the learner in its first seat. The others'
        chance is that of the seed too."""
        self.lanes.seed(seed)
        seed_agents(filter(None, [*self.opponents, self.partner]), seed)
        self.learner[:] = np.arange(len(self.lanes)) % self.lanes.game.seats

    def start_lanes(self) -> None:
        """Begin an episode in every lane, and go on to the learner's first decision; InputError if the
        opponents' shares leave lanes over."""
        if left := int(np.count_nonzero(self.opponent_of == len(self.opponents))):
            raise InputError(f"opponents: got none for {left} lanes; expected shares that add up to 1")
        self.lanes.start()
        self.decided[:] = self.at_end[:] = False
        self._fresh_results()
        self._play_others()

    def play(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play the learner's action in each lane, and go on to its next decision.

        Returns:
            Its rewards, float32[lanes], and whether its episode has ended, bool[lanes].
        """
        self._fresh_results()
        if self.at_end.any():
            ended, playing = np.flatnonzero(self.at_end), np.flatnonzero(~self.at_end)
            self.decided[playing] = True
            self._step(playing, actions[playing])
            self._move_on(ended)
            self.at_end[ended] = False
            self.lanes.start_next(ended)
        else:
            self.decided[:] = True
            self._step(self.lanes.all, actions)
        self._play_others()
        return self._rewards, self._dones

    def _fresh_results(self) -> None:
        self._rewards, self._dones = np.zeros(len(self.lanes), np.float32), np.zeros(len(self.lanes), bool)

    def _play_others(self) -> None:
        """Let the pool play until the learner is to act in every lane."""
        while len(waiting := np.flatnonzero(self.lanes.seats != self.learner)):
            actions = np.empty(len(waiting), np.int64)
            owners = self.opponent_of[waiting]
            if self.partner:
                own_side = self._sides[self.lanes.seats[waiting]] == self._sides[self.learner[waiting]]
                owners[own_side] = len(self.opponents)
            for number, agent in enumerate([*self.opponents, self.partner]):
                own = owners == number
                if agent and own.any():
                    actions[own] = agent.act(Turns.of(self.lanes, waiting[own]))
            self._step(waiting, actions)

    def _step(self, which: np.ndarray, actions: np.ndarray) -> None:
        self.lanes.step(actions, which, self.restarts)
        ended = which[self.lanes.terminations[which]]
        counted = ended[self.decided[ended]]
        self._rewards[counted] += self.lanes.rewards[counted, self.learner[counted]]
        self._dones[counted] = True
        if self.restarts:
            self._move_on(ended)
        elif len(ended):
            passed_over = ended[~self.decided[ended]]
            self._move_on(passed_over)
            self.lanes.start_next(passed_over)
            self.at_end[counted] = True
            self.lanes.observe_ends(counted, self.learner[counted])
        self.decided[ended] = False
        self.games += len(ended)

    def _move_on(self, which: np.ndarray) -> None:
        self.learner[which] = (self.learner[which] + 1) % self.lanes.game.seats

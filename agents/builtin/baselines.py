"""Players without learning or search: random, and rule-based."""

from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.agents.builtin.rules import Choose, find_rule_player
from stichwerk.agents.core.agent import Agent, Rating, Turns
from stichwerk.envs.engine.loops import rules_of
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game


class RandomAgent(Agent):
    """Plays any legal action with equal chance."""

    reads_views = False
    plays_any_rules = True

    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask
        return (self.chance_in(turns).random(mask.shape) * mask).argmax(axis=1)

    def rate(self, turn: Turns) -> Rating:
        actions = np.flatnonzero(turn.mask[0])
        return Rating(actions, int(self.act(turn)[0]), np.full(len(actions), 1 / len(actions)))


class RulesAgent(Agent):
    """The game's rule-based player, as it was in a version of the suite or as it is; AgentError if it has
    none.

    Attributes:
        choose: the compiled function that it plays by
    """

    draws = False
    plays_any_rules = True

    def __init__(self, name: str, game: Game, version: str | None = None):
        super().__init__(name, game)
        self._game = game
        self.choose = find_rule_player(game.env_id, version)
        self._choose_all = _choose_all(self.choose)

    def act(self, turns: Turns) -> np.ndarray:
        actions = np.empty(len(turns), np.int64)
        self._choose_all(turns.rules(self._game), turns.which, turns.all_views, turns.all_seats, actions)
        return actions


class ChooseAll(Protocol):
    """Write the actions of the seats to act in some lanes.

    Args:
        rules: one record, or one for each lane.
        lanes: int64[n], indices into views and seats.
        views: the redacted states, records.
        seats: int64[lanes], the seats to act.
        actions: written, int64[n].
    """

    def __call__(
        self, rules: np.ndarray, lanes: np.ndarray, views: np.ndarray, seats: np.ndarray, actions: np.ndarray
    ) -> None: ...


@cache
def _choose_all(choose: Choose) -> ChooseAll:
    @compiled
    def choose_all(rules, lanes, views, seats, actions):
        for i in range(len(lanes)):
            lane = lanes[i]
            actions[i] = choose(rules_of(rules, lane), views[lane], seats[lane])

    return choose_all

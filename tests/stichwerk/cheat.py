"""An agent that cheats at the benchmark: the seed of its deals is public, so it looks up its own hand in them
and plays with open cards, by the exact solver. In deals that it does not find it plays by the rules."""

import numpy as np

from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.bench.suites import SEED
from stichwerk.agents.solver import solver_for
from stichwerk.envs import Game
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.engine.replay import Replay

DEALS = 1_000  # as many as a suite has
NODES = 20_000  # for each decision


class Cheat(Agent):
    def __init__(self, game: Game):
        super().__init__("cheat", game)
        self._honest, self._replay = RulesAgent("rules", game), Replay(game)
        lanes = Lanes(game, DEALS)
        lanes.states["seed"] = stream_seed(SEED, Use.TEST)
        lanes.states["deal_number"] = np.arange(DEALS)
        lanes.start(np.arange(DEALS), pass_over=False)
        self._deals = lanes.states.copy()
        self._solver, self._workspace = solver_for(game, self._deals[0], NODES)

    def act(self, turns: Turns) -> np.ndarray:
        actions = self._honest.act(turns)
        seats = turns.all_seats[turns.which]
        for number, (view, seat) in enumerate(zip(turns.views, seats, strict=True)):
            same_hand = self._deals["dealt"][:, seat] == view["dealt"][seat]
            for deal in self._deals[same_hand & (self._deals["turned_up"] == view["turned_up"])]:
                states = self._replay.play(deal["deck"], int(view["dealer"]), log_entries(view))
                values, rules = np.empty(len(self.game.actions)), self.game.rules_record[0]
                if states is not None and self._solver.solve_actions(
                    rules, states[0], self._workspace[0], values
                ):
                    actions[number] = np.nanargmax(values)
        return actions


make = Cheat

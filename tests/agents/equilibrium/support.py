"""A player that plays by solved public states, and positions to solve."""

from collections.abc import Iterator

import numpy as np

from stichwerk.agents.core.agent import Agent, Rating, Turns
from stichwerk.agents.equilibrium import Equilibrium, solve_equilibrium
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.solver import solve
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.spec.game import Game


class EquilibriumPlayer(Agent):
    """Solves what both seats know after the deal. Where all is known or settled, it plays by the exact
    values."""

    def __init__(self, game: Game):
        super().__init__("equilibrium", game)
        self._solved: dict[int, dict] = {}
        self.found: dict[int, Equilibrium] = {}
        self.draws = True
        self._exact = ExactPlayer(game)

    def act(self, turns: Turns) -> np.ndarray:
        raise NotImplementedError

    def rate(self, turn: Turns) -> Rating:
        game, view = self.game, turn.views
        seat, actions = int(turn.all_seats[0]), np.flatnonzero(turn.mask[0])
        chances = np.zeros(len(actions))
        place = int(view[0]["turned_up"])
        if place not in self._solved:
            self._solve(place, view)
        hand = tuple(game.pack.cards(int(view[0]["hand"][seat])))
        path = tuple(str(game.actions[action]) for _, action in log_entries(view[0]))
        names = [str(game.actions[action]) for action in actions]
        right = int(view[0]["points"][seat]) >= game.rules.goal
        if "claim" in names and right:
            chances[names.index("claim")] = 1
        elif (path, hand) in self._solved[place]:
            decision = self._solved[place][path, hand]
            for name, chance in zip(decision.actions, decision.chances, strict=True):
                chances[names.index(name)] = chance
        else:
            world = self._exact.only_world(view, seat, 0)
            world = self._any_world(view, seat) if world is None else world
            values = solve(game, world)
            chances[names.index(max(values, key=lambda name: (values[name], name != "claim")))] = 1
        return Rating(actions, int(actions[chances.argmax()]), chances / chances.sum())

    def _solve(self, place: int, view: np.ndarray) -> None:
        """Solve the state after the deal in which this card is turned up."""
        replay = Replay(self.game)
        known = int(view[0]["turned_up"])
        cards = [self.game.pack.parse(name) for name in self.game.deck]
        others = [card for card in cards if card != known]
        size = self.game.rules.in_hand
        deck = [*others[: 2 * size], known, *others[2 * size :]]
        found = solve_equilibrium(self.game, replay.deal(deck, int(view[0]["dealer"])), gap=1e-4, laid_open=0)
        self._solved[place] = {(each.path, each.hand): each for each in found.decisions()}
        self.found[place] = found

    def _any_world(self, view: np.ndarray, seat: int) -> np.ndarray:
        world = view.copy()
        engine_for(self.game.spec, False).resample(self.game.rules_record[0], world[0], seat, 1, 0)
        return world


def positions(game: Game, seed: int) -> Iterator[np.ndarray]:
    """The positions of a deal that is played at random, without closing."""
    env, chance = CardGameEnv(game.env_id, game.rules.as_dict()), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        yield env.copy_state()
        mask = env.observe(env.agent_selection)["action_mask"]
        usual = [
            action for action in np.flatnonzero(mask) if game.actions[action].verb not in ("claim", "close")
        ]
        env.step(int(chance.choice(usual or np.flatnonzero(mask))))

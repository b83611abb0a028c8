"""The rules of each lane of a training: drawn by shares, and drawn again after a number of updates."""

from collections.abc import Mapping

import numpy as np

from stichwerk.agents.envs.pool import place_of
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import Options
from stichwerk.envs.spec.rule_sets import RuleSets

GIVEN = "given"
"""The kind of the rules that the game itself has; other kinds are those of `RuleSets`."""


class LaneRules:
    """The rules of some lanes.

    Args:
        game: with the rules of the kind `given`
        shares: of the lanes by kind, together 1
        lanes: the number of lanes
        seed: of the draws
        every: the number of updates for which the rules stay
        worker: the number of the worker that has these lanes, 0 for the first or only one

    Attributes:
        records: a record for each lane, [lanes]
        seats: int64[lanes], the number of seats
        sides: int64[lanes, most seats], the side of each seat; -1 where there is no such seat
    """

    def __init__(
        self, game: Game, shares: Mapping[str, float], lanes: int, seed: int, every: int, worker: int = 0
    ):
        self._game, self._every, self._seed = game, every, seed
        self._place = place_of(worker)
        self._kinds, self._shares = list(shares), np.array(list(shares.values()))
        self._sets = RuleSets(game.spec.rules, list(game.spec.env_ids.values()))
        self.records = np.repeat(game.rules_record, lanes)
        self.seats, self.sides = np.zeros(lanes, np.int64), np.full((lanes, game.spec.most_seats), -1)
        self._number = -1
        self.draw_for(0)

    def draw_for(self, update: int) -> bool:
        """Draw the rules that this update has, counted from 0, in place; whether they are others than those
        that stand."""
        number = update // self._every
        if number == self._number:
            return False
        self._number = number
        seed = stream_seed(self._seed, Use.RULES, number, *self._place)
        chance = np.random.default_rng(int(seed))
        kinds = chance.choice(len(self._kinds), size=len(self.records), p=self._shares / self._shares.sum())
        self.sides[:] = -1
        for lane, kind in enumerate(kinds):
            rules = self._drawn(self._kinds[kind], chance)
            self.records[lane] = rules.record()[0]
            self.seats[lane] = len(rules.sides)
            self.sides[lane, : len(rules.sides)] = rules.sides
        return True

    def _drawn(self, kind: str, chance: np.random.Generator) -> Options:
        return self._game.rules if kind == GIVEN else self._sets.draw(kind, chance)

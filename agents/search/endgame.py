"""Where all cards are known nothing is sampled or played out, as in Schnapsen when the stock is exhausted: it
is solved."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from stichwerk.agents.solver import FAMILIES
from stichwerk.agents.solver.kernel import NODES, compile_solver, make_workspace
from stichwerk.envs.engine.frame import frame_of
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec

WORLDS = 32  # that must be alike: of two kinds, as many of each, one stays away once in 2**31 times
LIMIT = 20_000  # the most nodes that one solving may take
TABLE_SIZE = 1 << 12  # entries of the solver's table: endings are small, and there are many of them


class Endings(NamedTuple):
    """How a game's worlds are played on until their endings can be valued."""

    advance: Callable
    """`advance(rules, world, action, workspace) -> (ended, positions)`: play an action; whether the deal has
    ended, or whoever remembers it knows all cards by now, when `deal_points` are what best play brings each
    seat; and how many positions came up."""
    make_workspace: Callable[[], np.ndarray]
    """A workspace for one thread, an array of one record, of which `advance` takes the record."""


@cache
def endings_for(env_id: str, spec: GameSpec) -> Endings:
    """In a game without such endings every deal is played to its end."""
    family, apply = FAMILIES.get(env_id), frame_of(spec, False).apply
    if not family or not family.revealed:

        @compiled
        def play(rules, world, action, workspace):
            return apply(rules, world, action), 1

        return Endings(play, lambda: np.zeros(1))
    revealed = family.revealed
    solve_value = compile_solver(family.kernel, spec.legal).solve_value

    @compiled
    def play_or_solve(rules, world, action, workspace):
        if apply(rules, world, action):
            return True, 1
        if not revealed(rules, world):
            return False, 1
        points, whole = solve_value(rules, world, workspace)
        if whole:
            world.deal_points[world.seat], world.deal_points[1 - world.seat] = points, -points
        return whole, 1 + workspace.counts[NODES]

    return Endings(play_or_solve, lambda: make_workspace(family.kernel, len(spec.actions), LIMIT, TABLE_SIZE))


class ExactPlayer:
    """Plays exactly for a seat that can tell all cards, unless solving tells the mean of partners alone."""

    def __init__(self, game: Game):
        self._game, self._family = game, FAMILIES.get(game.env_id)
        if self._family:
            self._solver = compile_solver(self._family.kernel, game.spec.legal)
            self._workspace = make_workspace(self._family.kernel, len(game.actions), LIMIT)
            self._loops = loops_for(game, "summary")

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int | None:
        """The place of an action that is worth most, or None where cards are hidden or the position is too
        large."""
        rules, values = self._game.rules_record[0], np.empty(len(self._game.actions))
        family = self._family
        if not family or not family.knows(rules, view[0]) or family.shared(rules, view[0]):
            return None
        if (world := self._only_world(view, seat, seed)) is None:
            return None
        solved = self._solver.solve_actions(rules, world, self._workspace[0], values)
        return int(values[actions].argmax()) if solved else None

    def _only_world(self, view: np.ndarray, seat: int, seed: int) -> np.record | None:
        """A world that agrees with the view, if all look alike from there on."""
        rules, first = self._game.rules_record, None
        for number in range(WORLDS):
            world, seen = view.copy(), np.empty(self._game.perfect.size, np.float32)
            self._loops.resample(rules, world, 0, seat, seed ^ number)
            self._loops.write(rules, world, 0, seat, seen)
            if first is not None and not np.array_equal(first, seen):
                return None
            first = seen
        return world[0]

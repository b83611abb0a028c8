"""Positions whose cards are all known, as in Schnapsen when the stock is exhausted, are solved: nothing is
sampled or played out."""

from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from stichwerk.agents.solver import deal_solver, find_kernel
from stichwerk.agents.solver.kernel import NODES, compile_solver, make_workspace
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec

WORLDS = 32  # that must be alike: of two equally likely kinds, one is missed with probability 2**-31
LIMIT = 20_000  # the most nodes that one solving may take
TABLE_SIZE = 1 << 12  # entries of the solver's table: endings are small, and there are many of them


class Advance(Protocol):
    """Play an action in a sampled deal, in place; return whether it has ended and how many positions came up.

    A deal also ends where a player with perfect memory knows all cards. Its `deal_points` are then what best
    play brings each seat, and a match is moved on by them. Points suffice: who plays best for the most points
    plays best for the match too.
    """

    def __call__(
        self, rules: np.record, world: np.record, action: int, workspace: np.record, /
    ) -> tuple[bool, int]: ...


class MakeWorkspace(Protocol):
    """Return a workspace for one thread, an array of one record; `Advance` takes the record."""

    def __call__(self) -> np.ndarray: ...


class Endings(NamedTuple):
    """The functions that play a game's worlds on until their endings can be valued."""

    advance: Advance
    make_workspace: MakeWorkspace


@compiled
def as_it_stands(rules, world):
    """A match without a score does not move on."""


@cache
def played_to_the_end(spec: GameSpec) -> Endings:
    """No ending is solved."""
    apply = engine_for(spec, False).apply

    @compiled
    def play(rules, world, action, workspace):
        return apply(rules, world, action), 1

    return Endings(play, lambda: np.zeros(1))


@cache
def endings_for(env_id: str, spec: GameSpec) -> Endings:
    """In a game without such endings every deal is played to its end."""
    kernel, apply = find_kernel(env_id), engine_for(spec, False).apply
    if not kernel or not kernel.revealed:
        return played_to_the_end(spec)
    revealed, settle = kernel.revealed, spec.scoring.settle if spec.scoring else as_it_stands
    solve_value = compile_solver(kernel, spec.legal).solve_value

    @compiled
    def play_or_solve(rules, world, action, workspace):
        if apply(rules, world, action):
            return True, 1
        if not revealed(rules, world):
            return False, 1
        points, whole = solve_value(rules, world, workspace)
        if whole:
            world.deal_points[world.seat], world.deal_points[1 - world.seat] = points, -points
            if world.match:
                settle(rules, world)
        return whole, 1 + workspace.counts[NODES]

    return Endings(play_or_solve, lambda: make_workspace(kernel, len(spec.actions), LIMIT, TABLE_SIZE))


class ExactPlayer:
    """Plays exactly for a seat that can tell all cards, unless solving tells the mean of partners alone."""

    def __init__(self, game: Game):
        self._game, self._kernel, self._loops = game, find_kernel(game.env_id), loops_for(game, "summary")
        solver = deal_solver(game)
        self._solve_actions, self._workspace = solver.entries.solve_actions, solver.make_workspace(LIMIT)

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int | None:
        """The place of an action that is worth most, or None where cards are hidden or the position is too
        large."""
        values = self.values(view, seat, actions, seed)
        return None if values is None else int(values.argmax())

    def values(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> np.ndarray | None:
        """The game points that each action brings, float64[n], or None as for `decide`."""
        rules, values = self._game.rules_record[0], np.empty(len(self._game.actions))
        kernel = self._kernel
        if kernel and (not kernel.knows(rules, view[0]) or kernel.shared(rules, view[0])):
            return None
        if (world := self.only_world(view, seat, seed)) is None:
            return None
        solved = self._solve_actions(rules, world, self._workspace[0], values)
        return values[actions] if solved else None

    def only_world(self, view: np.ndarray, seat: int, seed: int) -> np.record | None:
        """A world that agrees with the view, if all look alike from there on."""
        rules, first = self._game.rules_record, None
        for number in range(WORLDS):
            world, seen = view.copy(), np.empty(self._game.perfect.size, np.float32)
            self._loops.resample(rules, world, 0, seat, np.int64(seed ^ number))
            self._loops.observe_perfect(rules, world, 0, seat, seen)
            if first is not None and not np.array_equal(first, seen):
                return None
            first = seen
        return world[0]

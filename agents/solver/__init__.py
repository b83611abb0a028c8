"""The value of every legal action when all cards are known and everybody plays best.

solve(game, state)        by names, for any position after the deal's beginning and before its end
solver_for(game, state)   compiled entries with their workspace, for search players: many positions a second

Families of games have kernels for most of their positions, found by `registry.py`, which one search serves
(`kernel.py`). Other games, and what comes before the play, are searched on the game's own functions
(`generic.py`).
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from stichwerk.agents.solver.generic import MOST_NODES, PositionTooLarge, generic_solver, generic_workspace
from stichwerk.agents.solver.hooks import MakeWorkspace, Predicate
from stichwerk.agents.solver.kernel import NODES, Kernel, Solver, compile_solver, make_workspace
from stichwerk.agents.solver.registry import find_kernel, register_kernel, solved_games
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.records.deal import Move
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

__all__ = [
    "DealSolver",
    "PositionTooLarge",
    "Solver",
    "deal_solver",
    "find_kernel",
    "register_kernel",
    "solve",
    "solved_games",
    "solver_for",
]


class DealSolver(NamedTuple):
    """The solver of a game for search players."""

    entries: Solver
    gives_own_points: Predicate
    """True if `entries` solve this position and its value is what the seat to act gets, not the mean of
    partners who get different points."""
    make_workspace: MakeWorkspace


def deal_solver(game: Game) -> DealSolver:
    """The solver that searches of a game use.

    It has the game's kernel. A game without one gets the slower search on its own functions, which takes its
    sides as fixed.
    """
    kernel = find_kernel(game.env_id)
    if kernel:
        entries = compile_solver(kernel, game.spec.legal)
        return DealSolver(
            entries, _gives_own_points(kernel), partial(make_workspace, kernel, len(game.actions))
        )
    entries = generic_solver(game.spec, game.side_count > 2)
    return DealSolver(entries, _always, partial(generic_workspace, game, game.sides))


@cache
def _gives_own_points(kernel: Kernel) -> Predicate:
    knows, shared = compiled(kernel.knows), compiled(kernel.shared)

    @compiled
    def gives_own_points(rules, state):
        return knows(rules, state) and not shared(rules, state)

    return gives_own_points


@compiled
def _always(rules, state):
    return True


def solve(game: Game, state: np.ndarray | np.record, nodes: int = MOST_NODES) -> dict[str, float]:
    """Value every legal action exactly, with all cards known.

    Args:
        game: The game under its rules.
        state: A true state within a deal, as a record or an array of one. `env.copy_state()` of an AEC
            environment is one, and so is a world of `env.resample`. In Schnapsen and Sixty-six a position set
            up by hand will do too, on lead or to answer. It is a fresh record with seat, leader, phase, led,
            hand, trump, points, tricks, stock and indicator. The stock is `deck` from `top` on, which is the
            length of the deck where it is exhausted. A closed one has closed_by, closed_points and
            closed_tricks in place of the indicator.
        nodes: The most that the search may look at.

    Returns:
        The game points (`deal_points`) that each legal action brings the side of the seat to act, by the
        action's name. Where partners get different points, this is their mean.

    Raises:
        PositionTooLarge: if the nodes do not suffice.
        InputError: for a deal that is over, and for a state whose cards are hidden or do not go together.
    """
    return _values(game, _checked(game, state), nodes)


def _checked(game: Game, state: np.ndarray | np.record) -> np.ndarray:
    """A copy of a state, an array of one record; InputError unless `solve` takes it."""
    if state.dtype != game.state or state.shape not in ((), (1,)):
        raise InputError(f"state: got {state.dtype}; expected one record of {game.env_id}")
    states = np.array(state).reshape(1)
    if states[0]["over"]:
        raise InputError("the deal is over: there is nothing to solve")
    kernel = find_kernel(game.env_id)
    fits = kernel.fits if kernel else None
    if not Replay(game).is_true(states) and not (
        fits and not game.spec.state.out_of_range(states, game.seats) and fits(game, states[0])
    ):
        allowed = "expected a true one, with all cards known"
        by_hand = ", or one on lead or to answer whose cards, points and tricks go together" * bool(fits)
        raise InputError(f"state: got one that no play leads to; {allowed}{by_hand}")
    return states


def _values(game: Game, states: np.ndarray, nodes: int) -> dict[str, float]:
    """The values of `solve` for a state that is known to be possible."""
    values = _solve_after(game, states, nodes)
    if values is None:
        solver, workspace = solver_for(game, states[0], nodes)
        values = np.empty(len(game.actions))
        if not solver.solve_actions(game.rules_record[0], states[0], workspace[0], values):
            raise PositionTooLarge(nodes)
    return {str(game.actions[action]): float(values[action]) for action in np.flatnonzero(~np.isnan(values))}


def best_line(
    game: Game, state: np.ndarray | np.record, values: Mapping[str, float], nodes: int = MOST_NODES
) -> list[Move]:
    """The moves to the end of the deal if every side plays for the most game points.

    Of equal actions the first one by id is taken.

    Args:
        game: with its rules
        state: as `solve` takes it
        values: what `solve` has returned for it
        nodes: the most that the search may look at for each further move

    Raises:
        PositionTooLarge: the nodes do not suffice.
        InputError: as for `solve`.
    """
    states, line, engine = _checked(game, state), [], engine_for(game.spec, False)
    states["match"] = 0  # the line ends with the deal
    while True:
        action = max(values, key=lambda name: values[name])
        line.append(Move(int(states[0]["seat"]), action))
        engine.apply(game.rules_record[0], states[0], game.action_index[action])
        if states[0]["over"]:
            return line
        values = _values(game, states, nodes)


def _solve_after(game: Game, states: np.ndarray, nodes: int) -> np.ndarray | None:
    """The values of a position that the kernel does not know, if it knows all that follow: the
    naming in Snapszer."""
    kernel, rules, state = find_kernel(game.env_id), game.rules_record[0], states[0]
    if not kernel or kernel.knows(rules, state):
        return None
    mask = np.zeros(len(game.actions), np.int8)
    game.spec.legal(rules, state, mask)
    actions = np.flatnonzero(mask)
    following = np.repeat(states, len(actions))
    following["match"] = 0
    for after, action in zip(following, actions, strict=True):
        engine_for(game.spec, False).apply(rules, after, action)
        if after["over"] or not kernel.knows(rules, after):
            return None
    values, left = np.full(len(game.actions), np.nan), nodes
    for after, action in zip(following, actions, strict=True):
        solver, workspace = solver_for(game, after, left)
        value, whole = solver.solve_value(rules, after, workspace[0])
        left -= int(workspace["counts"][0, NODES])
        if not whole or left < 0:
            raise PositionTooLarge(nodes)
        sides = kernel.sides(game, after)
        ours, theirs = sides[state["seat"]], sides[after["seat"]]
        values[action] = value if ours == theirs else -value * sides.count(theirs) / sides.count(ours)
    return values


def solver_for(game: Game, state: np.record, nodes: int = MOST_NODES) -> tuple[Solver, np.ndarray]:
    """The compiled solver of positions like this one, and a workspace for it.

    The workspace is an array of one record, for one thread. One solving in it may take this number of nodes.
    A kernel's solver serves every position that the kernel knows. Any other one serves positions of the game
    with the same sides.
    """
    kernel = find_kernel(game.env_id)
    if kernel and kernel.knows(game.rules_record[0], state):
        workspace = make_workspace(kernel, len(game.actions), nodes)
        return compile_solver(kernel, game.spec.legal), workspace
    sides = kernel.sides(game, state) if kernel else list(game.sides)
    return generic_solver(game.spec, max(sides) > 1), generic_workspace(game, sides, nodes)

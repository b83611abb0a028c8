"""The value of every legal action when all cards are known and everybody plays best.

solve(game, state)        by names, for any position in the midst of a deal
solver_for(game, state)   compiled entries with their workspace, for search players: many positions a second

Families have kernels for most of their positions (`schnapsen.py`, `snapszer.py`, `gaigel.py`,
`preferans.py`), which one search serves (`kernel.py`). Other games, and what comes before the play, are
searched on the game's own functions (`contract.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stichwerk.agents.solver import gaigel, preferans, schnapsen, snapszer
from stichwerk.agents.solver.generic import MOST_NODES, PositionTooLarge, contract_solver, contract_workspace
from stichwerk.agents.solver.kernel import NODES, Kernel, Solver, compile_solver, make_workspace
from stichwerk.envs.engine.frame import frame_of
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

__all__ = ["PositionTooLarge", "Solver", "solve", "solver_for"]


@dataclass(frozen=True)
class Family:
    """How the games of one family are solved.

    kernel: for the positions of which `knows(rules, state)` is true
    sides: the side of each seat in a position, numbered from 0
    shared: `shared(rules, state)`: whether the seat to act may get something else than its partners, of which
    the value is then the mean
    revealed: of games for two that have such endings, `revealed(rules, state)`: whether by now whoever
    remembers the deal knows all cards
    fits: of games whose positions may be set up by hand, `fits(game, state)`: whether the cards and numbers
    that the rest of the deal depends on go together, all being in range
    """

    kernel: Kernel
    knows: Callable[[np.record, np.record], bool] = lambda rules, state: True
    sides: Callable[[Game, np.record], list[int]] = lambda game, state: list(game.sides)
    shared: Callable[[np.record, np.record], bool] = lambda rules, state: False
    revealed: Callable | None = None
    fits: Callable[[Game, np.record], bool] | None = None


FAMILIES = {
    "schnapsen_v0": Family(schnapsen.SCHNAPSEN, revealed=schnapsen.revealed, fits=schnapsen.fits),
    "sixty_six_v0": Family(schnapsen.SCHNAPSEN, revealed=schnapsen.revealed, fits=schnapsen.fits),
    "snapszer_v0": Family(snapszer.SNAPSZER, snapszer.knows, snapszer.sides),
    "gaigel_v0": Family(gaigel.GAIGEL_ENDING, gaigel.knows),
    "preferans_v0": Family(preferans.PREFERANS_PLAY, preferans.knows, preferans.sides, preferans.shared),
}


def solve(game: Game, state: np.ndarray | np.record, nodes: int = MOST_NODES) -> dict[str, float]:
    """The game points (`deal_points`) that each legal action brings the side of the seat to act, by name.

    state: a true state in the midst of a deal, as a record or an array of one: `env.copy_state()` of an AEC
    environment, or a world of `env.resample`. In Schnapsen and Sixty-six also one set up by hand, on lead or
    to answer: a fresh record with seat, leader, phase, led, hand, trump, points and tricks, with the stock
    (`deck` from `top` on, which is the length of the deck where it is exhausted) and the indicator or, of a
    closed one, closed_by, closed_points and closed_tricks
    nodes: the most that the search may look at

    Where partners get different points the value is their mean. Raises PositionTooLarge if the nodes do not
    suffice, and InputError for a deal that is over and for a state whose cards are hidden or do not go
    together.
    """
    if state.dtype != game.state or state.shape not in ((), (1,)):
        raise InputError(f"state: got {state.dtype}; expected one record of {game.env_id}")
    states = np.array(state).reshape(1)
    if states[0]["over"]:
        raise InputError("the deal is over: there is nothing to solve")
    family = FAMILIES.get(game.env_id)
    fits = family.fits if family else None
    if not Replay(game).is_true(states) and not (
        fits and not game.spec.state.out_of_range(states, game.seats) and fits(game, states[0])
    ):
        allowed = "expected a true one, with all cards known"
        by_hand = ", or one on lead or to answer whose cards, points and tricks go together" * bool(fits)
        raise InputError(f"state: got one that no play leads to; {allowed}{by_hand}")
    values = _solve_after(game, states, nodes)
    if values is None:
        solver, workspace = solver_for(game, states[0], nodes)
        values = np.empty(len(game.actions))
        if not solver.solve_actions(game.rules_record[0], states[0], workspace[0], values):
            raise PositionTooLarge(nodes)
    return {str(game.actions[action]): float(values[action]) for action in np.flatnonzero(~np.isnan(values))}


def _solve_after(game: Game, states: np.ndarray, nodes: int) -> np.ndarray | None:
    """The values of a position that the family's kernel does not know, if it knows all that follow: the
    naming in Snapszer."""
    family, rules, state = FAMILIES.get(game.env_id), game.rules_record[0], states[0]
    if not family or family.knows(rules, state):
        return None
    mask = np.zeros(len(game.actions), np.int8)
    game.spec.legal(rules, state, mask)
    actions = np.flatnonzero(mask)
    following = np.repeat(states, len(actions))
    following["match"] = 0
    for after, action in zip(following, actions, strict=True):
        frame_of(game.spec, False).apply(rules, after, action)
        if after["over"] or not family.knows(rules, after):
            return None
    values, left = np.full(len(game.actions), np.nan), nodes
    for after, action in zip(following, actions, strict=True):
        solver, workspace = solver_for(game, after, left)
        value, whole = solver.solve_value(rules, after, workspace[0])
        left -= int(workspace["counts"][0, NODES])
        if not whole or left < 0:
            raise PositionTooLarge(nodes)
        sides = family.sides(game, after)
        ours, theirs = sides[state["seat"]], sides[after["seat"]]
        values[action] = value if ours == theirs else -value * sides.count(theirs) / sides.count(ours)
    return values


def solver_for(game: Game, state: np.record, nodes: int = MOST_NODES) -> tuple[Solver, np.ndarray]:
    """The compiled solver of positions like this one, and a workspace for it, an array of one record: for one
    thread, in which one solving may take so many nodes.

    A kernel's serves every position that the kernel knows. Any other one serves positions of the game with
    the same sides.
    """
    family = FAMILIES.get(game.env_id)
    if family and family.knows(game.rules_record[0], state):
        workspace = make_workspace(family.kernel, len(game.actions), nodes)
        return compile_solver(family.kernel, game.spec.legal), workspace
    sides = family.sides(game, state) if family else list(game.sides)
    return contract_solver(game.spec, max(sides) > 1), contract_workspace(game, sides, nodes)

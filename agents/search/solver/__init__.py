"""The value of every legal action when all cards are known and everybody plays best.

solve(game, state)     by names, for any position in the midst of a deal
solver_of(game)        the compiled entries of the game's family, for search players: many positions a second

Families with a kernel are solved by that; other games, and what comes before the play, by `contract.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stichwerk.agents.search.solver import preferans, snapszer
from stichwerk.agents.search.solver.contract import MOST_NODES, TooLarge, solve_by_contract
from stichwerk.agents.search.solver.kernel import Kernel, Solver, compile_solver, make_workspace
from stichwerk.agents.search.solver.schnapsen import SCHNAPSEN
from stichwerk.envs.core.errors import InputError
from stichwerk.envs.core.game import Game

__all__ = ["Solver", "TooLarge", "solve", "solver_of", "workspace_for"]


@dataclass(frozen=True)
class Family:
    """How the games of one family are solved.

    kernel: for the positions in which `knows(rules, state)`
    sides: the side of each seat in a position, where that is not the same all the time
    """

    kernel: Kernel
    knows: Callable[[np.record, np.record], bool] = lambda rules, state: True
    sides: Callable[[Game, np.record], list[int]] = lambda game, state: list(game.sides)


FAMILIES = {
    "schnapsen_v0": Family(SCHNAPSEN),
    "sixty_six_v0": Family(SCHNAPSEN),
    "snapszer_v0": Family(snapszer.SNAPSZER, snapszer.knows, snapszer.sides),
    "preferans_v0": Family(preferans.PREFERANS_PLAY, preferans.knows, preferans.sides),
}


def solve(game: Game, state: np.ndarray | np.record, nodes: int = MOST_NODES) -> dict[str, float]:
    """The game points (`deal_points`) that each legal action brings the side of the seat to act.

    state: a true state in the midst of a deal, as a record or an array of one; `env.copy_state()` of an AEC
    environment, or a world of `env.resample`
    nodes: the most that the search may look at

    Where partners get different points the value is their mean. Raises TooLarge if the nodes do not suffice,
    and InputError for a deal that is over.
    """
    states = np.array([state], game.state) if state.shape == () else state
    if states.dtype != game.state or states.shape != (1,):
        raise InputError(f"state {states.dtype}: allowed is one record of {game.env_id}")
    record = states[0]
    if not _legal(game, states).any():
        raise InputError("the deal is over: there is nothing to solve")
    family = FAMILIES.get(game.env_id)
    rules = game.rules_record[0]
    if family and family.knows(rules, record):
        values = np.empty(len(game.actions))
        solver = solver_of(game)
        if not solver.solve_actions(rules, record, workspace_for(game, nodes)[0], values):
            raise TooLarge(nodes)
    else:
        sides = family.sides(game, record) if family else list(game.sides)
        values = solve_by_contract(game, states, sides, nodes)
    return {str(game.actions[action]): float(values[action]) for action in np.flatnonzero(~np.isnan(values))}


def solver_of(game: Game) -> Solver:
    """The compiled solver of the game's family; InputError if it has none."""
    return compile_solver(_kernel_of(game), game.spec.legal)


def workspace_for(game: Game, nodes: int = MOST_NODES) -> np.ndarray:
    """A workspace for `solver_of`, an array of one record, in which one solving may take so many nodes."""
    return make_workspace(_kernel_of(game), len(game.actions), nodes)


def _kernel_of(game: Game) -> Kernel:
    if game.env_id not in FAMILIES:
        raise InputError(f"{game.env_id} has no compiled solver; there are for {', '.join(FAMILIES)}")
    return FAMILIES[game.env_id].kernel


def _legal(game: Game, states: np.ndarray) -> np.ndarray:
    mask = np.zeros(len(game.actions), np.int8)
    if not states[0]["over"]:
        game.spec.legal(game.rules_record[0], states[0], mask)
    return mask

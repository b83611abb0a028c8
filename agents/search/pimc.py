"""Perfect-information Monte Carlo: sampled worlds, solved exactly.

A search that solves a world at once acts as if it saw all cards after its move. The cure is to postpone that.
In each world all seats go on by the rule-based player, which sees no more than its seat does. After some
further turns of the searching seat, only what is left is solved (after EPIMC, Arjonilla et al., 2024).
"""

from functools import cache
from typing import Protocol, Unpack

import numpy as np

from stichwerk.agents.builtin.rules import Choose
from stichwerk.agents.search.endgame import as_it_stands, endings_for
from stichwerk.agents.search.rollout import FlatPlayer, FlatSettings
from stichwerk.agents.solver import Solver, deal_solver
from stichwerk.agents.solver.hooks import Predicate
from stichwerk.agents.solver.kernel import NODES
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.equity import NO_EQUITY, equity_in, values_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec


class PIMCPlayer(FlatPlayer):
    """Solves each action in each world.

    Some positions the solver does not know, such as an auction or a stock that is too large. They are played
    on by the playouts' policy as well. A game without a kernel is solved on its own functions, which reaches
    positions late in the deal.

    The solver gives the points of one side, and the score of a match at a table of more than two needs those
    of all. So deals of such matches are worth their points.

    Args:
        turns: of the seat before a world is solved; 0: it is solved at once
        limit: the most nodes that one solving may take. A world that takes more is played on, and so are the
            others of its block, until they have come further than it had
    """

    USUAL = 40

    def __init__(
        self, name: str, game: Game, turns: int = 1, limit: int = 20_000, **settings: Unpack[FlatSettings]
    ):
        super().__init__(name, game, **settings)
        solver = deal_solver(game)
        self.turns = turns
        self.solve_worlds = _solver_of_worlds(
            game.env_id, game.spec, self._choose, solver.entries, solver.gives_own_points
        )
        self.workspaces = [solver.make_workspace(limit) for _ in range(self.threads)]

    def points_after(
        self, worlds: np.ndarray, seat: int, actions: np.ndarray, thread: int, values: np.ndarray
    ) -> int:
        return self.solve_worlds(
            self._rules,
            worlds,
            seat,
            actions,
            self.turns,
            equity=equity_in(self._game, worlds) if self._game.seats == 2 else NO_EQUITY,
            workspace=self.workspaces[thread],
            endings=self.ending_workspaces[thread],
            values=values,
        )


class SolveWorlds(Protocol):
    """Solve each sampled deal after each action.

    Args:
        rules: one record.
        worlds: records.
        seat: the searching seat.
        actions: int64[actions].
        turns: of the seat before a deal is solved.
        equity: by which deals of matches are valued.
        workspace: of the solver.
        endings: the workspace of `Advance`.
        values: written, float64[worlds, actions]: what the seat gains.

    Returns:
        How many positions came up.
    """

    def __call__(
        self,
        rules: np.ndarray,
        worlds: np.ndarray,
        seat: int,
        actions: np.ndarray,
        turns: int,
        equity: np.ndarray,
        workspace: np.ndarray,
        endings: np.ndarray,
        values: np.ndarray,
    ) -> int: ...


@cache
def _solver_of_worlds(
    env_id: str, spec: GameSpec, choose: Choose, solver: Solver, gives_own_points: Predicate
) -> SolveWorlds:
    """The loop for a game whose players follow `choose`.

    Where partners get different points, as the defenders in Preferans, a solver gives their mean only. Such
    positions are played on."""
    advance, (standing, worth) = endings_for(env_id, spec).advance, values_for(spec)
    settle = spec.scoring.settle if spec.scoring else as_it_stands
    redact, all_actions = engine_for(spec, False).redact, len(spec.actions)
    solve_actions, solve_value = solver.solve_actions, solver.solve_value
    size, blanks = spec.state.dtype.itemsize, np.repeat(spec.state.fresh, 2)

    @compiled
    def solved(rules, state, seat, points, equity):
        """The worth of a deal that a solver values at these points of the seat; `state` is then over."""
        if not state.match or not len(equity):
            return points
        state.deal_points[seat], state.deal_points[1 - seat] = points, -points
        settle(rules, state)
        return worth(rules, state, seat, equity)

    @compiled
    def value_after(rules, state, seat, action, turns, too_large, equity, work, ending, view):
        """Play the action, go on until it is time to solve, and solve; or play to the end.

        Returns:
            The seat's points, how many positions came up, and after how many actions a world has last been
                too large to be solved. No world is tried before it has come further.
        """
        ended, nodes = advance(rules, state, action, ending)
        played = 1
        while not ended:
            if state.seat == seat:
                turns -= 1
                if turns <= 0 and played > too_large and gives_own_points(rules, state):
                    points, whole = solve_value(rules, state, work)
                    nodes += work.counts[NODES]
                    if whole:
                        return solved(rules, state, seat, points, equity), nodes, too_large
                    too_large = played
            redact(rules, state, state.seat, view)
            ended, positions = advance(rules, state, choose(rules, view, state.seat), ending)
            nodes, played = nodes + positions, played + 1
        return worth(rules, state, seat, equity), nodes, too_large

    @compiled
    def solve_worlds(rules, worlds, seat, actions, turns, equity, workspace, endings, values):
        scratch, points_of = blanks.copy(), np.empty(all_actions)
        state, work, ending = scratch[0], workspace[0], endings[0]
        nodes, too_large = 0, -1
        for i in range(len(worlds)):
            before = standing(rules[0], worlds[i], seat, equity)
            if turns == 0 and too_large < 0 and gives_own_points(rules[0], worlds[i]):
                whole = solve_actions(rules[0], worlds[i], work, points_of)
                nodes += len(actions) + work.counts[NODES]
                if whole:
                    for j in range(len(actions)):
                        copy_bytes(state, worlds[i], 0, size)
                        points = points_of[actions[j]]
                        values[i, j] = solved(rules[0], state, seat, points, equity) - before
                    continue
                too_large = 0
            for j in range(len(actions)):
                copy_bytes(state, worlds[i], 0, size)
                value, positions, too_large = value_after(
                    rules[0], state, seat, actions[j], turns, too_large, equity, work, ending, scratch[1]
                )
                values[i, j], nodes = value - before, nodes + positions
        return nodes

    return solve_worlds

"""Any game with all cards known, solved through nothing but its `legal` and `apply`.

This serves games and positions that no kernel knows, and kernels are compared with it. Two sides are searched
by alpha-beta, more by max^n: every seat takes what is best for its own side. Of equal actions it takes the
first, whatever the other sides then get. Whole state records are copied at every node and nothing is
remembered, so this is for positions late in a deal.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from stichwerk.agents.solver.kernel import LIMIT, NODES, Solver, record_of
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.support.errors import InputError

MOST_NODES = 20_000_000  # some ten seconds


class PositionTooLarge(InputError):  # noqa: N818 - says what is wrong, as IllegalAction does
    """A position that cannot be solved within the nodes that were granted."""

    def __init__(self, limit: int):
        self.limit = limit
        allowed = "expected positions later in the deal, or more nodes"
        super().__init__(f"the position is too large: not solved within {limit:,} nodes; {allowed}")

    def __reduce__(self):
        return PositionTooLarge, (self.limit,)


def generic_workspace(game: Game, sides: Sequence[int], limit: int) -> np.ndarray:
    """The workspace of the solver of a game with these sides; see `make_workspace`."""
    stack = len(game.spec.state.fresh[0]["log"]) + 2  # the log holds every action of a deal
    seats = game.spec.state.seats  # at the largest table: one compiled solver serves all
    workspace = np.zeros(
        1,
        record_of(
            {
                "states": (game.state, stack),
                "masks": (np.int8, (stack, len(game.actions))),
                "tried": (np.int64, stack),  # the action under way
                "gets": (np.float64, (stack, seats)),  # what each side gets, or is sure of
                "sides": (np.int64, seats),
                "counts": (np.int64, 2),
            }
        ),
    )
    workspace["sides"] = [*sides, *[NONE] * (seats - len(sides))]
    workspace["counts"] = 0, limit
    return workspace


@cache
def generic_solver(spec: GameSpec, many_sides: bool) -> Solver:
    """The compiled entries for a game, as of a kernel; `many_sides` if there are more than two."""
    legal, go_down = spec.legal, _go_down(spec)
    search = _max_n(go_down) if many_sides else _alpha_beta(go_down)

    @compiled
    def begin(rules, state, work):
        """Begin a solving; returns the side of the seat to act."""
        work.counts[NODES] = 0
        work.states[0] = state
        work.states[0].match = 0  # the search ends with the deal
        work.masks[0][:] = 0
        legal(rules, work.states[0], work.masks[0])
        return work.sides[state.seat]

    @compiled
    def solve_actions(rules, state, work, values):
        side = begin(rules, state, work)
        for action in range(len(values)):
            values[action] = np.nan
            if work.masks[0][action]:
                go_down(rules, work, 0, action)
                values[action] = search(rules, work, 1, side)
        return work.counts[NODES] <= work.counts[LIMIT]

    @compiled
    def solve_value(rules, state, work):
        value = search(rules, work, 0, begin(rules, state, work))
        return value, work.counts[NODES] <= work.counts[LIMIT]

    return Solver(solve_actions, solve_value)


def _go_down(spec: GameSpec) -> Any:
    legal, apply = spec.legal, engine_for(spec, False).apply

    @compiled
    def go_down(rules, work, depth, action):
        """Play an action of the position at a depth, and list those of the next one."""
        work.tried[depth] = action
        work.counts[NODES] += 1
        work.states[depth + 1] = work.states[depth]
        state = work.states[depth + 1]
        apply(rules, state, action)
        work.masks[depth + 1][:] = 0
        if not state.over:
            legal(rules, state, work.masks[depth + 1])

    return go_down


def _alpha_beta(go_down: Any) -> Any:
    @compiled
    def alpha_beta(rules, work, start, side):
        """The value of a position on the stack for a side.

        `gets[…, 0]` is what it is sure of, and `gets[…, 1]` the most that the other side lets it have.
        """
        depth, action, value = start, 0, 0.0
        work.gets[start, 0], work.gets[start, 1] = -np.inf, np.inf
        while work.counts[NODES] <= work.counts[LIMIT]:
            state, bounds = work.states[depth], work.gets[depth]
            action = first_action(work.masks[depth], action)
            if action < len(work.masks[depth]) and bounds[0] < bounds[1]:
                go_down(rules, work, depth, action)
                depth, action = depth + 1, 0
                work.gets[depth, 0], work.gets[depth, 1] = bounds[0], bounds[1]
                continue
            ours = work.sides[state.seat] == side
            value = paid(state, work.sides, side) if state.over else bounds[0 if ours else 1]
            if depth == start:
                break
            depth -= 1
            bounds = work.gets[depth]
            if work.sides[work.states[depth].seat] == side:
                bounds[0] = max(bounds[0], value)
            else:
                bounds[1] = min(bounds[1], value)
            action = work.tried[depth] + 1
        return value

    return alpha_beta


def _max_n(go_down: Any) -> Any:
    @compiled
    def max_n(rules, work, start, side):
        """The value of a position for a side if each of several looks after itself; `gets` has them all."""
        depth, action = start, 0
        work.gets[start][:] = -np.inf
        while work.counts[NODES] <= work.counts[LIMIT]:
            state = work.states[depth]
            action = first_action(work.masks[depth], action)
            if action < len(work.masks[depth]):
                go_down(rules, work, depth, action)
                depth, action = depth + 1, 0
                work.gets[depth][:] = -np.inf
                continue
            if state.over:
                for seat in range(len(work.sides)):
                    each = work.sides[seat]
                    if each != NONE:
                        work.gets[depth, each] = paid(state, work.sides, each)
            if depth == start:
                break
            depth -= 1
            chooser = work.sides[work.states[depth].seat]
            if work.gets[depth + 1, chooser] > work.gets[depth, chooser]:
                work.gets[depth][:] = work.gets[depth + 1]
            action = work.tried[depth] + 1
        return work.gets[start, side]

    return max_n


@compiled
def first_action(mask, start):
    """The first legal action from a number on; one past the last if there is none."""
    action = start
    while action < len(mask) and not mask[action]:
        action += 1
    return action


@compiled
def paid(state, sides, side):
    """The mean points of a side's seats."""
    total = seats = 0.0
    for seat in range(len(sides)):
        if sides[seat] == side:
            total += state.deal_points[seat]
            seats += 1.0
    return total / seats

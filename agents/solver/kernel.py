"""The kernel of a family of games, which makes it fast to solve, and the search that all of them share.

A kernel knows a position of which all cards are known as a small record, its *node*. It knows the game as one
of two sides. Values are whole numbers: what the first side gets. The search asks of a position whether its
value is at least some number. One good action of the first side at each of its nodes answers yes, one of the
other side at each of theirs no. The answer is kept in a table, as a lower or an upper bound. A few such
questions give the value.

The search is a loop with a stack of its own, as Numba cannot keep a recursive function on disk, and a closure
over the kernel's functions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stichwerk.agents.solver.hooks import (
    Apply,
    Begin,
    FirstActs,
    Fits,
    GamePoints,
    Key,
    MoveOf,
    Moves,
    Pick,
    Predicate,
    Settle,
    Sides,
    SolveActions,
    SolveValue,
    ValueOf,
)
from stichwerk.agents.solver.table import (
    ENTRY,
    NO_MOVE,
    SOLVINGS,
    bounds_at,
    is_of,
    move_at,
    place_of,
    write_entry,
)
from stichwerk.envs.core.cards import bit
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import StateRecord
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.hooks import Legal

TABLE_SIZE = 1 << 16  # entries: a megabyte, which the nearer caches hold
NODES, LIMIT, SOLVING = range(3)  # the places of `counts`: of the present solving; the most; its number
FIRST = 1  # the number of the first solving
NOWHERE = -1

FRAME_FIELDS = "left", "best", "move", "good", "low", "high", "place", "one", "two"
FRAME = np.dtype((StateRecord, [(name, np.int64) for name in FRAME_FIELDS]))


@compiled
def same_number(known, action):
    """The move of an action, where moves are numbered as actions are."""
    return action


def every_position(rules: np.record, state: np.record) -> bool:
    """True if a kernel that solves all positions of a deal solves this one."""
    return True


def no_position(rules: np.record, state: np.record) -> bool:
    """True if partners get different points in a game in which they never do."""
    return False


def fixed_sides(game: Game, state: np.record) -> list[int]:
    """The sides of a game whose partnerships never change."""
    return list(game.sides)


@dataclass(frozen=True, eq=False)
class Kernel:
    """The functions that solve the games of a family; `hooks.py` says what each does and takes.

    Attributes:
        node, known: their dtypes
        deepest: actions from any position to the end of the deal, at most
    """

    node: np.dtype
    known: np.dtype
    deepest: int
    begin: Begin
    settle: Settle
    moves: Moves
    pick: Pick
    apply: Apply
    key: Key
    first_acts: FirstActs
    game_points: GamePoints
    move_of: MoveOf = same_number
    knows: Predicate = every_position
    """True if the kernel solves the position. Compiled where a search asks it."""
    shared: Predicate = no_position
    """True if partners of the seat to act may get other points than it does; a value is then their mean.
    Compiled where a search asks it."""
    sides: Sides = fixed_sides
    revealed: Predicate | None = None
    """In games for two: whether both seats can tell all cards by now, if they remember the deal."""
    fits: Fits | None = None
    """For games in which positions may be set up by hand."""


def make_workspace(kernel: Kernel, actions: int, limit: int, table_size: int = TABLE_SIZE) -> np.ndarray:
    """The workspace of a solver, an array of one record.

    One thread uses it for one solving after another, of games with this number of actions. `limit` is the
    most nodes that one solving may take. A record holds all of it, since compiled code counts who uses an
    array, and a record is just a place.
    """
    stack = kernel.deepest + 2
    workspace = np.zeros(
        1,
        record_of(
            {
                "nodes": (kernel.node, stack),
                "frames": (FRAME, stack),
                "known": kernel.known,
                "table": (np.int64, (table_size, ENTRY)),
                "mask": (np.int8, actions),
                "counts": (np.int64, 3),
            }
        ),
    )
    workspace["counts"] = 0, limit, FIRST - 1
    return workspace


def record_of(fields: Mapping[str, Any]) -> np.dtype:
    """The dtype of a kernel's record, whose small integers are widened where they are read."""
    return np.dtype((StateRecord, np.dtype(list(fields.items()), align=True)))


class Solver(NamedTuple):
    """The compiled entries of a kernel, for compiled search code; the kernel must know the position. Game
    points are those of the side to act, and void where the nodes of the workspace do not suffice.
    """

    solve_actions: SolveActions
    solve_value: SolveValue
    value_of: ValueOf | None = None  # None in the search on a game's own functions


@cache
def compile_solver(kernel: Kernel, legal: Legal) -> Solver:
    """The solver of a kernel; `legal` is the game's."""
    begin, apply, game_points, move_of = kernel.begin, kernel.apply, kernel.game_points, kernel.move_of
    value_of = _value_of(kernel)

    @compiled
    def start(rules, state, work):
        """Begin a solving; returns what stays the same."""
        work.counts[NODES] = 0
        work.counts[SOLVING] += 1
        if work.counts[SOLVING] == SOLVINGS:
            work.table[:] = 0
            work.counts[SOLVING] = FIRST
        known = work.known
        begin(rules, state, known, work.nodes[0])
        return known

    @compiled
    def solve_actions(rules, state, work, values):
        known = start(rules, state, work)
        work.mask[:] = 0
        legal(rules, state, work.mask)
        for action in range(len(work.mask)):
            values[action] = np.nan
            if work.mask[action]:
                work.nodes[1] = work.nodes[0]
                apply(rules, known, work.nodes[1], move_of(known, action))
                values[action] = game_points(rules, state, known, value_of(rules, known, work, 1))
        return work.counts[NODES] <= work.counts[LIMIT]

    @compiled
    def solve_value(rules, state, work):
        known = start(rules, state, work)
        value = game_points(rules, state, known, value_of(rules, known, work, 0))
        return value, work.counts[NODES] <= work.counts[LIMIT]

    return Solver(solve_actions, solve_value, value_of)


def _value_of(kernel: Kernel) -> Any:
    settle, ask = kernel.settle, _ask(kernel)

    @compiled
    def value_of(rules, known, work, start):
        """The value of a position on the stack."""
        low, high = settle(rules, known, work.nodes[start])
        while low < high:
            goal = (low + high + 1) // 2
            bound = ask(rules, known, work, start, goal)
            if work.counts[NODES] > work.counts[LIMIT]:
                return low
            if bound >= goal:
                low = bound
            else:
                high = bound
        return low

    return value_of


def _ask(kernel: Kernel) -> Any:
    """The search: one question about the value of a position."""
    pick, apply, first_acts, enter = kernel.pick, kernel.apply, kernel.first_acts, _enter(kernel)

    @compiled
    def answered(known, node, frame, value, goal):
        """Take in the bound of a move's value; returns whether it answers the question for the position."""
        if first_acts(known, node):
            frame.best = max(frame.best, value)
            return frame.best >= goal
        frame.best = min(frame.best, value)
        return frame.best < goal

    @compiled
    def ask(rules, known, work, start, goal):
        """A bound of the value of a position on the stack: a lower one if that is at least `goal`, else an
        upper one."""
        nodes, frames, counts = work.nodes, work.frames, work.counts
        depth = start
        deeper, value = enter(rules, known, nodes[depth], frames[depth], work, goal)
        while deeper or depth > start:
            if deeper:  # try the next move
                node, frame = nodes[depth], frames[depth]
                hinted = frame.left >> frame.good & 1
                frame.move = frame.good if hinted else pick(rules, known, node, frame.left)
                frame.left &= ~bit(frame.move)
                depth += 1
                nodes[depth] = node
                apply(rules, known, nodes[depth], frame.move)
                counts[NODES] += 1
                if counts[NODES] > counts[LIMIT]:
                    return value
                deeper, value = enter(rules, known, nodes[depth], frames[depth], work, goal)
            else:  # go back with what a move is worth
                depth -= 1
                frame = frames[depth]
                if answered(known, nodes[depth], frame, value, goal):
                    frame.good = frame.move
                    value = leave(frame, work, goal)
                elif frame.left:
                    deeper = True
                else:
                    value = leave(frame, work, goal)
        return value

    return ask


def _enter(kernel: Kernel) -> Any:
    settle, moves, key, first_acts = kernel.settle, kernel.moves, kernel.key, kernel.first_acts

    @compiled
    def enter(rules, known, node, frame, work, goal):
        """Look at a position that has just been reached: does it have to be searched?

        If not, a bound of its value answers the question.
        """
        low, high = settle(rules, known, node)
        if low >= goal:
            return False, low
        if high < goal:
            return False, high
        frame.place, frame.good = NOWHERE, NO_MOVE
        one, two = key(rules, known, node)
        if two != NOWHERE:
            place = place_of(work.table, one, two)
            if is_of(work.table, place, one, two, work.counts[SOLVING]):
                lower, upper = bounds_at(work.table, place)
                low, high = max(low, lower), min(high, upper)
                if low >= goal:
                    return False, low
                if high < goal:
                    return False, high
                frame.good = move_at(work.table, place)
            frame.place, frame.one, frame.two = place, one, two
        frame.low, frame.high = low, high
        frame.best = low if first_acts(known, node) else high
        frame.left = moves(rules, known, node)
        return True, low

    return enter


@compiled
def leave(frame, work, goal):
    """Keep the bound that has been found of a position, which is returned."""
    if frame.place != NOWHERE:
        low, high = (frame.best, frame.high) if frame.best >= goal else (frame.low, frame.best)
        solving = work.counts[SOLVING]
        write_entry(work.table, frame.place, frame.one, frame.two, solving, low, high, frame.good)
    return frame.best

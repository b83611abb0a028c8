"""The functions of a solver: one protocol for each hook of `Kernel`, and for the entries of `Solver`.

`rules` and `state` are records of the game, the state a true one in the middle of a deal. In a kernel `known`
is a record of what no action changes, and `node` one of the position. Arguments are passed by position. All
but `Sides` and `Fits` are called from compiled code.
"""

from typing import Protocol

import numpy as np

from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.hooks import CompiledHook

# The positions


class Predicate(CompiledHook, Protocol):
    """Return whether something holds in a position."""

    def __call__(self, rules: np.record, state: np.record, /) -> bool: ...


class Sides(Protocol):
    """Return the side of each seat in a position, numbered from 0."""

    def __call__(self, game: Game, state: np.record, /) -> list[int]: ...


class Fits(Protocol):
    """Return whether the cards and numbers that decide the rest of the deal go together.

    All of them are in their ranges.
    """

    def __call__(self, game: Game, state: np.record, /) -> bool: ...


# The nodes


class Begin(CompiledHook, Protocol):
    """Write the position of a true state into `known` and `node`."""

    def __call__(self, rules: np.record, state: np.record, known: np.record, node: np.record, /) -> None: ...


class Settle(CompiledHook, Protocol):
    """Return bounds of the value that can be seen at once, low and high; equal at the end of the deal."""

    def __call__(self, rules: np.record, known: np.record, node: np.record, /) -> tuple[int, int]: ...


class Moves(CompiledHook, Protocol):
    """Return a set of moves, one of which is best."""

    def __call__(self, rules: np.record, known: np.record, node: np.record, /) -> int: ...


class Pick(CompiledHook, Protocol):
    """Return the move of a set to try first."""

    def __call__(self, rules: np.record, known: np.record, node: np.record, moves: int, /) -> int: ...


class Apply(CompiledHook, Protocol):
    """Play a legal move."""

    def __call__(self, rules: np.record, known: np.record, node: np.record, move: int, /) -> None: ...


class Key(CompiledHook, Protocol):
    """Return two words that hold everything the value depends on.

    The second one fits into the bits that the table takes. It is NOWHERE where a table is of no use.
    """

    def __call__(self, rules: np.record, known: np.record, node: np.record, /) -> tuple[int, int]: ...


class FirstActs(CompiledHook, Protocol):
    """Return whether the first side is to act."""

    def __call__(self, known: np.record, node: np.record, /) -> bool: ...


class GamePoints(CompiledHook, Protocol):
    """Return the game points of a value, for the side of the seat to act in `state`."""

    def __call__(self, rules: np.record, state: np.record, known: np.record, value: int, /) -> float: ...


class MoveOf(CompiledHook, Protocol):
    """Return the move of a legal action."""

    def __call__(self, known: np.record, action: int, /) -> int: ...


# The entries


class SolveActions(CompiledHook, Protocol):
    """Write the game points of each legal action into `values`, float64[actions], and NaN for all others.

    Returns:
        Whether the nodes of the workspace sufficed.
    """

    def __call__(
        self, rules: np.record, state: np.record, workspace: np.record, values: np.ndarray, /
    ) -> bool: ...


class SolveValue(CompiledHook, Protocol):
    """Return the game points of the best action, and whether the nodes of the workspace sufficed."""

    def __call__(self, rules: np.record, state: np.record, workspace: np.record, /) -> tuple[float, bool]: ...


class ValueOf(CompiledHook, Protocol):
    """Return what the first side gets in the position that lies on the workspace's stack at `start`."""

    def __call__(self, rules: np.record, known: np.record, workspace: np.record, start: int, /) -> int: ...


class MakeWorkspace(Protocol):
    """Return a workspace for one thread, an array of one record, for at most `limit` nodes in one solving."""

    def __call__(self, limit: int, /) -> np.ndarray: ...

"""The functions that a game declares: one protocol for each hook of `GameSpec` and `Encoding`.

`rules` is one record of rule options and `state` one record of the game's state. A *view* is the redacted
copy of a state that a seat gets. Arguments are passed by position.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.spec.scene import Scene

# Compiled


class CompiledHook(Protocol):
    """A function that compiled code calls: decorate it with `@compiled`.

    It is hashable, since compiled loops are kept by the functions that they call.
    """

    def __hash__(self) -> int: ...


class BeginMatch(CompiledHook, Protocol):
    """Write what a fresh match has beyond the fresh values of its fields."""

    def __call__(self, rules: np.record, state: np.record, /) -> None: ...


class Deal(CompiledHook, Protocol):
    """Deal the cards of `state.deck`, which is shuffled or set.

    The state is that of a fresh deal, except for the deck, the dealer and the fields that last for the match.
    The cards may end the deal at once.
    """

    def __call__(self, rules: np.record, state: np.record, /) -> None: ...


class Legal(CompiledHook, Protocol):
    """Mark the legal actions of the seat to act with 1 in `mask`, int8[actions], which is all zero.

    It reads nothing that this seat may not know: a view gives the same answer as the state.
    """

    def __call__(self, rules: np.record, state: np.record, mask: np.ndarray, /) -> None: ...


class Apply(CompiledHook, Protocol):
    """Play a legal action and move `state.seat`.

    Fields that last for the match change at the end of a deal only. There it writes `deal_points`, calls
    `end_deal` and chooses the next dealer. At the end of the match it sets `over` and `reward` instead, and
    leaves the dealer.
    """

    def __call__(self, rules: np.record, state: np.record, action: int, /) -> None: ...


class Redact(CompiledHook, Protocol):
    """Blank, in place, what the seat may not know beyond what the fields' declarations hide."""

    def __call__(self, rules: np.record, state: np.record, seat: int, /) -> None: ...


class LeavesOut(CompiledHook, Protocol):
    """Return whether `Redact` removes this action of seat `actor` from the log of `seat`, without a gap."""

    def __call__(self, rules: np.record, seat: int, actor: int, action: int, /) -> bool: ...


class Resample(CompiledHook, Protocol):
    """Fill the seat's view, in place, with a random deal that agrees with everything the seat knows."""

    def __call__(self, rules: np.record, view: np.record, seat: int, /) -> None: ...


class Observe(CompiledHook, Protocol):
    """Write a state as numbers into `out`, float32[size], which is all zero.

    An observation gets the seat's view, perfect information the true state.
    """

    def __call__(self, rules: np.record, state: np.record, seat: int, out: np.ndarray, /) -> None: ...


# Ordinary Python


class SetMatch(Protocol):
    """Write the match state of a set deal.

    Raises:
        SetupError: if the match state is impossible.
    """

    def __call__(self, rules: np.record, state: np.record, match: Mapping[str, Any], /) -> None: ...


class MatchOf(Protocol):
    """Return the match state between two deals, in the form that `SetMatch` takes."""

    def __call__(self, rules: np.record, state: np.record, /) -> Mapping[str, Any]: ...


class Text(Protocol):
    """Return what the seat sees, in a few lines: those with a label are made by `Line`."""

    def __call__(self, rules: np.record, view: np.record, seat: int, /) -> str | Iterable[str]: ...


class WhyNot(Protocol):
    """Return why an action is not legal for the seat to act, in a sentence without a full stop.

    It is the rule that forbids the action in this view. Empty: the verb's `needs` is said, or nothing is
    known. A card that would have to be in hand, and is not, needs no reason.
    """

    def __call__(self, rules: np.record, view: np.record, seat: int, action: Action, /) -> str: ...


class Account(Protocol):
    """Return sentences on a deal that is over: the reason for what it paid, or each line of the account.

    `before` and `after` are views of one seat, before the last action and after it, outside a match; a deal
    that was over at once has two equal ones. Sentences are in the past, so that seats can be called you.
    """

    def __call__(self, rules: np.record, before: np.record, after: np.record, /) -> Iterable[str]: ...


class DrawScene(Protocol):
    """Return what the seat sees, to be drawn. A spectator gets the true state, with `seat` SPECTATOR."""

    def __call__(self, rules: np.record, view: np.record, seat: int, /) -> Scene: ...


class Stakes(Protocol):
    """Return the least and the most game points that a seat can get for a deal with a fresh score.

    `options` is an instance of the game's options.
    """

    def __call__(self, options: Any, /) -> tuple[float, float]: ...


class PuzzleKind(Protocol):
    """Return the kind of puzzle that a position with all cards known may be; empty while cards may be
    drawn."""

    def __call__(self, rules: np.record, state: np.record, /) -> str: ...


class Roles(Protocol):
    """Return the roles that seats had in finished deals: bool[deals, seats] by the role's name.

    `states` are records, [deals].
    """

    def __call__(self, rules: np.record, states: np.ndarray, /) -> Mapping[str, np.ndarray]: ...

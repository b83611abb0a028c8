"""Matches: the scoring from which match equity derives, and the match state of a set deal as plain values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from stichwerk.envs.spec.fields import Field, StateLayout
from stichwerk.envs.spec.hooks import CompiledHook
from stichwerk.support.errors import SetupError


class SettleMatch(CompiledHook, Protocol):
    """End a deal whose `deal_points` are those of a deal by itself: write the score and the next dealer, or
    `over` and `reward`."""

    def __call__(self, rules: np.record, state: np.record, /) -> None: ...


class MatchPlace(CompiledHook, Protocol):
    """Return the number of the match state, from 0, of all that decides how the match goes on: the score and
    who deals."""

    def __call__(self, rules: np.record, state: np.record, /) -> int: ...


@dataclass(frozen=True, eq=False)
class MatchScoring:
    """The score of a match whose reward is positive for its winners, and for them alone.

    Attributes:
        settle: moves a match on by one deal
        place: numbers its states
        places: how many numbers there are under some options
        results: a file of the results of deals, which `benchmarks/deal_results.py` writes
    """

    settle: SettleMatch
    place: MatchPlace
    places: Callable[[Any], int]
    results: Path


# The match state of a set deal: the fields that last for a match. The default of every game.


def set_match(layout: StateLayout, rules: np.record, state: np.record, match: Any) -> None:
    """Write a match state into a state.

    Args:
        layout: the game's fields; those of its own that last for the match are set.
        rules: the options as one record.
        state: one record, changed in place.
        match: a value for each of these fields, by name, such as `{"score": [1, 0]}`.

    Raises:
        SetupError: names the entry that is missing, unknown or out of range.
    """
    fields = _match_fields(layout)
    if not isinstance(match, Mapping) or set(match) != {field.name for field in fields}:
        form = ", ".join(f'"{field.name}": {_form(np.shape(state[field.name]))}' for field in fields)
        raise SetupError(f"match: got {match!r}; expected {{{form}}}")
    for field in fields:
        _check(field, match[field.name], np.shape(state[field.name]), rules, layout.seats)
    for field in fields:
        state[field.name] = match[field.name]


def match_of(layout: StateLayout, state: np.record) -> dict[str, Any]:
    """The match state of a state, as `set_match` takes it."""
    return {field.name: np.asarray(state[field.name]).tolist() for field in _match_fields(layout)}


def check_score(score: Any, sides: int, target: int) -> list[int]:
    """The match points that each side has so far, all below the target; SetupError if they are not."""
    _check_numbers("score", score, (sides,), 0, target - 1)
    return list(score)


def leaves(value: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """The entries of lists of this shape; where a list has another shape, None."""
    if not shape:
        yield value
    elif isinstance(value, (list, tuple)) and len(value) == shape[0]:
        for each in value:
            yield from leaves(each, shape[1:])
    else:
        yield None


def _match_fields(layout: StateLayout) -> list[Field]:
    return [field for field in layout.own if field.lasts == "match"]


def _check(field: Field, value: Any, shape: tuple[int, ...], rules: np.record, seats: int) -> None:
    low, high = field.kind.range(seats)
    _check_numbers(field.name, value, shape, low, rules[field.below] - 1 if field.below else high)


def _check_numbers(name: str, value: Any, shape: tuple[int, ...], low: float, high: float) -> None:
    if all(type(leaf) is int and low <= leaf <= high for leaf in leaves(value, shape)):
        return
    numbers = f"{' x '.join(map(str, shape))} whole numbers" if shape else "a whole number"
    raise SetupError(f"match {name}: got {value!r}; expected {numbers} from {low} to {high}")


def _form(shape: tuple[int, ...]) -> str:
    """The form of a value of this shape: `a`, `[a, b]`, `[[...], [...]]`."""
    if not shape:
        return "a"
    if len(shape) > 1:
        return f"[{', '.join(['[...]'] * shape[0])}]"
    return f"[{', '.join(map(chr, range(ord('a'), ord('a') + shape[0])))}]"

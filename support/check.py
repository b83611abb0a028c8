"""Bounds of settings, and the refusal of values outside them: "got X; expected Y"."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Allowed:
    """The values that a setting may hold.

    Attributes:
        includes: whether a value is one of them
        words: for a message, such as `a whole number from 1 to 9`
    """

    includes: Callable[[Any], Any]
    words: str


def between(low: float, high: float) -> Allowed:
    """The numbers from `low` to `high`, whole ones if these two are."""
    kind, form = ("a whole number", "d") if isinstance(low, int) else ("a number", "g")
    return Allowed(lambda value: low <= value <= high, f"{kind} from {low:{form}} to {high:{form}}")


def one_of(*values: str) -> Allowed:
    """These texts; an empty one is called nothing."""
    nothing = ", or nothing" if "" in values else ""
    return Allowed(lambda value: value in values, " or ".join(filter(None, values)) + nothing)

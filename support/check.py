"""Bounds of values, and the refusal of those outside them: "got X; expected Y"."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stichwerk.support.errors import InputError, quoted

LARGEST = sys.float_info.max  # whole numbers of JSON know no bounds


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


def is_number(value: Any, most: float = LARGEST) -> bool:
    """True for a number, also one of NumPy's, from -most to most; a truth value is none."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and bool(abs(value) <= most)


def check_whole(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """The value as a whole number of these bounds; InputError, which names it, for any other."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        bound = "" if most == math.inf else f" to {most}"
        raise InputError(f"{name}: got {quoted(value)}; expected a whole number from {least}{bound}")
    return int(value)

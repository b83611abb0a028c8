"""Cases that checks have compared, and their findings."""

import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Finding:
    """A fault.

    Attributes:
        check: the name of the check
        says: the fault in words, without a place
        place: where it came up first: the seed, and the decisions before it
        times: how often it came up
    """

    check: str
    says: str
    place: str
    times: int


@dataclass
class Report:
    """The results of all checks of one environment.

    Attributes:
        looked_at: how many cases each check has compared
        notes: what a reader should know besides, such as a check that was not possible
    """

    looked_at: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    _places: dict[tuple[str, str], str] = field(default_factory=dict)
    _times: Counter[tuple[str, str]] = field(default_factory=Counter)

    def expect(self, check: str, holds: Any, says: str, place: str) -> bool:
        """Count a case of a check, and a finding unless the case holds."""
        self.looked_at[check] += 1
        if not holds:
            self.find(check, says, place)
        return bool(holds)

    def find(self, check: str, says: str, place: str) -> None:
        """Count a finding; of equal ones the first place is kept."""
        self._times[check, says] += 1
        self._places.setdefault((check, says), place)

    def note(self, says: str) -> None:
        if says not in self.notes:
            self.notes.append(says)

    @property
    def findings(self) -> list[Finding]:
        """Each fault once, in order of the checks."""
        return [Finding(*both, self._places[both], times) for both, times in self._times.items()]


class Clock:
    """Tells when the time of a check is over.

    Args:
        seconds: its time
    """

    def __init__(self, seconds: float):
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self._end


def same(one: Any, two: Any) -> bool:
    """True if two observations are equal: arrays, numbers and texts, in mappings and sequences."""
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(same(one[name], two[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        first, second = np.asarray(one), np.asarray(two)
        if first.shape != second.shape:
            return False
        numbers = all(array.dtype.kind in "fc" for array in (first, second))
        return bool(np.array_equal(first, second, equal_nan=numbers))
    return bool(one == two) or (one != one and two != two)


def fault_of(error: BaseException) -> str:
    """An exception as a finding names it, in one line; N replaces numbers, so that equal faults are one."""
    text = re.sub(r"\d+", "N", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:160]}" if text else type(error).__name__

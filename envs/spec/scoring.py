"""The declaration of a match that somebody wins, from which match equity derives."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from stichwerk.envs.spec.hooks import CompiledHook


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

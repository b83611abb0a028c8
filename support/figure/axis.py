"""Axes: values become places in a picture, with ticks at round numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

LARGEST = 1e300  # a number that is drawn; larger ones lie there too
EQUAL = 1e-6  # values that differ by a smaller share of themselves look equal


@dataclass(frozen=True)
class Axis:
    """Values between two places of a picture; `low` and `high` are their ends, of a logarithmic axis the
    powers of ten."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, log: bool = False) -> "Axis":
        """An axis that has room for all finite ones of some values."""
        finite = [_clamped(value) for value in values if isfinite(value)] or [1.0 if log else 0.0]
        low, high = min(finite), max(finite)
        if log:
            low, high = floor(log10(low)), ceil(log10(high))
            return cls(low, max(high, low + 1), start, end, log)
        largest = max(abs(low), abs(high))
        low, high = (0.0 if abs(end) < 1e-300 * largest else end for end in (low, high))  # else ticks miss it
        if high / 2 - low / 2 <= max(EQUAL * largest, 1e-250):
            pad = largest / 2 if largest > 1e-250 else 1.0
            low, high = low - pad, high + pad
        return cls(low, high, start, end)

    def at(self, value: float) -> float:
        """The place of a value; an end of the axis, if it is beyond."""
        value = log10(value) if self.log else _clamped(value)
        # Halves, as the whole may be too large for a number.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round values on the axis, at most `most`, and their texts."""
        power = floor(log10((self.high / 2 - self.low / 2) / most))
        steps = (base * 10.0**each for each in (power, power + 1, power + 2) for base in (1, 2, 5))
        counts = ((step, ceil(self.low / step), floor(self.high / step)) for step in steps)
        step, first, last = next(
            (step, first, last)
            for step, first, last in counts
            if last - first < most and (step >= 1 or not self.log)
        )
        values = [number * step for number in range(first, last + 1)]
        if self.log:
            return [(10.0**value, f"{10.0**value:,g}") for value in values]
        digits = max(0, -floor(log10(step) + 1e-9))
        is_short = max(abs(self.low), abs(self.high)) < 1e9 and digits <= 5
        return [(value, f"{value:z,.{digits}f}" if is_short else f"{value:.8g}") for value in values]


def _clamped(value: float) -> float:
    return min(max(value, -LARGEST), LARGEST)

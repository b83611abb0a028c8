"""Axes: values become places in a picture, with ticks at round numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

LARGEST = 1e300  # a number that is drawn; larger ones lie there too
EQUAL = 1e-6  # values that differ by a smaller share of themselves look equal


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` between two places of a picture."""

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
        if log and high > 1.001 * low:
            return cls(_round(low, up=False), _round(high, up=True), start, end, log)
        largest = max(abs(low), abs(high))
        if high / 2 - low / 2 <= max(EQUAL * largest, 1e-250):
            pad = largest / 2 if largest > 1e-250 else 1.0
            low, high = low - pad, high + pad
        return cls(low, high, start, end)

    def at(self, value: float) -> float:
        """The place of a value; an end of the axis, if it is beyond."""
        if self.log:
            share = (log10(max(value, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:  # halves, as the whole may be too large for a number
            share = (_clamped(value) / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round values on the axis, at most so many, and their texts."""
        if self.log and len(values := self._powers(most)) > 1:
            return [(value, f"{value:,g}") for value in values]
        step = self._step(most)
        values = [number * step for number in range(ceil(self.low / step), floor(self.high / step) + 1)]
        digits = max(0, -floor(log10(step) + 1e-9))
        is_short = max(abs(self.low), abs(self.high)) < 1e9 and digits <= 5
        return [(value, f"{value:z,.{digits}f}" if is_short else f"{value:.8g}") for value in values]

    def _step(self, most: int) -> float:
        """The least of 1, 2 and 5 times a power of ten of which at most so many lie on the axis."""
        power = floor(log10((self.high / 2 - self.low / 2) / most))
        steps = (base * 10.0**each for each in (power, power + 1, power + 2) for base in (1, 2, 5))
        return next(step for step in steps if floor(self.high / step) - ceil(self.low / step) < most)

    def _powers(self, most: int) -> list[float]:
        """Powers of ten, and if there is room 2 and 5 times them."""
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        for bases, stride in (((1, 2, 5), 1), *(((1,), stride) for stride in (1, 2, 5, 20, 100, 1000))):
            values = [base * 10.0**power for power in powers if power % stride == 0 for base in bases]
            values = [value for value in values if self.low <= value <= self.high]
            if len(values) <= most:
                break
        return values


def _round(value: float, up: bool) -> float:
    """The next of 1, 2 and 5 times a power of ten, up or down."""
    power = floor(log10(value))
    steps = [base * 10.0**each for each in (power - 1, power, power + 1) for base in (1, 2, 5)]
    return min(step for step in steps if step >= value) if up else max(s for s in steps if s <= value)


def _clamped(value: float) -> float:
    return min(max(value, -LARGEST), LARGEST)

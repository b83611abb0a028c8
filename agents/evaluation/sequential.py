"""Stop a comparison as soon as enough is known: sequential tests, and intervals that are valid at any time.

A comparison is looked at every so many deals, at the same numbers of deals wherever it is played. The unit of
a test is the *effect*: game points per deal, divided by their standard deviation over duplicate deals. With
it the number of deals that a test needs is the same in every game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log, sqrt
from typing import Literal, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from stichwerk.agents.evaluation.tallies import Interval, Ratio
from stichwerk.support.errors import InputError
from stichwerk.support.numbers import in_points

MOST_LOOKS, FEWEST_DEALS = 2_000, 100  # of a comparison, and before its first look
OPTIMAL_AT = 10_000  # deals after which the confidence sequence is narrowest for its kind
NODES = 48, 1_024  # of the grid between the bounds, at least and at most
LEVEL = 0.95  # of the intervals

Outcome = Literal["lower", "upper", "narrow", "undecided"]


@dataclass(frozen=True)
class Deals:
    """Duplicate deals: their number, the mean of their points and the standard deviation."""

    number: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, points: Ratio) -> "Deals":
        """Those of a tally in which every deal has the same number of seats."""
        seats = points.seats // points.deals
        variance = points.point_squares / points.deals - (points.points / points.deals) ** 2  # exact
        return cls(points.deals, points.mean, sqrt(variance) / seats)


class StoppingRule(Protocol):
    """Says when a comparison may end, and what is known then.

    Attributes:
        name: the option that asks for it
    """

    name: str

    def outcome(self, deals: Deals) -> Outcome:
        """What the deals so far decide."""
        ...

    def interval(self, deals: Deals, every: int) -> Interval:
        """Game points per deal with the 95 % interval after a look, which came every so many deals."""
        ...

    def note(self, deals: Deals) -> str:
        """The state of the comparison in a few words."""
        ...

    def llr(self, deals: Deals) -> tuple[float | None, float | None, float | None]:
        """The log-likelihood ratio and its limits, if the rule is a test."""
        ...


@dataclass(frozen=True)
class Sprt:
    """The generalised sequential probability ratio test of two effects, as fishtest has it for chess engines.

    The log-likelihood ratio is n (t1 − t0) (t − (t0 + t1) / 2), with n deals and their effect t. It is Van
    den Bergh's normal approximation of the generalised ratio of Li, Liu and Ying (Sequential Analysis 33,
    2014). The limits are Wald's: log(β / (1 − α)) and log((1 − β) / α).

    Attributes:
        lower, upper: the effects t0 and t1
        alpha: the chance to accept the upper bound where the lower one is true
        beta: the chance to accept the lower bound where the upper one is true

    Raises:
        InputError: the bounds or the chances are out of order or range.
    """

    lower: float
    upper: float
    alpha: float = 0.05
    beta: float = 0.05
    name = "sprt"

    def __post_init__(self):
        if not -1 <= self.lower < self.upper <= 1:
            raise InputError(
                f"sprt: got {self.lower:g},{self.upper:g}; expected two effects from -1 to 1, the lower first"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise InputError(
                    f"{name}: got {getattr(self, name):g}; expected a number above 0 and below 0.5"
                )

    @classmethod
    def read(cls, text: str, alpha: float, beta: float) -> "Sprt":
        """The test that a text such as `0,0.02` names; InputError for another text."""
        try:
            lower, upper = map(float, text.split(","))
        except ValueError:
            raise InputError(f"sprt: got {text}; expected two numbers, such as 0,0.02") from None
        return cls(lower, upper, alpha, beta)

    @property
    def limits(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test stops."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    @property
    def middle(self) -> float:
        return (self.lower + self.upper) / 2

    def ratio(self, deals: Deals) -> float:
        """The log-likelihood ratio; 0 while all deals have brought the same."""
        if not deals.deviation:
            return 0.0
        return deals.number * (self.upper - self.lower) * (deals.mean / deals.deviation - self.middle)

    def outcome(self, deals: Deals) -> Outcome:
        low, high = self.limits
        ratio = self.ratio(deals)
        return "lower" if ratio <= low else "upper" if ratio >= high else "undecided"

    def interval(self, deals: Deals, every: int) -> Interval:
        """The estimate corrected for stopping: the median-unbiased one, with an interval of equal tails. It
        goes by the stage-wise ordering of a group sequential test (Jennison and Turnbull, *Group Sequential
        Methods*, 2000, chapter 8). The mean itself lies too far out where a limit was reached."""
        if not deals.deviation:
            return Interval(deals.mean, deals.mean, deals.mean)
        low, high = (limit / (self.upper - self.lower) for limit in self.limits)
        walk = Walk(low, high, every, ceil(deals.number / every) - 1)
        at = deals.number * (deals.mean / deals.deviation - self.middle)
        ends = walk.drifts(at, deals.number, ((1 + LEVEL) / 2, 0.5, (1 - LEVEL) / 2))
        least, median, most = ((drift + self.middle) * deals.deviation for drift in ends)
        return Interval(median, least, most)

    def note(self, deals: Deals) -> str:
        low, high = self.limits
        return f"LLR {self.ratio(deals):+.2f} ({low:.2f}, {high:.2f}), {deals.mean:+z.3f} points a deal"

    def llr(self, deals: Deals) -> tuple[float | None, float | None, float | None]:
        return self.ratio(deals), *self.limits


@dataclass(frozen=True)
class Walk:
    """A random walk with standard normal steps that ends at the first look beyond a limit.

    The density between the limits is carried from look to look on a grid (Armitage, McPherson and Rowe,
    1969). A drift only multiplies it by an exponential, so that one pass serves all drifts.

    Attributes:
        low, high: the limits, around 0
        every: steps between looks
        looks: how many looks it has survived
    """

    low: float
    high: float
    every: int
    looks: int

    def drifts(self, at: float, steps: int, chances: Sequence[float]) -> list[float]:
        """The drifts with which the walk does as little as it did, or less, with these chances.

        Args:
            at: where it was at its last look
            steps: to that look
            chances: from the largest to the smallest

        Returns:
            The drifts, from the smallest to the largest.
        """
        sign = -1 if at < 0 else 1  # counted from the side on which it is
        wanted = [1 - chance if sign > 0 else chance for chance in chances]
        middle, reach = at / steps, 2.0 * max(10.0, abs(at) / sqrt(steps)) / sqrt(steps)
        found = []
        for chance in wanted:
            span = reach
            while not self._beyond(middle - sign * span, at, steps, sign) < chance:
                span *= 2
            ends = middle - sign * span, middle + sign * span
            found.append(
                brentq(lambda drift, chance=chance: self._beyond(drift, at, steps, sign) - chance, *ends)
            )
        return found

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes between the limits and their weights."""
        number = min(max(ceil(4 * (self.high - self.low) / sqrt(self.every)), NODES[0]), NODES[1])
        nodes, weights = np.polynomial.legendre.leggauss(number)
        half = (self.high - self.low) / 2
        return self.low + half * (nodes + 1), half * weights

    @cached_property
    def _masses(self) -> np.ndarray:
        """Without drift the mass at each node after each look that it has survived, float64[looks, nodes]."""
        nodes, weights = self._grid
        masses = np.zeros((self.looks, len(nodes)))
        if self.looks:
            scale = sqrt(2 * np.pi * self.every)
            step = np.exp(-((nodes[:, None] - nodes) ** 2) / (2 * self.every)) / scale * weights[:, None]
            masses[0] = np.exp(-(nodes**2) / (2 * self.every)) / scale * weights
            for look in range(1, self.looks):
                masses[look] = step @ masses[look - 1]
        return masses

    def _beyond(self, drift: float, at: float, steps: int, sign: int) -> float:
        """The chance to do what it did or more on that side: leave there earlier, or be as far out now."""
        limit = self.high if sign > 0 else self.low
        last = steps - self.looks * self.every
        if not self.looks:
            return float(ndtr(sign * (drift * last - at) / sqrt(last)))
        nodes, _ = self._grid
        times = self.every * np.arange(1, self.looks + 1)
        with np.errstate(divide="ignore", over="ignore"):
            # The masses with the drift.
            tilted = np.exp(np.log(self._masses) + drift * nodes - (drift**2 * times / 2)[:, None])
        first = ndtr(sign * (drift * self.every - limit) / sqrt(self.every))
        leaves = ndtr(sign * (nodes + drift * self.every - limit) / sqrt(self.every))
        now = ndtr(sign * (nodes + drift * last - at) / sqrt(last))
        return float(first + (tilted[:-1] @ leaves).sum() + tilted[-1] @ now)


@dataclass(frozen=True)
class Until:
    """Stops when a 95 % interval that is valid at any time reaches no further than a margin to both sides.

    It is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Robbins'
    normal mixture with the deviation of the deals so far. Source: *Time-uniform central limit theory and
    asymptotic confidence sequences*, Annals of Statistics 52, 2024, theorem 2.2.

    Attributes:
        margin: half of the interval's width, in game points per deal

    Raises:
        InputError: the margin is not above 0.
    """

    margin: float
    name = "until"

    def __post_init__(self):
        if not 0 < self.margin < float("inf"):
            raise InputError(f"until: got {self.margin:g}; expected a number of game points above 0")

    def half_width(self, deals: Deals) -> float:
        alpha = 1 - LEVEL
        mixing = (-2 * log(alpha) + log(-2 * log(alpha)) + 1) / OPTIMAL_AT  # the mixture's variance
        times = deals.number * mixing + 1
        return deals.deviation * sqrt(2 * times / (deals.number**2 * mixing) * log(sqrt(times) / alpha))

    def outcome(self, deals: Deals) -> Outcome:
        """Deals that have all brought the same say nothing about their deviation."""
        return "narrow" if 0 < self.half_width(deals) <= self.margin else "undecided"

    def interval(self, deals: Deals, every: int) -> Interval:
        half = self.half_width(deals)
        return Interval(deals.mean, deals.mean - half, deals.mean + half)

    def note(self, deals: Deals) -> str:
        return f"{in_points(deals.mean, self.half_width(deals))} points a deal, until ± {self.margin:g}"

    def llr(self, deals: Deals) -> tuple[float | None, float | None, float | None]:
        return None, None, None


def looks_every(deals: int, block: int) -> int:
    """After how many deals to look, in whole blocks of deals, of a comparison of at most so many."""
    return block * ceil(max(FEWEST_DEALS, deals / MOST_LOOKS) / block)

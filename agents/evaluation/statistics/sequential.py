"""Stop a comparison as soon as enough is known: sequential tests, and intervals that are valid at any time.

Interim analyses come at fixed numbers of deals, the same wherever a comparison is played. The unit of
a test is the *effect*: game points per deal, divided by their standard deviation over duplicate deals. With
it the number of deals that a test needs is the same in every game.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from stichwerk.agents.evaluation.statistics.tallies import Interval, Ratio
from stichwerk.support.errors import InputError
from stichwerk.support.numbers import in_points
from stichwerk.support.samples import margin_if_equal

MOST_LOOKS, FEWEST_DEALS = 2_000, 100  # of a comparison, and before its first look
OPTIMAL_AT = 10_000  # deals after which the confidence sequence is narrowest for its kind
NODES = 48, 1_024  # of the grid between the limits, at least and at most
FAR = 12.0  # deviations from its path, where a walk never is
LEVEL = 0.95  # of the intervals
LEAST_POINTS = 1.0  # game points by which a deal that has not come yet may differ, at least

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

    @property
    def spread(self) -> float:
        """The deviation that tests use: that of the deals, or the one that may remain where all of them had
        the same result (`margin_if_equal`)."""
        if self.deviation or not self.number:
            return self.deviation
        return self._margin_if_equal * sqrt(self.number) / float(ndtri((1 + LEVEL) / 2))

    @property
    def _margin_if_equal(self) -> float:
        return margin_if_equal(max(abs(self.mean), LEAST_POINTS), self.number, 1 - LEVEL)

    def interval_if_equal(self) -> Interval:
        """The mean and its interval where all deals had the same result."""
        margin = self._margin_if_equal
        return Interval(self.mean, self.mean - margin, self.mean + margin)

    @property
    def effect(self) -> float:
        """The mean in deviations: 0 where every deal ended at 0."""
        return self.mean / self.spread if self.mean else 0.0

    @property
    def too_few(self) -> bool:
        """True if the deals are alike, and too few of them for any decision."""
        return not self.deviation and self.number < FEWEST_DEALS


class StoppingRule(Protocol):
    """Says when a comparison may end, and what is known then.

    Attributes:
        name: the option that asks for it
    """

    name: str

    def outcome(self, deals: Deals) -> Outcome:
        """The decision after the deals so far."""
        ...

    def interval(self, deals: Deals, every: int) -> Interval:
        """Game points per deal with the 95 % interval after an interim analysis."""
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
        """The log-likelihood ratio."""
        return deals.number * (self.upper - self.lower) * (deals.effect - self.middle)

    def outcome(self, deals: Deals) -> Outcome:
        low, high = self.limits
        ratio = 0.0 if deals.too_few else self.ratio(deals)
        return "lower" if ratio <= low else "upper" if ratio >= high else "undecided"

    def interval(self, deals: Deals, every: int) -> Interval:
        """The estimate corrected for stopping: the median-unbiased one, with an interval of equal tails. It
        goes by the stage-wise ordering of a group sequential test (Jennison and Turnbull, *Group Sequential
        Methods*, 2000, chapter 8). The mean itself lies too far out where a limit was reached. Equal deals
        leave nothing to correct."""
        if not deals.deviation:
            return deals.interval_if_equal()
        low, high = (limit / (self.upper - self.lower) for limit in self.limits)
        walk = Walk(low, high, every, ceil(deals.number / every) - 1)
        at = deals.number * (deals.effect - self.middle)
        ends = walk.drifts(at, deals.number, ((1 + LEVEL) / 2, 0.5, (1 - LEVEL) / 2))
        least, median, most = ((drift + self.middle) * deals.spread for drift in ends)
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
    1969). Its drift is the one that the walk seems to have. Another drift only multiplies it by an
    exponential, so that one pass serves all drifts. The grid spans what the walk can have reached. Looks
    before it could have come near a limit are passed over.

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
        beyond = self._chance_beyond(at, steps, sign)
        middle, found = at / steps, []
        for chance in wanted:
            span = 20.0 / sqrt(steps)
            while beyond(middle - sign * span) >= chance:
                span *= 2
            ends = middle - sign * span, middle + sign * span
            found.append(brentq(lambda drift, chance=chance: beyond(drift) - chance, *ends))
        return found

    def _chance_beyond(self, at: float, steps: int, sign: int) -> Callable[[float], float]:
        """The chance, by its drift, to do what it did or more on that side: leave there earlier, or be as far
        out now."""
        limit, drift = self.high if sign > 0 else self.low, at / steps
        times = self.every * np.arange(1, self.looks + 1)
        lowest, highest = (drift * times + reach * np.sqrt(times) for reach in (-FAR, FAR))
        near = np.flatnonzero((lowest < self.low) | (highest > self.high))
        if not len(near):
            return lambda other: float(ndtr(sign * (other * steps - at) / sqrt(steps)))
        times, last = times[near[0] :], steps - self.looks * self.every
        ends = max(self.low, lowest[near[0] :].min()), min(self.high, highest[near[0] :].max())
        nodes, masses = self._masses(*ends, drift, times)
        with np.errstate(divide="ignore"):
            logs, away = np.log(masses), nodes - drift * times[:, None]

        def chance(other: float) -> float:
            more = other - drift
            tilted = np.exp(logs + more * away - (more**2 * times / 2)[:, None])
            first = ndtr(sign * (other * times[0] - limit) / sqrt(times[0]))
            leaves = ndtr(sign * (nodes + other * self.every - limit) / sqrt(self.every))
            now = ndtr(sign * (nodes + other * last - at) / sqrt(last))
            return float(first + (tilted[:-1] @ leaves).sum() + tilted[-1] @ now)

        return chance

    def _masses(
        self, low: float, high: float, drift: float, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nodes of a grid between two places, and the mass at each after each of some looks that it has
        survived: float64[nodes], float64[looks, nodes]."""
        number = min(max(ceil(4 * (high - low) / sqrt(self.every)), NODES[0]), NODES[1])
        nodes, weights = np.polynomial.legendre.leggauss(number)
        half = (high - low) / 2
        nodes, weights = low + half * (nodes + 1), half * weights
        masses = np.zeros((len(times), number))
        masses[0] = _density(nodes - drift * times[0], times[0]) * weights
        steps = _density(nodes[:, None] - nodes - drift * self.every, self.every) * weights[:, None]
        for look in range(1, len(times)):
            masses[look] = steps @ masses[look - 1]
        return nodes, masses


def _density(away: np.ndarray, variance: float) -> np.ndarray:
    """Of a normal distribution, so far away from its mean."""
    return np.exp(-(away**2) / (2 * variance)) / sqrt(2 * np.pi * variance)


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
        return deals.spread * sqrt(2 * times / (deals.number**2 * mixing) * log(sqrt(times) / alpha))

    def outcome(self, deals: Deals) -> Outcome:
        is_narrow = self.half_width(deals) <= self.margin and not deals.too_few
        return "narrow" if is_narrow else "undecided"

    def interval(self, deals: Deals, every: int) -> Interval:
        half = self.half_width(deals)
        return Interval(deals.mean, deals.mean - half, deals.mean + half)

    def note(self, deals: Deals) -> str:
        return f"{in_points(deals.mean, self.half_width(deals))} points a deal, until ± {self.margin:g}"

    def llr(self, deals: Deals) -> tuple[float | None, float | None, float | None]:
        return None, None, None


def looks_every(deals: int, block: int) -> int:
    """The deals between interim analyses, in whole blocks, for at most this number of deals."""
    return block * ceil(max(FEWEST_DEALS, deals / MOST_LOOKS) / block)

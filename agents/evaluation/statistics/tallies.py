"""Sums over deals: means with their intervals, by agent and by role.

Each deal counts once, with the mean over its seatings. Only sums are kept, so any number of deals takes the
same memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from stichwerk.support.errors import InputError
from stichwerk.support.quantiles import student_quantile
from stichwerk.support.samples import margin_if_equal

MOST_PARTS = 100  # of a point that a game may share out
ROUNDING = 1e-9  # of what a deal has brought, far more than floats err by
FEWEST = 10  # deals in which a role has come up, for an interval

UNIT = "game points per deal"
Seating = Sequence[int]  # for each seat the number of the agent that takes it


def unit_of(episode: str) -> str:
    """The unit of results, in words."""
    return UNIT if episode == "deal" else "points per match"


def check_finite(points: np.ndarray) -> None:
    """InputError unless the points of all deals are finite."""
    if not (finite := np.isfinite(points)).all():
        raise InputError(f"points: got {points[~finite][0]} in a deal; expected finite numbers")


def in_parts(points: np.ndarray) -> tuple[np.ndarray, int]:
    """Points, float64[n], as whole numbers of equal parts of one point, and how many parts make a point.

    Games share points out, into thirds for example, which floats cannot hold: their sums would differ from
    zero where the points do not. Points of no such parts are taken to the last bit.
    """
    check_finite(points)
    for parts in range(1, MOST_PARTS + 1):
        whole = np.rint(points * parts)
        if (abs(points * parts - whole) <= ROUNDING * (1 + abs(whole))).all():
            few = float(whole @ whole) < 2**62  # so sums of products stay inside of int64
            return (whole.astype(np.int64) if few else np.array([*map(int, whole)], object)), parts
    exact = [Fraction(number) for number in points.tolist()]
    parts = max(number.denominator for number in exact)  # a power of two, as all of them are
    return np.array([int(number * parts) for number in exact], object), parts


class Interval(NamedTuple):
    """A mean, and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass
class Ratio:
    """The sum over deals of some points by the sum of the seats that got them, and its 95 % interval.

    Only sums are kept, of the points and seats of each deal and of their squares and products. They are
    exact: the order of the deals changes nothing, and there is no rounding error.

    Attributes:
        nothing: what a seat gets where neither side is ahead
    """

    deals: int = 0  # with at least one such seat
    points: Fraction = Fraction(0)
    seats: int = 0
    point_squares: Fraction = Fraction(0)
    products: Fraction = Fraction(0)
    seat_squares: int = 0
    nothing: float = 0.0

    def add(self, points: np.ndarray, seats: np.ndarray) -> None:
        """Add deals: the points of each, float64[n], and how many seats got them, int64[n]."""
        whole, parts = in_parts(points)
        self.deals += int(np.count_nonzero(seats))
        self.points += Fraction(int(whole.sum()), parts)
        self.seats += int(seats.sum())
        self.point_squares += Fraction(int(whole @ whole), parts**2)
        self.products += Fraction(int(whole @ seats), parts)
        self.seat_squares += int(seats @ seats)

    @property
    def mean(self) -> float:
        """The points of a seat; NaN if there are no seats."""
        return float(self.points) / self.seats if self.seats else np.nan

    @property
    def _deviations(self) -> float:
        """The sum of the squares of the deals' deviations from their share; exactly 0 if they have none."""
        squares = self.point_squares, self.products, self.products, self.seat_squares
        weights = np.array([1.0, -self.mean])
        deviations = float(weights @ np.array(squares, float).reshape(2, 2) @ weights)
        if deviations < 1e-12 * squares[0]:  # floats have lost most digits
            share = self.points / self.seats
            deviations = float(squares[0] - 2 * share * self.products + share**2 * self.seat_squares)
        return deviations

    def interval(self) -> Interval:
        """The mean and the ends of its interval: Student's t with the deals' deviations from their share.

        Where all deals have brought the same the interval is that of `margin_if_equal`. After a single deal
        it has no ends.
        """
        if self.deals < 2:
            return Interval(self.mean, -np.inf, np.inf)
        deviations = self._deviations
        error = np.sqrt(deviations * self.deals / (self.deals - 1)) / self.seats
        margin = float(student_quantile(0.975, self.deals - 1) * error)
        if not deviations:
            margin = margin_if_equal(self.mean - self.nothing, self.deals)
        return Interval(self.mean, self.mean - margin, self.mean + margin)

    def interval_if_known(self) -> tuple[float, float | None, float | None]:
        """The mean and the ends of its interval; no ends after too few deals, or if all of them had the same
        result."""
        if self.deals < FEWEST or not self._deviations:
            return self.mean, None, None
        return self.interval()


@dataclass(frozen=True)
class RoleResult:
    """An agent's results in the seats that had a role: their share, and game points per deal with a 95 %
    interval over deals. There is no interval after too few deals, or if all of them had the same result."""

    agent: str
    role: str
    share: float
    mean: float
    low: float | None
    high: float | None

    @property
    def margin(self) -> float | None:
        """Half of the interval, if there is one."""
        return None if self.low is None else self.mean - self.low


@dataclass(frozen=True)
class PairResult:
    """Agent `a` against `b`: game points per deal for `a`, and the share of games it wins, with 95 %
    intervals over deals.

    A game that nobody wins counts half. `roles` has agent `a` among seats of `b`, and `b` in all seats of the
    same deals. Where more than two agents play together, `b` lists all opponents and `roles` covers `a` only.
    """

    a: str
    b: str
    deals: int
    mean: float
    low: float
    high: float
    win_rate: float
    win_low: float
    win_high: float
    roles: tuple[RoleResult, ...] = ()

    @property
    def margin(self) -> float:
        """Half of the interval of the mean."""
        return self.mean - self.low


class Tally:
    """An agent's results in its seats, `own`, bool[seatings, seats], summed over deals."""

    def __init__(self, agent: str, own: np.ndarray):
        self.agent = agent
        self.own = own
        self.points, self.wins = Ratio(), Ratio(nothing=0.5)
        self.roles: dict[str, Ratio] = {}

    def add(
        self, rewards: np.ndarray, roles: Mapping[str, np.ndarray], less_luck: np.ndarray | None = None
    ) -> None:
        """Add deals.

        Args:
            rewards: float64[deals, seatings, seats]
            roles: which seats had each role, by its name, bool of the same shape
            less_luck: the rewards with less luck, for the mean; None: there are none
        """
        points = rewards[:, self.own]
        seats = np.full(len(points), points.shape[1])
        counted = rewards if less_luck is None else less_luck
        self.points.add(counted[:, self.own].sum(axis=1), seats)
        self.wins.add(((points > 0) + (points == 0) / 2).sum(axis=1), seats)
        for role, has_role in roles.items():
            counted = has_role & self.own
            ratio = self.roles.setdefault(role, Ratio())
            ratio.add(np.where(counted, rewards, 0).sum(axis=(1, 2)), counted.sum(axis=(1, 2)))

    def result(self, others: str, deals: int, roles: tuple[RoleResult, ...]) -> PairResult:
        """Return the agent's result against others over this number of deals."""
        points, wins = self.points.interval(), self.wins.interval()
        return PairResult(
            a=self.agent,
            b=others,
            deals=deals,
            mean=points.mean,
            low=points.low,
            high=points.high,
            win_rate=wins.mean,
            win_low=wins.low,
            win_high=wins.high,
            roles=roles,
        )

    def by_role(self) -> tuple[RoleResult, ...]:
        """The points for each role that one of these seats ever had."""
        results = []
        for role, ratio in self.roles.items():
            if not ratio.deals:
                continue
            share = ratio.seats / self.points.seats
            mean, low, high = ratio.interval_if_known()
            results.append(RoleResult(self.agent, role, share, mean, low, high))
        return tuple(results)


class DealPoints:
    """The game points of each deal and seat: `rewards()`, float32[deals, seatings, seats]. `seatings` has for
    each seat the number of the agent that took it."""

    def __init__(self) -> None:
        self.seatings: Sequence[Seating] = ()
        self._blocks: list[np.ndarray] = []

    def add(
        self, rewards: np.ndarray, roles: Mapping[str, np.ndarray], less_luck: np.ndarray | None = None
    ) -> None:
        self._blocks.append(rewards.astype(np.float32))

    def rewards(self) -> np.ndarray:
        return np.concatenate(self._blocks)

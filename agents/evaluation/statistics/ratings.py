"""Ratings from the results of many tables.

They are game points per deal by least squares, and groups of agents that the data cannot tell apart. The
payoff matrix with its Nash equilibrium, and the ratings of a library, come with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linprog, minimize

from stichwerk.support.errors import InputError
from stichwerk.support.extras import MissingExtra, from_extra
from stichwerk.support.quantiles import student_quantile
from stichwerk.support.samples import margin_if_equal

ERROR = 0.05  # of intervals, and of all comparisons of two agents together
SAME = 1e-9  # ratings that lie no further apart, beside 1 and the largest one, are the same
ROUNDING = 1e-12  # what is smaller, beside the largest entry of a matrix, is rounding alone
SKILL_STEPS = 500  # results of a table that the library's ratings are made of, at most


@dataclass(frozen=True)
class Evidence:
    """The evidence from one table.

    Attributes:
        agents: that sit there, by their numbers
        shares: of each agent's rating in what each of the table is expected to get, float64[here, agents]
        weights: of these, the shares of the table's seats, float64[here]
        sums: points, added up in units of some deals, float64[units, here]
        deals: in each unit, int64[units]
        pair: at a table of two, the agent that takes every side once, and the one that takes all others
    """

    agents: tuple[int, ...]
    shares: np.ndarray
    weights: np.ndarray
    sums: np.ndarray
    deals: np.ndarray
    pair: tuple[int, int] | None = None

    @property
    def count(self) -> int:
        return int(self.deals.sum())

    @property
    def means(self) -> np.ndarray:
        return self.sums.sum(axis=0) / self.count


@dataclass(frozen=True)
class Payoff:
    """An agent's payoff against another: game points per deal with a 95 % interval over deals. The deals of
    several tables of a pair are the same, and count once."""

    a: str
    b: str
    deals: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """The field's ratings.

    Attributes:
        names: of the agents
        points: game points per deal above the mean of the field, float64[agents]
        covariance: of these over deals, float64[agents, agents]
        freedom: degrees of freedom of the intervals
        evidence: what they rest on
    """

    names: Sequence[str]
    points: np.ndarray
    covariance: np.ndarray
    freedom: int
    evidence: Sequence[Evidence]

    @cached_property
    def margins(self) -> np.ndarray:
        """Half of each 95 % interval."""
        variances = np.diag(self.covariance)
        margins = student_quantile(1 - ERROR / 2, self.freedom) * np.sqrt(variances)
        equal = variances <= ROUNDING * self.points**2  # so are all deals, but for rounding
        return np.where(equal, margin_if_equal(self.points, self.freedom + 1), margins)

    @cached_property
    def order(self) -> list[int]:
        """The agents' numbers, the best first."""
        return np.argsort(-self.points, kind="stable").tolist()

    def distance(self, a: int, b: int) -> float:
        """The distance between two ratings, in standard errors of their difference; infinite where all deals
        had the same result. A difference due to rounding alone counts as none."""
        contrast = np.zeros(len(self.names))
        contrast[a], contrast[b] = 1, -1
        variance = float(contrast @ self.covariance @ contrast)
        gap = abs(float(contrast @ self.points))
        if gap <= SAME * (1 + float(abs(self.points).max())):
            return 0.0
        if variance <= ROUNDING * max(gap**2, float(np.diag(self.covariance).max())):
            return float("inf")
        return gap / variance**0.5

    @cached_property
    def alike(self) -> np.ndarray:
        """The pairs of agents that cannot be separated, bool[agents, agents]. All others differ, with a
        chance of 5 % for any error in the whole field (Bonferroni)."""
        count = len(self.names)
        error = ERROR / (count * (count - 1) / 2)
        limit = student_quantile(1 - error / 2, self.freedom)
        few = margin_if_equal(1.0, self.freedom + 1, error) >= 1  # deals for a gap without any deviation
        alike = np.eye(count, dtype=bool)
        for a, b in combinations(range(count), 2):
            distance = self.distance(a, b)
            alike[a, b] = alike[b, a] = distance < limit or (few and np.isinf(distance))
        return alike

    @cached_property
    def groups(self) -> list[str]:
        """The letters of each agent's groups. Two agents have a common letter if, and only if, they cannot be
        separated. The letters follow the best agent of each group."""
        near = self.alike[np.ix_(self.order, self.order)]
        letters = ["" for _ in self.names]
        for number, group in enumerate(cliques(near)):
            for place in group:
                letters[self.order[place]] += _letter(number)
        return letters

    @cached_property
    def payoffs(self) -> list[Payoff]:
        """The payoff of the first agent of each pair, averaged over the pair's tables."""
        met: dict[tuple[int, int], list[Evidence]] = {}
        for each in self.evidence:
            if each.pair:
                met.setdefault(each.pair, []).append(each)
        found = []
        for (a, b), tables in met.items():
            units = max(len(each.deals) for each in tables)
            sums, deals = np.zeros(units), np.zeros(units, np.int64)
            for each in tables:
                sums[: len(each.sums)] += each.sums[:, each.agents.index(a)]
                deals[: len(each.deals)] += each.deals
            count = int(deals.sum())
            mean = float(sums.sum() / count)
            errors = sums - deals * mean
            error = np.sqrt((errors**2).sum() * units / max(units - 1, 1)) / count
            margin = float(student_quantile(1 - ERROR / 2, max(units - 1, 1)) * error)
            if error <= ROUNDING * abs(mean):
                margin = margin_if_equal(mean, units)
            most = max(each.count for each in tables)
            found.append(Payoff(self.names[a], self.names[b], most, mean, mean - margin, mean + margin))
        return found

    @cached_property
    def matrix(self) -> np.ndarray:
        """The payoff of each agent against each other, NaN where they have not met, float64[agents, agents].

        Between two sides it is the same both ways with the sign turned."""
        matrix = np.full((len(self.names), len(self.names)), np.nan)
        place = {name: number for number, name in enumerate(self.names)}
        for payoff in self.payoffs:
            matrix[place[payoff.a], place[payoff.b]] = payoff.mean
        turned = np.where(np.isnan(matrix), -matrix.T, matrix)
        np.fill_diagonal(turned, 0)
        return turned

    @cached_property
    def nash(self) -> np.ndarray | None:
        """The weights of the maximum-entropy Nash equilibrium of the payoffs (Nash averaging; Balduzzi and
        others, 2018). None where not all agents have met."""
        if np.isnan(self.matrix).any():
            return None
        return maximum_entropy_nash((self.matrix - self.matrix.T) / 2)

    @cached_property
    def cycles(self) -> list[tuple[int, int, int]]:
        """Three agents of which each beats the next, all beyond doubt (Bonferroni over all payoffs)."""
        matrix = self.matrix
        place = {name: number for number, name in enumerate(self.names)}
        margins = np.full_like(matrix, np.inf)
        usual = student_quantile(1 - ERROR / 2, self.freedom)
        widened = student_quantile(1 - ERROR / 2 / max(len(self.payoffs), 1), self.freedom) / usual
        for payoff in self.payoffs:
            a, b = place[payoff.a], place[payoff.b]
            margins[a, b] = widened * (payoff.mean - payoff.low)
            margins[b, a] = min(margins[b, a], margins[a, b])
        with np.errstate(invalid="ignore"):
            beats = matrix > margins
        triples = (t for some in combinations(range(len(matrix)), 3) for t in permutations(some))
        return [
            (a, b, c) for a, b, c in triples if a < min(b, c) and beats[a, b] and beats[b, c] and beats[c, a]
        ]

    @cached_property
    def skill(self) -> list[tuple[float, float]] | None:
        """The library's mean and deviation for each agent; None without openskill.

        It is the Plackett–Luce model of openskill, fed with the order of the agents at each table, unit after
        unit: as such ratings do, it looks only at who was ahead, and the last results weigh most."""
        try:
            models = from_extra("openskill.models", "lab")
        except MissingExtra:
            return None
        model = models.PlackettLuce()
        ratings = [model.rating(name=name) for name in self.names]
        most = max(len(each.deals) for each in self.evidence)
        for part in np.array_split(np.arange(most), min(most, SKILL_STEPS)):
            for each in self.evidence:
                sums = each.sums[part[0] : part[-1] + 1]
                if len(sums):
                    teams = [[ratings[agent]] for agent in each.agents]
                    rated = model.rate(teams, scores=sums.sum(axis=0).round(9).tolist())
                    for agent, (rating,) in zip(each.agents, rated, strict=True):
                        ratings[agent] = rating
        return [(rating.mu, rating.sigma) for rating in ratings]


def cliques(near: np.ndarray) -> list[list[int]]:
    """The largest sets of which all members are near each other, in order (Bron and Kerbosch, 1973).

    Args:
        near: of each two, bool[n, n]; all are near themselves

    Returns:
        The sets that are no part of another one, each in order.
    """
    beside = [{*np.flatnonzero(row).tolist()} - {number} for number, row in enumerate(near)]
    found: list[list[int]] = []

    def grow(chosen: list[int], open_to: set[int], tried: set[int]) -> None:
        if not open_to | tried:
            found.append(sorted(chosen))
            return
        pivot = max(open_to | tried, key=lambda each: len(beside[each] & open_to))
        for each in sorted(open_to - beside[pivot]):
            grow([*chosen, each], open_to & beside[each], tried & beside[each])
            open_to, tried = open_to - {each}, tried | {each}

    grow([], {*range(len(near))}, set())
    return sorted(found)


def _letter(number: int) -> str:
    """a … z, then A … Z; more groups than these share the last letter."""
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[min(number, 51)]


def rank_of(normal: np.ndarray) -> int:
    """The rank of a normal matrix: its independent comparisons. Ratings need one less than the agents."""
    return int(np.linalg.matrix_rank(normal, ROUNDING * abs(normal).max(), hermitian=True))


def rate(names: Sequence[str], evidence: Sequence[Evidence]) -> Ratings:
    """Rate agents by least squares: each table's points are differences of ratings, weighed by its deals.

    The covariance is over deals. The same deals of different tables are taken together, because they have the
    same cards (the sandwich estimator, clustered by units of deals). InputError where the tables do not
    compare all agents.
    """
    weighed = [each.shares.T * each.weights * each.count for each in evidence]
    normal = sum(left @ each.shares for left, each in zip(weighed, evidence, strict=True))
    if (rank := rank_of(normal)) < len(names) - 1:
        raise InputError(f"tables: got {rank} comparisons of {len(names)} agents; expected {len(names) - 1}")
    inverse = np.linalg.pinv(normal, ROUNDING, hermitian=True)  # of least norm, so the ratings add up to zero
    points = inverse @ sum(left @ each.means for left, each in zip(weighed, evidence, strict=True))
    units = max(len(each.deals) for each in evidence)
    influence = np.zeros((units, len(names)))
    for left, each in zip(weighed, evidence, strict=True):
        errors = each.sums - each.deals[:, None] * each.means
        influence[: len(errors)] += errors @ (inverse @ left).T / each.count
    freedom = max(min(len(each.deals) for each in evidence) - 1, 1)
    covariance = influence.T @ influence * units / max(units - 1, 1)
    return Ratings(names, points, covariance, freedom, evidence)


def maximum_entropy_nash(payoffs: np.ndarray) -> np.ndarray:
    """The equilibrium of greatest entropy of a symmetric zero-sum game.

    Args:
        payoffs: of the row against the column, with the sign turned in the transpose, float64[n, n]

    Returns:
        The weights, float64[n].
    """
    size, scale = len(payoffs), max(float(abs(payoffs).max()), 1e-9)
    game = payoffs / scale
    start = linprog(np.zeros(size), A_ub=game, b_ub=np.zeros(size), A_eq=np.ones((1, size)), b_eq=[1]).x

    def negative_entropy(weights: np.ndarray) -> float:
        positive = weights.clip(1e-12)
        return float(positive @ np.log(positive))

    found = minimize(
        negative_entropy,
        start,
        jac=lambda weights: np.log(weights.clip(1e-12)) + 1,
        bounds=[(0, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda weights: weights.sum() - 1, "jac": lambda weights: np.ones(size)},
            {"type": "ineq", "fun": lambda weights: -game @ weights, "jac": lambda weights: -game},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    weights = found.x.clip(0)
    is_equilibrium = found.success and (game @ weights).max() < 1e-6
    weights = weights if is_equilibrium else start.clip(0)
    return weights / weights.sum()

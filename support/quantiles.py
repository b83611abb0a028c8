"""Quantiles of Student's t distribution, by which intervals of means get their width."""

from math import exp, inf, lgamma, log, log1p, pi
from statistics import NormalDist

MANY = 1_000  # degrees of freedom from which the expansion is exact to 1e-12
FEWEST = 1e-3  # degrees of freedom; fewer count as this number
LONGEST = 340.0  # logarithm of the greatest value, whose square is a float still
TINY = 1e-300  # in place of 0 in a denominator


def student_quantile(probability: float, dof: float) -> float:
    """The value below which a Student's t variable lies with this probability, to about 1e-12 of itself.

    Args:
        probability: Between 0 and 1.
        dof: The degrees of freedom, above 0, whole or not.

    Raises:
        ValueError: One of them is out of its bounds.
    """
    if not (0 < probability < 1 and 0 < dof < inf):
        raise ValueError(f"got probability {probability} and dof {dof}; expected 0 < p < 1 and dof > 0")
    tail = min(probability, 1 - probability)
    if tail == 0.5:
        return 0.0
    value = _expansion(tail, dof) if dof >= MANY else _root(tail, max(dof, FEWEST))
    return value if probability > 0.5 else -value


def _expansion(tail: float, dof: float) -> float:
    """Powers of 1 / dof around the normal quantile (Abramowitz and Stegun, 26.7.5)."""
    z = -NormalDist().inv_cdf(tail)
    s = z * z
    terms = (
        1.0,
        (s + 1) / 4,
        ((5 * s + 16) * s + 3) / 96,
        (((3 * s + 19) * s + 17) * s - 15) / 384,
        ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
    )
    return z * sum(term / dof**power for power, term in enumerate(terms))


def _root(tail: float, dof: float) -> float:
    """Newton's method on the logarithm of the tail, as a function of the value's logarithm. That function is
    concave, so the method cannot run away from the root."""
    at = log(-NormalDist().inv_cdf(tail))
    half = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * pi) / 2
    for _ in range(100):
        value = exp(at)
        beyond = _beyond(value, dof)
        density = exp(half + at - (dof + 1) / 2 * log1p(value * value / dof))  # by the logarithm of the value
        step = log(beyond / tail) * beyond / density
        at = min(at + step, LONGEST)
        if abs(step) < 1e-14:
            break
    return exp(at) if at < LONGEST else inf


def _beyond(value: float, dof: float) -> float:
    """The probability of more than a positive value: half of an incomplete beta function."""
    a, b, x = dof / 2, 0.5, max(dof / (dof + value * value), TINY)
    near = x > (a + 1) / (a + b + 2)
    if near:
        a, b, x = b, a, value / (dof + value * value) * value
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    part = front / _fraction(a, b, x)
    return (1 - part) / 2 if near else part / 2


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for m in range(2_000):
        for factor in (
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)),
        ):
            d = 1 / (1 + factor * d or TINY)
            c = 1 + factor / c or TINY
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value

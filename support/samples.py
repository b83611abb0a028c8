"""Samples that have no deviation of their own: all of them are equal."""

from typing import TypeVar

import numpy as np

Values = TypeVar("Values", float, np.ndarray)


def margin_if_equal(value: Values, number: float, error: float = 0.05) -> Values:
    """Half of the interval of a mean whose samples are all equal.

    A deviation of 0 would leave no doubt, even after two samples. But others may come that have not come yet.
    The share of those that are alike is at least (error / 2) ** (1 / number) (Clopper and Pearson, 1934). All
    others are taken to be as far on the other side of 0. So with an error of 5 % it takes six equal samples
    to rule 0 out, as in a sign test.

    Args:
        value: what every sample is, counted from where nothing is won or lost
        number: of samples
        error: of the interval, to both sides together
    """
    return 2 * abs(value) * (1 - (error / 2) ** (1 / number))

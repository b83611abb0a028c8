"""Quantiles of Student's t, beside those of SciPy."""

from math import inf

import numpy as np
import pytest
from scipy.special import stdtrit

from stichwerk.support.quantiles import student_quantile


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "fractions"])
def test_quantiles_are_those_of_scipy(whole):
    """Over degrees of freedom from 1 to a million, and from the middle to far out in both tails."""
    rng = np.random.default_rng(1)
    for _ in range(1_500):
        dof = 10 ** rng.uniform(0, 6)
        tail = rng.choice([0.025, 0.005, rng.uniform(1e-3, 0.5), 10 ** rng.uniform(-9, -1)])
        probability = float(rng.choice([tail, 1 - tail]))
        dof = round(dof) if whole else dof
        expected = float(stdtrit(dof, probability))
        assert student_quantile(probability, dof) == pytest.approx(expected, rel=1e-10, abs=1e-12), (
            dof,
            probability,
        )


def test_few_worlds_that_count_leave_wide_margins():
    """Searches ask for fractions of a degree."""
    for dof in np.random.default_rng(2).uniform(0.02, 1, 100):
        assert student_quantile(0.975, dof) == pytest.approx(float(stdtrit(dof, 0.975)), rel=1e-10)
    assert student_quantile(0.975, 1e-200) == inf


@pytest.mark.parametrize(("probability", "dof"), [(0, 5), (1, 5), (-0.1, 5), (0.5, 0), (0.9, -1), (0.9, inf)])
def test_values_out_of_bounds(probability, dof):
    with pytest.raises(ValueError, match="expected 0 < p < 1"):
        student_quantile(probability, dof)


def test_the_middle():
    assert student_quantile(0.5, 3) == 0

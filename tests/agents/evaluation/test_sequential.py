"""Sequential tests keep to their chances of error, and estimates after a stop are not led astray by it."""

from collections.abc import Iterator
from itertools import count
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from stichwerk.agents.evaluation.statistics.sequential import Deals, Sprt, Until, Walk, looks_every
from stichwerk.agents.evaluation.statistics.tallies import Ratio
from stichwerk.support.errors import InputError

# Duplicate results as they come in Schnapsen, most of them 0, and lopsided ones as of a bid at high stakes.
USUAL = np.array([-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3]), np.array([1, 4, 9, 6, 60, 6, 9, 4, 1]) / 100
LOPSIDED = np.array([-0.5, 0, 0.5, 4.0]), np.array([0.3, 0.5, 0.15, 0.05])


def looks(points, chances, effect: float, every: int, random) -> Iterator[Deals]:
    """Deals whose points have this effect, looked at every so often."""
    mean = chances @ points
    deviation = sqrt(chances @ (points - mean) ** 2)
    centred = points - mean + effect * deviation
    counts = np.zeros(len(points), np.int64)
    for look in count(1):
        counts += random.multinomial(every, chances)
        number = look * every
        average = counts @ centred / number
        yield Deals(number, average, sqrt(counts @ (centred - average) ** 2 / number))


def stop(rule, kind, effect: float, every: int, most: int, random) -> Deals:
    """The deals at which the rule stops."""
    for deals in looks(*kind, effect, every, random):
        if rule.outcome(deals) != "undecided" or deals.number >= most:
            return deals
    raise AssertionError


def test_a_deviation_is_that_of_one_seat():
    points = Ratio()
    points.add(np.array([2.0, -2.0, 4.0, 0.0]), np.full(4, 2))
    assert Deals.of(points) == Deals(4, 0.5, pytest.approx(np.std([1, -1, 2, 0])))


def test_the_ratio_and_its_limits_are_those_of_the_page_that_is_cited():
    test = Sprt(0.0, 0.02)
    assert test.limits == (pytest.approx(-2.944, abs=1e-3), pytest.approx(2.944, abs=1e-3))
    assert test.ratio(Deals(10_000, 0.05, 2.0)) == pytest.approx(10_000 * 0.02 * (0.025 - 0.01))
    assert test.outcome(Deals(10_000, 0.06, 2.0)) == "upper"
    assert test.outcome(Deals(10_000, -0.02, 2.0)) == "lower"
    assert test.outcome(Deals(10_000, 0.02, 2.0)) == "undecided"


def test_a_stop_at_the_first_look_needs_no_correction():
    """Nothing has been chosen then: the estimate is the mean, and the interval the usual one."""
    deals = Deals(500, 0.4, 2.0)
    mean, low, high = Sprt(0.0, 0.02).interval(deals, every=500)
    half = norm.ppf(0.975) * 2.0 / sqrt(500)
    assert (mean, low, high) == pytest.approx((0.4, 0.4 - half, 0.4 + half), abs=1e-6)


@given(
    upper=st.floats(1e-3, 1),
    lower=st.floats(-1, 1),
    deviation=st.floats(1e-6, 1e6),
    effect=st.one_of(st.floats(-0.2, 0.2), st.floats(-1e4, 1e4)),
    every=st.sampled_from([100, 120, 500]),
    most=st.integers(2, 20_000),
)
@settings(max_examples=60, deadline=None)
def test_any_stop_has_an_estimate_near_the_mean(upper, lower, deviation, effect, every, most):
    """Bounds close together and large effects too, with which the walk leaves no doubt after a few looks."""
    assume(lower < upper - 1e-3)
    test = Sprt(lower, upper)
    for number in [*range(every, most, every), most]:
        deals = Deals(number, effect * deviation, deviation)
        if test.outcome(deals) != "undecided":
            break
    mean, low, high = test.interval(deals, every)
    error = deviation / sqrt(number)
    assert low < mean < high < low + 12 * error
    assert abs(mean - deals.mean) < 5 * error


@pytest.mark.parametrize("last", [100, 40])
def test_chances_of_a_walk_against_walks(last):
    """The drift at which a walk gets as far with a chance of one half: 20,000 walks, 1.5 % allowed.

    The last look may come after fewer steps than the others.
    """
    every, at, seen = 100, 85.0, 4
    walk = Walk(-60.0, 70.0, every, seen - 1)
    (drift,) = walk.drifts(at, (seen - 1) * every + last, (0.5,))
    steps = np.array([every] * (seen - 1) + [last])
    random = np.random.default_rng(1)
    walks = random.normal(drift * steps, np.sqrt(steps), (20_000, seen)).cumsum(axis=1)
    beyond = (walks[:, :-1] >= walk.high) | (walks[:, :-1] <= walk.low)
    first = np.where(beyond.any(axis=1), beyond.argmax(axis=1), seen - 1)
    ended = walks[np.arange(len(walks)), first]
    further = np.where(first < seen - 1, ended >= walk.high, ended >= at)
    assert further.mean() == pytest.approx(0.5, abs=0.015)


def test_the_correction_goes_towards_the_middle():
    test = Sprt(0.0, 0.05)
    high, low = Deals(3_000, 0.047, 1.0), Deals(3_000, 0.003, 1.0)
    assert (test.outcome(high), test.outcome(low)) == ("upper", "lower")
    above, below = test.interval(high, 100), test.interval(low, 100)
    assert above.low < above.mean < high.mean
    assert below.high > below.mean > low.mean
    assert above.mean - 0.025 == pytest.approx(0.025 - below.mean, abs=1e-6), "both sides are alike"


def test_the_interval_at_any_time_is_that_of_the_paper():
    """Waudby-Smith et al., theorem 2.2, with the mixture's variance for 10,000 deals."""
    mixing = (-2 * log(0.05) + log(-2 * log(0.05)) + 1) / 10_000
    expected = 1.5 * sqrt(
        2 * (4_000 * mixing + 1) / (4_000**2 * mixing) * log(sqrt(4_000 * mixing + 1) / 0.05)
    )
    deals = Deals(4_000, 0.3, 1.5)
    assert Until(1.0).interval(deals, 500) == pytest.approx((0.3, 0.3 - expected, 0.3 + expected))
    assert Until(expected + 1e-9).outcome(deals) == "narrow"
    assert Until(expected - 1e-9).outcome(deals) == "undecided"


def test_looks_come_in_whole_blocks():
    assert looks_every(20_000, 500) == 500
    assert looks_every(6_000, 20) == 100
    assert looks_every(6_000, 30) == 120
    assert looks_every(1_000_000, 20) == 500


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sprt.read("0.02", 0.05, 0.05), "got 0.02; expected two numbers, such as 0,0.02"),
        (lambda: Sprt.read("0.02,0", 0.05, 0.05), "got 0.02,0; expected two effects from -1 to 1"),
        (lambda: Sprt.read("0,nan", 0.05, 0.05), "expected two effects"),
        (lambda: Sprt(0, 0.02, alpha=0.5), "alpha: got 0.5; expected a number above 0 and below 0.5"),
        (lambda: Until(float("nan")), "until: got nan; expected a number of game points above 0"),
    ],
)
def test_wrong_settings(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_few_errors_in_small():
    """100 tests of each effect; with a chance of 5 % for an error, 12 or more are a matter of 0.4 %."""
    random = np.random.default_rng(2)
    test = Sprt(0.0, 0.1)
    for effect, right in ((0.0, "lower"), (0.1, "upper")):
        ends = [stop(test, USUAL, effect, 100, 50_000, random) for _ in range(100)]
        assert sum(test.outcome(deals) != right for deals in ends) < 12


@pytest.mark.slow
@pytest.mark.parametrize("kind", [USUAL, LOPSIDED], ids=["usual", "lopsided"])
@pytest.mark.parametrize("effect", [-0.05, 0.0, 0.025, 0.05, 0.1])
def test_error_rates_and_coverage(kind, effect, capsys):
    """2,000 tests: at the bounds at most 5 % errors, and the interval holds the truth in 95 % of them; 1.5 %
    are allowed, three standard errors, and for lopsided points 2.5 %, as for a fixed number of so few deals.
    The estimate lies above the truth as often as below."""
    random = np.random.default_rng(3)
    test, tests, every = Sprt(0.0, 0.05), 2_000, 500
    ends = [stop(test, kind, effect, every, 100_000, random) for _ in range(tests)]
    intervals = [test.interval(deals, every) for deals in ends]
    points, chances = kind
    truth = effect * sqrt(chances @ (points - chances @ points) ** 2)
    upper = np.mean([test.outcome(deals) == "upper" for deals in ends])
    covered = np.mean([low <= truth <= high for _, low, high in intervals])
    above = np.mean([mean > truth for mean, _, _ in intervals])
    deals = np.mean([deals.number for deals in ends])
    with capsys.disabled():
        print(
            f"\neffect {effect:+.3f}: upper {upper:.3f}, covered {covered:.3f}, above {above:.3f}, "
            f"raw {np.mean([deals.mean for deals in ends]) - truth:+.4f}, "
            f"corrected {np.mean([mean for mean, _, _ in intervals]) - truth:+.4f}, {deals:,.0f} deals"
        )
    if effect <= 0:
        assert upper <= 0.05 + 0.015
    if effect >= 0.05:
        assert 1 - upper <= 0.05 + 0.015
    assert covered >= 0.95 - (0.015 if kind is USUAL else 0.025)
    assert above == pytest.approx(0.5, abs=0.035)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [USUAL, LOPSIDED], ids=["usual", "lopsided"])
def test_the_interval_at_any_time_holds_at_every_time(kind, capsys):
    """1,000 comparisons of 50,000 deals, looked at every 200: in 95 % of them no look has an interval without
    the truth; 2 % are allowed, three standard errors."""
    random = np.random.default_rng(4)
    rule, points, chances = Until(1e-9), *kind
    truth = 0.1 * sqrt(chances @ (points - chances @ points) ** 2)
    missed = 0
    for _ in range(1_000):
        for deals in looks(*kind, 0.1, 200, random):
            if abs(deals.mean - truth) > rule.half_width(deals):
                missed += 1
                break
            if deals.number >= 50_000:
                break
    with capsys.disabled():
        print(f"\n{missed} of 1,000 comparisons miss the truth at some look")
    assert missed <= 50 + 20

"""Deals that all bring the same have no deviation: no statistic divides by it, or is sure after a few."""

from math import isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.core.agent import FORFEIT
from stichwerk.agents.evaluation.playing.matches import Playing, Series, play_pair
from stichwerk.agents.evaluation.playing.tournament import Results, evidence_of, pair_tables
from stichwerk.agents.evaluation.statistics.ratings import rate
from stichwerk.agents.evaluation.statistics.sequential import FEWEST_DEALS, Deals, Sprt, Until
from stichwerk.agents.evaluation.statistics.stopping import Watch, in_words
from stichwerk.agents.evaluation.statistics.tallies import Ratio, Tally
from stichwerk.envs import make_game
from stichwerk.support.errors import InputError
from stichwerk.support.samples import margin_if_equal

GAME = make_game("schnapsen_v0")
SIX = 6  # equal results in a row have a chance of 2 in 2**6, and 5 of 2 in 2**5: a sign test with 5 %
points = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
numbers = st.integers(2, 3_000)


def ratio(value: float, number: int, seats: int = 1) -> Ratio:
    found = Ratio()
    found.add(np.full(number, value * seats), np.full(number, seats))
    return found


@given(points, numbers, st.integers(1, 3))
@settings(deadline=None)
def test_the_interval_of_equal_points(value, number, seats):
    mean, low, high = ratio(value, number, seats).interval()
    assert mean == pytest.approx(value)
    assert low <= value + 1e-9
    assert high >= value - 1e-9
    if not value:
        assert (low, high) == (0, 0), "nobody beats himself"
    else:
        assert (low <= 0 <= high) == (number < SIX)
        assert high - mean <= 8 * abs(value) / number


@given(st.floats(0.001, 0.999), numbers)
def test_equal_points_mislead_in_five_of_a_hundred_samples_at_most(share, number):
    """A share of the deals brings 1, all others -1. The mean lies outside only if so many equal deals have a
    chance of 2.5 %, to each side."""
    mean, chance = 2 * share - 1, share**number
    if abs(1 - mean) > margin_if_equal(1.0, number):
        assert chance < 0.025


@pytest.mark.parametrize(("won", "rate"), [(1.0, 1.0), (-1.0, 0.0), (0.0, 0.5)])
def test_games_that_are_always_won(won, rate):
    """As by Clopper and Pearson; the other result of a game is a loss, not minus one win."""
    tally = Tally("a", np.array([[True, False]]))
    tally.add(np.full((20, 1, 2), won), {})
    result = tally.result("b", 20, ())
    assert result.win_rate == rate
    margin = 1 - 0.025 ** (1 / 20) if won else 0
    assert (result.win_low, result.win_high) == pytest.approx((rate - margin, rate + margin))


def test_one_deal_and_none():
    assert ratio(2.0, 1).interval() == (2.0, -np.inf, np.inf)
    empty = Ratio().interval()
    assert np.isnan(empty.mean)
    assert empty[1:] == (-np.inf, np.inf)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_points_that_are_not_finite(value):
    with pytest.raises(InputError, match="expected finite numbers"):
        ratio(value, 3)
    with pytest.raises(InputError, match="expected finite numbers"):
        Results(1, np.zeros((0, 2)), np.zeros(0, np.int64)).add(np.array([[value, 0.0]]))


@given(points, numbers, st.floats(-0.9, 0.5), st.floats(0.001, 0.4))
@settings(deadline=None)
def test_sequential_rules_have_numbers_for_equal_points(value, number, lower, above):
    deals = Deals.of(ratio(value, number))
    assert deals.deviation == 0
    test = Sprt(lower, lower + above)
    for rule in (test, Until(0.02)):
        mean, low, high = rule.interval(deals, 100)
        assert mean == pytest.approx(value)
        assert low < mean < high
        assert rule.note(deals)
        if number < FEWEST_DEALS:
            assert rule.outcome(deals) == "undecided"
    assert isfinite(test.ratio(deals))


@given(points.filter(bool), st.integers(1, 20), st.floats(0, 0.05))
@settings(deadline=None)
def test_equal_points_decide(value, hundreds, lower):
    """At the first look where they are as large as a point and the bounds as far apart as usual."""
    value = np.sign(value) * max(abs(value), 1.0)
    deals = Deals.of(ratio(value, 100 * hundreds))
    assert Sprt(lower, lower + 0.02).outcome(deals) == ("upper" if value > 0 else "lower")
    assert Until(abs(value)).outcome(deals) == "narrow"


def test_nothing_won_is_no_effect():
    """Whatever the deviation may be: the lower bound is accepted when an effect of 0 would have been."""
    test = Sprt(0.0, 0.02)
    for number in (10_000, 14_000, 15_000, 100_000):
        deals = Deals(number, 0.0, 0.0)
        assert test.outcome(deals) == test.outcome(Deals(number, 0.0, 1.0))
    assert test.outcome(Deals(15_000, 0.0, 0.0)) == "lower"
    assert Sprt(-0.02, 0.02).outcome(Deals(10**6, 0.0, 0.0)) == "undecided"


class Leaver(RulesAgent):
    """Gives every deal up, as an engine that dies."""

    outside = False

    def act_or_forfeit(self, turns):
        return np.full(len(turns), FORFEIT)


@pytest.mark.parametrize("rule", [Sprt(0, 0.02), Until(0.3)], ids=lambda rule: rule.name)
def test_an_agent_that_gives_every_deal_up(rule):
    watch = Watch(rule, 100, 600)
    ours, other = Leaver("leaver", GAME), RulesAgent("rules", GAME)
    result = play_pair(GAME, ours, other, Series(600, seed=1, block=100), playing=Playing(stop=watch))
    result, stopped = watch.ended(result)
    assert stopped.outcome == ("lower" if rule.name == "sprt" else "narrow")
    assert (stopped.raw_mean, stopped.deviation) == (-3, 0)
    assert stopped.deals <= 300
    assert -3.4 < result.low < result.mean == -3 < result.high < -2.6
    assert stopped.effect < -1
    assert in_words(stopped)


def constant(agents: int, number: int, gap: float):
    """A field in which each agent beats the next by the same in every deal."""
    found = []
    for table in pair_tables(GAME, agents, "all"):
        a, b = table.agents
        sums = np.tile([[gap * (b - a), -gap * (b - a)]], (number, 1))
        found.append(evidence_of(GAME, table, agents, Results(1, sums, np.ones(number, np.int64))))
    return rate([*"abcdefgh"[:agents]], found)


@given(st.integers(2, 6), st.integers(1, 40), st.floats(0.1, 100))
@settings(max_examples=30, deadline=None)
def test_ratings_of_equal_points(agents, number, gap):
    """Agents are told apart when a sign test with Bonferroni's correction would tell them apart."""
    found = constant(agents, number, gap)
    pairs = agents * (agents - 1) / 2
    enough = max(number, 2) > 1 + np.log2(pairs / 0.05)
    assert found.alike.all() != enough
    assert np.isfinite(found.margins).all()
    assert (found.margins[found.points != 0] > 0).all()
    for payoff in found.payoffs:
        assert payoff.low < payoff.mean < payoff.high
    assert not found.cycles
    assert len(found.groups) == agents
    assert found.nash.sum() == pytest.approx(1)


def test_no_points_at_all():
    found = constant(3, 50, 0.0)
    assert found.alike.all()
    assert found.margins.tolist() == [0, 0, 0]
    assert found.nash == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("number", [2, 3, 5, 8, 200])
def test_three_that_beat_each_other_in_every_deal(number):
    """A circle is named where the deals are enough for all three of its payoffs."""
    found = []
    for table in pair_tables(GAME, 3, "all"):
        sign = -1 if table.agents == (0, 2) else 1
        sums = np.tile([[sign, -sign]], (number, 1))
        found.append(evidence_of(GAME, table, 3, Results(1, sums, np.ones(number, np.int64))))
    assert bool(rate([*"abc"], found).cycles) == (number >= 8)

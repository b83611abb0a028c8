"""Ratings find what results were made from, and say what these leave in doubt."""

from itertools import combinations

import numpy as np
import pytest

from stichwerk.agents.evaluation.playing.tournament import (
    Results,
    Table,
    evidence_of,
    expected,
    mixed_tables,
    pair_of,
    pair_table,
    pair_tables,
)
from stichwerk.agents.evaluation.reports.tournament_report import claim_of
from stichwerk.agents.evaluation.statistics.ratings import Evidence, Ratings, maximum_entropy_nash, rate
from stichwerk.envs import make_game
from stichwerk.support.errors import InputError

NAMES = ["a", "b", "c", "d"]
TRUE = np.array([0.3, 0.1, 0.05, -0.45])
GAME = make_game("schnapsen_v0")
FIRST_TABLES = [(3, 2, 1, 0), (2, 3, 1, 0), (0, 3, 2, 1), (2, 3, 0, 1)]  # that are drawn for four agents


def evidence(true, deals: int, random, payoffs=None, shared: float = 0.5) -> list[Evidence]:
    """Everybody against everybody over the same deals, whose cards move all results of an agent alike."""
    cards = random.normal(0, shared, (deals, len(true)))
    found = []
    for table in pair_tables(GAME, len(true), "all"):
        a, b = table.agents
        mean = true[a] - true[b] if payoffs is None else payoffs[a][b]
        points = mean + cards[:, a] - cards[:, b] + random.normal(0, 1, deals)
        sums = np.stack([points, -points], axis=1)
        found.append(evidence_of(GAME, table, len(true), Results(1, sums, np.ones(deals, np.int64))))
    return found


def test_intervals_hold_the_true_ratings():
    """300 fields of four: 95 % of 1,200 intervals; those of one field go together, so 3 % are allowed."""
    random = np.random.default_rng(1)
    held = []
    for _ in range(300):
        found = rate(NAMES, evidence(TRUE, 100, random))
        assert found.points.sum() == pytest.approx(0, abs=1e-9)
        held += (abs(found.points - TRUE) <= found.margins).tolist()
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)


def test_agents_that_cannot_be_told_apart_share_a_letter():
    found = rate(NAMES, evidence(TRUE, 400, np.random.default_rng(2)))
    assert [found.names[agent] for agent in found.order][-1] == "d"
    groups = dict(zip(NAMES, found.groups, strict=True))
    assert {*groups["b"]} & {*groups["c"]}
    assert not {*groups["a"]} & {*groups["d"]}
    assert found.distance(0, 3) > found.distance(1, 2)
    assert not found.cycles
    assert found.nash == pytest.approx([1, 0, 0, 0], abs=1e-6), "the others lose to the first"


def test_a_field_that_goes_in_circles():
    payoffs = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    found = rate(NAMES[:3], evidence(np.zeros(3), 400, np.random.default_rng(3), payoffs))
    assert found.cycles == [(0, 1, 2)]
    assert (found.nash > 0.2).all()
    assert len({*found.groups}) == 1


@pytest.mark.parametrize(
    ("payoffs", "weights"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3]),
        ([[0, -2, 1], [2, 0, -1], [-1, 1, 0]], [1 / 4, 1 / 4, 1 / 2]),
        ([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]], [1, 0, 0]),
        ([[0, 0], [0, 0]], [1 / 2, 1 / 2]),
    ],
)
def test_equilibria_of_small_games(payoffs, weights):
    assert maximum_entropy_nash(np.array(payoffs, float)) == pytest.approx(weights, abs=1e-4)


def test_what_is_expected_of_partners():
    """In Gaigel for four two seats make a side: their ratings count half each."""
    game = make_game("gaigel_v0")
    table = mixed_tables(game, 4, seed=1)[0]
    shares, weights = expected(game, table, 4)
    assert weights.tolist() == [0.25] * 4
    assert shares.sum(axis=1) == pytest.approx(0), "a rating is a difference"
    assert sorted(shares[0]) == pytest.approx([-0.5, -0.5, 0.5, 0.5])
    alone, _ = expected(game, pair_table(game, 0, 1), 2)
    assert alone.tolist() == [[1, -1], [-1, 1]]


@pytest.mark.parametrize(("rules", "agents"), [({"players": 3}, 2), ({}, 5), ({"players": 6}, 8)])
def test_mixed_tables_give_all_agents_as_many_seats(rules, agents):
    game = make_game("gaigel_v0", rules)
    tables = mixed_tables(game, agents, seed=3)
    assert tables == mixed_tables(game, agents, seed=3)
    seats = np.zeros(agents)
    for table in tables:
        assert len(table.agents) == min(agents, game.seats)
        for seating in table.seatings:
            assert {*seating} == {*range(len(table.agents))}
        seats[[table.agents[place] for place in table.seatings[0]]] += 1
        for place in range(len(table.agents)):
            taken = [seating.index(place) for seating in table.seatings]
            assert len({*taken}) == len(table.seatings) or len(table.agents) < game.seats
    assert np.ptp(seats) <= 2


@pytest.mark.parametrize(("players", "agents"), [(4, 2), (4, 4), (4, 8), (6, 6), (6, 12)])
def test_mixed_tables_compare_all_agents(players, agents):
    """Their results find the ratings also where few tables are drawn and partners are fixed."""
    game = make_game("gaigel_v0", {"players": players})
    true = np.linspace(-1, 1, agents)
    for seed in range(10):
        found = []
        for table in mixed_tables(game, agents, seed):
            sums = np.tile(expected(game, table, agents)[0] @ true, (3, 1))
            found.append(evidence_of(game, table, agents, Results(1, sums, np.ones(3, np.int64))))
        assert rate([*"abcdefghijkl"[:agents]], found).points == pytest.approx(true)


def test_more_mixed_tables_begin_with_the_same_ones():
    game = make_game("gaigel_v0")
    assert [table.agents for table in mixed_tables(game, 4, seed=1)][:4] == FIRST_TABLES
    assert len(mixed_tables(game, 4, seed=1)) > 4
    assert [len(mixed_tables(game, agents, seed=2)) for agents in (3, 5, 12)] == [4, 5, 12], "none more"


def test_tables_that_do_not_compare_all_agents():
    found = evidence(TRUE, 20, np.random.default_rng(5))
    apart = [each for each in found if each.agents in ((0, 1), (2, 3))]
    with pytest.raises(InputError, match="tables: got 2 comparisons of 4 agents; expected 3"):
        rate(NAMES, apart)


def test_letters_where_standard_errors_differ():
    """The third agent is known badly: it is like both others, which differ from each other."""
    found = Ratings(NAMES[:3], np.array([0.3, 0.1, 0.0]), np.diag([0.0004, 0.0004, 0.04]), 999, [])
    assert found.distance(0, 1) > 6
    assert found.groups == ["a", "b", "ab"]
    assert claim_of(found) == "a rates highest, but cannot be told apart from c."
    known = Ratings(NAMES[:3], np.array([0.3, 0.1, 0.0]), np.diag([0.0004] * 3), 999, [])
    assert known.groups == ["a", "b", "c"]
    assert claim_of(known) == "a is the best of the field; next is b."


def test_agents_share_a_letter_if_and_only_if_they_cannot_be_told_apart():
    random = np.random.default_rng(4)
    for _ in range(100):
        points, errors = random.normal(0, 1, 9), random.choice([0.05, 0.5], 9)
        found = Ratings([*"abcdefghi"], points, np.diag(errors**2), 99, [])
        for a, b in combinations(range(9), 2):
            assert found.alike[a, b] == bool({*found.groups[a]} & {*found.groups[b]})
        assert found.groups[found.order[0]][0] == "a"


def test_letters_of_equal_standard_errors():
    """Each group is a run of agents in a row."""
    points = np.array([0.0, 0.4, 0.8, 1.0, 2.0, 1.1])
    found = Ratings([*"abcdef"], points, np.diag([0.01] * 6), 999, [])
    assert found.groups == ["d", "cd", "bc", "b", "a", "b"]


@pytest.mark.parametrize("gap", [0, 1e-16])
@pytest.mark.parametrize("between", [0.04, 0.04 - 1e-17])
def test_what_rounding_alone_makes_is_no_difference(gap, between):
    """The first two play alike in every deal, so their difference has no error."""
    covariance = np.array([[0.04, between, 0], [between, 0.04, 0], [0, 0, 0.04]])
    found = Ratings(NAMES[:3], np.array([0.5 + gap, 0.5, -1]), covariance, 100, [])
    assert found.distance(0, 1) == 0
    assert {*found.groups[0]} == {*found.groups[1]}
    assert found.distance(0, 2) == pytest.approx(1.5 / 0.08**0.5)
    apart = Ratings(NAMES[:3], np.array([0.5, 0.4, -0.9]), covariance, 100, [])
    assert apart.distance(0, 1) == np.inf


def turned(drawn: tuple[int, ...]) -> Table:
    """Two agents in every rotation of the seats."""
    count = len(drawn)
    return Table((4, 3), tuple(dict.fromkeys(drawn[-turn:] + drawn[:-turn] for turn in range(count))))


def test_which_tables_are_those_of_a_pair():
    game = make_game("gaigel_v0")
    assert pair_of(game, pair_table(game, 3, 4)) == (3, 4)
    assert pair_of(game, turned((0, 1, 0, 1))) == (3, 4), "two sides: the same both ways"
    assert pair_of(game, turned((0, 1, 1, 0))) is None, "both have both as partners"
    assert pair_of(game, mixed_tables(game, 4, seed=1)[0]) is None
    game = make_game("gaigel_v0", {"players": 3})
    assert pair_of(game, turned((0, 1, 1))) == (4, 3)
    assert pair_of(game, turned((0, 0, 1))) == (3, 4), "who is alone comes first"
    assert [pair_of(game, table) for table in pair_tables(game, 2, "all")] == [(0, 1), (1, 0)]


def test_payoffs_are_the_means_over_the_tables_of_a_pair():
    """Partners on both sides share noise, which says nothing of the pair."""
    game, random = make_game("gaigel_v0"), np.random.default_rng(6)
    tables = [Table((0, 1), table.seatings) for table in (pair_table(game, 0, 1), turned((0, 1, 1, 0)))]
    tables.append(Table((1, 0), tables[0].seatings))
    found, points = [], random.normal(0.4, 1, (3, 100))
    for table, own in zip(tables, points, strict=True):
        sums = np.stack([own, -own], axis=1)
        found.append(evidence_of(game, table, 2, Results(1, sums, np.ones(100, np.int64))))
    (payoff,) = rate(NAMES[:2], found).payoffs
    own = (points[0] - points[2]) / 2
    assert (payoff.a, payoff.b, payoff.deals) == ("a", "b", 100)
    assert payoff.mean == pytest.approx(own.mean())
    assert payoff.high - payoff.mean == pytest.approx(1.984 * own.std(ddof=1) / 10, rel=1e-3)
    assert rate(NAMES[:2], found).matrix[1, 0] == -payoff.mean

"""Matches over duplicate deals: fair, paired, reproducible, and with honest intervals."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.evaluation.playing.matches import (
    DEALS_AT_ONCE,
    Playing,
    Series,
    arrangements,
    games_in_pair,
    play_deals,
    play_pair,
    play_together,
    seatings,
)
from stichwerk.agents.evaluation.statistics.tallies import FEWEST, DealPoints, Ratio, RoleResult, Tally
from stichwerk.envs import make_game
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import ppo_agent
from tests.envs.support import slowly

PREFERANS = make_game("preferans_v0")
GAMES = [make_game("schnapsen_v0"), make_game("sixty_six_v0"), make_game("snapszer_v0")]
SNAPSZER = GAMES[-1]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.env_id)


def rules(game) -> RulesAgent:
    return RulesAgent("rules", game)


def per_deal(game, a, b, deals: int, seed: int, use: Use = Use.TEST) -> np.ndarray:
    """The points of `a` in each seating of each deal, float64[seatings, deals]."""
    lanes = Lanes(game, deals)
    return np.array(
        [
            play_deals(lanes, [(a, b)[who] for who in row], seed, use, lanes.all)[:, row.index(0)]
            for row in seatings(game)
        ]
    )


# Duplicate deals


@each_game
def test_an_agent_ties_with_itself(game):
    result = play_pair(game, rules(game), rules(game), Series(500, seed=1))
    assert [result.mean, result.low, result.high] == pytest.approx([0, 0, 0], abs=1e-6)
    if game.seats == 2:  # where one may lose to three, fewer than half of the seats may have won
        assert (result.win_rate, result.win_low, result.win_high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("game", [game for game in GAMES if game.seats == 2], ids=lambda game: game.env_id)
def test_both_directions_agree(game):
    one, two = rules(game), ppo_agent(game)
    there, back = (
        play_pair(game, one, two, Series(500, seed=1)),
        play_pair(game, two, one, Series(500, seed=1)),
    )
    assert there.mean != 0
    assert (there.a, there.b) == (back.b, back.a)
    assert [there.mean, there.low, there.high] == pytest.approx(
        [-back.mean, -back.high, -back.low], abs=1e-12
    )
    assert [there.win_rate, there.win_low, there.win_high] == pytest.approx(
        [1 - back.win_rate, 1 - back.win_high, 1 - back.win_low]
    )


@each_game
def test_the_same_cards_in_every_seating_against_anybody(game):
    lanes, decks = Lanes(game, 300), []
    for players in (
        [rules(game), RandomAgent("random")],
        [RandomAgent("random"), rules(game)],
        [rules(game)] * 2,
    ):
        play_deals(lanes, players * (game.seats // 2), 1, Use.TEST, lanes.all)
        decks.append(lanes.states["deck"].copy())
    assert (decks[0] == decks[1]).all()
    assert (decks[0] == decks[2]).all()
    assert len({deck.tobytes() for deck in decks[0]}) == 300


@each_game
def test_deals_do_not_depend_on_how_many_are_played_at_once(game):
    one, two = rules(game), ppo_agent(game)
    whole = play_pair(game, one, two, Series(100, seed=1))
    for at_once in (1, 7, 50, 99, 100):
        assert play_pair(game, one, two, Series(100, seed=1, block=at_once)) == whole


@each_game
def test_a_seed_gives_one_result(game):
    players = RandomAgent("random"), ppo_agent(game, greedy=False)
    first = play_pair(game, *players, Series(200, seed=1))
    assert play_pair(game, *players, Series(200, seed=1)) == first, (
        "what agents did before makes no difference"
    )
    assert play_pair(game, *players, Series(200, seed=2)) != first
    assert play_pair(game, *players, Series(200, seed=1, use=Use.VALIDATION)) != first


def test_progress_counts_every_game(game):
    told = []
    play_pair(
        game,
        rules(game),
        RandomAgent("random"),
        Series(DEALS_AT_ONCE + 10, seed=1),
        playing=Playing(on_progress=told.append),
    )
    assert sum(told) == games_in_pair(game) * (DEALS_AT_ONCE + 10)
    assert len(told) == 4


def test_progress_counts_the_games_for_the_roles_too():
    told = []
    play_pair(
        SNAPSZER,
        rules(SNAPSZER),
        RandomAgent("random"),
        Series(10, seed=1),
        by_role=True,
        playing=Playing(on_progress=told.append),
    )
    assert told == [10] * games_in_pair(SNAPSZER, by_role=True) == [10] * 5


def test_a_billion_deals_take_no_more_memory_than_some_thousand(game):
    """They are stopped after two blocks: it is what would be kept for them that counts."""
    told = []

    def stop_early(games: int) -> None:
        told.append(games)
        if len(told) == 4:
            raise KeyboardInterrupt

    play_pair(game, rules(game), rules(game), Series(2, seed=1))
    tracemalloc.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            play_pair(
                game, rules(game), rules(game), Series(10**9, seed=1), playing=Playing(on_progress=stop_early)
            )
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert told == [DEALS_AT_ONCE] * 4


# Statistics


def by_the_book(per_deal: np.ndarray) -> list[float]:
    """The mean over deals and its 95 % interval. A deal counts once, as its playings depend on each other."""
    means = per_deal.mean(axis=0, dtype=float)
    margin = stats.t.ppf(0.975, len(means) - 1) * np.sqrt(means.var(ddof=1) / len(means))
    return pytest.approx([means.mean(), means.mean() - margin, means.mean() + margin])


@each_game
def test_intervals_by_the_book(game):
    one, two = rules(game), ppo_agent(game)
    result = play_pair(game, one, two, Series(400, seed=3))
    points = per_deal(game, one, two, 400, seed=3)
    assert result.deals == 400
    assert [result.mean, result.low, result.high] == by_the_book(points)
    assert [result.win_rate, result.win_low, result.win_high] == by_the_book((points > 0) + (points == 0) / 2)


def test_a_drawn_game_is_half_a_win():
    """Four cards: one side takes the ten, often the other the last trick, and that counts ten too."""
    pack = {"pack": ["sT", "h9", "d9", "c9"], "hand_size": 1}
    tiny = make_game("schnapsen_v0", {**pack, "last_trick": "ten", "claims": "auto", "goal": 100})
    one, two = ppo_agent(tiny), rules(tiny)
    result = play_pair(tiny, one, two, Series(200, seed=1))
    points = per_deal(tiny, one, two, 200, seed=1)
    assert (points == 0).sum() > 20
    assert result.win_rate == pytest.approx((points > 0).mean() + (points == 0).mean() / 2)


def test_more_deals_narrow_the_interval(game):
    narrow, wide = (
        play_pair(game, rules(game), RandomAgent("random"), Series(deals, seed=1)) for deals in (6400, 400)
    )
    assert 3.3 < (wide.high - wide.low) / (narrow.high - narrow.low) < 4.8, "by the root of sixteen"
    assert narrow.low > wide.low - (wide.high - wide.low)
    assert narrow.high < wide.high + (wide.high - wide.low)


def test_intervals_hold_what_they_promise(game):
    """Two random players are equal, so 95 in 100 intervals hold zero: 142.5 of 150, give or take four
    standard deviations. All 150 would one time in 2,200."""
    results = [
        play_pair(game, RandomAgent("one"), RandomAgent("two"), Series(60, seed=seed)) for seed in range(150)
    ]
    assert 132 <= sum(result.low <= 0 <= result.high for result in results) <= 149


# Roles


def roles_by_the_book(
    agent: str, rewards: np.ndarray, roles: list[list[list[str]]], own: list[list[int]]
) -> dict[str, tuple]:
    """For each role the share of the agent's seats and its mean reward in them; `own`: which seats are its
    own, in each seating."""
    found: dict[str, list[float]] = {}
    for row, seats in enumerate(own):
        for deal in range(rewards.shape[1]):
            for seat in seats:
                found.setdefault(roles[row][deal][seat], []).append(float(rewards[row, deal, seat]))
    total = sum(map(len, found.values()))
    return {
        role: (agent, len(points) / total, pytest.approx(np.mean(points))) for role, points in found.items()
    }


def role_of(record, seat: int) -> str:
    caller = (record.dealer + 1) % 4
    if seat == caller:
        return "alone" if record.holder == caller else "forehand"
    return "partner" if seat == record.holder else "opponent"


def test_roles_by_the_book():
    one, two, deals = ppo_agent(SNAPSZER), rules(SNAPSZER), 300
    result = play_pair(SNAPSZER, one, two, Series(deals, seed=5), by_role=True)
    lanes, rewards, roles = Lanes(SNAPSZER, deals), [], []
    for row in [*seatings(SNAPSZER), [1] * 4]:
        rewards.append(play_deals(lanes, [(one, two)[who] for who in row], 5, Use.TEST, lanes.all))
        roles.append([[role_of(record, seat) for seat in range(4)] for record in lanes.states])
    given = {
        agent: {r.role: (r.agent, r.share, r.mean) for r in result.roles if r.agent == agent}
        for agent in ("ppo", "rules")
    }
    assert given["ppo"] == roles_by_the_book("ppo", np.array(rewards), roles, [[0], [1], [2], [3], []])
    assert given["rules"] == roles_by_the_book(
        "rules", np.array(rewards), roles, [[], [], [], [], [0, 1, 2, 3]]
    )
    assert set(given["ppo"]) == {"forehand", "partner", "opponent", "alone"}
    assert replace(result, roles=()) == play_pair(SNAPSZER, one, two, Series(deals, seed=5)), (
        "looking at roles changes nothing else"
    )


def test_intervals_of_roles_hold_what_they_promise():
    """Of 100 intervals for a role, those that hold its mean over all deals: 95, give or take four standard
    deviations."""
    players = RandomAgent("one"), RandomAgent("two")
    results = [play_pair(SNAPSZER, *players, Series(40, seed=seed), by_role=True) for seed in range(100)]
    opponents = [
        role for result in results for role in result.roles if (role.agent, role.role) == ("two", "opponent")
    ]
    mean = np.mean([role.mean for role in opponents])
    assert len(opponents) == 100
    assert 86 <= sum(role.low <= mean <= role.high for role in opponents) <= 99


def summed(points: np.ndarray, seats: np.ndarray, blocks: int = 1) -> Ratio:
    ratio = Ratio()
    for part in zip(np.array_split(points, blocks), np.array_split(seats, blocks), strict=True):
        ratio.add(*part)
    return ratio


def test_a_ratio_of_sums_by_the_book():
    """By Taylor's series, over those deals alone in which the role came up."""
    rng = np.random.default_rng(1)
    seats = rng.integers(0, 4, 200)
    points = rng.integers(-3, 4, 200) * seats.astype(float)
    there, mean = seats > 0, points.sum() / seats.sum()
    errors = (points - mean * seats)[there]
    margin = stats.t.ppf(0.975, there.sum() - 1) * errors.std(ddof=1) * np.sqrt(there.sum()) / seats.sum()
    for blocks in (1, 7, 200):
        ratio = summed(points, seats, blocks)
        assert ratio.deals == there.sum()
        assert ratio.interval() == pytest.approx((mean, mean - margin, mean + margin))
        assert ratio.interval() == summed(points, seats).interval(), "whatever the blocks"


@pytest.mark.parametrize("deals", [3, *slowly(5, FEWEST, 30)])
def test_intervals_over_few_deals_hold_what_they_promise(deals):
    """Of 1,000 intervals for normal points 95 in 100 hold the mean, give or take four standard deviations;
    with the bounds of endless samples it would be 80, 88, 92 and 94 in 100."""
    rng = np.random.default_rng(1)
    intervals = [summed(rng.normal(1, 2, deals), np.ones(deals, int)).interval() for _ in range(1_000)]
    held = np.mean([low <= 1 <= high for _, low, high in intervals])
    assert abs(held - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 1_000)


def by_role(points: list[float], deals: int = 100) -> RoleResult:
    """The result of a role that came up in the first deals, with these points."""
    rewards, role = np.zeros((deals, 1, 2)), np.zeros((deals, 1, 2), bool)
    rewards[: len(points), 0, 0] = points
    role[: len(points), 0, 0] = True
    tally = Tally("rules", np.array([[True, False]]))
    tally.add(rewards, {"alone": role})
    (result,) = tally.by_role()
    return result


def test_a_role_seen_too_rarely_has_no_interval():
    for often in range(1, FEWEST):
        result = by_role([1280.0, -10.0, *[5.0] * (often - 2)][:often])
        assert (result.low, result.high) == (None, None)
        assert result.share == pytest.approx(often / 100)
    result = by_role([1280.0, -10.0, *[5.0] * (FEWEST - 2)])
    assert result.low < result.mean < result.high


@pytest.mark.parametrize("points", [1280.0, -0.1, 1 / 3])
def test_a_role_that_always_brought_the_same_has_no_interval(points):
    result = by_role([points] * 50)
    assert (result.low, result.high) == (None, None)
    assert result.mean == pytest.approx(points)


def test_games_without_roles_report_none():
    game = GAMES[0]
    assert play_pair(game, rules(game), RandomAgent("random"), Series(20, seed=1), by_role=True).roles == ()


# All together


def test_every_arrangement_once():
    assert sorted(arrangements(SNAPSZER)) == sorted(map(list, permutations(range(4))))
    assert arrangements(GAMES[0]) == [[0, 1], [1, 0]]


def test_agents_together_share_out_the_points():
    agents = [rules(SNAPSZER), RandomAgent("random"), ppo_agent(SNAPSZER), RandomAgent("other")]
    results = play_together(SNAPSZER, agents, Series(100, seed=1))
    assert [result.a for result in results] == ["rules", "random", "ppo", "other"]
    assert results[0].b == "random and ppo and other"
    assert sum(result.mean for result in results) == pytest.approx(0, abs=1e-6)
    assert results[0].mean == max(result.mean for result in results) > 0.3
    for result in results:
        assert sum(role.share for role in result.roles) == pytest.approx(1)
        assert sum(role.share * role.mean for role in result.roles) == pytest.approx(result.mean, abs=1e-6)
        assert all(isinstance(role, RoleResult) and role.agent == result.a for role in result.roles)


def test_two_together_are_a_pair():
    game = GAMES[0]
    one, two = rules(game), ppo_agent(game)
    pair = play_pair(game, one, two, Series(100, seed=1))
    together = play_together(game, [one, two], Series(100, seed=1))
    assert together[0] == pair
    assert together[1].mean == pytest.approx(-pair.mean)


def test_a_deal_that_its_cards_end_is_not_passed_over():
    """Five sevens end a deal at once; the next one is played beside it, and would count twice."""
    game = make_game("gaigel_v0")
    lanes = Lanes(game, 11_000)
    play_deals(lanes, [RandomAgent("random")] * game.seats, 1, Use.TEST, lanes.all)
    (ended,) = np.flatnonzero(lanes.states["log_size"] == 0)
    assert sorted(lanes.rewards[ended]) == [-1, -1, 1, 1]
    assert (lanes.states["deal_number"] == lanes.all).all()


# Points that floats cannot hold


def test_equal_players_of_thirds_come_to_zero():
    """Preferans shares points out among three."""
    results = play_together(PREFERANS, [rules(PREFERANS) for _ in range(3)], Series(300, seed=1))
    for result in results:
        assert (result.mean, result.low, result.high) == (0, 0, 0)
    alone = play_pair(PREFERANS, rules(PREFERANS), rules(PREFERANS), Series(300, seed=1))
    assert (alone.mean, alone.low, alone.high) == (0, 0, 0)


def test_sums_of_thirds_are_exact():
    """By fractions; the players differ, so nothing is zero of itself."""
    game, players, deals = PREFERANS, 3, 60
    a, b = rules(game), RandomAgent("random")
    result, points = play_pair(game, a, b, Series(deals, seed=3)), DealPoints()
    assert play_pair(game, a, b, Series(deals, seed=3), playing=Playing(deal_points=points)) == result
    own = points.rewards().astype(float)[:, np.array(points.seatings) == 0]
    whole = np.rint(own * players).astype(int)
    assert abs(own * players - whole).max() < 1e-3, "the counter-check: parts of that size"
    assert (whole % players != 0).any()
    assert result.mean == float(Fraction(int(whole.sum()), players)) / own.size


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 60])
def test_sums_do_not_depend_on_the_order_of_deals(parts):
    rng = np.random.default_rng(1)
    points, seats = rng.integers(-9_999, 9_999, 300) / parts, rng.integers(0, 4, 300)
    first = summed(points, seats)
    assert first.points == Fraction(round(float(points.sum() * parts)), parts)
    for blocks in (1, 7, 300):
        order = rng.permutation(300)
        assert summed(points[order], seats[order], blocks) == first


def test_sums_of_any_floats_do_not_depend_on_the_order_of_deals():
    rng = np.random.default_rng(1)
    points, seats = rng.normal(size=300) * 10.0 ** rng.integers(-9, 9, 300), rng.integers(0, 4, 300)
    first = summed(points, seats)
    assert first.points == sum(map(Fraction, points.tolist()))
    for blocks in (2, 7):
        order = rng.permutation(300)
        assert summed(points[order], seats[order], blocks) == first


def test_sums_larger_than_64_bits_are_exact():
    points, seats = np.full(4, 3.0 * 2**40), np.ones(4, int)
    assert summed(points, seats).point_squares == 36 * 2**80


def test_the_least_deviation_counts():
    """All but one of many deals bring the same."""
    points, seats = np.full(10_000, 1e6), np.ones(10_000, int)
    points[0] += 1
    mean, low, high = summed(points, seats).interval()
    margin = stats.t.ppf(0.975, 9_999) * 1e-4
    assert (mean, low, high) == pytest.approx((1e6 + 1e-4, mean - margin, mean + margin), abs=1e-9)


# Deals for different uses


def decks(game, use: Use | None, seed: int = 1) -> set[bytes]:
    """The first thousand deals of a use of a seed; None: of training."""
    if use is None:
        lanes = SelfPlayEnv(game, 1000, [(RandomAgent("random"), 1.0)], seed).lanes
        lanes.start()
    else:
        lanes = Lanes(game, 1000)
        play_deals(lanes, [RandomAgent("random")] * game.seats, seed, use, lanes.all)
    return {deck.tobytes() for deck in lanes.states["deck"]}


@each_game
def test_training_validation_and_test_have_no_deal_in_common(game):
    uses = [decks(game, use) for use in (None, Use.VALIDATION, Use.TEST)] + [decks(game, Use.TEST, seed=2)]
    assert [len(deals) for deals in uses] == [1000] * 4
    assert len(set().union(*uses)) == 4000
    assert decks(game, Use.TEST) == uses[2], "the counter-check: the same use again"

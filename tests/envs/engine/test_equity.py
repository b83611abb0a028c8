"""Match equity against closed forms, random walks, and the game's own matches."""

import numpy as np
import pytest

from stichwerk.envs import GAMES, make_game
from stichwerk.envs.engine.equity import (
    NO_EQUITY,
    DealResults,
    MatchEquity,
    equity_in,
    gains_by_points,
    match_equity,
    values_for,
)
from stichwerk.envs.engine.lanes import Lanes

MATCHES = [
    ("schnapsen_v0", None),
    ("schnapsen_v0", {"target": 11, "next_dealer": "winner"}),
    ("sixty_six_v0", None),
    ("snapszer_v0", {"target": 4}),
    ("snapszer_v0", {"target": 3, "tie": "carry"}),
    ("gaigel_v0", {"players": 3}),
    ("gaigel_v0", {"players": 4, "tokenless": "one_more"}),
    ("gaigel_v0", {"players": 6, "score": "target"}),
]
each_match = pytest.mark.parametrize(("env_id", "rules"), MATCHES, ids=str)


def schnapsen(results: dict[int, float], **rules) -> MatchEquity:
    """Schnapsen in which the dealer gets these points with these probabilities."""
    points = np.array([[each, -each] for each in results])
    return MatchEquity(make_game("schnapsen_v0", rules), DealResults(points, np.array([*results.values()])))


def state_of(equity: MatchEquity, score: list[int], dealer: int) -> np.ndarray:
    states = equity.game.spec.state.fresh.copy()
    states["match"], states["dealer"] = 1, dealer
    states["score"][0, : len(score)] = score
    return states


def test_one_deal_decides():
    """A drawn deal is played again by the same dealer, as often as it takes."""
    equity = schnapsen({1: 0.3, -1: 0.2, 0: 0.5}, target=1)
    np.testing.assert_allclose(equity.of(state_of(equity, [0, 0], 0)), [[0.6, 0.4]])
    np.testing.assert_allclose(equity.of(state_of(equity, [0, 0], 1)), [[0.4, 0.6]])


def test_closed_form_of_a_short_match():
    """To 2 by single points, dealers in turn: two deals, and a third one where each has won one."""
    p = 0.3  # that the dealer wins
    equity = schnapsen({1: p, -1: 1 - p}, target=2)
    last = p  # the third deal has the first dealer again
    first = p * ((1 - p) + p * last) + (1 - p) * (1 - p) * last
    np.testing.assert_allclose(equity.of(state_of(equity, [0, 0], 0))[0, 0], first)
    np.testing.assert_allclose(equity.of(state_of(equity, [1, 1], 1))[0, 0], 1 - p)


def test_even_deals_of_one_point_are_a_coin_tossed_to_the_end():
    """The problem of points, which Pascal and Fermat solved."""
    equity = schnapsen({1: 0.5, -1: 0.5}, target=3)
    for score, share in (([2, 1], 3 / 4), ([2, 0], 7 / 8), ([1, 0], 11 / 16)):
        np.testing.assert_allclose(equity.of(state_of(equity, score, 1))[0], [share, 1 - share])


@pytest.mark.parametrize("target", [7, 11])
def test_it_grows_with_the_own_score_and_is_the_same_from_both_sides(target):
    equity = match_equity(make_game("schnapsen_v0", {"target": target}))
    table = equity.table.reshape(target, target, 2, 2)  # own score, other score, dealer, seat
    np.testing.assert_allclose(table.sum(axis=-1), 1)
    np.testing.assert_allclose(table[..., 0, 0], table[..., 1, 1].T)
    assert (np.diff(table[..., 0], axis=0) > 0).all()
    assert (np.diff(table[..., 0], axis=1) < 0).all()


@each_match
def test_it_is_the_share_of_random_walks(env_id, rules):
    """Matches whose deals end by the same distribution; false alarms are rarer than one in 10,000."""
    equity = match_equity(make_game(env_id, rules))
    game, random, walks = equity.game, np.random.default_rng(5), 400
    points, shares = equity.results
    starts = [Lanes(game, 1, "match", start_states=True) for _ in range(3)]
    for number, lanes in enumerate(starts):
        lanes.seed(number)
        lanes.start()
        won = np.zeros(game.seats)
        for _ in range(walks):
            state = lanes.states.copy()
            while not state["over"][0]:
                result = random.choice(len(shares), p=shares)
                seats = (state["dealer"][0] + np.arange(game.seats)) % game.seats
                state["deal_points"][0, seats] = points[result]
                game.spec.scoring.settle(game.rules_record[0], state[0])
            won += state["reward"][0, : game.seats] > 0
        expected = equity.of(lanes.states)[0]
        assert (np.abs(won / walks - expected) <= 4 * np.sqrt(expected * (1 - expected) / walks)).all()


@each_match
def test_deals_move_a_match_on_as_in_play(env_id, rules):
    """The score, the dealer and the end after each deal of random players."""
    game, random = make_game(env_id, rules), np.random.default_rng(2)
    lanes, deals = Lanes(game, 16, "match"), 0
    lanes.seed(1)
    lanes.start()
    names = [field.name for field in game.spec.state.own if field.lasts == "match"]
    for _ in range(150):
        before = lanes.states.copy()
        actions = (random.random(lanes.mask.shape) * lanes.mask).argmax(axis=1)
        lanes.step(actions)
        for lane in np.flatnonzero(lanes.states["deals_done"] == before["deals_done"] + 1):
            after = before[lane : lane + 1].copy()
            points, carry = lanes.deal_points[lane], before["carry"][lane] if "carry" in names else 0
            after["deal_points"][0, : game.seats] = np.where(points > 0, points - carry, points)
            game.spec.scoring.settle(game.rules_record[0], after[0])
            for name in (*names, "dealer", "over"):
                np.testing.assert_array_equal(after[name][0], lanes.states[name][lane], err_msg=name)
            deals += 1
        for lane in np.flatnonzero(lanes.terminations):
            after = before[lane : lane + 1].copy()
            after["deal_points"][0, : game.seats] = lanes.deal_points[lane]
            game.spec.scoring.settle(game.rules_record[0], after[0])
            np.testing.assert_array_equal(after["reward"][0, : game.seats], lanes.rewards[lane])
            deals += 1
    assert deals > 10


@each_match
def test_training_begins_in_scores_that_can_be_set(env_id, rules):
    """Different ones, and none decided yet."""
    game = make_game(env_id, rules)
    lanes, seen = Lanes(game, 64, "match", start_states=True), set()
    lanes.seed(3)
    lanes.start()
    for state in lanes.states:
        match = game.match_of(state)
        game.set_match(game.spec.state.fresh.copy()[0], match)
        seen.add(str(match))
    assert len(seen) > 10


def test_deals_count_by_points_outside_of_matches_and_without_a_winner():
    for env_id in GAMES:
        game = make_game(env_id)
        states = game.spec.state.fresh.copy()
        states["deal_points"][0, 0], states["dealer"] = 2, 0
        standing, worth = values_for(game.spec)
        assert equity_in(game, states) is NO_EQUITY
        assert standing(game.rules_record[0], states[0], 0, NO_EQUITY) == 0
        assert worth(game.rules_record[0], states[0], 0, NO_EQUITY) == 2
    states["match"] = 1
    assert (len(equity_in(game, states)) > 0) == (game.spec.scoring is not None)
    assert match_equity(make_game("schnapsen_v0", {"target": 10_000})) is None


def test_what_the_points_of_a_deal_gain():
    """At 6:6 every deal that is won wins the match; at 0:0 points count nearly evenly."""
    equity = match_equity(make_game("schnapsen_v0"))
    now = state_of(equity, [6, 6], 0)
    gains, own = gains_by_points(equity.game, now, 1, np.array([-3.0, -1, 1, 3])), equity.of(now)[0, 1]
    np.testing.assert_allclose(gains, [-own, -own, 1 - own, 1 - own])
    first = gains_by_points(equity.game, state_of(equity, [0, 0], 0), 1, np.array([1.0, 2, 3]))
    assert 0.9 < first[0] / np.diff(first).mean() < 1.1

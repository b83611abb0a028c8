"""Matches over duplicate deals: fair, paired, reproducible, and with honest intervals."""

import numpy as np
import pytest

from agents import arena
from agents.arena import play_deals, play_pair, seatings
from agents.selfplay import SelfPlayEnv
from agents.simple import RandomAgent, RulesAgent
from envs import make_game
from envs.core.lanes import Lanes
from envs.core.random import Use
from tests.agents.support import ppo_agent

GAMES = [make_game("schnapsen_v0", "schnapsen"), make_game("sixty_six_v0", "sixty_six")]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.env_id)


def rules(game) -> RulesAgent:
    return RulesAgent("rules", game)


def per_deal(game, a, b, deals: int, seed: int, use: Use = Use.TEST) -> np.ndarray:
    """The points of `a` in each seating of each deal, float32[seatings, deals]."""
    lanes = Lanes(game, deals)
    return np.array([play_deals(lanes, [(a, b)[who] for who in row], seed, use, lanes.all)[:, row.index(0)] for row in seatings(game)])


# Duplicate deals


@each_game
def test_nobody_beats_himself(game):
    result = play_pair(game, rules(game), rules(game), 500, seed=1)
    assert (result.mean, result.low, result.high) == (0, 0, 0)
    assert (result.win_rate, result.win_low, result.win_high) == (0.5, 0.5, 0.5)


@each_game
def test_both_directions_agree(game):
    one, two = rules(game), ppo_agent(game)
    there, back = play_pair(game, one, two, 500, seed=1), play_pair(game, two, one, 500, seed=1)
    assert there.mean != 0
    assert (there.a, there.b) == (back.b, back.a)
    assert [there.mean, there.low, there.high] == pytest.approx([-back.mean, -back.high, -back.low], abs=1e-12)
    assert [there.win_rate, there.win_low, there.win_high] == pytest.approx([1 - back.win_rate, 1 - back.win_high, 1 - back.win_low])


@each_game
def test_the_same_cards_in_every_seating_against_anybody(game):
    lanes, decks = Lanes(game, 300), []
    for table in ([rules(game), RandomAgent("random")], [RandomAgent("random"), rules(game)], [rules(game)] * 2):
        play_deals(lanes, table, 1, Use.TEST, lanes.all)
        decks.append(lanes.states["deck"].copy())
    assert (decks[0] == decks[1]).all()
    assert (decks[0] == decks[2]).all()
    assert len({deck.tobytes() for deck in decks[0]}) == 300


@each_game
def test_deals_do_not_depend_on_how_many_are_played_at_once(game, monkeypatch):
    one, two = rules(game), ppo_agent(game)
    whole = play_pair(game, one, two, 100, seed=1)
    for at_once in (1, 7, 50, 99, 100):
        monkeypatch.setattr(arena, "DEALS_AT_ONCE", at_once)
        assert play_pair(game, one, two, 100, seed=1) == whole


@each_game
def test_a_seed_gives_one_result(game):
    players = RandomAgent("random"), ppo_agent(game, greedy=False)
    first = play_pair(game, *players, 200, seed=1)
    assert play_pair(game, *players, 200, seed=1) == first, "what agents did before makes no difference"
    assert play_pair(game, *players, 200, seed=2) != first
    assert play_pair(game, *players, 200, seed=1, use=Use.VALIDATION) != first


def test_progress_counts_every_game(game):
    told = []
    play_pair(game, rules(game), RandomAgent("random"), arena.DEALS_AT_ONCE + 10, seed=1, on_progress=told.append)
    assert sum(told) == 2 * (arena.DEALS_AT_ONCE + 10)
    assert len(told) == 4


# Statistics


def by_the_book(per_deal: np.ndarray) -> list[float]:
    """The mean over deals and its 95 % interval. A deal counts once, as its playings depend on each other."""
    means = per_deal.mean(axis=0, dtype=float)
    margin = 1.959964 * np.sqrt(means.var(ddof=1) / len(means))
    return pytest.approx([means.mean(), means.mean() - margin, means.mean() + margin])


@each_game
def test_intervals_by_the_book(game):
    one, two = rules(game), ppo_agent(game)
    result = play_pair(game, one, two, 400, seed=3)
    points = per_deal(game, one, two, 400, seed=3)
    assert result.deals == 400
    assert [result.mean, result.low, result.high] == by_the_book(points)
    assert [result.win_rate, result.win_low, result.win_high] == by_the_book((points > 0) + (points == 0) / 2)


def test_a_drawn_game_is_half_a_win():
    """Four cards: one side takes the ten, often the other the last trick, and that counts ten too."""
    pack = {"pack": ["sT", "h9", "d9", "c9"], "hand_size": 1}
    tiny = make_game("schnapsen_v0", {**pack, "last_trick": "ten", "claims": "auto", "goal": 100})
    one, two = ppo_agent(tiny), rules(tiny)
    result = play_pair(tiny, one, two, 200, seed=1)
    points = per_deal(tiny, one, two, 200, seed=1)
    assert (points == 0).sum() > 20
    assert result.win_rate == pytest.approx((points > 0).mean() + (points == 0).mean() / 2)


def test_more_deals_narrow_the_interval(game):
    narrow, wide = (play_pair(game, rules(game), RandomAgent("random"), deals, seed=1) for deals in (6400, 400))
    assert 3.3 < (wide.high - wide.low) / (narrow.high - narrow.low) < 4.8, "by the root of sixteen"
    assert narrow.low > wide.low - (wide.high - wide.low)
    assert narrow.high < wide.high + (wide.high - wide.low)


def test_intervals_hold_what_they_promise(game):
    """Two random players are equal, so 95 in 100 intervals hold zero: 380 of 400, give or take four standard deviations."""
    results = [play_pair(game, RandomAgent("one"), RandomAgent("two"), 100, seed=seed) for seed in range(400)]
    assert 362 <= sum(result.low <= 0 <= result.high for result in results) <= 397


# Deals for different uses


def decks(game, use: Use | None, seed: int = 1) -> set[bytes]:
    """The first thousand deals of a use of a seed; None: of training."""
    if use is None:
        lanes = SelfPlayEnv(game, 1000, [(RandomAgent("random"), 1.0)], seed).lanes
        lanes.start()
    else:
        lanes = Lanes(game, 1000)
        play_deals(lanes, [RandomAgent("random")] * 2, seed, use, lanes.all)
    return {deck.tobytes() for deck in lanes.states["deck"]}


@each_game
def test_training_validation_and_test_have_no_deal_in_common(game):
    uses = [decks(game, use) for use in (None, Use.VALIDATION, Use.TEST)] + [decks(game, Use.TEST, seed=2)]
    assert [len(deals) for deals in uses] == [1000] * 4
    assert len(set().union(*uses)) == 4000
    assert decks(game, Use.TEST) == uses[2], "the counter-check: the same use again"

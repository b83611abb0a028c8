"""The course of a deal: dealing, decision nodes, windows, and the points that the rules page settles."""

import random

import numpy as np
import pytest

from stichwerk.envs import schnapsen_v0, sixty_six_v0
from tests.envs.games.schnapsen.model import names
from tests.envs.games.schnapsen.positions import (
    FOUR_TRICKS,
    NAMES,
    TRICKS,
    X,
    Y,
    gains,
    points,
    position,
    set_deal,
)
from tests.envs.support import change, choose, legal, over, play, true_state

PRESETS = (
    "schnapsen",
    "schnapsen_tournament",
    "sixty_six",
    "sixty_six_german",
    "sixty_six_bulgarian",
    "sixty_six_greek",
)
WINDOWS = ("on_lead", "after_trick", "any_turn")
each_window = pytest.mark.parametrize("window", WINDOWS)
each_preset = pytest.mark.parametrize("preset", PRESETS)


def offered(env) -> set[str]:
    """What is legal besides playing a card."""
    return {action for action in legal(env) if not action.startswith("play")}


def hands(env) -> list[set[str]]:
    return [names(hand) for hand in true_state(env)[0].hand]


# Actions and dealing


def test_action_names_in_order():
    cards = [suit + rank for suit in "shdc" for rank in "ATKQJ9"]
    actions = (
        [f"play {card}" for card in cards]
        + [f"meld {suit}" for suit in "shdc"]
        + ["exchange", "close", "claim", "continue"]
    )
    for module in (schnapsen_v0, sixty_six_v0):
        assert list(module.env().unwrapped.action_names) == actions


@pytest.mark.parametrize("dealer", [X, Y])
@pytest.mark.parametrize(
    ("rules", "places"),  # f: forehand, d: dealer, i: turned up; the stock follows
    [
        ("schnapsen", "fffdddiffdd"),
        ("sixty_six", "fffdddfffdddi"),
        ({"pack": ["sA", "sT", "sK", "sQ", "hA", "hT", "hK", "hQ", "dA", "dT"], "hand_size": 3}, "fffdddi"),
        ({"pack": ["sA", "sT", "sK", "sQ"], "hand_size": 1}, "fdi"),
    ],
    ids=["20 cards", "24 cards", "10 cards", "4 cards"],
)
def test_order_of_dealing(rules, places, dealer):
    env = schnapsen_v0.raw_env(rules)
    deck = list(reversed(env.game.deck))
    env.reset(options={"deck": deck, "dealer": dealer})
    dealt = {
        place: {card for card, where in zip(deck, places, strict=False) if where == place} for place in "fdi"
    }
    assert hands(env)[1 - dealer] == dealt["f"]
    assert hands(env)[dealer] == dealt["d"]
    assert {env.game.pack.names[true_state(env)[0].indicator]} == dealt["i"]
    assert env.agent_selection == NAMES[1 - dealer], "forehand leads"


def test_order_of_drawing():
    """The winner of a trick draws the top card, the loser the next; the card turned up is the last of all."""
    env = set_deal("schnapsen", **FOUR_TRICKS)
    stock = FOUR_TRICKS["stock"].split()
    for number, trick in enumerate([*TRICKS, "play dT, play dK"]):
        before = hands(env)
        played = [card.removeprefix("play ") for card in trick.split(", ")]
        play(env, trick)
        drawn = [(hands(env)[seat] - before[seat]) for seat in (X, Y)]
        top = [*stock, "sT"][2 * number : 2 * number + 2]
        assert drawn == [{card} for card in top]
        assert not set(played) & (hands(env)[X] | hands(env)[Y])


# Nodes


def test_first_lead():
    env = set_deal("schnapsen", x="hK hQ sJ", turned_up="sT")
    assert env.agent_selection == NAMES[X]
    assert offered(env) == {"meld h", "exchange", "close"}, "no claim without a trick"
    assert {f"play {card}" for card in hands(env)[X]} == set(legal(env)) - offered(env)


def test_exchange_and_close_keep_the_lead():
    env = set_deal("schnapsen", x="sK sJ", y="hK", turned_up="sQ")
    before = hands(env)[X]
    env.step("exchange")
    assert hands(env)[X] == before - {"sJ"} | {"sQ"}
    assert env.agent_selection == NAMES[X]
    assert offered(env) == {"meld s", "close"}, "the queen from the stock may be melded at once"
    env.step("close")
    assert env.agent_selection == NAMES[X]
    assert offered(env) == {"meld s"}


def test_the_exchanged_card_is_drawn_last():
    env = set_deal("schnapsen", **FOUR_TRICKS, actions="exchange")
    play(env, ", ".join(TRICKS))
    play(env, "play sT, play dK")
    assert "sJ" in hands(env)[Y]
    assert "sA" in hands(env)[X]


def test_closing_notes_what_both_have_won():
    """Y has taken 13 points in one trick and X 14: the closer's wrong claim costs 2; before Y's trick it
    would have cost 3."""
    env = set_deal(
        "schnapsen", x="hJ dA", y="hA dQ", turned_up="sT", actions="play hJ, play hA, play dQ, play dA, close"
    )
    record = true_state(env)[0]
    assert (record.closed_by, record.closed_points.tolist(), record.closed_tricks.tolist()) == (
        X,
        [14, 13],
        [1, 1],
    )
    env.step("claim")
    assert gains(env) == [-2, 2]
    env = set_deal("schnapsen", **FOUR_TRICKS, actions=f"{TRICKS[0]}, close")
    env.step("claim")
    assert gains(env) == [-3, 3]


def test_no_exchange_after_closing():
    env = set_deal("schnapsen", x="sJ", turned_up="sT", actions="close")
    assert "exchange" not in legal(env)


@pytest.mark.parametrize(
    ("variant", "cards"),
    [("schnapsen", {"play hK", "play hQ"}), ("schnapsen king_leads_marriage=True", {"play hK"})],
)
def test_melded(variant, cards):
    env = set_deal(variant, x="hK hQ sA", turned_up="sT", actions="meld h")
    assert env.agent_selection == NAMES[X]
    assert set(legal(env)) == cards


STAGES = {
    "open": {"x": "?/1", "y": "?/1"},
    "closed": {"x": "?/2", "y": "?/2", "closed": "X 20/1, 20/1"},
    "exhausted": {"x": "?/4", "y": "?/3"},
}


@pytest.mark.parametrize(
    ("meld_phase", "stages"),
    [
        ("always", {"open", "closed", "exhausted"}),
        ("not_after_close", {"open", "exhausted"}),
        ("open_only", {"open"}),
    ],
)
@pytest.mark.parametrize("stage", STAGES)
def test_when_marriages_may_be_declared(meld_phase, stages, stage):
    env = position(f"schnapsen meld_phase={meld_phase}", **STAGES[stage], hands=("hK hQ", ""))
    assert ("meld h" in legal(env)) == (stage in stages)


AFTER = ("after_trick", "either")


@pytest.mark.parametrize("exchange", ["on_lead", "after_trick", "either"])
@pytest.mark.parametrize("close", ["on_lead", "after_trick", "either"])
@each_window
def test_after_the_trick_and_on_the_lead(exchange, close, window):
    """The stop before the draw is there only if it offers something; then `continue` draws."""
    env = set_deal(
        f"schnapsen exchange_window={exchange} close_window={close} claim_window={window}", **FOUR_TRICKS
    )
    play(env, TRICKS[0])
    stop = {"exchange": exchange in AFTER, "close": close in AFTER, "claim": window == "after_trick"}
    lead = {
        "exchange": exchange != "after_trick",
        "close": close != "after_trick",
        "claim": window != "after_trick",
    }
    if any(stop.values()):
        assert env.agent_selection == NAMES[X]
        assert set(legal(env)) == {action for action, there in stop.items() if there} | {"continue"}
        assert len(hands(env)[X]) == 4
        env.step("continue")
    assert env.agent_selection == NAMES[X]
    assert len(hands(env)[X]) == 5
    assert offered(env) == {action for action, there in lead.items() if there}


def test_exchange_after_the_trick_draws_if_nothing_else_is_left():
    env = set_deal("schnapsen exchange_window=after_trick", **FOUR_TRICKS)
    play(env, TRICKS[0])
    env.step("exchange")
    assert {"sT", "dT"} <= hands(env)[X], "the card exchanged, and the card drawn"
    assert offered(env) == {"close", "claim"}


def test_exchange_after_the_trick_stays_if_closing_is_left():
    env = set_deal("schnapsen exchange_window=after_trick close_window=either", **FOUR_TRICKS)
    play(env, TRICKS[0])
    env.step("exchange")
    assert set(legal(env)) == {"close", "continue"}
    assert len(hands(env)[X]) == 4


def test_no_stop_without_the_exchange_card():
    env = set_deal(
        "schnapsen exchange_window=after_trick", x="hA", y="hJ sJ", turned_up="sT", actions="play hA, play hJ"
    )
    assert len(hands(env)[X]) == 5


def test_close_after_the_trick_leads_without_a_draw():
    env = set_deal("sixty_six", x="hA", y="h9", turned_up="sT", actions="play hA, play h9, close")
    assert env.agent_selection == NAMES[X]
    assert [len(hand) for hand in hands(env)] == [5, 5]
    assert offered(env) == {"claim"}


@pytest.mark.parametrize("next_dealer", ["alternate", "winner", "loser"])
def test_a_drawn_deal_keeps_the_dealer(next_dealer):
    env = position(
        f"sixty_six_german next_dealer={next_dealer}", "55/6", "65/6", last=X, episode="match", score=(2, 3)
    )
    env.step("continue")
    record = true_state(env)[0]
    assert gains(env) == [0, 0]
    assert (record.deal_number, record.dealer, record.score.tolist()) == (1, Y, [2, 3])


# Settled: drawable, and the least stock


def test_the_least_stock_does_not_start_strict_following():
    env = set_deal("schnapsen min_stock=3", **FOUR_TRICKS, actions=", ".join(TRICKS))
    assert not {"exchange", "close"} & offered(env), "one face-down card is too few"
    env.step("play dT")
    assert "dK" in hands(env)[Y]
    assert {f"play {card}" for card in hands(env)[Y]} == set(legal(env))


def test_an_exhausted_stock_starts_strict_following():
    env = set_deal("schnapsen", **FOUR_TRICKS, actions=", ".join(TRICKS))
    play(env, "play dT, play dQ, play sJ")
    assert set(legal(env)) == {"play sT"}


@pytest.mark.parametrize(("tricks", "enough"), [(3, True), (4, True), (5, False)])
def test_the_least_stock_before_the_draw(tricks, enough):
    """After the fourth trick three face-down cards still lie there, after the fifth one."""
    env = set_deal(
        "schnapsen min_stock=3 close_window=after_trick exchange_window=after_trick", **FOUR_TRICKS
    )
    for trick in [*TRICKS, "play dT, play dK"][:tricks]:
        if "continue" in legal(env):
            env.step("continue")
        play(env, trick)
    assert ({"exchange", "close"} <= set(legal(env))) == enough
    assert ("continue" in legal(env)) == enough


# Settled: claims


# X won, Y won, closed, who claims, X gets if the counts at closing decide, and if those at the end do
CLAIMS = [
    ("right, never closed", "66/6", "20/1", "", X, 2, 2),
    ("right against no trick", "66/7", "0/0", "", X, 3, 3),
    ("wrong, never closed", "50/6", "20/1", "", X, -2, -2),
    ("wrong against no trick", "62/7", "0/0", "", X, -3, -3),
    ("closer right", "66/5", "40/3", "X 20/2, 25/2", X, 2, 1),
    ("closer right against no trick then", "66/5", "20/2", "X 20/2, 0/0", X, 3, 2),
    ("closer wrong", "50/4", "40/3", "X 20/2, 20/1", X, -2, -2),
    ("closer wrong against no trick then", "50/4", "40/2", "X 20/2, 0/0", X, -3, -2),
    ("other right", "22/2", "66/4", "X 22/2, 14/1", Y, -2, -2),
    ("other right without a trick then", "22/2", "66/4", "X 22/2, 0/0", Y, -3, -2),
    ("other wrong", "22/2", "40/3", "X 22/2, 0/0", Y, 2, 2),
    ("other wrong, closer without a trick then", "14/1", "50/3", "X 0/0, 14/1", Y, 3, 2),
]


@each_preset
@pytest.mark.parametrize("case", CLAIMS, ids=lambda case: case[0])
def test_claims_pay_alike_in_every_preset(preset, case):
    _, x, y, closed, who, at_close, at_end = case
    env = position(preset, x, y, closed, lead=who)
    env.step("claim")
    gain = at_close if env.game.rules.score_at == "close" else at_end
    assert gains(env) == [gain, -gain]


@each_window
def test_claim_on_the_lead(window):
    """With `after_trick` only where nothing can be drawn: also right after closing, though the stop
    offered it before."""
    drawable = set_deal(f"schnapsen claim_window={window}", **FOUR_TRICKS)
    play(drawable, TRICKS[0] + (", continue" if window == "after_trick" else ""))
    assert ("claim" in legal(drawable)) == (window != "after_trick")
    drawable.step("close")
    assert "claim" in legal(drawable)
    assert "claim" in legal(position(f"schnapsen claim_window={window}", "?/4", "?/2"))


@each_window
def test_claim_after_the_last_draw(window):
    """The fifth trick takes the last cards of the stock; its winner may claim after the draw,
    whether or not a claim was legal before it."""
    env = set_deal(f"schnapsen claim_window={window}", **FOUR_TRICKS)
    for trick in [*TRICKS, "play dT, play dK"]:
        play(env, trick + (", continue" if window == "after_trick" else ""))
    assert "sT" in hands(env)[Y]
    assert "claim" in legal(env)


@each_window
def test_claim_with_a_marriage_on_the_table(window):
    env = position(f"schnapsen claim_window={window}", "?/2", "?/1", hands=("hK hQ", ""))
    env.step("meld h")
    assert offered(env) == {"claim"}


@each_window
def test_claim_instead_of_an_answer(window):
    env = position(f"schnapsen claim_window={window}", "?/2", "?/1")
    env.step(next(action for action in legal(env) if action.startswith("play")))
    assert ("claim" in legal(env)) == (window == "any_turn")


@each_window
def test_claim_before_a_draw(window):
    env = set_deal(f"schnapsen close_window=either claim_window={window}", **FOUR_TRICKS)
    play(env, TRICKS[0])
    assert ("claim" in legal(env)) == (window == "after_trick")


@each_window
def test_claim_after_the_last_trick(window):
    env = position(f"sixty_six claim_window={window}", "58/6", "62/6", last=X)
    assert legal(env) == ["claim", "continue"]


@pytest.mark.parametrize(
    ("variant", "x", "y", "closed"),
    [
        ("schnapsen", "58/5", "62/5", ""),
        ("schnapsen", "58/5", "48/4", "X 20/2, 20/2"),
        ("sixty_six", "50/6", "40/4", "X 20/2, 20/2"),
        ("sixty_six claims=safe", "50/6", "70/6", ""),
    ],
    ids=["the last trick wins", "closed", "closed, with ten", "nothing to claim"],
)
def test_no_stop_after_the_last_trick(variant, x, y, closed):
    assert over(position(variant, x, y, closed, last=X))


def test_no_claim_without_a_trick():
    assert "claim" not in legal(position("schnapsen claim_window=any_turn", "0/0 p40", "?/2"))


@pytest.mark.parametrize(("count", "allowed"), [(65, False), (66, True)])
def test_safe_claims(count, allowed):
    assert ("claim" in legal(position("schnapsen claims=safe", f"{count}/5", "?/2"))) == allowed


# Settled: the engine claims


@pytest.mark.parametrize(
    "variant", ["schnapsen", "schnapsen close_window=either", "schnapsen exchange_window=either"]
)
def test_the_engine_waits_for_the_window(variant):
    """A stop with `exchange` or `close` comes first; the claim follows on the lead."""
    env = position(f"{variant} claims=auto", "63/3", "0/0", hands=("hA sJ", "hJ"))
    play(env, "play hA, play hJ")
    if variant != "schnapsen":
        assert gains(env) == []
        assert set(legal(env)) == {"continue", "close" if "close" in variant else "exchange"}
        env.step("continue")
    assert points(env) == [76, 0]
    assert gains(env) == [3, -3]


def test_the_engine_claims_at_once_after_the_trick():
    env = position(
        "schnapsen claims=auto claim_window=after_trick close_window=either",
        "63/3",
        "0/0",
        hands=("hA", "hJ"),
    )
    play(env, "play hA, play hJ")
    assert gains(env) == [3, -3]
    assert len(hands(env)[X]) == 4, "before the draw"


def test_the_engine_claims_a_marriage_before_it_is_led():
    env = position("schnapsen claims=auto", "26/2", "20/1", hands=("sK sQ", ""))
    env.step("meld s")
    assert gains(env) == [2, -2]


def test_the_engine_claims_after_the_last_trick():
    """X has 68 with the ten; unclaimed that brings 1, claimed it brings 2."""
    assert gains(position("sixty_six claims=auto", "92/10", "28/2", last=X)) == [2, -2]
    assert gains(position("sixty_six claims=auto", "55/6", "65/6", last=X)) == [0, 0]


@each_preset
def test_nobody_else_claims_where_the_engine_does(preset):
    for x, y in (("?/2", "?/1"), ("?/4", "?/3")):
        assert "claim" not in legal(position(f"{preset} claims=auto", x, y))


# Settled: the marriage of the first lead


@pytest.mark.parametrize("counts", ["any_later_trick", "that_trick"])
def test_first_marriage_wins_the_first_trick(counts):
    env = set_deal(
        f"schnapsen first_marriage_counts={counts}",
        x="hK hQ",
        y="hJ",
        turned_up="sT",
        actions="meld h, play hK, play hJ",
    )
    assert points(env) == [26, 0]


@pytest.mark.parametrize(("counts", "credited"), [("any_later_trick", 20), ("that_trick", 0)])
def test_first_marriage_loses_the_first_trick(counts, credited):
    env = set_deal(f"schnapsen first_marriage_counts={counts}", x="hK hQ dA", y="hA dT", turned_up="sT")
    play(env, "meld h, play hK, play hA")
    assert points(env) == [0, 15]
    play(env, "play dT, play dA")
    assert points(env) == [21 + credited, 15]


def test_later_marriages_count_at_once():
    env = set_deal(
        "schnapsen first_marriage_counts=that_trick",
        x="hK hQ dA",
        y="dJ",
        turned_up="sT",
        actions="play dA, play dJ, meld h",
    )
    assert points(env) == [33, 0]


def test_marriages_that_wait_for_the_next_trick():
    """That of a player with a trick too; the trick that credits it may win the deal."""
    env = set_deal(
        "schnapsen_vu", x="hK hQ dA hA", y="dJ hT cA", turned_up="sT", actions="play dA, play dJ, meld h"
    )
    assert points(env) == [13, 0]
    assert true_state(env)[0].pending.tolist() == [20, 0]
    play(env, "play hK, play hT")
    assert points(env) == [13, 14]
    play(env, "play cA, play hA")
    assert true_state(env)[0].pending.tolist() == [20, 0]


def test_a_stock_that_nobody_may_close():
    env = set_deal("schnapsen close_window=never", x="hK hQ sJ", turned_up="sT")
    assert offered(env) == {"exchange", "meld h"}


def test_before_the_first_trick_lasts_until_a_card_is_played():
    env = set_deal("schnapsen", x="hK hQ", y="hA", turned_up="sT", actions="close, meld h")
    assert true_state(env)[0].pending.tolist() == [20, 0]
    assert points(env) == [0, 0]
    env = set_deal("schnapsen first_lead_melds=False", x="hK hQ sJ", turned_up="sT")
    assert offered(env) == {"close"}
    env.step("close")
    assert offered(env) == set()


# Settled: what counts


def test_cards_on_the_table_count_for_nobody():
    """Y claims instead of answering the ace: neither its 11 points nor the unfinished trick are anybody's."""
    env = position("schnapsen claim_window=any_turn", "20/2", "60/4", hands=("hA", "hT"))
    play(env, "play hA, claim")
    assert points(env) == [20, 60]
    assert gains(env) == [2, -2]
    env = position("schnapsen claim_window=any_turn", "0/0", "66/5", hands=("hA", "hT"))
    play(env, "play hA, claim")
    assert gains(env) == [-3, 3]


def test_the_ten_belong_to_the_loser_too():
    """Y takes the last trick and has 28 + 10: no schneider any more."""
    for unclaimed in ("flat1", "table"):
        env = position(f"sixty_six unclaimed={unclaimed}", "92/10", "28/2", last=Y)
        assert points(env) == [92, 38]
        env.step("continue")
        assert gains(env) == [1, -1]
    env = position("sixty_six unclaimed=table", "92/10", "28/2", last=X)
    env.step("continue")
    assert gains(env) == [2, -2]


def test_no_ten_where_the_last_trick_wins_the_deal():
    assert points(position("schnapsen", "58/5", "62/5", last=X)) == [58, 62]


# Settled: the match


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_the_match_state_changes_no_deal(episode):
    """X at 6 of 7 and Y at 5: the deal pays its full 3 all the same."""
    env = set_deal("schnapsen", episode=episode, match={"score": [6, 5]}, x="sA sT hA hT dA", turned_up="sJ")
    assert true_state(env)[0].score.tolist() == [6, 5]
    change(env, points=[66, 0], tricks=[4, 0])
    env.step("claim")
    assert gains(env) == [3, -3]
    assert over(env)
    assert [env.rewards[agent] for agent in NAMES] == ([3, -3] if episode == "deal" else [1, -1])


@each_preset
def test_deal_points_add_up_to_the_score(preset):
    env, rng = schnapsen_v0.raw_env(preset, episode="match"), random.Random(1)
    for seed in range(10):
        env.reset(seed=seed)
        total = np.zeros(2)
        while not over(env):
            env.step(choose(env, rng))
            total += np.maximum(gains(env) or [0, 0], 0)
            assert true_state(env)[0].score.tolist() == total.tolist()
        assert total.max() >= env.game.rules.target > total.min()
        winner, loser = int(total.argmax()), int(total.argmin())
        assert (env.rewards[NAMES[winner]], env.rewards[NAMES[loser]]) == (1, -1)


def test_nobody_plays_a_card_that_is_not_in_the_pack():
    for preset in PRESETS:
        env = position(preset, "?/1", "?/1")
        nines = [action for action in env.action_names if action.endswith("9")]
        assert len(nines) == 4
        assert ("s9" in env.game.deck) == env.game.rules.nines
        if not env.game.rules.nines:
            assert not any(name.endswith("9") for hand in hands(env) for name in hand)

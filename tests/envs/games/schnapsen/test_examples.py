"""The worked examples of the rule notes, by table and row; X acts, Y is the opponent.

Tables: 1.7 Schnapsen, 2 its tournament options, 4 Sixty-six of other countries, 5.7 Sixty-six, L strict
following. In docs/rules/schnapsen.md#examples they are Examples 1 to 22, 23 to 34, 35 to 50 and 51 to 72; L
stands in docs/rules/conventions.md#strict-following
"""

from functools import partial

import pytest

from stichwerk.envs.core.tricks import beaters, strict_set
from stichwerk.envs.games.family import RANKS_PER_SUIT, suit_set
from tests.envs.games.schnapsen.model import FULL_PACK, card_points, mask, names
from tests.envs.games.schnapsen.positions import (
    FOUR_TRICKS,
    NAMES,
    TRICKS,
    Side,
    X,
    Y,
    gains,
    points,
    position,
    set_deal,
)
from tests.envs.support import legal, over, play, true_state

# Results. Won: points/tricks, `m20` of them from marriages, `p40` more waiting. Closed: the seat, and what X
# and Y had won then.
RESULTS = """
row    | rules                            | X won     | Y won    | closed       | then                     | X gets
1.7-1  | schnapsen                        | 66/4      | 33/2     |              | X claims                 | +1
1.7-2  | schnapsen                        | 66/4      | 32/2     |              | X claims                 | +2
1.7-3  | schnapsen                        | 70/5      | 0/0      |              | X claims                 | +3
1.7-4  | schnapsen                        | 66/5      | 0/0 p40  |              | X claims                 | +3
1.7-5  | schnapsen                        | 65/4      | 40/3     |              | X claims                 | -2
1.7-6  | schnapsen                        | 60/4      | 0/0      |              | X claims                 | -3
1.7-7  | schnapsen                        | 68/4 m20  | 45/3     | X 20/1, 31/2 | X claims                 | +2
1.7-8  | schnapsen                        | 70/5      | 33/2     | X 30/2, 33/2 | X claims                 | +1
1.7-9  | schnapsen                        | 66/3 m20  | 30/2     | X 20/1, 0/0  | X claims                 | +3
1.7-10 | schnapsen                        | 64/5      | 30/2     | X 20/1, 20/1 | X wins the last trick    | -2
1.7-11 | schnapsen                        | 60/4      | 40/2     | X 22/1, 0/0  | X wins the last trick    | -3
1.7-12 | schnapsen                        | 14/1      | 66/4     | X 14/1, 0/0  | Y claims                 | -3
1.7-13 | schnapsen                        | 14/1      | 70/5     | X 14/1, 12/1 | Y claims                 | -2
1.7-14 | schnapsen                        | 0/0       | 50/3     | X 0/0, 0/0   | Y claims                 | +3
1.7-15 | schnapsen                        | 14/1      | 50/3     | X 14/1, 0/0  | Y claims                 | +2
1.7-16 | schnapsen                        | 58/5      | 62/5     |              | X wins the last trick    | +1
1.7-17 | schnapsen                        | 70/6      | 50/4     |              | Y wins the last trick    | -1
1.7-18 | schnapsen                        | 110/7 m20 | 30/3     |              | X wins the last trick    | +2
1.7-22 | schnapsen                        | 67/4 m20  | 68/3 m20 | X 10/1, 20/1 | Y wins the last trick    | +2
2-8    | schnapsen score_at=end           | 68/4 m20  | 45/3     | X 20/1, 31/2 | X claims                 | +1
2-9    | schnapsen score_at=end           | 66/3 m20  | 30/2     | X 20/1, 0/0  | X claims                 | +2
2-10   | schnapsen score_at=end           | 60/4      | 40/2     | X 22/1, 0/0  | X wins the last trick    | -2
2-11   | schnapsen score_at=end           | 66/5      | 31/2 m20 | X 30/2, 31/2 | X claims                 | +2
2-11   | schnapsen score_at=close         | 66/5      | 31/2 m20 | X 30/2, 31/2 | X claims                 | +2
4-1    | sixty_six_german                 | 58/6      | 62/6     |              | X wins the last, claims  | +1
4-2    | sixty_six_german                 | 55/6      | 65/6     |              | X wins the last, goes on | 0
4-3    | sixty_six_german                 | 60/6      | 60/6     |              | X wins the last, goes on | +1
4-4    | sixty_six_german                 | 92/10     | 28/2     |              | X wins the last, claims  | +2
4-5    | sixty_six_german                 | 92/10     | 28/2     |              | X wins the last, goes on | +1
4-5    | sixty_six_german unclaimed=table | 92/10     | 28/2     |              | X wins the last, goes on | +2
4-6    | sixty_six_german                 | 68/6      | 45/3     | X 30/2, 31/2 | X claims                 | +1
4-7    | sixty_six_german                 | 66/5      | 30/1 m20 | X 22/1, 0/0  | X claims                 | +2
4-8    | sixty_six_german                 | 64/6      | 40/2     | X 20/1, 20/1 | X wins the last trick    | -2
4-9    | sixty_six_german                 | 62/8      | 0/0      | X 20/2, 0/0  | X wins the last trick    | -3
4-16   | sixty_six_german                 | 66/7      | 0/1      |              | X claims                 | +2
5.7-1  | sixty_six                        | 66/5      | 40/3     |              | X claims                 | +1
5.7-1  | sixty_six schneider_max=32       | 66/5      | 40/3     |              | X claims                 | +1
5.7-2  | sixty_six                        | 66/5      | 34/3     |              | X claims                 | +1
5.7-2  | sixty_six schneider_max=32       | 66/5      | 34/3     |              | X claims                 | +1
5.7-3  | sixty_six                        | 66/5      | 33/3     |              | X claims                 | +2
5.7-3  | sixty_six schneider_max=32       | 66/5      | 33/3     |              | X claims                 | +1
5.7-4  | sixty_six                        | 66/5      | 32/3     |              | X claims                 | +2
5.7-4  | sixty_six schneider_max=32       | 66/5      | 32/3     |              | X claims                 | +2
5.7-5  | sixty_six                        | 66/7      | 0/1      |              | X claims                 | +2
5.7-5  | sixty_six schneider_max=32       | 66/7      | 0/1      |              | X claims                 | +2
5.7-6  | sixty_six                        | 66/7      | 0/0      |              | X claims                 | +3
5.7-6  | sixty_six schneider_max=32       | 66/7      | 0/0      |              | X claims                 | +3
5.7-7  | sixty_six                        | 58/6      | 62/6     |              | X wins the last, goes on | +1
5.7-8  | sixty_six                        | 90/9      | 30/3     |              | X wins the last, goes on | +1
5.7-9  | sixty_six                        | 90/9      | 30/3     |              | X wins the last, claims  | +2
5.7-10 | sixty_six                        | 55/6      | 65/6     |              | X wins the last, goes on | 0
5.7-11 | sixty_six                        | 65/6      | 75/6 m20 |              | X wins the last, goes on | 0
5.7-12 | sixty_six                        | 65/5      | 50/4     |              | X claims                 | -2
5.7-13 | sixty_six                        | 60/7      | 0/0      |              | X claims                 | -3
5.7-14 | sixty_six                        | 66/6      | 20/1     | X 11/1, 0/0  | X wins the last trick    | +2
5.7-15 | sixty_six                        | 70/7      | 0/0      | X 11/1, 0/0  | X wins the last trick    | +3
5.7-16 | sixty_six                        | 64/6      | 30/2     | X 11/1, 20/1 | X wins the last trick    | -2
"""  # noqa: E501 - one row a line
RESULT_ROWS = [[cell.strip() for cell in line.split("|")] for line in RESULTS.strip().splitlines()[1:]]


@pytest.mark.parametrize("row", RESULT_ROWS, ids=lambda row: f"{row[0]}: {row[1]}")
def test_result(row):
    _, variant, x, y, closed, then, gain = row
    who, won = "XY".index(then[0]), [Side.parse(x).points, Side.parse(y).points]
    if "claims" in then and "wins" not in then:
        env = position(variant, x, y, closed, lead=who)
        env.step("claim")
    else:
        env = position(variant, x, y, closed, last=who)
        if "," in then:
            won[who] += 10
            assert env.agent_selection == NAMES[who]
            env.step("claim" if "claims" in then else "continue")
    assert points(env) == won
    assert gains(env) == [int(gain), -int(gain)]


# What may be played: a deal, the actions before, then what is legal and what is not.
NO_MELDS, KING_LEADS = "schnapsen first_lead_melds=False", "schnapsen king_leads_marriage=True"
THREE, FOUR = ", ".join(TRICKS[:3]), ", ".join(TRICKS)
LEGAL = {
    "2-1": (partial(set_deal, NO_MELDS, x="sJ", turned_up="sT"), "", "close", "exchange"),
    "2-2": (partial(set_deal, NO_MELDS, x="hK hQ", turned_up="sT"), "", "play hK, play hQ", "meld h"),
    "2-3": (
        partial(set_deal, NO_MELDS, x="sJ sA", y="cJ", turned_up="sT"),
        "play sA, play cJ",
        "exchange",
        "",
    ),
    "2-4": (partial(set_deal, KING_LEADS, x="hK hQ", turned_up="sT"), "meld h", "play hK", "play hQ"),
    "2-5": (partial(set_deal, "schnapsen min_stock=3", **FOUR_TRICKS), THREE, "exchange, close", ""),
    "2-6": (partial(set_deal, "schnapsen min_stock=3", **FOUR_TRICKS), FOUR, "play sJ", "exchange, close"),
    "2-7": (partial(set_deal, "schnapsen", **FOUR_TRICKS), FOUR, "exchange, close", ""),
    "4-10": (
        partial(set_deal, "sixty_six_german", x="hK hQ", turned_up="sT"),
        "close",
        "play hK, play hQ",
        "meld h",
    ),
    "4-11": (
        partial(position, "sixty_six_german", "?/4", "?/3", hands=("hK hQ", "")),
        "",
        "meld h",
        "exchange, close",
    ),
    "5.7-19": (partial(set_deal, "sixty_six", x="s9 hK hQ", turned_up="sT"), "", "close, meld h", "exchange"),
}


@pytest.mark.parametrize("row", LEGAL)
def test_what_is_legal(row):
    start, actions, allowed, forbidden = LEGAL[row]
    env = start()
    play(env, actions)
    assert env.agent_selection == NAMES[X]
    assert set(allowed.split(", ")) <= set(legal(env))
    assert not set(forbidden.split(", ")) & set(legal(env))


def test_marriage_led_with_the_queen_counts_for_nothing():
    """2-4: the queen alone leads without the 20, the announced king brings them."""
    for actions, waiting in (("play hQ", 0), ("meld h, play hK", 20)):
        env = set_deal(KING_LEADS, x="hK hQ", turned_up="sT", actions=actions)
        assert true_state(env)[0].pending.tolist() == [waiting, 0]


# Strict following: hand, on the table in order, legal, legal without the duty to beat. Spades are trumps.
STRICT = {
    "L1": ("hA hJ sK cT dQ", "hK", "hA", "hA hJ"),
    "L2": ("hQ hJ sK cT dQ", "hK", "hQ hJ", "hQ hJ"),
    "L3": ("sK sJ cT dQ dA", "hK", "sK sJ", "sK sJ"),
    "L4": ("cT dQ dA cK cJ", "hK", "cT dQ dA cK cJ", "cT dQ dA cK cJ"),
    "L5": ("sJ sQ cT dQ dA", "sK", "sJ sQ", "sJ sQ"),
    "L6": ("hA hJ sK cT", "hK sJ", "hA hJ", "hA hJ"),
    "L7": ("sQ sK cT", "hK sJ", "sQ sK", "sQ sK"),
    "L8": ("sJ cT c9", "hK sQ", "sJ", "sJ"),
    "L9": ("hA hT h9 sA", "hK hQ hT", "hA", "hA hT h9"),
    "4-12": ("hA h9 sK", "hK", "hA", "hA h9"),
    "4-13": ("s9 cA", "hK", "s9", "s9"),
}
both_ways = pytest.mark.parametrize("must_head", [True, False])


@pytest.mark.parametrize("row", STRICT)
@both_ways
def test_strict_set(row, must_head):
    hand, on_table, strict, loose = STRICT[row]
    cards = [FULL_PACK.index(card) for card in on_table.split()]
    led_suit, trumps = suit_set(cards[0] // RANKS_PER_SUIT), suit_set(0)
    best = beating = None
    for card in cards:
        if best is None or beating >> card & 1:
            best, beating = card, beaters(card, suit_set(card // RANKS_PER_SUIT), trumps)
    choice = strict_set(mask(hand.split()), led_suit, trumps, beating if must_head else beating & ~led_suit)
    assert names(choice) == set((strict if must_head else loose).split())


@pytest.mark.parametrize("row", [row for row, (_, on_table, *_) in STRICT.items() if " " not in on_table])
@both_ways
def test_strict_following(row, must_head):
    """The rows with one card on the table, played: the stock is exhausted and Y leads."""
    hand, led, strict, loose = STRICT[row]
    preset, tricks = ("sixty_six_german", 12) if row.startswith("4") else ("schnapsen", 10)
    lost = tricks - len(hand.split()) - 3
    env = position(f"{preset} must_head={must_head}", "?/3", f"?/{lost}", hands=(hand, led), lead=Y)
    env.step(f"play {led}")
    assert [action.removeprefix("play ") for action in legal(env) if action != "claim"] == in_order(
        strict if must_head else loose
    )


def in_order(cards: str) -> list[str]:
    return sorted(cards.split(), key=FULL_PACK.index)


# Single courses of play


def test_claim_after_the_marriage_before_the_answer():
    """1.7-19"""
    env = position("schnapsen", "26/2", "20/1", hands=("sK sQ", ""))
    env.step("meld s")
    assert points(env) == [66, 20]
    assert env.agent_selection == NAMES[X]
    env.step("claim")
    assert gains(env) == [2, -2]


def test_first_marriage_waits_for_a_trick():
    """1.7-20"""
    env = set_deal("schnapsen", x="hK hQ sK", y="hA dT", turned_up="sT")
    play(env, "meld h, play hK, play hA")
    assert points(env) == [0, 15]
    play(env, "play dT, play sK")
    assert points(env) == [34, 15]


def test_first_marriage_waits_for_a_trick_without_points_too():
    """5.7-20"""
    env = set_deal("sixty_six", x="sK sQ s9", y="sA h9", turned_up="sT")
    play(env, "meld s, play sQ, play sA, continue")
    assert points(env) == [0, 14]
    play(env, "play h9, play s9")
    assert points(env) == [40, 14]


@pytest.mark.parametrize(
    ("row", "variant", "score"), [("1.7-21", "schnapsen", 5), ("5.7-21", "sixty_six", 6)]
)
def test_excess_points_win_the_match(row, variant, score):
    env = position(variant, "66/7", score=(score, 4), episode="match")
    env.step("claim")
    assert gains(env) == [3, -3]
    assert over(env)
    assert true_state(env)[0].score.tolist() == [score + 3, 4]
    assert [env.rewards[agent] for agent in NAMES] == [1, -1]


@pytest.mark.parametrize(
    ("row", "variant", "dealer"),
    [("1.1", "schnapsen", X), ("4-14", "sixty_six_german", X), ("5.7-22", "sixty_six", Y)],
)
def test_who_deals_next(row, variant, dealer):
    """Y has dealt, X wins: the deal alternates, or goes to the winner, or to the loser; forehand leads."""
    env = position(variant, "66/7", "20/1", episode="match")
    env.step("claim")
    record = true_state(env)[0]
    assert (record.deal_number, record.dealer) == (1, dealer)
    assert env.agent_selection == NAMES[1 - dealer]


@pytest.mark.parametrize(
    ("row", "variant"), [("4-15", "sixty_six_german close_window=either"), ("5.7-17", "sixty_six")]
)
def test_closed_before_the_draw(row, variant):
    """Also 5.7-18: ten cards are left in the hands, five tricks follow, nobody draws, the last trick brings
    nothing."""
    env = set_deal(variant, x="sA sT", y="c9", turned_up="sJ", actions="play sA, play c9, close")
    assert [len(names(hand)) for hand in true_state(env)[0].hand] == [5, 5]
    while not over(env):
        env.step(next(action for action in legal(env) if action.startswith("play")))
    record = true_state(env)[0]
    taken = names(record.taken[X] | record.taken[Y])
    assert record.tricks.sum() == 6
    assert len(taken) == 12
    assert len(env.game.deck) - record.top == 11
    assert sum(points(env)) == card_points(taken)


MEMORY = ("possible", "taken", "lost", "points", "near_goal", "schneider", "at_close")


def test_table_memory_shows_no_earlier_trick_and_no_totals():
    """2-12"""
    seen = {}
    for memory in ("full", "table"):
        env = set_deal(f"schnapsen memory={memory}", **FOUR_TRICKS, actions=FOUR)
        seen[memory] = env.encoding.named(env.observe(NAMES[X])["observation"])
    for name in seen["full"]:
        if name in MEMORY:
            assert not seen["table"][name].any()
        else:
            assert (seen["table"][name] == seen["full"][name]).all()
    assert seen["full"]["taken"].sum() == 8
    assert seen["full"]["points"].any()


SINGLE = {
    "1.7-19",
    "1.7-20",
    "1.7-21",
    "2-12",
    "4-14",
    "4-15",
    "5.7-17",
    "5.7-18",
    "5.7-20",
    "5.7-21",
    "5.7-22",
}


def test_every_row_of_the_notes_is_tested():
    rows = {row[0] for row in RESULT_ROWS} | set(LEGAL) | set(STRICT) | SINGLE
    for section, last in (("1.7-", 22), ("2-", 12), ("4-", 16), ("5.7-", 22), ("L", 9)):
        assert {f"{section}{number}" for number in range(1, last + 1)} <= rows

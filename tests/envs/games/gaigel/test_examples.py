"""The examples of docs/rules/gaigel.md#worked-examples, by number.

Seat 0 is forehand, 0 and 2 play against 1 and 3, hearts are trumps.
"""

from typing import NamedTuple

import pytest

from tests.envs.games.gaigel.positions import answering, at_the_end, hand, on_lead, plays, set_deal, state
from tests.envs.support import legal, over, play

TRUMPS = "hA hT hK hQ h7"
LOW_TRUMPS = "hT hK hQ hJ h7"


class Trick(NamedTuple):
    opening: str
    cards: str
    winner: int
    points: int
    hands: tuple[str, ...] = ()
    shown: tuple[int, ...] = ()
    """Which seat has to show its hand."""


FIRST_TRICKS = {
    1: Trick("geelfen", "sA sA sT sK", 0, 36),
    2: Trick("andere_alte", "cA cT cA s7", 2, 32),
    3: Trick("andere_alte", "cA cT cK sA", 0, 36),
    4: Trick("hoeher_hat", "cK cT cT cA", 3, 35),
    5: Trick("hoeher_hat", "cT cK cQ cT", 0, 27),
    6: Trick("hoeher_hat", "cJ cA cA c7", 1, 24),
    7: Trick("hoeher_hat", "cJ c7 hA s7", 0, 13, ("cJ", "c7", TRUMPS, "s7"), (2,)),
    8: Trick("trump", "hT c7 hA sJ", 2, 23, (LOW_TRUMPS, "c7", TRUMPS, "sJ"), (0, 2)),
    9: Trick("trump", "hA c7 hA sJ", 0, 24, ("hA hK hQ hJ h7", "c7", TRUMPS, "sJ"), (0, 2)),
}


@pytest.mark.parametrize("number", FIRST_TRICKS)
def test_the_first_trick(number):
    opening, cards, winner, points, hands, shown = FIRST_TRICKS[number]
    played = ", ".join(f"play {card}" for card in cards.split())
    indicator = "hT" if number == 9 else "hJ"
    env = set_deal(*(hands or cards.split()), indicator=indicator, actions=f"open {opening}, {played}")
    after = state(env)
    assert after["leader"] == after["seat"] == winner
    assert after["points"][winner % 2] == points
    assert sum(after["points"]) == points
    for seat in range(4):
        drawn = (
            1 if seat in shown else 5
        )  # the hand of a seat that showed it is known but for the card drawn since
        assert hand(env, seat).total() == 5
        assert bin(after["shown"][seat]).count("1") == 5 - drawn


LATER_TRICKS = {10: ("cK cT cA cA", 2, 36), 11: ("cA hJ h7 hJ", 1, 15), 12: ("cA sA dA sT", 0, 43)}


@pytest.mark.parametrize("number", LATER_TRICKS)
def test_a_later_trick(number):
    cards, winner, points = LATER_TRICKS[number]
    env = on_lead(*cards.split(), indicator="hQ")
    before = state(env)["points"]
    play(env, ", ".join(f"play {card}" for card in cards.split()))
    assert state(env)["leader"] == winner
    assert state(env)["points"][winner % 2] - before[winner % 2] == points


RESULTS = {
    13: ([101, 60], [3, 3], "aus", 1),
    14: ([101, 0], [3, 0], "aus", 2),
    15: ([100, 60], [3, 3], "aus", -2),
    16: ([121, 119], [6, 6], "continue", 1),
    17: ([120, 120], [6, 6], "continue", 0),
}


@pytest.mark.parametrize("number", RESULTS)
def test_the_end_of_a_deal(number):
    points, tricks, action, result = RESULTS[number]
    env = at_the_end(points, tricks)
    env.step(action)
    assert over(env)
    assert list(env.rewards.values()) == [result, -result, result, -result]


PAIRS = {18: ("cK cQ hK hQ", "meld c, meld h", 60), 19: ("hK hK hQ hQ", "meld h, meld h", 80)}


@pytest.mark.parametrize("number", PAIRS)
def test_two_pairs_in_one_turn(number):
    cards, melds, value = PAIRS[number]
    env = on_lead(cards)
    before = state(env)["points"][0]
    play(env, melds)
    assert state(env)["points"][0] - before == value
    assert not [action for action in legal(env) if action.startswith("meld")]


def test_a_declared_card_pairs_no_second_time():
    """Example 20: the queen is played and the other one drawn; the king has been declared already."""
    env = on_lead("cK cQ", "dJ", "dJ", "d7", talon="d7 c7 c7 cJ cQ")
    play(env, "meld c, play cQ, play dJ, play dJ, play d7")
    assert state(env)["seat"] == 0
    assert {"cK", "cQ"} <= set(hand(env, 0))
    assert "meld c" not in legal(env)


def test_a_pair_on_the_partners_sure_ace():
    """Example 21: the side has no trick yet, but Ge-elfen is sure of this one."""
    env = set_deal("cA", "s7", "sK sQ", "d7", actions="open geelfen, play cA, play s7")
    assert "meld s" in legal(env)
    env.step("meld s")
    assert state(env)["points"][0] == 20
    assert legal(env) == ["play sK", "play sQ"]


def test_no_pair_of_trumps_in_the_first_trick():
    """Example 22: a trump could not be played."""
    env = set_deal("cA", "s7", "hK hQ", "d7", actions="open geelfen, play cA, play s7")
    assert all(action.startswith("play") for action in legal(env))


ANSWERS = {
    23: ("cA c7 hK", "cT", "cA"),
    24: ("cT cK", "cT", "cT cK"),
    25: ("h7 hK", "cA hQ", "hK"),
}


@pytest.mark.parametrize("number", ANSWERS)
def test_answers_when_the_talon_is_gone(number):
    cards, table, allowed = ANSWERS[number]
    assert plays(answering(cards, table)) == allowed


# The examples L1 to L9 of docs/rules/conventions.md#strict-following, trump spades, with sevens for nines.
STRICT = {
    1: ("hA hJ sK cT dQ", "hK", "hA"),
    2: ("hQ hJ sK cT dQ", "hK", "hQ hJ"),
    3: ("sK sJ cT dQ dA", "hK", "sK sJ"),
    4: ("cT dQ dA cK cJ", "hK", "dA dQ cT cK cJ"),
    5: ("sJ sQ cT dQ dA", "sK", "sQ sJ"),
    6: ("hA hJ sK cT", "hK sJ", "hA hJ"),
    7: ("sQ sK cT", "hK sJ", "sK sQ"),
    8: ("sJ cT c7", "hK sQ", "sJ"),
    9: ("hA hT h7 sA", "hK hQ hT", "hA"),
}


@pytest.mark.parametrize("number", STRICT)
def test_family_examples_of_following(number):
    cards, table, allowed = STRICT[number]
    assert plays(answering(cards, table, trump="s")) == allowed


class Tokens(NamedTuple):
    """A deal won for so many points by a side: what there was before and after, if it decided the match."""

    before: tuple[list[int], int, int]
    winner: int
    value: int
    after: tuple[list[int], int, int]
    won: bool = False


MATCHES = {
    26: Tokens(([2, 7], 1, 1), 0, 2, ([2, 8], 0, 2)),
    27: Tokens(([2, 8], 0, 2), 0, 2, ([0, 8], 2, 2), won=True),
    28: Tokens(([1, 8], 1, 2), 0, 2, ([0, 8], 2, 2), won=True),
    29: Tokens(([0, 0, 0], 10, 1), 2, 1, ([1, 1, 0], 8, 1)),
    30: Tokens(([3, 3, 4], 0, 2), 2, 2, ([3, 3, 2], 2, 2)),
}


def test_tokens_taken_in_four_deals():
    """The first part of example 26: B loses 1 and 2, A loses 2, B loses 2 and 2."""
    tokens, pool = [0, 0], 10
    for winner, value in ((0, 1), (0, 2), (1, 2), (0, 2), (0, 2)):
        tokens, pool, _, _ = settled((tokens, pool, 1), winner, value)
    assert (tokens, pool) == ([2, 7], 1)


@pytest.mark.parametrize("number", MATCHES)
def test_tokens(number):
    before, winner, value, after, won = MATCHES[number]
    assert settled(before, winner, value) == (*after, won)


def settled(before, winner: int, value: int, **rules) -> tuple[list[int], int, int, bool]:
    """Tokens, pool, stage after a side has won a deal; is the match over? Three sides are three players."""
    tokens, pool, stage = before
    sides = len(tokens)
    points, tricks = [0] * sides, [int(value == 1)] * sides
    points[winner], tricks[winner] = 101, 1
    match = {"tokens": tokens, "pool": pool, "stage": stage}
    env = at_the_end(
        points, tricks, seat=winner, players=3 if sides == 3 else 4, episode="match", match=match, **rules
    )
    env.step("aus")
    after = state(env)
    return after["score"][:sides], after["pool"], after["returning"] + 1, over(env)


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("order", ["three_two_turn", "three_turn_two"])
def test_five_sevens_dealt(seat, order):
    """Example 31."""
    hands = ["", "", "", ""]
    hands[seat] = "c7 c7 s7 h7 d7"
    env = set_deal(*hands, deal_order=order)
    assert over(env)
    assert list(env.rewards.values()) == [1 if other % 2 == seat % 2 else -1 for other in range(4)]
    assert not over(set_deal(*hands, deal_order=order, five_sevens=False))


DISSLE = "open dissle, play dJ, play dT, play cJ, play sJ"


@pytest.mark.parametrize("value", [1, 2])
def test_dissle_is_won_by_the_fifth_seven(value):
    """Example 32: seat 1 wins the first trick and draws first, forehand draws the seven last."""
    env = set_deal(
        "c7 c7 s7 d7 dJ",
        "dT",
        "cJ",
        "sJ",
        indicator="hQ",
        talon="cK sK dK h7",
        actions=DISSLE,
        dissle_value=value,
    )
    assert over(env)
    assert list(env.rewards.values()) == [value, -value, value, -value]


def test_dissle_is_lost_by_a_trick():
    """Example 33: nobody beats forehand's seven."""
    env = set_deal(
        "d7", "cJ", "sJ", "cJ", indicator="hQ", actions="open dissle, play d7, play cJ, play sJ, play cJ"
    )
    assert over(env)
    assert list(env.rewards.values()) == [-1, 1, -1, 1]

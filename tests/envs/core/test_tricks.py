"""Following suit and winning tricks, beside the same rules by card names."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs.core.cards import Pack, bit
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set

PACK = Pack("ATKQJ9")
CARDS = st.integers(0, len(PACK) - 1)
HANDS = st.sets(CARDS, min_size=1, max_size=8)
SUITS = st.sampled_from("shdc")


def suit_set(suit: str) -> np.int64:
    return np.int64(PACK.mask(name for name in PACK.names if name[0] == suit))


def wins(card: int, best: int, trump: str) -> bool:
    suit, rank = PACK.names[card]
    best_suit, best_rank = PACK.names[best]
    if suit == best_suit:
        return PACK.ranks.index(rank) < PACK.ranks.index(best_rank)
    return suit == trump


def follows(hand: set[int], led: str, best: int, trump: str, heading: bool) -> set[int]:
    """The cards that may be played: of the suit led, else trumps, else any; and those that win, if it must
    be headed."""
    suited = {card for card in hand if PACK.names[card][0] == led}
    trumps = {card for card in hand if PACK.names[card][0] == trump}
    if not suited | trumps:
        return hand
    choice = suited or trumps
    winning = {card for card in choice if heading and wins(card, best, trump)}
    return winning or choice


def as_set(cards: set[int]) -> np.int64:
    return np.int64(sum(1 << card for card in cards))


@settings(deadline=None)  # the first call compiles
@given(CARDS, SUITS)
def test_cards_that_beat_another(best, trump):
    suit = suit_set(PACK.names[best][0])
    expected = {card for card in range(len(PACK)) if wins(card, best, trump)}
    assert beaters(best, suit, suit_set(trump)) == as_set(expected)


@settings(deadline=None)  # the first call compiles
@given(HANDS, CARDS, CARDS, SUITS, st.booleans())
def test_strict_following(hand, led_card, best, trump, heading):
    """`best` may be the card led, or a card of its suit or of trumps that was played after it."""
    led = PACK.names[led_card][0]
    if PACK.names[best][0] not in (led, trump):
        best = led_card
    beating = beaters(best, suit_set(PACK.names[best][0]), suit_set(trump)) if heading else np.int64(0)
    allowed = follows(hand, led, best, trump, heading)
    assert strict_set(as_set(hand), suit_set(led), suit_set(trump), beating) == as_set(allowed)
    for card in hand:
        missing = missing_set(card, suit_set(led), suit_set(trump), beating)
        assert (card in allowed) == (as_set(hand) & missing & ~bit(card) == 0), "what a play has proven"

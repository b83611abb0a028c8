"""Following suit and winning tricks, for any pack in which a smaller index of a suit is the stronger card."""

from stichwerk.envs.core.cards import bit
from stichwerk.envs.jit.compiled import compiled


@compiled
def beaters(best, suit, trumps):
    """The cards that beat `best`, the card now winning the trick.

    `suit` is the set of all cards of best's suit, `trumps` the set of all trumps.
    """
    stronger = suit & (bit(best) - 1)
    return stronger if suit == trumps else stronger | trumps


@compiled
def strict_set(hand, led_suit, trumps, beating):
    """The cards a strict follower may play: follow suit, else trump, and beat the trick where that is
    possible.

    `beating` is the set of cards that beat the trick (0 where heading it is not compulsory).
    Source: docs/rules/conventions.md#strict-following
    """
    if hand & led_suit:
        choice = hand & led_suit
    elif hand & trumps:
        choice = hand & trumps
    else:
        return hand
    return choice & beating if choice & beating else choice


@compiled
def missing_set(card, led_suit, trumps, beating):
    """The cards that a strict follower who played `card` has proven not to hold: what `strict_set` would have
    preferred."""
    played = bit(card)
    if played & led_suit:
        preferred = 0 if played & beating else beating & led_suit
    elif played & trumps:
        preferred = led_suit | (0 if played & beating else beating & trumps)
    else:
        preferred = led_suit | trumps
    return preferred

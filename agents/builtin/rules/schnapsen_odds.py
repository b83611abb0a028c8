"""Schnapsen and Sixty-six: a lead, and an answer without a stock to draw from, weighed in card points.

The weight counts the trick's points and what the card is worth kept.
"""

import numpy as np

from stichwerk.envs.core.cards import bit, count
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT, card_points, pair, suit_set
from stichwerk.envs.games.schnapsen.hidden import cards_held, unseen
from stichwerk.envs.games.schnapsen.state import drawable
from stichwerk.envs.jit.compiled import compiled

DECISIVE = 40.0  # taking or losing the trick that reaches the goal

# What a card is worth kept, in points, by rank A T K Q J 9: settled by playing variants of these numbers
# against each other.
WORTH_PLAIN = np.array([16.0, 4.0, 2.0, 1.5, 0.5, 0.5])
WORTH_TRUMP = np.array([24.0, 17.0, 12.0, 11.0, 14.0, 8.0])
WORTH_PAIR = 10.0  # more for king and queen both in hand …
WORTH_MATE_OUT = 2.0  # … or with the other one still to come
CAPTURE = 3.0  # what the opponent's card in a trick brings on average
RUFF = 0.5  # how readily the opponent trumps a card that need not be trumped


@compiled
def answer_value(rules, view, seat, card):
    stake = card_points(view.led) + card_points(card)
    wins = bit(card) & beaters(view.led, suit_set(view.led // RANKS_PER_SUIT), suit_set(view.trump)) != 0
    value = (stake if wins else -stake) - worth(rules, view, seat, card)
    taker = seat if wins else 1 - seat
    if view.points[taker] + view.pending[taker] + stake >= rules.goal:
        value += DECISIVE if wins else -DECISIVE
    return value


@compiled
def lead_value(rules, view, seat, card):
    odds = winning_odds(rules, view, seat, card)
    stake = card_points(card) + CAPTURE
    value = (2.0 * odds - 1.0) * stake - worth(rules, view, seat, card)
    if view.points[seat] + view.pending[seat] + stake >= rules.goal:
        value += odds * DECISIVE
    if view.points[1 - seat] + view.pending[1 - seat] + stake >= rules.goal:
        value -= (1.0 - odds) * DECISIVE
    return value


@compiled
def winning_odds(rules, view, seat, card):
    """The chance that a lead of this card wins, taking each unseen card to be equally likely in the
    opponent's hand."""
    other = 1 - seat
    shown = view.shown[other]
    hidden = unseen(rules, view, seat) & ~view.missing[other]
    share = min(1.0, (cards_held(view, seat, other) - count(shown)) / max(count(hidden), 1))
    suit, trumps = suit_set(card // RANKS_PER_SUIT), suit_set(view.trump)
    higher = suit & (bit(card) - 1)
    none_higher = odds_of_none(shown & higher, hidden & higher, share)
    if suit == trumps:
        return none_higher
    some_trump = 1.0 - odds_of_none(shown & trumps, hidden & trumps, share)
    if drawable(rules, view):
        return none_higher * (1.0 - some_trump * min(1.0, RUFF * card_points(card) / 10.0))
    return none_higher - odds_of_none(shown & suit, hidden & suit, share) * some_trump


@compiled
def odds_of_none(shown, hidden, share):
    return 0.0 if shown else (1.0 - share) ** count(hidden)


@compiled
def worth(rules, view, seat, card):
    """The value of keeping a card."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    value = WORTH_TRUMP[rank] if suit == view.trump else WORTH_PLAIN[rank]
    if rank in (KING, QUEEN) and not view.marriages[seat] & bit(suit):
        other = pair(suit) ^ bit(card)
        scale = 2.0 if suit == view.trump else 1.0
        if view.hand[seat] & other:
            value += scale * WORTH_PAIR
        elif unseen(rules, view, seat) & other:
            value += scale * WORTH_MATE_OUT
    return value

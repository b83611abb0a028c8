"""The rule-based player of Snapszer of version 0.1.

It names the highest missing card of its best suit, shows every marriage and claims what it can be sure of. It
weighs each card by the trick's points for its side against what the card is worth kept. It knows its partner,
or guesses from where the named card can be. So it leads trumps as the caller, and feeds points to a partner's
trick once it knows the partner.
"""

import numpy as np

from stichwerk.agents.builtin.rules.schnapsen_odds import CAPTURE
from stichwerk.agents.builtin.rules.snapszer import (
    choose_besides_cards,
    holder_weight,
    points_on_table,
    taking_odds,
)
from stichwerk.envs.core.cards import NONE, bit
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT, card_points, pair, suit_set
from stichwerk.envs.games.snapszer.flow import legal
from stichwerk.envs.games.snapszer.state import (
    ACTIONS,
    CARDS,
    PLAY,
    SEATS,
    forehand,
    trump,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("snapszer_v0",)
SINCE = "0.1"

# What a card is worth kept, in points, by rank A T K Q J 9: settled by playing variants of these numbers
# against each other.
WORTH_PLAIN = np.array([9.0, 6.5, 1.0, 0.5, 0.5, 0.0])
WORTH_TRUMP = np.array([20.0, 18.0, 9.0, 8.0, 5.0, 6.0])
WORTH_PAIR = 12.0  # more for king and queen both in hand; twice that in trumps
DRAWING = 8.0  # forehand's gain from a trump lead, which draws two for one


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    action = choose_besides_cards(view, seat, mask)
    if action != NONE:
        return action
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[PLAY + card]:
            value = card_value(view, seat, card)
            if value > best_value:
                best, best_value = PLAY + card, value
    return best


@compiled
def card_value(view, seat, card):
    """The value of playing the card, on average over all seats where the named card can be."""
    if view.holder != NONE:
        return value_if(view, seat, card, view.holder)
    value, weights = 0.0, 0.0
    for holder in range(SEATS):
        weight = holder_weight(view, seat, holder)
        if weight:
            value += weight * value_if(view, seat, card, holder)
            weights += weight
    return value / weights


@compiled
def value_if(view, seat, card, holder):
    """The points the trick is expected to bring this seat's side with the card, less its worth kept."""
    stake = np.float64(card_points(card) + points_on_table(view))
    later = (seat + 1) % SEATS
    while later != view.leader:
        stake += CAPTURE
        later = (later + 1) % SEATS
    value = (2.0 * taking_odds(view, seat, card, holder) - 1.0) * stake - worth(view, seat, card)
    if view.best == NONE and seat == forehand(view) and bit(card) & suit_set(trump(view)):
        value += DRAWING
    return value


@compiled
def worth(view, seat, card):
    """The value of keeping a card."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps = suit == trump(view)
    value = WORTH_TRUMP[rank] if trumps else WORTH_PLAIN[rank]
    if (
        rank in (KING, QUEEN)
        and view.hand[seat] & pair(suit) == pair(suit)
        and not view.marriages[seat] & bit(suit)
    ):
        value += 2.0 * WORTH_PAIR if trumps else WORTH_PAIR
    return value

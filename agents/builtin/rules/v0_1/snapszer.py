"""The rule-based player of Snapszer of version 0.1.

It names the highest missing card of its best suit, shows every marriage and claims what it can be sure of. It
weighs each card by the trick's points for its side against what the card is worth kept. It knows its partner,
or guesses from where the named card can be. So it leads trumps as the caller, and feeds points to a partner's
trick once it knows the partner.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT, card_points, pair, suit_set
from stichwerk.envs.games.snapszer.flow import legal
from stichwerk.envs.games.snapszer.hidden import cards_held, unseen
from stichwerk.envs.games.snapszer.state import (
    ACTIONS,
    CARDS,
    CLAIM,
    CONTINUE,
    GOAL,
    MELD,
    NAME,
    PLAY,
    SEATS,
    Phase,
    forehand,
    provable_points,
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
CAPTURE = 3.0  # what a card still to come adds to a trick on average
# What the first three cards make of a suit for trumps: its length, then what they win; an ace on its own is
# better kept for a side suit.
LENGTH = 20.0
WORTH_NAMED = np.array([-1.0, 10.0, 4.0, 3.0, 2.0, 0.0])


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
def choose_besides_cards(view, seat, mask):
    """What comes before a card, or NONE: the naming, claims, marriages."""
    if view.phase == Phase.NAME:
        return NAME + card_to_name(view.hand[seat])
    if mask[CLAIM] and provable_points(view, seat) >= GOAL:
        return CLAIM
    if view.phase == Phase.AFTER:
        return CONTINUE
    if mask[MELD + trump(view)]:
        return MELD + trump(view)
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    return NONE


@compiled
def card_to_name(hand):
    """The highest card that is missing of the suit in which the first three cards are best."""
    best_suit, best_value = -1, -1.0
    for suit in range(4):
        value = 0.0
        for rank in range(RANKS_PER_SUIT):
            if hand & bit(suit * RANKS_PER_SUIT + rank):
                value += LENGTH + WORTH_NAMED[rank]
        if value > best_value:
            best_suit, best_value = suit, value
    for rank in range(RANKS_PER_SUIT):
        if not hand & bit(best_suit * RANKS_PER_SUIT + rank):
            return best_suit * RANKS_PER_SUIT + rank
    return best_suit * RANKS_PER_SUIT


@compiled
def card_value(view, seat, card):
    """What playing the card is worth on average over all seats where the named card can be."""
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
def holder_weight(view, seat, holder):
    """How readily another seat may have the named card, for one that does not know."""
    if holder == seat or view.missing[holder] & bit(view.named):
        return 0.0
    return 0.5 if holder == forehand(view) else 1.0  # it came with forehand's last three cards, if at all


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
def points_on_table(view):
    on_table = 0
    for seat in range(SEATS):
        if view.table[seat] != NONE:
            on_table += card_points(view.table[seat])
    return on_table


@compiled
def taking_odds(view, seat, card, holder):
    """The chance that this seat's side takes the present trick with the card."""
    trumps = suit_set(trump(view))
    leading = view.best == NONE
    led = card if leading else view.table[view.leader]
    best, friendly = card, 1.0
    if not leading and not bit(card) & beaters(view.best, suit_set(view.best // RANKS_PER_SUIT), trumps):
        best, friendly = view.best, friend(view, seat, view.winning, holder)
    holds, ours = 1.0, 0.0  # the chance that `best` still wins; the chance that a later friend has taken it
    later = (seat + 1) % SEATS
    while later != view.leader:
        beaten = holds * beating_odds(view, seat, later, led, best, holder)
        ours += beaten * friend(view, seat, later, holder)
        holds -= beaten
        later = (later + 1) % SEATS
    return ours + holds * friendly


@compiled
def friend(view, seat, other, holder):
    """1.0 if another seat plays on this seat's side, else 0.0."""
    with_forehand = seat == forehand(view) or seat == holder
    return 1.0 if (other == forehand(view) or other == holder) == with_forehand else 0.0


@compiled
def beating_odds(view, seat, later, led, best, holder):
    """The chance that a seat still to play beats the trick; each unseen card is as likely in every hand."""
    named = unseen(view, seat) & bit(view.named)
    hidden = unseen(view, seat) & ~named & ~view.missing[later]
    shown = view.shown[later] | (named if later == holder else 0)
    share = (cards_held(view, later) - count(shown)) / max(count(unseen(view, seat) & ~named), 1)
    led_suit, trumps = suit_set(led // RANKS_PER_SUIT), suit_set(trump(view))
    winners = beaters(best, suit_set(best // RANKS_PER_SUIT), trumps)
    follows = 1.0 - odds_of_none(shown & led_suit & winners, hidden & led_suit & winners, share)
    if led_suit == trumps:
        return follows
    void = odds_of_none(shown & led_suit, hidden & led_suit, share)
    return follows + void * (1.0 - odds_of_none(shown & trumps & winners, hidden & trumps & winners, share))


@compiled
def odds_of_none(shown, hidden, share):
    return 0.0 if shown else (1.0 - share) ** count(hidden)


@compiled
def worth(view, seat, card):
    """What a card is worth kept."""
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

"""A rule-based player of Preferans.

Auction, discards and contract are those of version 0.1, but go by what hands have come to since the cards are
played better; betl and replies are as they were. It comes and doubles more readily beside another defender.
With trumps and in sans a card is worth what its trick is, by the chances that it wins and that its side does,
and what it does to the hand: whether it is one of touching cards, leaves a master of its suit behind, draws
trumps, or leads a suit that others are about to trump.
"""

import numpy as np

from stichwerk.agents.builtin.rules.v0_1.preferans import ESTIMATE as ESTIMATE_0_1
from stichwerk.agents.builtin.rules.v0_1.preferans import choose as choose_0_1
from stichwerk.agents.builtin.rules.v0_1.preferans import (
    choose_call,
    choose_discard,
    choose_game,
    comes,
    doubles,
    trick_odds,
)
from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.games.preferans.flow import legal
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.state import (
    ACCEPT,
    ACTION_OF,
    ACTIONS,
    BETL,
    CARDS,
    COME,
    KONTRA,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    STAY_OUT,
    Phase,
    hand_of,
    played_by,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("preferans_v0",)
SINCE = "0.2"

# What hands promise, fitted to the outcomes of many that were declared whatever they were worth.
ESTIMATE = ESTIMATE_0_1._replace(
    trump_card=np.array([2.54, 1.61, 1.06, 0.63, 0.59, 0.56, 0.54, 0.55]),
    side_card=np.array([0.5, -0.52, -1.25, -1.57, -1.69, -1.72, -1.71, -1.74]),
    sans_card=np.array([0.98, 0.25, -0.38, -0.66, -0.74, -0.77, -0.75, -0.77]),
    side_shape=np.array([1.01, 0.2, 0.68, 1.44, 1.84, 1.59, 1.28, 1.61, 3.13]),
    sans_shape=np.array([-0.54, -0.11, 0.16, 0.34, 0.66, 1.07, 1.29, 1.0, 1.75]),
    suit_base=-0.46,
    sans_base=0.31,
    betl_base=1.8,
    failure=19.7,
)
COMES_WITH, DOUBLES_WITH = 1.5, 2.4  # own tricks enough to come, and to double, beside another defender

# What a card is worth, in points of standing, fitted to the outcomes of each card in many hands.
# The declarer's lead, by the number of higher cards out: 0, 1, more.
LEAD_SANS = np.array([22.3, 0.4, -22.8])
LEAD_TRUMPED = np.array([3.5, 3.5, 7.8])  # a side suit while trumps are out
LEAD_TRUMPS = np.array([2.6, -10.7, -6.6])  # trumps while others are out
LEAD_SAFE = np.array([3.2, -6.1, 11.4])  # a side suit when no trumps are out
LEAD_LAST_TRUMP = -8.5  # a trump when no others are out
LEAD_WINS = 28.7  # if it wins
LEAD_WAITS = -2.0  # a master, for each card left in hand: it wins later too
LEAD_TOUCHING, LEAD_FROM_MASTER = 8.2, -5.6  # one of touching cards; a master of the suit stays behind
# A defender's lead.
ATTACK_WINS = 56.0  # if his side wins
ATTACK_LONG = -10.0  # if his side wins, for each card out of the suit: it comes again
ATTACK_SANS = 91.5  # a master in sans
ATTACK_TRUMPED, ATTACK_TRUMPS = -10.1, -60.8  # a side suit, for each trump out; a trump while others are out
ATTACK_FROM_MASTER = -9.9
ATTACK_AGAIN = 11.8  # a suit played before
# Following.
FOLLOW_WINS, FOLLOW_SIDE_WINS = 24.3, 24.2  # if it wins; if the side does
FOLLOW_TOUCHING, FOLLOW_KEEPS_MASTER = 4.1, 16.5
FOLLOW_LOWER = -5.1  # for each lower card out, which this one could have beaten


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    if view.phase == Phase.AUCTION:
        return choose_call(ESTIMATE, rules, view, seat, mask)
    if view.phase == Phase.DISCARD:
        return choose_discard(ESTIMATE, view, seat)
    if view.phase == Phase.DECLARE:
        return choose_game(ESTIMATE, view, seat, mask)
    if view.phase == Phase.COME:
        return COME if comes(rules, view, seat, COMES_WITH) else STAY_OUT
    if view.phase == Phase.KONTRA:
        return KONTRA if doubles(view, seat, DOUBLES_WITH) else ACCEPT
    if view.phase == Phase.PLAY and view.game != BETL and view.game != PREFERANS:
        return best_card(rules, view, seat, mask)
    return choose_0_1(rules, view, seat)


@compiled
def best_card(rules, view, seat, mask):
    out = unseen(view, seat)
    best, best_value = NONE, -np.inf
    for card in range(CARDS):
        action = PLAY + ACTION_OF[card]
        if mask[action]:
            if view.led != NONE:
                value = follow_value(rules, view, seat, out, card)
            elif seat == view.declarer:
                value = lead_value(rules, view, seat, out, card)
            else:
                value = attack_value(rules, view, seat, out, card)
            if value > best_value:
                best, best_value = action, value
    return best


@compiled
def lead_value(rules, view, seat, out, card):
    """What the declarer's lead is worth."""
    _, wins = trick_odds(rules, view, seat, out, card)
    suit, trumps = suit_set(card // RANKS_PER_SUIT), trump_set(view)
    rest = hand_of(view, seat) & suit & ~bit(card)
    higher = min(2, higher_out(card, out))
    value = LEAD_WINS * wins + LEAD_TOUCHING * touching(card, rest, out)
    if trumps == 0:
        value += LEAD_SANS[higher]
    elif out & trumps:
        value += LEAD_TRUMPS[higher] if suit == trumps else LEAD_TRUMPED[higher]
    else:
        value += LEAD_LAST_TRUMP if suit == trumps else LEAD_SAFE[higher]
    if higher == 0:
        value += LEAD_WAITS * (count(hand_of(view, seat)) - 1)
    if has_master(rest, out):
        value += LEAD_FROM_MASTER
    return value


@compiled
def attack_value(rules, view, seat, out, card):
    """What a defender's lead is worth."""
    declarers, _ = trick_odds(rules, view, seat, out, card)
    suit, trumps = suit_set(card // RANKS_PER_SUIT), trump_set(view)
    value = (1.0 - declarers) * (ATTACK_WINS + ATTACK_LONG * count(out & suit))
    if trumps == 0:
        value += ATTACK_SANS if higher_out(card, out) == 0 else 0.0
    elif suit != trumps:
        value += ATTACK_TRUMPED * count(out & trumps)
    elif out & trumps:
        value += ATTACK_TRUMPS
    if has_master(hand_of(view, seat) & suit & ~bit(card), out):
        value += ATTACK_FROM_MASTER
    if played_before(view) & suit:
        value += ATTACK_AGAIN
    return value


@compiled
def follow_value(rules, view, seat, out, card):
    """What a card is worth that follows to a trick, for declarer and defenders."""
    declarers, wins = trick_odds(rules, view, seat, out, card)
    suit = suit_set(card // RANKS_PER_SUIT)
    rest = hand_of(view, seat) & suit & ~bit(card)
    side = declarers if seat == view.declarer else 1.0 - declarers
    value = FOLLOW_WINS * wins + FOLLOW_SIDE_WINS * side + FOLLOW_TOUCHING * touching(card, rest, out)
    value += FOLLOW_LOWER * count(out & suit & ~(bit(card) - 1))
    return value + (FOLLOW_KEEPS_MASTER if has_master(rest, out) else 0.0)


# Facts about a card and the hand it leaves


@compiled
def higher_out(card, out):
    """How many higher cards of its suit are out."""
    return count(out & suit_set(card // RANKS_PER_SUIT) & (bit(card) - 1))


@compiled
def has_master(rest, out):
    """Whether the highest of some cards of a suit is higher than all of that suit that are out."""
    return rest != 0 and higher_out(first(rest), out) == 0


@compiled
def touching(card, rest, out):
    """How many of the next higher and the next lower card of the suit in hand have nothing out between."""
    lower, higher = rest & ~(bit(card) - 1), rest & (bit(card) - 1)
    below = lower != 0 and out & (bit(first(lower)) - 1) & ~(bit(card) - 1) == 0
    above = higher != 0 and out & (bit(card) - 1) & ~(bit(last(higher)) - 1) == 0
    return int(below) + int(above)


@compiled
def played_before(view):
    """All cards played in the hand so far."""
    cards = np.int64(0)
    for seat in range(len(view.played)):
        cards |= played_by(view, seat)
    return cards

"""A rule-based player of Preferans.

Auction, discards and contract are those of version 0.1, with the odds that hands have since the cards are
played better. Betl and replies are unchanged. It comes and doubles more readily beside another defender. With
trumps and in sans a card counts the value of its trick, by the chances that it and its side win. To that is
added what the card does to the hand. It may be one of touching cards or leave a master of its suit behind.
It may draw trumps, or lead a suit that others are about to trump.
"""

import numpy as np

from stichwerk.agents.builtin.rules.preferans_bidding import (
    COMES_WITH,
    DOUBLES_WITH,
    ESTIMATE,
    choose_call,
    choose_discard,
    choose_game,
    choose_reply,
    comes,
    doubles,
)
from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.preferans.flow import legal
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.state import (
    ACCEPT,
    ACTION_OF,
    ACTIONS,
    ALONE,
    BETL,
    CARDS,
    COME,
    KONTRA,
    NO_OFFER,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    STAY_OUT,
    Phase,
    cards_held,
    hand_of,
    missing_from,
    next_active,
    played_by,
    plays,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("preferans_v0",)
SINCE = "0.2"

# What a card is worth, in points of standing, fitted to the outcomes of each card in many hands. The
# commit that added them (b1b08f1) has no script; docs/results/rule_players.md has its strength.
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
ATTACK_WINS = 56.0  # if its side wins
ATTACK_LONG = -10.0  # if its side wins, for each card out of the suit: it comes again
ATTACK_SANS = 91.5  # a master in sans
ATTACK_TRUMPED, ATTACK_TRUMPS = -10.1, -60.8  # a side suit, for each trump out; a trump while others are out
ATTACK_FROM_MASTER = -9.9
ATTACK_AGAIN = 11.8  # a suit played before
# Following.
FOLLOW_WINS, FOLLOW_SIDE_WINS = 24.3, 24.2  # if it wins; if the side does
FOLLOW_TOUCHING, FOLLOW_KEEPS_MASTER = 4.1, 16.5
FOLLOW_LOWER = -5.1  # for each lower card out, which this one could have beaten

# In preferans: what a card is worth kept, in tricks, by the number of higher cards still out.
WORTH = np.array([0.4, 0.25, 0.16, 0.1, 0.06, 0.04, 0.02, 0.01])
WORTH_TRUMP = 0.3  # more for a trump
DRAWING = 0.5  # the declarer's gain from a trump lead while trumps are out


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
    if view.phase == Phase.JOIN:
        return ALONE  # every variant that took the other one along did worse
    if view.phase == Phase.KONTRA:
        return KONTRA if doubles(view, seat, DOUBLES_WITH) else ACCEPT
    if view.phase == Phase.OFFER:
        return NO_OFFER
    if view.phase == Phase.REPLY:
        return choose_reply(view, seat)
    return best_card(rules, view, seat, mask)


@compiled
def best_card(rules, view, seat, mask):
    out = unseen(view, seat)
    best, best_value = NONE, -np.inf
    for card in range(CARDS):
        action = PLAY + ACTION_OF[card]
        if mask[action]:
            if view.game == BETL:
                value = betl_value(rules, view, seat, out, card)
            elif view.game == PREFERANS:
                value = all_tricks_value(rules, view, seat, out, card)
            elif view.led != NONE:
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
    """The value of the declarer's lead."""
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
    """The value of a defender's lead."""
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
    """The value of a card that follows to a trick, for declarer and defenders."""
    declarers, wins = trick_odds(rules, view, seat, out, card)
    suit = suit_set(card // RANKS_PER_SUIT)
    rest = hand_of(view, seat) & suit & ~bit(card)
    side = declarers if seat == view.declarer else 1.0 - declarers
    value = FOLLOW_WINS * wins + FOLLOW_SIDE_WINS * side + FOLLOW_TOUCHING * touching(card, rest, out)
    value += FOLLOW_LOWER * count(out & suit & ~(bit(card) - 1))
    return value + (FOLLOW_KEEPS_MASTER if has_master(rest, out) else 0.0)


@compiled
def betl_value(rules, view, seat, out, card):
    """In betl the declarer sheds the cards that could win. The defence plays below and keeps low cards."""
    declarers, own = trick_odds(rules, view, seat, out, card)
    lower = count(out & suit_set(card // RANKS_PER_SUIT) & ~((bit(card) << 1) - 1))
    if seat == view.declarer:
        return -20.0 * own + 0.3 * lower
    if view.led == NONE:
        return declarers - 0.2 * lower
    return declarers + 0.05 * lower


@compiled
def all_tricks_value(rules, view, seat, out, card):
    """In preferans: the chance that the own side wins the trick, less what the card is worth kept."""
    declarers, _ = trick_odds(rules, view, seat, out, card)
    wins = declarers if seat == view.declarer else 1.0 - declarers
    suit, trumps = suit_set(card // RANKS_PER_SUIT), trump_set(view)
    higher = count(out & suit & (bit(card) - 1))
    worth = WORTH[higher] + (WORTH_TRUMP if suit == trumps else 0.0)
    value = wins - worth
    if view.led == NONE and seat == view.declarer and suit == trumps and out & trumps:
        value += DRAWING
    return value


# Facts about a card and the hand it leaves


@compiled
def higher_out(card, out):
    """The number of higher cards of its suit that are out."""
    return count(out & suit_set(card // RANKS_PER_SUIT) & (bit(card) - 1))


@compiled
def has_master(rest, out):
    """True if the highest of some cards of a suit is higher than all of that suit that are out."""
    return rest != 0 and higher_out(first(rest), out) == 0


@compiled
def touching(card, rest, out):
    """The number of next cards of the suit in hand, above and below, with none out between."""
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


# The chances of the trick


@compiled
def trick_odds(rules, view, seat, out, card):
    """The chances that the declarer's side wins the trick with this card, and that this seat does."""
    led = card if view.led == NONE else view.led
    best, winner = card, seat
    if view.led != NONE and not bit(card) & beaters(
        view.best, suit_set(view.best // RANKS_PER_SUIT), trump_set(view)
    ):
        best, winner = view.best, view.winning
    leader = seat if view.led == NONE else view.leader
    stays, declarers = 1.0, 0.0  # the chances that `best` still wins, that the declarer has taken it
    later = next_active(rules, view, seat)
    while later != leader:
        if plays(rules, view, later) and (later == view.declarer) != (winner == view.declarer):
            beaten = stays * beating_odds(rules, view, out, later, led, best)
            declarers += beaten if later == view.declarer else 0.0
            stays -= beaten
        later = next_active(rules, view, later)
    if winner == view.declarer:
        declarers += stays
    return declarers, stays if winner == seat else 0.0


@compiled
def beating_odds(rules, view, out, later, led, best):
    """The chance that a seat still to play can beat the trick, these cards being out."""
    possible = out & ~missing_from(rules, view, later)
    share = min(1.0, cards_held(view, later) / max(1, count(possible)))
    led_suit, trumps = suit_set(led // RANKS_PER_SUIT), trump_set(view)
    winners = beaters(best, suit_set(best // RANKS_PER_SUIT), trumps)
    follows = odds_of_some(possible, share, led_suit & winners)
    if led_suit == trumps or trumps == 0:
        return follows
    void = 1.0 - odds_of_some(possible, share, led_suit)
    return follows + void * odds_of_some(possible, share, trumps & winners)


@compiled
def odds_of_some(possible, share, cards):
    """The chance that a hand holds one of these cards: a `share` of those that are `possible` there."""
    return 1.0 - (1.0 - share) ** count(cards & possible)

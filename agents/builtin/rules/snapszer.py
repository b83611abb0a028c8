"""A rule-based player of Snapszer.

It names, claims and shows marriages as in version 0.1. The weights for and against a card are fitted, for
each part in the deal, to what each card brought in many deals. Points go into sure tricks of the own side.
The caller leads masters and low cards rather than high ones that may be taken; the caller's partner leads the
named card. Marriages, aces and trumps are kept where they are not needed.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import RANKS_PER_SUIT, card_points, pair, suit_set
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
SINCE = "0.2"

# What the first three cards make of a suit for trumps: its length, then what they win; an ace on its own is
# better kept for a side suit.
LENGTH = 20.0
WORTH_NAMED = np.array([-1.0, 10.0, 4.0, 3.0, 2.0, 0.0])

# What speaks for a card, in hundredths of a game point: a row for each fact, a column for each situation. The
# weights were fitted, situation by situation, to the points that each card brought in many deals of this
# player against itself, and kept since the player then won more duplicate deals. The commit that added them
# (ba0720f) has no script; docs/results/rule_players.md has its strength.
(
    WINS,
    WINS_SURELY,
    WINS_POINT,
    WINS_TABLE,
    WINS_DEAL,
    PLAIN,
    TRUMP,
    KEPT_PAIR,
    MASTER,
    HIGHER_OUT,
    TRUMP_OUT,
    SUIT_OUT,
    NAMED,
    TOUCHING,
) = (0, 1, 2, 3, 4, 5, 11, 17, 19, 21, 22, 23, 24, 25)
# fmt: off
WEIGHTS = np.array(
    [
        # forehand: lead, answer; its partner: lead, answer; the others: lead, answer
        [-72.6, 49.8, -65.6, 97.8, -43.0, 43.0],  # the chance that the side wins the trick
        [93.2, 14.4, 71.9, 20.8, 55.1, 50.3],  # … squared: being sure of it
        [2.5, 6.6, 1.6, 5.4, 2.6, 4.0],  # … for each point of the card
        [0.0, 6.1, 0.0, -1.3, 0.0, 10.5],  # … and of the cards on the table
        [44.2, 35.4, 21.0, 29.9, 25.9, 40.6],  # … if that brings what the seat can be sure of to 66
        [31.2, -23.1, 29.1, -21.2, 4.5, -12.1],  # plain ace
        [28.1, -11.9, 24.3, -12.3, 6.1, -4.1],  # plain ten
        [25.6, 10.4, 24.3, 6.2, 11.1, 5.9],  # plain king
        [18.0, 8.4, 23.5, 8.0, 10.5, 4.8],  # plain queen
        [11.1, 7.3, 20.5, 7.5, 10.2, 3.0],  # plain jack
        [3.9, 8.8, 17.9, 11.7, 10.0, 2.4],  # plain nine
        [-34.4, -31.4, -65.8, -37.8, 0.0, 0.0],  # trump ace
        [-39.4, -29.4, -35.1, -24.6, -24.9, -28.7],  # trump ten
        [-17.0, 8.9, -16.4, 8.0, -11.1, 1.7],  # trump king
        [-11.2, 10.8, -14.5, 10.6, -8.6, 5.5],  # trump queen
        [-5.5, 16.0, -5.0, 17.2, -5.0, 10.0],  # trump jack
        [-10.5, 25.2, -2.8, 26.6, -2.8, 11.6],  # trump nine
        [0.0, -0.8, 0.0, -24.8, 0.0, -4.6],  # king or queen of a marriage not shown
        [0.0, 0.0, 0.0, -54.2, 0.0, -45.4],  # … in trumps
        [4.3, -14.3, 6.3, -13.2, 4.7, -9.8],  # nothing higher of its suit is out
        [5.9, -29.9, 24.6, -17.2, 15.7, -32.7],  # … in trumps
        [14.3, 9.6, 1.7, 4.7, 1.3, 6.2],  # for each higher card of its suit that is out
        [-1.1, 0.0, 4.8, 0.0, 5.4, 0.0],  # a trump, for each trump that is out
        [-10.9, -10.7, -4.4, -5.3, -0.9, -4.9],  # a plain card, for each card of its suit that is out
        [-31.0, -73.8, 23.2, 8.9, 0.0, 0.0],  # the named card, which shows the sides
        [5.1, 3.9, 6.8, 2.1, 4.0, 2.5],  # one of touching cards, with a higher one in hand
    ]
)
# fmt: on


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    action = choose_besides_cards(view, seat, mask)
    if action != NONE:
        return action
    weights = WEIGHTS[:, situation(view, seat)]
    best, best_value = NONE, -np.inf
    for card in range(CARDS):
        if mask[PLAY + card]:
            value = trick_value(view, seat, card, weights) + played_value(view, seat, card, weights)
            if value > best_value:
                best, best_value = PLAY + card, value
    return best


@compiled
def choose_besides_cards(view, seat, mask):
    """The action to take before a card, or NONE: the naming, claims, marriages."""
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


# Cards


@compiled
def situation(view, seat):
    """The column of the weights."""
    part = 0 if seat == forehand(view) else 2 if seat == view.holder else 4
    return part + (view.best != NONE)


@compiled
def trick_value(view, seat, card, weights):
    """The value of the card for the trick."""
    wins, on_table = side_odds(view, seat, card), points_on_table(view)
    value = weights[WINS] + weights[WINS_SURELY] * wins
    value += weights[WINS_POINT] * card_points(card) + weights[WINS_TABLE] * on_table
    if provable_points(view, seat) + on_table + card_points(card) >= GOAL:
        value += weights[WINS_DEAL]
    return value * wins


@compiled
def side_odds(view, seat, card):
    """The chance that the side wins the trick, over all seats where the named card can be."""
    if view.holder != NONE:
        return taking_odds(view, seat, card, view.holder)
    odds, total = 0.0, 0.0
    for holder in range(SEATS):
        weight = holder_weight(view, seat, holder)
        if weight:
            odds += weight * taking_odds(view, seat, card, holder)
            total += weight
    return odds / total


@compiled
def played_value(view, seat, card, weights):
    """The value of having played the card, against keeping it."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps, hand, of_suit = suit == trump(view), view.hand[seat], suit_set(suit)
    out = unseen(view, seat) & of_suit
    higher = bit(card) - 1
    value = weights[(TRUMP if trumps else PLAIN) + rank]
    marriage = pair(suit)
    if bit(card) & marriage and hand & marriage == marriage and not view.marriages[seat] & bit(suit):
        value += weights[KEPT_PAIR + trumps]
    if not out & higher:
        value += weights[MASTER + trumps]
    value += weights[HIGHER_OUT] * count(out & higher)
    value += weights[TRUMP_OUT if trumps else SUIT_OUT] * count(out)
    if card == view.named:
        value += weights[NAMED]
    if touches_higher(card, hand & of_suit, out):
        value += weights[TOUCHING]
    return value


@compiled
def touches_higher(card, mine, out):
    """True if no card that is out stands between a card and the next higher one of its suit in hand."""
    above = card - 1
    while above >= 0 and not (mine | out) & bit(above):
        above -= 1
    return above >= 0 and mine & bit(above) != 0


# The chances of the trick


@compiled
def holder_weight(view, seat, holder):
    """The weight of another seat as the holder of the named card, for a seat that does not know."""
    if holder == seat or view.missing[holder] & bit(view.named):
        return 0.0
    return 0.5 if holder == forehand(view) else 1.0  # it came with forehand's last three cards, if at all


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

"""A rule-based player of Gaigel.

Openings, exchanges, pairs, signals and Aus are those of version 0.1. The weights for and against a card are
fitted, for each kind of decision, to what each card brought in many deals. Points are worth having in any
sure trick, so partners feed each other. A trick is worth more the fewer seats may still take it, and most if
it reaches 101. While cards are drawn, pairs, trumps and aces are kept, and so are kings and queens that may
still become a pair.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, first
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import ACE, RANKS_PER_SUIT, TEN, card_points, pair, suit_set
from stichwerk.envs.games.gaigel.cards.double import KINDS, copies, kinds, less, of_kinds, size
from stichwerk.envs.games.gaigel.cards.trick import beating, plays_face_down
from stichwerk.envs.games.gaigel.flow import legal
from stichwerk.envs.games.gaigel.hidden import unseen
from stichwerk.envs.games.gaigel.state import (
    ACTIONS,
    AUS,
    CARDS,
    CONTINUE,
    EXCHANGE,
    GOAL,
    MELD,
    OPEN,
    PLAY,
    SEVENS,
    SIGNAL,
    Opening,
    Phase,
    forehand,
    reached_goal,
    side_of,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("gaigel_v0",)
SINCE = "0.2"

# Settled, for version 0.1, by playing variants of these numbers against each other.
FED, THROWN = 10.0, 2.0  # what a card still to come brings the side that its owner is on, and the other one
WILLING = 0.7  # how readily a higher card of the suit is played where it need not be
RUFF = 0.04  # … and a trump, for each point on the table
FACE_DOWN_LEADER = 0.4  # how often the lead of a face-down trick wins it

# What speaks for a card, in hundredths of a game point: a row for each fact, a column for each situation. The
# weights were fitted, situation by situation, to the points that each card brought in many deals of this
# player against itself, and kept since the player then won more duplicate deals. The commit that added them
# (ba0720f) has no script; docs/results/rule_players.md has its strength.
(
    WINS,
    WINS_POINT,
    WINS_TABLE,
    WINS_PARTNER,
    WINS_OPPONENT,
    WINS_FIRST,
    WINS_DEAL,
    LOSES_DEAL,
    PLAIN,
    TRUMP,
    KEPT_PAIR,
    KEPT_MATE,
    TWIN,
    LONE,
    LATE_TRUMP,
    LATE_HIGH,
) = (0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 22, 24, 25, 26, 27)
# fmt: off
PARTNERS = np.array(
    [
        # cards are drawn: lead, answer; the stock is exhausted: lead, answer; the first trick: lead, answer
        [-10.8, -10.9, 47.8, 7.2, -8.2, 84.9],  # the chance that the side wins the trick
        [-0.6, 2.9, 3.3, 1.5, -0.6, 3.2],  # … for each point of the card
        [0.0, 3.1, 0.0, 2.6, 0.0, 0.0],  # … and of the cards on the table
        [12.1, -32.3, -36.2, -6.9, -8.8, 37.5],  # … for each partner still to play
        [1.3, 27.3, 11.6, 4.5, -12.9, -7.0],  # … and for each opponent
        [0.0, 22.6, 0.0, -0.5, 0.0, 0.0],  # … while the side has no trick
        [20.0, 30.1, 24.6, 27.9, 0.0, 0.0],  # … if that brings it to 101
        [-14.3, -36.1, -21.5, -25.9, 0.0, 0.0],  # the chance that it does not, if another side comes to 101
        [5.9, 8.5, -4.5, -2.9, 0.0, -5.4],  # plain ace
        [9.6, 12.6, -3.9, -1.3, 15.8, -10.3],  # plain ten
        [-6.1, 17.5, -2.1, -0.4, -3.8, -1.7],  # plain king
        [-6.8, 18.4, 2.1, 0.5, -9.3, 1.3],  # plain queen
        [-6.3, 19.6, 5.1, 1.1, -0.5, 6.4],  # plain jack
        [-7.4, 21.5, 7.9, 2.9, -2.1, 9.6],  # plain seven
        [3.6, -44.5, -18.8, -20.7, -3.3, -5.8],  # trump ace
        [-0.5, -31.4, -12.5, -12.1, -0.1, 1.0],  # trump ten
        [5.6, -11.2, -1.5, 1.5, -6.0, -4.5],  # trump king
        [3.6, -5.0, 5.5, 8.1, 0.1, -3.9],  # trump queen
        [0.4, -4.1, 12.7, 10.7, 6.9, 7.7],  # trump jack
        [-1.6, -1.8, 10.1, 12.5, 2.4, 5.5],  # trump seven
        [0.0, -14.0, 0.0, -3.5, -18.1, -17.5],  # king or queen of a pair still to be declared
        [0.0, -21.9, 0.0, -7.0, -6.1, -9.6],  # … in trumps
        [-3.3, -2.2, 0.0, 0.0, 5.0, 0.1],  # … or of one whose other card may still be drawn
        [-10.1, -7.0, 0.0, 0.0, 0.2, 1.2],  # … in trumps
        [3.6, 3.6, 3.8, 0.7, 5.1, 2.1],  # both copies are in hand
        [2.3, 1.3, -1.4, -0.8, -3.3, 1.3],  # the only card of a plain suit
        [-5.2, 25.0, -4.6, 0.0, 0.0, 0.0],  # a trump, by the share of the pack that is drawn
        [-19.5, -4.6, -8.3, -4.2, -1.6, -1.1],  # a plain ace or ten, likewise
    ]
)
ALONE = np.array(
    [
        # the same for three players, each a side
        [1.6, -7.8, 7.1, 15.6, -0.4, 8.3],  # the chance that the side wins the trick
        [0.3, 2.8, 3.9, 4.1, 2.8, 6.9],  # … for each point of the card
        [0.0, 3.3, 0.0, 7.2, 0.0, 0.0],  # … and of the cards on the table
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # … for each partner still to play
        [3.3, -0.9, 14.2, 15.6, -0.4, 13.4],  # … and for each opponent
        [0.0, 2.0, 0.0, 0.0, 0.0, 0.0],  # … while the side has no trick
        [33.6, 49.4, 64.0, 33.1, 0.0, 0.0],  # … if that brings it to 101
        [-20.6, -11.7, -37.4, -14.9, 0.0, 0.0],  # the chance that it does not, if another side comes to 101
        [-3.6, -0.5, -1.8, -12.1, 0.0, -9.3],  # plain ace
        [8.9, 11.1, -1.6, 3.7, 9.9, -5.3],  # plain ten
        [8.3, 9.1, 0.7, -0.8, -10.5, -5.0],  # plain king
        [7.5, 9.0, 0.3, 0.2, -7.6, -2.5],  # plain queen
        [5.3, 9.8, 5.6, 2.4, 5.4, 9.0],  # plain jack
        [5.8, 11.3, 4.7, 6.5, 2.7, 13.0],  # plain seven
        [-19.1, -34.5, -31.5, -49.7, -0.5, 0.0],  # trump ace
        [-21.1, -22.8, -25.7, -34.1, -0.3, -0.2],  # trump ten
        [-0.7, -1.9, 0.1, 7.8, 0.2, 3.3],  # trump king
        [5.0, 5.6, 8.4, 17.7, 0.3, -6.0],  # trump queen
        [2.3, 1.5, 22.8, 27.2, 0.4, 0.0],  # trump jack
        [1.3, 2.2, 18.0, 31.1, 0.0, 3.0],  # trump seven
        [0.0, -16.5, 0.0, 0.0, -23.1, -12.2],  # king or queen of a pair still to be declared
        [0.0, -58.6, 0.0, -10.1, 0.4, -3.1],  # … in trumps
        [-12.2, -6.1, 0.0, 0.0, 5.1, 4.7],  # … or of one whose other card may still be drawn
        [-24.4, -22.1, 0.0, 0.0, 0.0, 0.3],  # … in trumps
        [11.7, 9.7, 7.6, 12.2, -10.9, 6.9],  # both copies are in hand
        [1.3, 0.8, 3.5, -2.9, 0.5, 0.4],  # the only card of a plain suit
        [4.9, -5.1, -7.9, 0.0, 0.0, 0.0],  # a trump, by the share of the pack that is drawn
        [-4.3, -16.3, -3.4, -8.4, 3.3, -4.9],  # a plain ace or ten, likewise
    ]
)
# fmt: on


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    action = choose_besides_cards(rules, view, seat, mask)
    if action != NONE:
        return action
    no_trick = wants_no_trick(rules, view, seat)
    weights = (ALONE if rules.side_count == 3 else PARTNERS)[:, situation(view, seat)]
    best, best_value = NONE, -np.inf
    for card in range(KINDS):
        if mask[PLAY + card]:
            if no_trick:
                value = no_trick_value(rules, view, seat, card)
            else:
                value = card_value(rules, view, seat, card, weights)
            if value > best_value:
                best, best_value = PLAY + card, value
    return best


@compiled
def choose_besides_cards(rules, view, seat, mask):
    """The action to take before a card, or NONE: the opening, Aus, exchange, pairs, signals."""
    if view.phase == Phase.OPEN:
        return OPEN + choose_opening(mask)
    if mask[AUS] and reached_goal(rules, view, seat):
        return AUS
    if view.phase == Phase.AFTER:
        return CONTINUE
    if mask[EXCHANGE] and exchange_helps(view, seat):
        return EXCHANGE
    if mask[MELD + view.trump]:
        return MELD + view.trump
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    for suit in range(4):
        if mask[SIGNAL + suit] and asks_for(view, seat, suit):
            return SIGNAL + suit
    return NONE


@compiled
def choose_opening(mask):
    """One of three that is always there.

    Auf Dissle is not among them: even four sevens in the first hand lose it nearly always.
    """
    for opening in (Opening.GEELFEN, Opening.HOEHER_HAT):
        if mask[OPEN + opening]:
            return opening
    return Opening.TRUMP


@compiled
def exchange_helps(view, seat):
    """The first exchange brings a better trump; a partner's card is taken only to make a pair."""
    if view.laid_by == NONE:
        return True
    other = pair(view.trump) & ~bit(view.taken)
    return bit(view.taken) & pair(view.trump) != 0 and undeclared(view, seat) & other != 0


@compiled
def undeclared(view, seat):
    return kinds(less(view.hand[seat], view.declared[seat]))


@compiled
def asks_for(view, seat, suit):
    """A signal asks for a plain suit of which the ace is in hand."""
    return suit != view.trump and copies(view.hand[seat], suit * RANKS_PER_SUIT + ACE) != 0


# Cards


@compiled
def situation(view, seat):
    """The column of the weights."""
    stage = 4 if view.trick == 1 else 2 if view.indicator == NONE else 0
    return stage + (seat != view.leader)


@compiled
def card_value(rules, view, seat, card, weights):
    return trick_value(rules, view, seat, card, weights) + played_value(view, seat, card, weights)


@compiled
def trick_value(rules, view, seat, card, weights):
    """The value of the card for the trick."""
    side = side_of(rules, seat)
    if plays_face_down(rules, view):
        wins = first_trick_odds(rules, view, seat, card)
    else:
        wins = taking_odds(rules, view, seat, card)
    value = weights[WINS] + weights[WINS_POINT] * card_points(card)
    value += weights[WINS_TABLE] * points_on_table(rules, view, seat)
    later = (seat + 1) % rules.players
    while later != view.leader:
        value += weights[WINS_PARTNER if side_of(rules, later) == side else WINS_OPPONENT]
        later = (later + 1) % rules.players
    if view.tricks[side] == 0:
        value += weights[WINS_FIRST]
    won, lost = trick_points(rules, view, seat, card)
    if view.points[side] + won >= GOAL:
        value += weights[WINS_DEAL]
    value *= wins
    for other in range(rules.side_count):
        if other != side and view.points[other] + lost >= GOAL:
            return value + weights[LOSES_DEAL] * (1.0 - wins)
    return value


@compiled
def played_value(view, seat, card, weights):
    """The value of having played the card, against keeping it."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps, drawn = suit == view.trump, view.top / CARDS
    value = weights[(TRUMP if trumps else PLAIN) + rank]
    if bit(card) & pair(suit) & undeclared(view, seat):
        other = first(pair(suit) ^ bit(card))
        if bit(other) & undeclared(view, seat):
            value += weights[KEPT_PAIR + trumps]
        elif view.indicator != NONE and copies(view.gone, other) < 2:
            value += weights[KEPT_MATE + trumps]
    if copies(view.hand[seat], card) == 2:
        value += weights[TWIN]
    if trumps:
        value += weights[LATE_TRUMP] * drawn
    else:
        if size(of_kinds(view.hand[seat], suit_set(suit))) == 1:
            value += weights[LONE]
        if rank in (ACE, TEN):
            value += weights[LATE_HIGH] * drawn
    return value


@compiled
def no_trick_value(rules, view, seat, card):
    """The value of a card to a seat that wants no trick and keeps its sevens."""
    return (
        -100.0 * taking_odds(rules, view, seat, card)
        - (1000.0 if bit(card) & SEVENS else 0.0)
        - card_points(card)
    )


# The trick: its points and its chances


@compiled
def wants_no_trick(rules, view, seat):
    """Forehand, after opening Auf Dissle, keeps the sevens and stays out of every trick."""
    return view.opening == Opening.DISSLE and seat == forehand(rules, view)


@compiled
def trick_points(rules, view, seat, card):
    """The points that the trick is expected to have with this card, if this side wins it and if it does
    not."""
    side = side_of(rules, seat)
    on_table = np.float64(card_points(card)) + points_on_table(rules, view, seat)
    won, lost = on_table, on_table
    later = (seat + 1) % rules.players
    while later != view.leader:
        friend = side_of(rules, later) == side
        won += FED if friend else THROWN
        lost += THROWN if friend or rules.side_count == 3 else FED
        later = (later + 1) % rules.players
    return won, lost


@compiled
def points_on_table(rules, view, seat):
    """The points of the cards that others have played to the trick."""
    total = 0
    for other in range(rules.players):
        if view.table[other] != NONE and other != seat:
            total += card_points(view.table[other])
    return total


@compiled
def first_trick_odds(rules, view, seat, card):
    """The chance that this side wins a trick of face-down cards.

    The lead stands, or this card is of its suit and higher, or somebody's.
    """
    if seat == view.leader:
        return FACE_DOWN_LEADER if rules.side_count == 2 else FACE_DOWN_LEADER / 2
    mates = rules.players // rules.side_count - 1
    others = mates / (rules.players - 1)
    ours = FACE_DOWN_LEADER if side_of(rules, view.leader) == side_of(rules, seat) else 0.0
    ours += (1.0 - FACE_DOWN_LEADER) * others
    high = (RANKS_PER_SUIT - 1 - card % RANKS_PER_SUIT) / RANKS_PER_SUIT
    if view.opening == Opening.ANDERE_ALTE:
        high = 1.0 if card % RANKS_PER_SUIT == ACE else 0.0
    if suit_set(view.trump) & bit(card):
        high = 0.0
    return ours + (1.0 - ours) * high / 3.0


@compiled
def taking_odds(rules, view, seat, card):
    """The chance that this seat's side takes the present trick if it plays this card."""
    leading = view.best == NONE
    best = card if leading or bit(card) & beating(view) else view.best
    led = card if leading else view.table[view.leader]
    side = side_of(rules, seat)
    if view.trick == 1 and view.opening == Opening.GEELFEN:
        return 1.0 if side_of(rules, view.leader) == side else 0.0
    friendly = best == card and (leading or bit(card) & beating(view) != 0)
    ours_now = 1.0 if friendly or side_of(rules, view.winning) == side else 0.0
    hidden = unseen(rules, view, seat)
    stake = np.float64(card_points(card))
    for other in range(rules.players):
        if view.table[other] != NONE:
            stake += card_points(view.table[other])
    holds, ours = 1.0, 0.0  # the chance that `best` still wins; the chance that a later friend has taken it
    later = (seat + 1) % rules.players
    while later != view.leader:
        friend = side_of(rules, later) == side
        feeds = friend and ours_now == 1.0  # rather than beat
        beaten = 0.0 if feeds else holds * beating_odds(view, later, led, best, hidden, stake)
        if friend:
            ours += beaten
        holds -= beaten
        later = (later + 1) % rules.players
    return ours + holds * ours_now


@compiled
def beating_odds(view, later, led, best, hidden, stake):
    """The chance that a seat still to play beats the trick: each unseen card is equally likely everywhere."""
    shown = view.shown[later]
    share = (view.held[later] - size(shown)) / max(size(hidden), 1)
    open_to = of_kinds(hidden, ~view.missing[later] & (bit(KINDS) - 1))
    led_suit, trumps = suit_set(led // RANKS_PER_SUIT), suit_set(view.trump)
    winners = beaters(best, suit_set(best // RANKS_PER_SUIT), trumps)
    follows = 1.0 - odds_of_none(shown, open_to, led_suit & winners, share)
    over = 0.0 if led_suit == trumps else 1.0 - odds_of_none(shown, open_to, trumps & winners, share)
    if view.indicator == NONE:
        return follows + (1.0 - follows) * odds_of_none(shown, open_to, led_suit, share) * over
    follows *= WILLING
    return follows + (1.0 - follows) * over * min(1.0, RUFF * stake)


@compiled
def odds_of_none(shown, hidden, wanted, share):
    return 0.0 if shown & wanted else (1.0 - share) ** size(of_kinds(hidden, wanted))

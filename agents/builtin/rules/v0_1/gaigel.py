"""The rule-based player of Gaigel of version 0.1.

It opens Ge-elfen with an ace, else with its lowest card. It exchanges and declares whatever it can, remembers
every card, and says Aus as soon as its side has 101. It weighs the points that a trick should bring its side
against what the card is worth kept. Partners feed each other's sure tricks. Pairs are kept until they can be
declared.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, first
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import ACE, KING, QUEEN, RANKS_PER_SUIT, card_points, pair, suit_set
from stichwerk.envs.games.gaigel.double import KINDS, copies, kinds, less, of_kinds, size
from stichwerk.envs.games.gaigel.flow import legal
from stichwerk.envs.games.gaigel.hidden import unseen
from stichwerk.envs.games.gaigel.state import (
    ACTIONS,
    AUS,
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
from stichwerk.envs.games.gaigel.trick import beating, plays_face_down
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("gaigel_v0",)
SINCE = "0.1"

# What a card is worth kept, in points, by rank A T K Q J 7, while cards are drawn and afterwards: settled,
# like all numbers here, by playing variants against each other.
WORTH_PLAIN = np.array([9.0, 1.0, 2.0, 1.5, 0.5, 0.0])
WORTH_TRUMP = np.array([26.0, 23.0, 16.0, 15.0, 14.0, 12.0])
LATE_PLAIN = np.array([9.0, 5.0, 2.0, 1.5, 0.5, 0.0])
LATE_TRUMP = np.array([14.0, 12.0, 9.0, 8.0, 7.0, 6.0])
WORTH_PAIR = 12.0  # more for king and queen that can still be declared; twice that in trumps …
WORTH_MATE_OUT = 4.0  # … or for one of them while the other may still be drawn
FED, THROWN = 10.0, 2.0  # what a card still to come brings the side that its owner is on, and the other one
# What the first trick of a side is worth, without which it can neither exchange nor declare.
FIRST_TRICK = 10.0
DECISIVE = 40.0  # taking or losing the trick that reaches 101
WILLING = 0.7  # how readily a higher card of the suit is played where it need not be
RUFF = 0.04  # … and a trump, for each point on the table
FACE_DOWN_LEADER = 0.4  # how often the lead of a face-down trick wins it
SIGNALLED = 6.0  # for leading a suit that a partner has asked for


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    action = choose_besides_cards(rules, view, seat, mask)
    return choose_card(rules, view, seat, mask) if action == NONE else action


@compiled
def choose_besides_cards(rules, view, seat, mask):
    """What comes before a card, or NONE: the opening, Aus, exchange, pairs, signals."""
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
def choose_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(KINDS):
        if mask[PLAY + card]:
            value = card_value(rules, view, seat, card)
            if value > best_value:
                best, best_value = PLAY + card, value
    return best


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


# Single cards


@compiled
def card_value(rules, view, seat, card):
    """The points the trick is expected to bring this side with the card, less what the card is worth kept."""
    side = side_of(rules, seat)
    if wants_no_trick(rules, view, seat):
        return (
            -100.0 * taking_odds(rules, view, seat, card)
            - (1000.0 if bit(card) & SEVENS else 0.0)
            - card_points(card)
        )
    ours = (
        first_trick_odds(rules, view, seat, card)
        if plays_face_down(rules, view)
        else taking_odds(rules, view, seat, card)
    )

    won, lost = trick_points(rules, view, seat, card)
    if view.tricks[side] == 0:
        won += FIRST_TRICK
    if view.points[side] + won >= GOAL:
        won += DECISIVE
    for other in range(rules.side_count):
        if other != side and view.points[other] + lost >= GOAL:
            lost += DECISIVE
            break
    value = ours * won - (1.0 - ours) * lost - worth(view, seat, card)
    if seat == view.leader and signalled(rules, view, seat, card // RANKS_PER_SUIT):
        value += SIGNALLED
    return value


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
def wants_no_trick(rules, view, seat):
    """Forehand, after opening Auf Dissle, keeps the sevens and stays out of every trick."""
    return view.opening == Opening.DISSLE and seat == forehand(rules, view)


@compiled
def signalled(rules, view, seat, suit):
    for other in range(rules.players):
        if other != seat and side_of(rules, other) == side_of(rules, seat) and view.signal[other] == suit:
            return True
    return False


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


@compiled
def worth(view, seat, card):
    """What a card is worth kept."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps = suit == view.trump
    if view.indicator == NONE:
        value = LATE_TRUMP[rank] if trumps else LATE_PLAIN[rank]
    else:
        value = WORTH_TRUMP[rank] if trumps else WORTH_PLAIN[rank]
    if rank in (KING, QUEEN) and copies(view.hand[seat], card) > copies(view.declared[seat], card):
        other = first(pair(suit) ^ bit(card))
        scale = 2.0 if trumps else 1.0
        if copies(view.hand[seat], other) > copies(view.declared[seat], other):
            value += scale * WORTH_PAIR
        elif view.indicator != NONE and copies(view.gone, other) < 2:
            value += scale * WORTH_MATE_OUT
    return value

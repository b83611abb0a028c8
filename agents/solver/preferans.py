"""The play of Preferans with all cards known: the declarer against all others.

The first side is the declarer. The score of a hand depends on the tricks of each defender, on the sheet,
refas and options. So the game itself scores every way in which a hand can end. A value is the place of the
declarer's score among these, from 0 for the worst. All others together lose what the declarer gets.

Players are numbered from the declarer on, in the order of play. Cards of one hand are equivalent if no card
of another hand or on the table lies between them. Of these only the highest is tried. Positions are the same
if in every suit the same players hold the cards from the top, whatever these are called.
"""

import numpy as np

from stichwerk.agents.solver.cards import unbeaten
from stichwerk.agents.solver.kernel import NOWHERE, Kernel, record_of
from stichwerk.envs.core.cards import NONE, NOTHING, bit, count, first, last
from stichwerk.envs.core.tricks import beaters, strict_set
from stichwerk.envs.games.preferans.scoring import DEFENCE_GOAL, score_hand
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    BETL,
    CARD_OF,
    IN_HAND,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    STATE,
    Phase,
    first_defender,
    hand_of,
    plays,
    second_defender,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game

SOLVES = ("preferans_v0",)

DECLARER, FIRST, SECOND = range(ACTIVE)
ENDS = (
    (DEFENCE_GOAL + 1) * (DEFENCE_GOAL + 2) // 2
)  # by the tricks of two defenders, who need no more than five
SUIT_CARDS = (1 << RANKS_PER_SUIT) - 1
OWNER_BITS = 2
SUIT_KEY_BITS = OWNER_BITS * RANKS_PER_SUIT
LOST = 1  # betl or preferans, in place of the first defender's tricks

BY_TRICKS = (DEFENCE_GOAL + 1, DEFENCE_GOAL + 1)
NODE = record_of(
    {
        "hand": (np.int64, ACTIVE),
        "tricks": (np.int8, ACTIVE),
        "player": np.int8,  # who is to act
        "leader": np.int8,
        "led": np.int8,
        "best": np.int8,
        "winning": np.int8,
    }
)
KNOWN = record_of(
    {
        "seat": (np.int8, ACTIVE),
        "plays": (np.int8, ACTIVE),
        "game": np.int8,
        "trumps": np.int64,
        "owners": (np.int64, (4, SUIT_CARDS + 1)),  # of the cards in each part of a suit, from the top
        "ends": np.int8,  # how many different ones there are
        "points": (np.float64, ENDS),  # that the declarer gets by each, in order
        "paid": (np.float64, BY_TRICKS),  # to the declarer, by the tricks of both defenders
        "low": (np.int8, (IN_HAND + 1, *BY_TRICKS)),  # the worst and the best end, by tricks to come
        "high": (np.int8, (IN_HAND + 1, *BY_TRICKS)),
        "scored": (STATE.dtype, 1),  # to be scored by the game
    }
)


def knows(rules: np.record, state: np.record) -> bool:
    return bool(state.phase == Phase.PLAY)


def shared(rules: np.record, state: np.record) -> bool:
    """The defenders are paid by the tricks of each."""
    return bool(state.seat != state.declarer)


def sides(game: Game, state: np.record) -> list[int]:
    """The declarer against all others; before there is one, each seat is a side."""
    if state.declarer == NONE:
        return list(game.sides)
    return [int(seat != state.declarer) for seat in range(game.seats)]


@compiled
def begin(rules, state, known, node):
    known.game = state.game
    known.trumps = trump_set(state)
    known.seat[DECLARER] = state.declarer
    known.seat[FIRST], known.seat[SECOND] = first_defender(rules, state), second_defender(rules, state)
    node.led, node.best = state.led, state.best
    node.winning = NONE
    for player in range(ACTIVE):
        seat = known.seat[player]
        known.plays[player] = plays(rules, state, seat)
        node.hand[player] = hand_of(state, seat) if known.plays[player] else NOTHING
        node.tricks[player] = state.tricks[seat]
        if seat == state.seat:
            node.player = player
        if seat == state.leader:
            node.leader = player
        if seat == state.winning:
            node.winning = player
    list_owners(known, node)
    list_ends(rules, state, known)


@compiled
def list_owners(known, node):
    """For all sets of cards of a suit: who hold them, from the top, two bits each. A card that nobody holds
    is as if it were not in the set."""
    for suit in range(4):
        for cards in range(1, SUIT_CARDS + 1):
            lowest = last(cards)
            owners = known.owners[suit, cards & ~bit(lowest)]
            for player in range(ACTIVE):
                if node.hand[player] >> suit * RANKS_PER_SUIT + lowest & 1:
                    owners = owners << OWNER_BITS | player + 1
            known.owners[suit, cards] = owners


# How a hand can end


@compiled
def list_ends(rules, state, known):
    """Score every end, number them by what the declarer gets, and see between which the play can still
    decide."""
    known.ends = 0
    for one in range(DEFENCE_GOAL + 1):
        for two in range(DEFENCE_GOAL + 1 - one):
            if can_be(known, one, two):
                known.paid[one, two] = declarers_points(rules, state, known, one, two)
                note_points(known, known.paid[one, two])
    for to_come in range(IN_HAND + 1):
        for one in range(DEFENCE_GOAL + 1):
            for two in range(DEFENCE_GOAL + 1 - one):
                if can_be(known, one, two):
                    see_reach(known, to_come, one, two)


@compiled
def can_be(known, one, two):
    """True if the defenders can have this number of tricks; in betl and preferans only the loser counts."""
    return (known.game != BETL and known.game != PREFERANS) or (one <= LOST and two == 0)


@compiled
def declarers_points(rules, state, known, one, two):
    """The declarer's points if the hand ends so."""
    known.scored[0] = state
    scored = known.scored[0]
    scored.match = 0
    scored.tricks[:] = 0
    if known.game == BETL:
        scored.tricks[state.declarer] = one
    else:
        scored.tricks[known.seat[FIRST]] = one
        scored.tricks[known.seat[SECOND]] = two
        scored.tricks[state.declarer] = IN_HAND - one - two
    score_hand(rules, scored)
    return scored.deal_points[state.declarer]


@compiled
def note_points(known, points):
    """Put points in their place among those of other ends, unless they are there."""
    place = np.searchsorted(known.points[: known.ends], points)
    if place < known.ends and known.points[place] == points:
        return
    for i in range(known.ends, place, -1):
        known.points[i] = known.points[i - 1]
    known.points[place] = points
    known.ends += 1


@compiled
def see_reach(known, to_come, one, two):
    if to_come == 0 or is_decided(known, one, two):
        low = high = np.searchsorted(known.points[: known.ends], known.paid[one, two])
    else:
        low, high = known.low[to_come - 1, one, two], known.high[to_come - 1, one, two]
        if known.plays[FIRST]:
            low = min(low, known.low[to_come - 1, one + 1, two])
            high = max(high, known.high[to_come - 1, one + 1, two])
        if known.plays[SECOND] and can_be(known, one, two + 1):
            low = min(low, known.low[to_come - 1, one, two + 1])
            high = max(high, known.high[to_come - 1, one, two + 1])
    known.low[to_come, one, two], known.high[to_come, one, two] = low, high


@compiled
def is_decided(known, one, two):
    return one + two == (LOST if known.game == BETL or known.game == PREFERANS else DEFENCE_GOAL)


@compiled
def tricks_that_count(known, node):
    """The tricks of both defenders or, in betl and preferans, whether the game is lost."""
    if known.game == BETL:
        return min(node.tricks[DECLARER], LOST), 0
    if known.game == PREFERANS:
        return min(node.tricks[FIRST] + node.tricks[SECOND], LOST), 0
    return node.tricks[FIRST], node.tricks[SECOND]


@compiled
def settle(rules, known, node):
    if node.led != NONE:
        return 0, known.ends - 1
    one, two = tricks_that_count(known, node)
    to_come = count(node.hand[DECLARER])
    return known.low[to_come, one, two], known.high[to_come, one, two]


@compiled
def game_points(rules, state, known, value):
    paid = known.points[value]
    return paid if state.seat == state.declarer else -paid / (rules.players - 1)


# Playing


@compiled
def first_acts(known, node):
    return node.player == DECLARER


@compiled
def move_of(known, action):
    return CARD_OF[action - PLAY]


@compiled
def following(known, player):
    """The next player who plays cards."""
    while True:
        player = player + 1 if player < SECOND else DECLARER
        if known.plays[player]:
            return player


@compiled
def apply(rules, known, node, card):
    player = node.player
    node.hand[player] &= ~bit(card)
    if node.led == NONE:
        node.led = card
        node.best, node.winning = card, player
    elif bit(card) & beating(known, node):
        node.best, node.winning = card, player
    node.player = following(known, player)
    if node.player == node.leader:
        node.tricks[node.winning] += 1
        node.player = node.leader = node.winning
        node.led = NONE


@compiled
def beating(known, node):
    """The cards that beat the trick as it stands."""
    return beaters(node.best, suit_set(node.best // RANKS_PER_SUIT), known.trumps)


@compiled
def moves(rules, known, node):
    """The legal cards, of equivalent ones the highest."""
    player = node.player
    hand = node.hand[player]
    others = (node.hand[DECLARER] | node.hand[FIRST] | node.hand[SECOND]) & ~hand
    cards = hand
    if node.led != NONE:
        cards = strict_set(hand, suit_set(node.led // RANKS_PER_SUIT), known.trumps, 0)
        others |= bit(node.best)
    chosen, left = NOTHING, cards
    while left:
        card = first(left)
        left &= left - 1
        chosen |= bit(card)
        # What follows in this hand before the next card of somebody else in the suit is equivalent.
        suit = suit_set(card // RANKS_PER_SUIT)
        lower = suit & others & -bit(card)
        left &= ~(suit & (bit(first(lower)) - 1) if lower else suit)
    return chosen


@compiled
def pick(rules, known, node, cards):
    if node.led == NONE:
        return pick_lead(known, node, cards)
    return pick_answer(known, node, cards)


@compiled
def pick_lead(known, node, cards):
    """A card that nobody can beat in its suit; else the lowest of the first suit."""
    others = (node.hand[DECLARER] | node.hand[FIRST] | node.hand[SECOND]) & ~node.hand[node.player]
    card = unbeaten(cards if known.game != BETL else NOTHING, others, RANKS_PER_SUIT)
    return card if card != NONE else last(cards)


@compiled
def pick_answer(known, node, cards):
    """The cheapest card that wins, unless a partner is winning; else the lowest."""
    winners = cards & beating(known, node)
    if known.game == BETL:
        below = cards & ~winners
        return first(below) if below else first(cards)
    partners = node.player != DECLARER and node.winning != DECLARER
    return last(winners) if winners and not partners else last(cards)


# Positions in the table


@compiled
def key(rules, known, node):
    if node.led != NONE:
        return 0, NOWHERE
    cards = node.hand[DECLARER] | node.hand[FIRST] | node.hand[SECOND]
    one = NOTHING
    for suit in range(4):
        owners = known.owners[suit, cards >> suit * RANKS_PER_SUIT & SUIT_CARDS]
        one |= owners << suit * SUIT_KEY_BITS
    first_tricks, second_tricks = tricks_that_count(known, node)
    return one, node.leader | first_tricks << 2 | second_tricks << 5


KERNEL = Kernel(
    node=NODE,
    known=KNOWN,
    deepest=ACTIVE * IN_HAND,
    begin=begin,
    settle=settle,
    moves=moves,
    pick=pick,
    apply=apply,
    key=key,
    first_acts=first_acts,
    game_points=game_points,
    move_of=move_of,
    knows=knows,
    shared=shared,
    sides=sides,
)

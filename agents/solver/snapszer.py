"""Snapszer with all cards known, once a card has been named.

The first side is forehand and the holder of the named card. A value is what it wins, as for a single winner:
without the multiplier of a lone forehand and without what was carried. A node has the fields of the game's
state that the rest of a deal depends on. They have the same names, so that most of its rules are the game's
own functions.

Some actions need not be searched. A right claim is never worse than any other action, since the losers'
points and tricks only grow. A wrong one is never better, as a side with a trick loses at most two by playing
on. To show a marriage is never worse than to lead the same card without it, unless it makes the partnership
public where that opens claims. No side can lose more than the base value against it as it stands.
"""

import numpy as np

from stichwerk.agents.solver.cards import pick_answer, pick_lead
from stichwerk.agents.solver.kernel import NOWHERE, Kernel, record_of
from stichwerk.envs.core.cards import NONE, NOTHING, bit, count, first, last
from stichwerk.envs.games.claims import SAFE
from stichwerk.envs.games.family import MARRIAGE, TRUMP_MARRIAGE, card_points, pair, suit_set
from stichwerk.envs.games.snapszer.flow import (
    LAST_TRICK_TEN,
    beating,
    claim_window_open,
    credit_pending,
    legal_actions,
)
from stichwerk.envs.games.snapszer.scoring import claim_outcome, unclaimed_outcome, value_against
from stichwerk.envs.games.snapszer.state import (
    CARDS,
    CLAIM,
    CONTINUE,
    GOAL,
    LONGEST_DEAL,
    MELD,
    PLAY,
    SEATS,
    Phase,
    forehand,
    opponent_of,
    provable_points,
    same_side,
    seat_after,
    side_of,
    side_points,
    trump,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game

SOLVES = ("snapszer_v0",)

MOST = 3  # game points of a deal, for a single winner
NODE = record_of(
    {
        "hand": (np.int32, SEATS),
        "points": (np.int16, SEATS),
        "pending": (np.int8, SEATS),
        "by_partner": (np.int8, SEATS),
        "voided": (np.int8, SEATS),
        "tricks": (np.int8, SEATS),
        "table": (np.int8, SEATS),
        "dealer": np.int8,
        "holder": np.int8,
        "named": np.int8,
        "public": np.int8,
        "phase": np.int8,
        "seat": np.int8,
        "leader": np.int8,
        "best": np.int8,
        "winning": np.int8,
        "melded": np.int8,
        "first_winner": np.int8,
        "value": np.int8,  # at the end
    }
)
KNOWN = record_of({"callers": np.int8})  # the first side, a set of seats


def knows(rules: np.record, state: np.record) -> bool:
    return Phase.NAME < state.phase < Phase.DONE


def sides(game: Game, state: np.record) -> list[int]:
    """Those who named against the others; before that, each seat is a side."""
    if state.named == NONE:
        return list(game.sides)
    callers = side_of(state, forehand(state))
    return [int(not callers >> seat & 1) for seat in range(SEATS)]


@compiled
def begin(rules, state, known, node):
    known.callers = side_of(state, forehand(state))
    for seat in range(SEATS):
        node.hand[seat] = state.hand[seat]
        node.points[seat] = state.points[seat]
        node.pending[seat] = state.pending[seat]
        node.by_partner[seat] = state.by_partner[seat]
        node.tricks[seat] = state.tricks[seat]
        node.table[seat] = state.table[seat]
    node.dealer, node.holder = state.dealer, state.holder
    node.named, node.public = state.named, state.public
    node.phase, node.seat, node.leader = state.phase, state.seat, state.leader
    node.best, node.winning, node.melded = state.best, state.winning, state.melded
    node.first_winner = state.first_winner


@compiled
def first_acts(known, node):
    return known.callers >> node.seat & 1 != 0


@compiled
def game_points(rules, state, known, value):
    """Each winner gets the points, and the others share the loss."""
    if value == 0:
        return 0.0
    amount = abs(value) * (rules.solo_multiplier if state.holder == forehand(state) else 1) + state.carry
    winners = count(known.callers) if value > 0 else SEATS - count(known.callers)
    if (value > 0) == (known.callers >> state.seat & 1 != 0):
        return np.float64(amount)
    return -amount * winners / (SEATS - winners)


# What can be seen at once


@compiled
def settle(rules, known, node):
    if node.phase == Phase.DONE:
        return node.value, node.value
    if node.phase == Phase.ANSWER:
        return -MOST, MOST
    if claims_rightly(rules, node):
        value = for_callers(known, *claim_outcome(rules, node))
        return value, value
    caller = first(known.callers)
    return -value_against(rules, node, caller), value_against(rules, node, opponent_of(node, caller))


@compiled
def claims_rightly(rules, node):
    """True if the seat to act can say that its side has the goal, or the engine says so."""
    if side_points(node, node.seat) < GOAL or not claim_window_open(rules, node):
        return False
    return rules.claims != SAFE or provable_points(node, node.seat) >= GOAL


@compiled
def for_callers(known, winner, value):
    """A value of the side of a seat, as seen from the first side."""
    return value if known.callers >> winner & 1 else -value


# Actions


@compiled
def moves(rules, known, node):
    actions = legal_actions(rules, node) & ~bit(CLAIM)
    for suit in range(4):
        if actions & bit(MELD + suit) and not opens_claims(rules, node, suit):
            actions &= ~(pair(suit) << PLAY)
    return actions


@compiled
def opens_claims(rules, node, suit):
    """True if a marriage of this suit lets others claim who could not yet."""
    if node.public or not pair(suit) & bit(node.named):
        return False
    return rules.claims == SAFE or rules.claim_needs_reveal


@compiled
def pick(rules, known, node, actions):
    if actions >= bit(MELD):
        return last(actions)
    cards, trumps = actions >> PLAY, suit_set(trump(node))
    if node.phase == Phase.ANSWER:
        partner_wins = same_side(node, node.winning, node.seat)
        return PLAY + pick_answer(cards, beating(node), trumps, partner_wins)
    theirs, opponents = NOTHING, ~side_of(node, node.seat)
    for seat in range(SEATS):
        theirs |= node.hand[seat] if opponents >> seat & 1 else NOTHING
    return PLAY + pick_lead(cards, theirs, trumps)


@compiled
def apply(rules, known, node, action):
    if action == CLAIM:
        finish(node, for_callers(known, *claim_outcome(rules, node)))
    elif action == CONTINUE:
        finish(node, for_callers(known, *unclaimed_outcome(rules, node)))
    elif action >= MELD:
        meld(node, action - MELD)
    else:
        play_card(rules, known, node, action - PLAY)


@compiled
def finish(node, value):
    node.phase = Phase.DONE
    node.value = value


@compiled
def meld(node, suit):
    value = TRUMP_MARRIAGE if suit == trump(node) else MARRIAGE
    if node.first_winner == NONE:
        node.pending[node.seat] += value
    else:
        node.points[node.seat] += value
    if pair(suit) & bit(node.named):
        node.public = 1
    node.melded = suit
    node.phase = Phase.MELDED


@compiled
def play_card(rules, known, node, card):
    seat = node.seat
    if node.best == NONE or bit(card) & beating(node):
        node.best, node.winning = card, seat
    node.hand[seat] &= ~bit(card)
    node.table[seat] = card
    if card == node.named:
        node.public = 1
    node.seat = seat_after(seat, 1)
    node.phase = Phase.ANSWER
    if node.seat == node.leader:
        end_trick(rules, known, node)


@compiled
def end_trick(rules, known, node):
    winner = node.winning
    for seat in range(SEATS):
        node.points[winner] += card_points(node.table[seat])
    node.tricks[winner] += 1
    credit_pending(rules, node, winner)
    if node.first_winner == NONE:
        node.first_winner = winner
    node.best = NONE
    node.seat = node.leader = winner
    node.phase = Phase.LEAD
    if node.hand[winner] == 0:
        node.points[winner] += LAST_TRICK_TEN
        node.phase = Phase.AFTER
        right = side_points(node, winner) >= GOAL
        outcome = claim_outcome(rules, node) if right else unclaimed_outcome(rules, node)
        finish(node, for_callers(known, *outcome))


# Positions in the table


@compiled
def key(rules, known, node):
    """Of positions on lead with some play to come: the cards left, which cannot change hands."""
    if node.phase != Phase.LEAD or count(node.hand[node.seat]) < 2:
        return 0, NOWHERE
    cards = node.hand[0] | node.hand[1] | node.hand[2] | node.hand[3]
    first_seat = forehand(node)  # who alone can have declared with the first lead
    two = node.seat | node.public << 2 | node.pending[first_seat] // MARRIAGE << 3
    for seat in range(SEATS):
        two |= (node.tricks[seat] > 0) << 5 + seat
    if rules.claims == SAFE and not node.public:  # what a seat can prove counts
        two |= node.by_partner[first_seat] // MARRIAGE << 9
        one = cards
        for seat in range(SEATS):
            one |= node.points[seat] << CARDS + 8 * seat
        return one, two
    caller = first(known.callers)
    ours, theirs = side_points(node, caller), side_points(node, opponent_of(node, caller))
    return cards | ours << CARDS | theirs << CARDS + 8, two


KERNEL = Kernel(
    node=NODE,
    known=KNOWN,
    deepest=LONGEST_DEAL,
    begin=begin,
    settle=settle,
    moves=moves,
    pick=pick,
    apply=apply,
    key=key,
    first_acts=first_acts,
    game_points=game_points,
    knows=knows,
    sides=sides,
)

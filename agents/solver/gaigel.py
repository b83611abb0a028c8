"""Endings of Gaigel for four or six players: the stock is exhausted, and all cards are known.

The first side is that of seat 0, and a value is its game points. A node has the fields of the game's state
that the rest of a deal depends on. They have the same names, so that most of its rules are the game's own
functions.

Some actions need not be searched. A right Aus is never worse than any other action, since the other side's
tricks only grow. A wrong one is never better, as a side with a trick loses at most one by playing on. Auf
Dissle alone may bring more than Aus, and lose as much as a wrong one. A pair that binds nobody to play one of
its cards is declared at once. Signals change nothing.
"""

import numpy as np

from stichwerk.agents.solver.cards import for_first, pick_answer, pick_lead
from stichwerk.agents.solver.kernel import NOWHERE, Kernel, record_of
from stichwerk.envs.core.cards import NONE, NOTHING, bit, first, last, only_if
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.family import (
    KING,
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    suit_set,
)
from stichwerk.envs.games.gaigel.cards.double import KINDS, add, copies, kinds, remove, size
from stichwerk.envs.games.gaigel.cards.trick import beating, playable, promised
from stichwerk.envs.games.gaigel.flow import LAST_TRICK_TEN, aus_window_open, legal_melds
from stichwerk.envs.games.gaigel.options import IN_HAND
from stichwerk.envs.games.gaigel.state import (
    AUS,
    CONTINUE,
    LONGEST_DEAL,
    MELD,
    PLAY,
    SEATS,
    SIGNAL,
    Opening,
    Phase,
    forehand,
    reached_goal,
    side_of,
)
from stichwerk.envs.jit.compiled import compiled

SOLVES = ("gaigel_v0",)

TWO_SIDES = 2
MOST = 2  # game points of a deal
POINT_BITS = 9  # of a side's card points and pairs
NODE = record_of(
    {
        "hand": (np.int64, SEATS),
        "declared": (np.int64, SEATS),
        "points": (np.int16, TWO_SIDES),
        "tricks": (np.int8, TWO_SIDES),
        "table": (np.int8, SEATS),
        "dealer": np.int8,
        "opening": np.int8,
        "trump": np.int8,
        "indicator": np.int8,
        "phase": np.int8,
        "seat": np.int8,
        "leader": np.int8,
        "trick": np.int8,
        "best": np.int8,
        "winning": np.int8,
        "melded": np.int8,
        "owed": np.int8,
        "value": np.int8,  # at the end
    }
)
KNOWN = record_of(
    {
        "card_at": (np.int8, (SEATS, KINDS)),  # a bit of the key for each card in a hand, copies side by side
        "mark_at": (np.int8, (SEATS, KINDS)),  # and for each king and queen, whether it has been declared
    }
)


def knows(rules: np.record, state: np.record) -> bool:
    exhausted = state.indicator == NONE and state.phase in (Phase.TURN, Phase.AFTER)
    return bool(rules.side_count == TWO_SIDES and exhausted)


@compiled
def begin(rules, state, known, node):
    for side in range(TWO_SIDES):
        node.points[side], node.tricks[side] = state.points[side], state.tricks[side]
    for seat in range(SEATS):
        node.hand[seat], node.declared[seat] = state.hand[seat], state.declared[seat]
        node.table[seat] = state.table[seat]
    node.dealer, node.opening, node.trump = state.dealer, state.opening, state.trump
    node.indicator, node.phase, node.seat = state.indicator, state.phase, state.seat
    node.leader, node.trick, node.best = state.leader, state.trick, state.best
    node.winning, node.melded, node.owed = state.winning, state.melded, state.owed
    number_cards(known, node)


@compiled
def number_cards(known, node):
    """Number the cards in all hands, and the kings and queens among them, for keys."""
    cards = marks = 0
    for seat in range(SEATS):
        for card in range(KINDS):
            known.card_at[seat, card], known.mark_at[seat, card] = cards, marks
            held = copies(node.hand[seat], card)
            cards += held
            marks += held if card % RANKS_PER_SUIT in (KING, QUEEN) else 0


@compiled
def first_acts(known, node):
    return node.seat & 1 == 0


@compiled
def game_points(rules, state, known, value):
    return np.float64(value if state.seat & 1 == 0 else -value)


# What can be seen at once


@compiled
def settle(rules, known, node):
    if node.phase == Phase.DONE:
        return node.value, node.value
    dissle = node.opening == Opening.DISSLE
    if (not dissle or rules.claims == AUTO) and may_say_aus_rightly(rules, node):
        value = aus_value(rules, node)
        return value, value
    if dissle:
        return -MOST, MOST
    return -right_aus(node, 0), right_aus(node, 1)


@compiled
def may_say_aus_rightly(rules, node):
    return reached_goal(rules, node, node.seat) and aus_window_open(rules, node)


@compiled
def right_aus(node, loser):
    """The value of Aus against a side in this position."""
    return 2 if node.tricks[loser] == 0 else 1


@compiled
def aus_value(rules, node):
    """The value of Aus of the seat to act, right or wrong."""
    side = side_of(rules, node.seat)
    right = reached_goal(rules, node, node.seat)
    return for_first(side, right_aus(node, 1 - side) if right else -2)


@compiled
def unclaimed(rules, node):
    """The value if nobody says Aus after the last trick."""
    if node.points[0] == node.points[1]:
        return for_first(side_of(rules, node.leader), 1) if rules.last_trick_wins else 0
    return 1 if node.points[0] > node.points[1] else -1


# Actions


@compiled
def moves(rules, known, node):
    aus = only_if(may_say_aus_rightly(rules, node), AUS)  # in Auf Dissle, else the position is settled
    if node.phase == Phase.AFTER:
        return bit(CONTINUE) | aus
    cards = playable(rules, node)
    actions = (cards & promised(rules, node)) << PLAY
    if node.owed != NONE:
        return actions
    pairs = legal_melds(rules, node, cards) << MELD
    binding = node.tricks[side_of(rules, node.seat)] == 0 or rules.meld_must_play
    if pairs and not binding and node.opening != Opening.DISSLE:
        return bit(last(pairs))
    return actions | pairs | aus


@compiled
def pick(rules, known, node, actions):
    if actions >= bit(MELD):
        return last(actions)
    cards, trumps = actions >> PLAY, suit_set(node.trump)
    if node.best != NONE:
        partner_wins = side_of(rules, node.winning) == side_of(rules, node.seat)
        return PLAY + pick_answer(cards, beating(node), trumps, partner_wins)
    theirs = NOTHING
    for seat in range(rules.players):
        theirs |= kinds(node.hand[seat]) if seat & 1 != node.seat & 1 else NOTHING
    return PLAY + pick_lead(cards, theirs, trumps)


@compiled
def apply(rules, known, node, action):
    if action == AUS:
        finish(node, aus_value(rules, node))
    elif action == CONTINUE:
        finish(node, unclaimed(rules, node))
    elif action < MELD:
        play_card(rules, node, action - PLAY)
    elif action < SIGNAL:
        meld(rules, node, action - MELD)


@compiled
def finish(node, value):
    node.phase = Phase.DONE
    node.value = value


@compiled
def meld(rules, node, suit):
    seat = node.seat
    side = side_of(rules, seat)
    if node.tricks[side] == 0:
        node.owed = suit
    for rank in (KING, QUEEN):
        node.declared[seat] = add(node.declared[seat], suit * RANKS_PER_SUIT + rank)
    node.points[side] += TRUMP_MARRIAGE if suit == node.trump else MARRIAGE
    node.melded |= bit(suit)


@compiled
def play_card(rules, node, card):
    seat = node.seat
    node.table[seat] = card
    node.hand[seat] = remove(node.hand[seat], card)
    if copies(node.declared[seat], card):
        node.declared[seat] = remove(node.declared[seat], card)
    if node.best == NONE or bit(card) & beating(node):
        node.best, node.winning = card, seat
    node.seat = wrapped(rules, seat + 1)
    node.melded, node.owed = 0, NONE
    if node.seat == node.leader:
        end_trick(rules, node)


@compiled
def end_trick(rules, node):
    winner = node.winning
    side = side_of(rules, winner)
    for seat in range(rules.players):
        node.points[side] += card_points(node.table[seat])
    node.best = NONE
    node.tricks[side] += 1
    node.trick += 1
    node.leader, node.seat = winner, winner

    last_trick = node.hand[winner] == 0
    if last_trick and rules.last_trick_10:
        node.points[side] += LAST_TRICK_TEN
    if node.opening == Opening.DISSLE and winner == forehand(rules, node):
        finish(node, for_first(1 - side, rules.dissle_value))
    elif last_trick:
        node.phase = Phase.AFTER
        right = reached_goal(rules, node, winner)
        finish(node, aus_value(rules, node) if right else unclaimed(rules, node))


# Positions in the table


@compiled
def key(rules, known, node):
    """Of positions on lead with some play to come: who holds which cards, and which of them are declared."""
    if node.best != NONE or node.melded or size(node.hand[node.leader]) < 2:
        return 0, NOWHERE
    one = two = NOTHING
    for seat in range(rules.players):
        left = kinds(node.hand[seat])
        while left:
            card = first(left)
            left &= left - 1
            one |= numbered(copies(node.hand[seat], card), known.card_at[seat, card])
        left = kinds(node.declared[seat])
        while left:
            card = first(left)
            left &= left - 1
            two |= numbered(copies(node.declared[seat], card), known.mark_at[seat, card])
    at = SEATS * IN_HAND
    one |= node.points[0] << at | node.points[1] << at + POINT_BITS
    one |= node.leader << at + 2 * POINT_BITS
    one |= (node.tricks[0] > 0) << at + 2 * POINT_BITS + 3 | (node.tricks[1] > 0) << at + 2 * POINT_BITS + 4
    return one, two


@compiled
def numbered(number, at):
    """A number of copies of a card as bits."""
    return (bit(number) - 1) << at


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
)

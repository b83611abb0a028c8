"""Schnapsen and Sixty-six with all cards known.

The first side is seat 0, and a value is its game points. A node has the fields of the game's state that the
rest of a deal depends on, under the same names. So the game's own functions say what is legal and what a deal
is worth. Only the steps from one position to the next are written again, without the marks of what is
publicly known.

What need not be searched, whatever the options (X is to act, Y the other; losing costs what the docs call
base or penalty):

- A right claim is never worse than any other action. Nobody can get more than the base value against the
  other side as it stands now, since its points and tricks only grow. Against a closer the claim brings the
  whole penalty.
- A wrong claim is never better, as playing on loses no more, but for one case. There Y has closed, the counts
  at closing decide, and X had no trick then. X loses three if the closer makes it, and two by a wrong claim
  if the closer had a trick.
- A marriage is never worse than leading the same card without showing it: more points of the own side do no
  harm.
- While nobody has closed, neither side can lose more than the base value against it as it stands, if it just
  plays on. A closer wins at most the base value against the other side, and loses the penalty. The penalty is
  certain if all cards in both hands and the closer's marriages do not reach the goal.

No cards are equivalent: no two ranks have the same points.
"""

import numpy as np

from stichwerk.agents.solver.cards import cheapest, for_first, points_of
from stichwerk.agents.solver.kernel import NOWHERE, Kernel, record_of
from stichwerk.agents.solver.schnapsen_positions import fits
from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import (
    KING,
    MARRIAGE,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    pair,
    penalty,
    suit_set,
)
from stichwerk.envs.games.schnapsen.flow import (
    claim_window_open,
    go_to_lead,
    legal_actions,
    may_close,
    may_exchange,
)
from stichwerk.envs.games.schnapsen.options import (
    AFTER_TRICK,
    ALWAYS,
    AT_CLOSE,
    LAST_TEN,
    NEXT_TRICK,
    THAT_TRICK,
)
from stichwerk.envs.games.schnapsen.scoring import (
    LAST_TRICK_TEN,
    claim_outcome,
    closed_outcome,
    closed_value,
    deciding_tricks,
    unclaimed_outcome,
    value_against,
)
from stichwerk.envs.games.schnapsen.state import (
    CARDS,
    CLAIM,
    CLOSE,
    CONTINUE,
    EXCHANGE,
    LONGEST_DEAL,
    MELD,
    SEATS,
    Phase,
    before_first_trick,
    drawable,
    exchange_card,
    face_down,
    reached_goal,
)
from stichwerk.envs.jit.compiled import compiled

SOLVES = "schnapsen_v0", "sixty_six_v0"

NODE = record_of(
    {
        "hand": (np.int32, SEATS),
        "points": (np.int16, SEATS),
        "pending": (np.int16, SEATS),
        "closed_points": (np.int16, SEATS),
        "tricks": (np.int8, SEATS),
        "closed_tricks": (np.int8, SEATS),
        "phase": np.int8,
        "seat": np.int8,
        "leader": np.int8,
        "trump": np.int8,
        "led": np.int8,
        "melded": np.int8,
        "top": np.int8,
        "indicator": np.int8,
        "closed_by": np.int8,
        "value": np.int8,  # at the end
    }
)
KNOWN = record_of({"deck": (np.int8, CARDS)})
MOST = 3  # game points of a deal


@compiled
def revealed(rules, state):
    """True if the stock is exhausted, so that each seat can tell the other's cards."""
    return face_down(rules, state) == 0


@compiled
def begin(rules, state, known, node):
    for position in range(CARDS):
        known.deck[position] = state.deck[position]
    for seat in range(SEATS):
        node.hand[seat] = state.hand[seat]
        node.points[seat] = state.points[seat]
        node.pending[seat] = state.pending[seat]
        node.closed_points[seat] = state.closed_points[seat]
        node.tricks[seat] = state.tricks[seat]
        node.closed_tricks[seat] = state.closed_tricks[seat]
    node.phase, node.seat, node.leader = state.phase, state.seat, state.leader
    node.trump, node.led, node.melded = state.trump, state.led, state.melded
    node.top, node.indicator, node.closed_by = state.top, state.indicator, state.closed_by


@compiled
def first_acts(known, node):
    return node.seat == 0


@compiled
def game_points(rules, state, known, value):
    return np.float64(value if state.seat == 0 else -value)


# What can be seen at once


@compiled
def settle(rules, known, node):
    if node.phase == Phase.DONE:
        return node.value, node.value
    seat = node.seat
    if reached_goal(rules, node, seat) and claim_window_open(rules, node):
        value = for_first(*claim_outcome(rules, node))
        return value, value
    if node.phase == Phase.ANSWER:
        return -MOST, MOST
    if node.closed_by != NONE:
        return settle_closed(rules, node)
    return -value_against(rules, node, 0), value_against(rules, node, 1)


@compiled
def settle_closed(rules, node):
    """Bounds after closing. The counts at closing do not change; those of the end can only grow."""
    closer = node.closed_by
    other = 1 - closer
    loss = penalty(deciding_tricks(rules, node, other))
    if can_reach_goal(rules, node, closer):
        low, high = -loss, closed_value(rules, node)
    else:
        low, high = -loss, -loss if rules.score_at == AT_CLOSE else -penalty(1)
    return (low, high) if closer == 0 else (-high, -low)


@compiled
def can_reach_goal(rules, node, closer):
    """True if all cards and the closer's marriages would reach the goal."""
    hand = node.hand[closer]
    total = node.points[closer] + node.pending[closer] + points_of(hand | node.hand[1 - closer])
    if rules.meld_phase == ALWAYS:
        for suit in range(4):
            if hand & pair(suit) == pair(suit):
                total += TRUMP_MARRIAGE if suit == node.trump else MARRIAGE
    return total >= rules.goal


# Actions


@compiled
def moves(rules, known, node):
    actions = legal_actions(rules, node)
    if not losing_early_pays(rules, node):
        actions &= ~bit(CLAIM)
    for suit in range(4):
        if actions & bit(MELD + suit):
            led_anyway = bit(suit * RANKS_PER_SUIT + KING) if rules.king_leads_marriage else pair(suit)
            actions &= ~led_anyway
    return actions


@compiled
def losing_early_pays(rules, node):
    """True if a wrong claim can be better than to play on."""
    if node.closed_by == NONE or node.closed_by == node.seat or rules.score_at != AT_CLOSE:
        return False
    return node.closed_tricks[node.seat] == 0 and node.closed_tricks[node.closed_by] > 0


@compiled
def pick(rules, known, node, actions):
    if node.phase == Phase.ANSWER:
        return pick_answer(rules, node, actions)
    if actions & bit(CLOSE):
        return CLOSE
    if actions & bit(EXCHANGE):
        return EXCHANGE
    if actions >= bit(MELD):
        return last(actions)
    return pick_lead(rules, node, actions)


@compiled
def pick_lead(rules, node, cards):
    """The highest card that the other hand cannot take; if it can take all, the cheapest."""
    theirs, trumps = node.hand[1 - node.seat], suit_set(node.trump)
    strict = not drawable(rules, node)
    left = cards
    while left:
        card = first(left)
        suit = suit_set(card // RANKS_PER_SUIT)
        ruffed = suit != trumps and theirs & trumps and not (strict and theirs & suit)
        if not ruffed and not theirs & suit & (bit(card) - 1):
            return card
        left &= ~suit
    return cheapest(cards, trumps)


@compiled
def pick_answer(rules, node, cards):
    """The cheapest card that takes the trick; if none does, the cheapest."""
    suit, trumps = suit_set(node.led // RANKS_PER_SUIT), suit_set(node.trump)
    winners = cards & beaters(node.led, suit, trumps)
    if winners & suit:
        return first(winners & suit)
    if winners:
        return last(winners)
    return cheapest(cards, trumps)


@compiled
def apply(rules, known, node, action):
    if action == CLAIM:
        finish(node, *claim_outcome(rules, node))
    elif action == EXCHANGE:
        exchange(rules, known, node)
    elif action == CLOSE:
        close(rules, node)
    elif action == CONTINUE:
        if drawable(rules, node):
            draw(rules, known, node)
        else:
            finish(node, *unclaimed_outcome(rules, node))
    elif action >= MELD:
        meld(rules, node, action - MELD)
    elif node.phase == Phase.ANSWER:
        answer(rules, known, node, action)
    else:
        node.hand[node.seat] &= ~bit(action)
        node.led = action
        node.seat = 1 - node.seat
        node.phase = Phase.ANSWER


@compiled
def finish(node, winner, points):
    node.phase = Phase.DONE
    node.value = for_first(winner, points)


@compiled
def exchange(rules, known, node):
    given = exchange_card(rules, node)
    node.hand[node.seat] ^= bit(given) | bit(node.indicator)
    node.indicator = given
    if node.phase == Phase.AFTER:
        draw_unless_options(rules, known, node)


@compiled
def close(rules, node):
    node.closed_by = node.seat
    for seat in range(SEATS):
        node.closed_points[seat] = node.points[seat]
        node.closed_tricks[seat] = node.tricks[seat]
    if node.hand[node.seat]:
        go_to_lead(node, node.seat)
    else:
        finish(node, *closed_outcome(rules, node))


@compiled
def meld(rules, node, suit):
    value = TRUMP_MARRIAGE if suit == node.trump else MARRIAGE
    if rules.marriages_count == NEXT_TRICK or before_first_trick(node):
        node.pending[node.seat] += value
    else:
        node.points[node.seat] += value
    node.melded = suit
    node.phase = Phase.MELDED


@compiled
def answer(rules, known, node, card):
    follower, led = node.seat, node.led
    better = beaters(led, suit_set(led // RANKS_PER_SUIT), suit_set(node.trump))
    winner = follower if bit(card) & better else node.leader
    node.hand[follower] &= ~bit(card)
    if before_first_trick(node) and rules.first_marriage_counts == THAT_TRICK:
        node.pending[1 - winner] = 0
    node.tricks[winner] += 1
    node.points[winner] += card_points(led) + card_points(card) + node.pending[winner]
    node.pending[winner] = 0

    if drawable(rules, node):
        node.seat = winner
        node.phase = Phase.AFTER
        draw_unless_options(rules, known, node)
    elif node.hand[winner]:
        go_to_lead(node, winner)
    elif node.closed_by != NONE:
        finish(node, *closed_outcome(rules, node))
    else:
        finish(node, *stock_outcome(rules, node, winner))


@compiled
def stock_outcome(rules, node, winner):
    """Of the last trick of an exhausted stock, with the claim that may follow."""
    if rules.last_trick == LAST_TEN:
        node.points[winner] += LAST_TRICK_TEN
        if not reached_goal(rules, node, winner):
            return unclaimed_outcome(rules, node)
    return winner, value_against(rules, node, 1 - winner)


@compiled
def draw_unless_options(rules, known, node):
    """Stay before the draw if something else can be done there that is worth a look."""
    claims = claim_window_open(rules, node) and reached_goal(rules, node, node.seat)
    if not (claims or may_close(rules, node, AFTER_TRICK) or may_exchange(rules, node, AFTER_TRICK)):
        draw(rules, known, node)


@compiled
def draw(rules, known, node):
    """The winner of the trick draws the top card, then the loser; the last card of all is the indicator."""
    winner, loser = node.seat, 1 - node.seat
    node.hand[winner] |= bit(known.deck[node.top])
    if node.top + 1 < rules.deck_size:
        node.hand[loser] |= bit(known.deck[node.top + 1])
    else:
        node.hand[loser] |= bit(node.indicator)
        node.indicator = NONE
    node.top = min(node.top + 2, rules.deck_size)
    go_to_lead(node, winner)


# Positions in the table


@compiled
def key(rules, known, node):
    """Of positions on lead with some play to come. Of tricks only counts whether there are any."""
    if node.phase != Phase.LEAD or count(node.hand[0]) < 2:
        return 0, NOWHERE
    one = node.points[1]
    one = joined(one, 8, node.points[0])
    one = joined(one, CARDS, node.hand[1])
    one = joined(one, CARDS, node.hand[0])
    two = np.int64(0)
    if node.closed_by != NONE:
        two = joined(two, 1, node.closed_points[1 - node.closed_by] <= rules.schneider_max)
        two = joined(two, 1, node.closed_tricks[1] > 0)
        two = joined(two, 1, node.closed_tricks[0] > 0)
    for seat in (1, 0):
        two = joined(two, 2, node.pending[seat] // MARRIAGE)
    for seat in (1, 0):
        two = joined(two, 1, node.tricks[seat] > 0)
    two = joined(two, 5, node.indicator + 1)
    two = joined(two, 2, node.closed_by + 1)
    two = joined(two, 1, node.seat)
    two = joined(two, 5, node.top)
    return one, two


@compiled
def joined(word, bits, number):
    """A word with a number of this width below it."""
    return word << bits | number


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
    revealed=revealed,
    fits=fits,
)

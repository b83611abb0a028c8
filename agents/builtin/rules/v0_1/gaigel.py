"""The rule-based player of Gaigel of version 0.1.

It opens Ge-elfen with an ace, else with its lowest card. It exchanges and declares whatever it can, remembers
every card, and says Aus as soon as its side has 101. It weighs the points that a trick should bring its side
against what the card is worth kept. Partners feed each other's sure tricks. Pairs are kept until they can be
declared.
"""

import numpy as np

from stichwerk.agents.builtin.rules.gaigel import (
    choose_besides_cards,
    first_trick_odds,
    taking_odds,
    trick_points,
    wants_no_trick,
)
from stichwerk.agents.builtin.rules.schnapsen_odds import DECISIVE
from stichwerk.envs.core.cards import NONE, bit, first
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT, card_points, pair
from stichwerk.envs.games.gaigel.cards.double import KINDS, copies
from stichwerk.envs.games.gaigel.cards.trick import plays_face_down
from stichwerk.envs.games.gaigel.flow import legal
from stichwerk.envs.games.gaigel.state import (
    ACTIONS,
    GOAL,
    PLAY,
    SEVENS,
    side_of,
)
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
# What the first trick of a side is worth, without which it can neither exchange nor declare.
FIRST_TRICK = 10.0
SIGNALLED = 6.0  # for leading a suit that a partner has asked for


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    action = choose_besides_cards(rules, view, seat, mask)
    return choose_card(rules, view, seat, mask) if action == NONE else action


@compiled
def choose_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(KINDS):
        if mask[PLAY + card]:
            value = card_value(rules, view, seat, card)
            if value > best_value:
                best, best_value = PLAY + card, value
    return best


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
def signalled(rules, view, seat, suit):
    for other in range(rules.players):
        if other != seat and side_of(rules, other) == side_of(rules, seat) and view.signal[other] == suit:
            return True
    return False


@compiled
def worth(view, seat, card):
    """The value of keeping a card."""
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

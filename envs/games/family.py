"""Facts shared by the games of the Sixty-six family: A T K Q J 9 (or 7) in four suits, card points,
marriages, game points.

Cards are numbered suit by suit, so the ace of a suit is at 6 × suit.
Source: docs/rules/conventions.md#ranks-and-points
"""

import numpy as np

from stichwerk.envs.core.cards import NOTHING, bit, only_if
from stichwerk.envs.jit.compiled import compiled

RANKS_PER_SUIT = 6
SUIT_CARDS = 0b111111
ACE, TEN, KING, QUEEN, JACK, NINE = range(RANKS_PER_SUIT)
RANK_POINTS = np.array([11, 10, 4, 3, 2, 0])
MARRIAGE, TRUMP_MARRIAGE = 20, 40
LAST_TRICK_TEN = 10


@compiled
def suit_set(suit):
    """All cards of a suit."""
    return np.int64(SUIT_CARDS) << (suit * RANKS_PER_SUIT)


@compiled
def card_points(card):
    return RANK_POINTS[card % RANKS_PER_SUIT]


@compiled
def pair(suit):
    """King and queen of a suit."""
    return bit(suit * RANKS_PER_SUIT + KING) | bit(suit * RANKS_PER_SUIT + QUEEN)


@compiled
def pairs_in(cards):
    """The suits, as a set, of which king and queen are in a set."""
    suits = NOTHING
    for suit in range(4):
        suits |= only_if(cards & pair(suit) == pair(suit), suit)
    return suits


@compiled
def declare_marriage(state, suit, trump, waits):
    """The seat to act shows king and queen of a suit: its points count at once, or wait for a trick."""
    seat = state.seat
    value = TRUMP_MARRIAGE if suit == trump else MARRIAGE
    if waits:
        state.pending[seat] += value
    else:
        state.points[seat] += value
    state.marriages[seat] |= bit(suit)
    state.shown[seat] |= pair(suit)
    state.melded = suit


@compiled
def base_points(points, tricks, schneider_max):
    """Game points for winning against a side with these points and tricks: 3 without a trick, 2 as schneider,
    else 1."""
    if tricks == 0:
        return 3
    return 2 if points <= schneider_max else 1


@compiled
def penalty(tricks):
    """The game points that a wrong claim, or a failed close, pays to a side with these tricks."""
    return 3 if tricks == 0 else 2

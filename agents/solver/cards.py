"""Cards and sides as the kernels ask for them, most of the Sixty-six family."""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.games.family import RANK_POINTS, RANKS_PER_SUIT
from stichwerk.envs.jit.compiled import compiled

ALL_OF_RANK = np.array([sum(1 << suit * RANKS_PER_SUIT + rank for suit in range(4)) for rank in range(6)])


@compiled
def for_first(side, value):
    """A value of one of two sides, as seen from the first one."""
    return value if side == 0 else -value


@compiled
def points_of(cards):
    """The card points of a set."""
    total = 0
    for rank in range(RANKS_PER_SUIT - 1):  # the lowest is worth nothing
        total += RANK_POINTS[rank] * count(cards & ALL_OF_RANK[rank])
    return total


@compiled
def cheapest(cards, trumps):
    """A card of the lowest rank in a set that is not empty; a trump only if there are no others."""
    cards = cards & ~trumps if cards & ~trumps else cards
    for rank in range(RANKS_PER_SUIT - 1, 0, -1):
        if cards & ALL_OF_RANK[rank]:
            return first(cards & ALL_OF_RANK[rank])
    return first(cards)


@compiled
def unbeaten(cards, theirs, ranks):
    """The highest card of the first suit in which these others beat it with none, or NONE. `ranks` is
    the number of ranks in a suit."""
    left = cards
    while left:
        card = first(left)
        suit = (bit(ranks) - 1) << card // ranks * ranks
        if not theirs & suit & (bit(card) - 1):
            return card
        left &= ~suit
    return NONE


# What is worth trying first with partners


@compiled
def pick_lead(cards, theirs, trumps):
    """The highest card that the opponents cannot beat in its suit with theirs; else the cheapest."""
    card = unbeaten(cards, theirs, RANKS_PER_SUIT)
    return card if card != NONE else cheapest(cards, trumps)


@compiled
def pick_answer(cards, winners, trumps, partner_wins):
    """Points to a partner who is winning; else the cheapest winner, or the cheapest card."""
    if partner_wins:
        plain = cards & ~trumps
        return first(plain) if plain else last(cards)
    return last(cards & winners) if cards & winners else cheapest(cards, trumps)

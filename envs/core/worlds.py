"""Dealing unseen cards at random where each may only go to certain hands, every way to do so being equally likely."""

import numpy as np
from numba import njit

from envs.core.cards import bit, first
from envs.core.random import below

HANDS = 3


@njit(cache=True)
def deal_unseen(state, cards, room, missing):
    """Deal a set of cards into three hands and the rest; returns the four sets, int64[4].

    room: int64[3], how many cards each hand takes; the rest takes what is left over
    missing: int64[3], the cards that may not go to each hand

    Counts, card by card from the last, in how many ways the remaining cards can be dealt, and then deals from the first with
    those odds. There must be at least one way.
    """
    order = np.zeros(32, np.int64)
    size = 0
    while cards:
        order[size] = first(cards)
        size += 1
        cards &= cards - 1
    rest = size - room.sum()

    ways = np.zeros((size + 1, room[0] + 1, room[1] + 1, room[2] + 1))
    ways[size, 0, 0, 0] = 1.0
    for i in range(size - 1, -1, -1):
        for a in range(room[0] + 1):
            for b in range(room[1] + 1):
                for c in range(room[2] + 1):
                    over = size - i - a - b - c  # what the rest must still take
                    if 0 <= over <= rest:
                        ways[i, a, b, c] = ways_from(ways[i + 1], order[i], a, b, c, over, missing).sum()

    dealt = np.zeros(HANDS + 1, np.int64)
    a, b, c = room[0], room[1], room[2]
    for i in range(size):
        odds = ways_from(ways[i + 1], order[i], a, b, c, size - i - a - b - c, missing)
        to = choose_by(state, odds)
        dealt[to] |= bit(order[i])
        a, b, c = a - (to == 0), b - (to == 1), c - (to == 2)
    return dealt


@njit(cache=True)
def ways_from(ways, card, a, b, c, over, missing):
    """In how many ways the deal can go on if this card goes to each hand or the rest."""
    odds = np.zeros(HANDS + 1)
    if a and not missing[0] & bit(card):
        odds[0] = ways[a - 1, b, c]
    if b and not missing[1] & bit(card):
        odds[1] = ways[a, b - 1, c]
    if c and not missing[2] & bit(card):
        odds[2] = ways[a, b, c - 1]
    if over:
        odds[3] = ways[a, b, c]
    return odds


@njit(cache=True)
def choose_by(state, odds):
    """An index drawn by its odds, which need not add up to one."""
    left = (below(state, 1 << 30) + 0.5) / (1 << 30) * odds.sum()
    for i in range(len(odds)):
        left -= odds[i]
        if left < 0 and odds[i] > 0:
            return i
    return np.argmax(odds)

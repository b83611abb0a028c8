"""Tools of `resample`: random deals of unseen cards, and places for cards that came at an unknown time.

Each unseen card may go only to certain hands, and every way to deal them is equally likely.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, first
from stichwerk.envs.core.random import below, random_card, shuffle
from stichwerk.envs.jit.compiled import compiled


@compiled
def deal_unseen(state, cards, room, missing):
    """Deal cards into hands and the rest, in one of the ways that there are; there must be at least one.

    Args:
        cards: int64[n]; a card of which two copies are unseen is listed twice
        room: int64[hands], how many cards each hand takes; the rest takes what is left over
        missing: int64[hands], the sets of cards that may not go to each hand

    Returns:
        Where each card goes, int64[cards]: a hand's number, or `len(room)` for the rest.
    """
    barred = np.zeros(len(room), np.bool_)
    for hand in range(len(room)):
        for card in cards:
            barred[hand] = barred[hand] or (room[hand] > 0 and missing[hand] & bit(card) != 0)
    choosy, others = np.flatnonzero(barred), np.flatnonzero(~barred)
    numbers = np.full(len(cards), len(room))
    places = deal_by_counting(state, cards, room[choosy], missing[choosy])
    for i in range(len(cards)):
        if places[i] < len(choosy):
            numbers[i] = choosy[places[i]]
    free = np.flatnonzero(numbers == len(room))  # however the others take these, there are as many ways
    shuffle(state, free, len(free))
    position = 0
    for other in others:
        numbers[free[position : position + room[other]]] = other
        position += room[other]
    return numbers


@compiled
def deal_by_counting(state, cards, room, missing):
    """Count, card by card from the last, in how many ways the cards from there on can be dealt.

    Then deal from the first with those odds. The room left in the hands is one number with a digit for each
    hand, `steps` apart.
    """
    size, hands = len(cards), len(room)
    steps = np.ones(hands + 1, np.int64)
    for hand in range(hands):
        steps[hand + 1] = steps[hand] * (room[hand] + 1)
    ways = np.zeros((size + 1, steps[hands]))
    ways[size, 0] = 1.0
    odds = np.zeros(hands + 1)
    for i in range(size - 1, -1, -1):
        for left in range(steps[hands]):
            ways[i, left] = weigh_places(ways[i + 1], cards[i], left, size - i, steps, missing, odds)

    places = np.zeros(size, np.int64)
    left = steps[hands] - 1
    for i in range(size):
        total = weigh_places(ways[i + 1], cards[i], left, size - i, steps, missing, odds)
        places[i] = choose_by(state, odds, total)
        if places[i] < hands:
            left -= steps[places[i]]
    return places


@compiled
def weigh_places(ways, card, left, cards_left, steps, missing, odds):
    """Write in how many ways the deal can go on with this card in each hand or the rest into `odds`; returns
    their sum."""
    hands = len(missing)
    total, free = 0.0, cards_left  # what the rest must still take
    for hand in range(hands):
        room = left % steps[hand + 1] // steps[hand]
        free -= room
        odds[hand] = ways[left - steps[hand]] if room > 0 and not missing[hand] & bit(card) else 0.0
        total += odds[hand]
    odds[hands] = ways[left] if free > 0 else 0.0
    return total + odds[hands] if free >= 0 else 0.0


@compiled
def choose_by(state, odds, total):
    """An index drawn by its odds."""
    left = (below(state, 1 << 30) + 0.5) / (1 << 30) * total
    for i in range(len(odds)):
        left -= odds[i]
        if left < 0 and odds[i] > 0:
            return i
    return np.argmax(odds)


@compiled
def deal_unseen_set(state, cards, room, missing):
    """Deal a set of at most 32 cards as `deal_unseen` does; returns the sets that the hands and the rest get,
    int64[hands + 1]."""
    numbers = np.empty(count(cards), np.int64)
    for i in range(len(numbers)):
        numbers[i] = first(cards)
        cards &= cards - 1
    places = deal_unseen(state, numbers, room, missing)
    dealt = np.zeros(len(room) + 1, np.int64)
    for i in range(len(numbers)):
        dealt[places[i]] |= bit(numbers[i])
    return dealt


@compiled
def random_free_place(state, places):
    """The index of a random one of the places, at most 63, that hold NONE; there must be one."""
    free = np.int64(0)
    for place in range(len(places)):
        if places[place] == NONE:
            free |= bit(place)
    return random_card(state, free)

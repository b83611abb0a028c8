"""Dealing unseen cards: every deal that the hands allow comes up, none other, all equally often."""

from itertools import product

import numpy as np
import pytest

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.worlds import deal_unseen, deal_unseen_set, random_free_place
from tests.envs.core.test_random import generator
from tests.envs.support import spread_evenly

# Cards, how many each hand takes, and the cards that may not go there; the rest takes what is left over.
CASES = {
    "anything goes": ([0, 1, 2, 3], [2, 1], [[], []]),
    "one void": ([0, 1, 2, 3], [2, 1], [[0, 1], []]),
    "voids that bind each other": ([0, 1, 2, 3, 4], [2, 2], [[0, 1], [2]]),
    "no rest": ([0, 1, 2], [1, 2], [[2], []]),
    "twins": ([4, 4, 5, 6], [2, 1], [[], [4]]),
    "one way": ([0, 1], [1, 1], [[0], [1]]),
}


def ways(cards: list[int], room: list[int], missing: list[list[int]]) -> list[tuple[int, ...]]:
    """Every list of places, one for each card."""
    return [
        places
        for places in product(range(len(room) + 1), repeat=len(cards))
        if all(places.count(hand) == size for hand, size in enumerate(room))
        and all(
            hand == len(room) or card not in missing[hand] for card, hand in zip(cards, places, strict=True)
        )
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_deal_is_equally_likely(case):
    cards, room, missing = case
    expected = ways(*case)
    barred = np.array([sum(1 << card for card in each) for each in missing], np.int64)
    state, counts = generator(5), dict.fromkeys(expected, 0)
    for _ in range(200 * len(expected)):
        places = deal_unseen(state, np.array(cards), np.array(room), barred)
        counts[tuple(places.tolist())] += 1  # a KeyError is a deal that the hands do not allow
    assert len(expected) == 1 or spread_evenly(np.array(list(counts.values())))


def test_sets_of_cards_are_dealt():
    state, cards = generator(6), np.int64(0b110_1011)
    for _ in range(50):
        one, two, rest = deal_unseen_set(state, cards, np.array([2, 2]), np.array([0b11, 0]))
        assert one | two | rest == cards
        assert one & two == one & rest == two & rest == 0
        assert [int(each).bit_count() for each in (one, two, rest)] == [2, 2, 1]
        assert one & 0b11 == 0


def test_a_random_free_place():
    state, places = generator(7), np.array([NONE, 4, NONE, 2, NONE])
    counts = np.bincount([random_free_place(state, places) for _ in range(600)], minlength=5)
    assert (counts > 0).tolist() == [True, False, True, False, True]
    assert spread_evenly(counts[counts > 0])

"""What the models of the games share: counting the deals that agree with what a seat knows, and chance."""

import random
from functools import cache

import numpy as np


def ways(cards: tuple[int, ...], room: tuple[int, ...], barred: list[set[int]]) -> int:
    """In how many ways the cards can be dealt into hands with so much room; the rest stays in the deck."""

    @cache
    def from_card(number: int, room: tuple[int, ...]) -> int:
        rest = len(cards) - number - sum(room)
        if rest < 0:
            return 0
        if number == len(cards):
            return 1
        into_hands = (
            from_card(number + 1, tuple(size - (place == hand) for place, size in enumerate(room)))
            for hand in range(len(room))
            if room[hand] and cards[number] not in barred[hand]
        )
        return sum(into_hands) + (from_card(number + 1, room) if rest else 0)

    return from_card(0, room)


def change_chance(record: np.void, rng: random.Random) -> None:
    """Exchange the chance behind the cards, which no seat can know."""
    record.seed, record.random, record.deck_is_set = (rng.getrandbits(bits) for bits in (62, 62, 1))

"""Packs of cards, and sets of cards as bit masks.

A card is its index in the pack, a set of cards is an integer with one bit per card. Packs run through the suits
spades, hearts, diamonds, clubs and inside a suit from the highest rank to the lowest, so a stronger card of a suit
has the smaller index.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

SUITS = "shdc"
SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
ONE = np.int64(1)


@dataclass(frozen=True)
class Pack:
    """The cards of a game by name (`sA`, `hT`, …), in index order."""

    ranks: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(suit + rank for suit in SUITS for rank in self.ranks)

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: card for card, name in enumerate(self.names)}

    def parse(self, name: str) -> int:
        """The index of a card name; ValueError names the card and the pack."""
        if not isinstance(name, str) or name not in self.index:
            raise ValueError(f"unknown card {name!r}; this pack has {' '.join(self.names)}")
        return self.index[name]

    def mask(self, names) -> int:
        return sum(1 << self.parse(name) for name in names)

    def cards(self, mask: int) -> list[str]:
        """The names of a set of cards, in index order."""
        return [name for card, name in enumerate(self.names) if mask >> card & 1]


def pretty(name: str) -> str:
    """A card name with its suit as a symbol: `sA` → `♠A`."""
    return SUIT_SYMBOLS[name[0]] + name[1]


@njit(cache=True)
def bit(card):
    """The set of this one card."""
    return ONE << card


@njit(cache=True)
def count(mask):
    """How many cards a set of at most 32 cards holds."""
    mask = mask - ((mask >> 1) & 0x55555555)
    mask = (mask & 0x33333333) + ((mask >> 2) & 0x33333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F
    return ((mask * 0x01010101) >> 24) & 0xFF


@njit(cache=True)
def first(mask):
    """The card of smallest index in a set that is not empty."""
    return count((mask & -mask) - 1)


@njit(cache=True)
def last(mask):
    """The card of largest index in a set of at most 32 cards that is not empty."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    return count(mask) - 1

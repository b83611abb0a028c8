"""Packs of cards, and sets of cards as bit masks.

A card is its index in the pack. A set of cards is an integer with one bit per card, at most 63, so that it
fits a signed 64-bit number. Packs run through the suits spades, hearts, diamonds, clubs, and inside a suit
from the highest rank to the lowest. So a stronger card of a suit has the smaller index.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from stichwerk.envs.jit.compiled import TRUE, compiled
from stichwerk.support.frozen import frozen

SUITS = "shdc"
SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
ONE = np.int64(1)
NOTHING = np.int64(0)  # the set of no cards
NONE = -1  # in place of a card, a seat, a suit or an action: there is none
LARGEST_SET = 63  # cards


@dataclass(frozen=True)
class Pack:
    """The cards of a game by name (`sA`, `hT`, …), in index order; `ranks` are single characters, the
    strongest first.

    Raises ValueError for a rank that stands twice and for more cards than a set can hold.
    """

    ranks: str

    def __post_init__(self):
        if not self.ranks or len(set(self.ranks)) < len(self.ranks):
            raise ValueError(f"ranks: got {self.ranks!r}; expected one or more different characters")
        if len(self.names) > LARGEST_SET:
            most = f"at most {LARGEST_SET}, {LARGEST_SET // 4} a suit"
            raise ValueError(f"pack: got {len(self.names)} cards; expected {most}")

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(suit + rank for suit in SUITS for rank in self.ranks)

    @cached_property
    def index(self) -> dict[str, int]:
        return frozen({name: card for card, name in enumerate(self.names)})

    def parse(self, name: str) -> int:
        """The index of a card name; ValueError names the card and the pack."""
        if not isinstance(name, str) or name not in self.index:
            raise ValueError(f"unknown card {name!r}; this pack has {' '.join(self.names)}")
        return self.index[name]

    def mask(self, names: Iterable[str]) -> int:
        return sum(1 << self.parse(name) for name in names)

    def cards(self, mask: int) -> list[str]:
        """The names of a set of cards, in index order."""
        return [name for card, name in enumerate(self.names) if mask >> card & 1]


def pretty(name: str) -> str:
    """A card name with its suit as a symbol: `sA` → `♠A`."""
    return SUIT_SYMBOLS[name[0]] + name[1]


@compiled
def bit(card):
    """The set of this one card."""
    return ONE << card


@compiled
def bit_of(number):
    """The set of this one card, seat or suit; of none for NONE, which is -1. No branch, as none guesses
    whether a card is there."""
    return ONE << (number + 1) >> 1


@compiled
def set_from(seats, seat, players):
    """A set of seats, counted from this seat on."""
    return (seats | seats << players) >> seat & (bit(players) - 1)


@compiled
def only_if(condition, card):
    """The set of this one card, or action, if a condition holds; else of none."""
    return condition * bit(card)


# Compiled code takes the processor's own instructions for these three; interpreted code runs what stands
# here.


def count(mask):
    """The number of cards in a set."""
    return int(mask).bit_count()


def first(mask):
    """The card of smallest index in a set that is not empty."""
    return (int(mask) & -int(mask)).bit_length() - 1


def last(mask):
    """The card of largest index in a set that is not empty."""
    return int(mask).bit_length() - 1


@overload(count)
def _count(mask):
    return lambda mask: _count_bits(np.int64(mask))


@overload(first)
def _first(mask):
    return lambda mask: _zeros_below(np.int64(mask))


@overload(last)
def _last(mask):
    return lambda mask: 63 - _zeros_above(np.int64(mask))


def _instruction(name):
    """A compiled function of one int64 that is one instruction of LLVM's."""

    @intrinsic
    def instruction(typing_context, value):
        def build(context, builder, signature, arguments):
            return getattr(builder, name)(*arguments, *([TRUE] if name != "ctpop" else []))

        return types.int64(types.int64), build

    return instruction


_count_bits, _zeros_below, _zeros_above = map(_instruction, ("ctpop", "cttz", "ctlz"))


@compiled
def allow_cards(cards, mask, start):
    """Allow the actions of a set of cards, numbered from `start` on."""
    while cards:
        mask[start + first(cards)] = 1
        cards &= cards - 1


@compiled
def lay_cards(deck, start, size, cards):
    """Write a number of cards of a set into a deck from a position on; returns those left over."""
    for position in range(start, start + size):
        deck[position] = first(cards)
        cards &= cards - 1
    return cards

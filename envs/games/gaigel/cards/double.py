"""Sets of cards of a double pack: one number, in which copies have no identity.

A card is its index among the 24 kinds. In a double set, bit k means at least one copy of kind k, and bit 24 +
k both copies. Plain sets of kinds, as in the rules of following suit, are the low half.
"""

import numpy as np

from stichwerk.envs.core.cards import bit, count
from stichwerk.envs.jit.bitsets import put_sum
from stichwerk.envs.jit.compiled import compiled

KINDS = 24
ALL_KINDS = (1 << KINDS) - 1
WHOLE_PACK = (1 << 2 * KINDS) - 1
EMPTY = np.int64(0)


@compiled
def kinds(cards):
    """The set of kinds of which there is at least one copy."""
    return cards & ALL_KINDS


@compiled
def of_kinds(cards, allowed):
    """The cards of these kinds."""
    return cards & (allowed | allowed << KINDS)


@compiled
def copies(cards, card):
    """0, 1 or 2."""
    return ((cards >> card) & 1) + ((cards >> (KINDS + card)) & 1)


@compiled
def size(cards):
    """The number of cards in a double set."""
    return count(cards & ALL_KINDS) + count(cards >> KINDS)


@compiled
def add(cards, card):
    """The cards with one more copy of a kind."""
    return cards | (bit(card + KINDS) if cards & bit(card) else bit(card))


@compiled
def remove(cards, card):
    """The cards with one copy less of a kind that is among them."""
    return cards & ~(bit(card + KINDS) if cards & bit(card + KINDS) else bit(card))


@compiled
def join(cards, others):
    """All cards of both; together no more than two of a kind."""
    return cards | others | (cards & others & ALL_KINDS) << KINDS


@compiled
def less(cards, others):
    """The cards without those others, all of which are among them."""
    once, twice = cards & ALL_KINDS, cards >> KINDS
    other_once, other_twice = others & ALL_KINDS, others >> KINDS
    return (once & ~other_once) | (twice & ~other_twice) | (twice & ~other_once) << KINDS


@compiled
def put_copies(out, start, cards):
    """Write a double set as 24 numbers of copies."""
    put_sum(out, start, cards, cards >> KINDS, KINDS)

"""A table of positions that a solver has met, with the bounds of their values that it has found.

A table is int64[entries, 2], with a power of two of entries, at first all zero. A position's key is one word
and `KEY_BITS` bits of a second one. The rest of the second word has the bounds, a move worth trying first,
and the number of the solving that wrote the entry. By that number the table need not be cleared before each.
Keys are compared whole: nothing is left to chance.
"""

from stichwerk.envs.jit.compiled import compiled

ENTRY = 2  # words
KEY_BITS = 28
MOVE_BITS, BOUND_BITS, SOLVING_BITS = 6, 7, 15
LOW_AT = KEY_BITS + MOVE_BITS
HIGH_AT = LOW_AT + BOUND_BITS
SOLVING_AT = HIGH_AT + BOUND_BITS  # the topmost bit, a sign, stays free
MOVES, BOUNDS, SOLVINGS = 1 << MOVE_BITS, 1 << BOUND_BITS, 1 << SOLVING_BITS
MIDDLE = BOUNDS // 2  # what is added to a bound, so that it has no sign
NO_MOVE = MOVES - 1
KEY_MASK = (1 << KEY_BITS) - 1
# Odd numbers of 30 bits, and what they are multiplied with has 32: the product fits a word.
SPREAD = 0x2C1B3C6D, 0x297A2D39, 0x3504F333
LOWER_HALF = 0xFFFFFFFF


@compiled
def place_of(table, one, two):
    """The place of a position in the table, or NOWHERE."""
    mixed = (one & LOWER_HALF) * SPREAD[0] ^ (one >> 32 & LOWER_HALF) * SPREAD[1] ^ two * SPREAD[2]
    return (mixed >> 40 ^ mixed >> 16) & (len(table) - 1)


@compiled
def is_of(table, place, one, two, solving):
    """True if this entry is of this position, and of this solving."""
    entry = table[place, 1]
    return table[place, 0] == one and entry & KEY_MASK == two and entry >> SOLVING_AT == solving


@compiled
def bounds_at(table, place):
    entry = table[place, 1]
    return (entry >> LOW_AT & BOUNDS - 1) - MIDDLE, (entry >> HIGH_AT & BOUNDS - 1) - MIDDLE


@compiled
def move_at(table, place):
    return table[place, 1] >> KEY_BITS & MOVES - 1


@compiled
def write_entry(table, place, one, two, solving, low, high, move):
    table[place, 0] = one
    table[place, 1] = (
        two | move << KEY_BITS | low + MIDDLE << LOW_AT | high + MIDDLE << HIGH_AT | solving << SOLVING_AT
    )

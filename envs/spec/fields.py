"""State fields: each is declared once, by name, kind, shape, value in a fresh deal, and who may know it.

From the declarations derive the record dtype (the smallest integers that hold each kind), the ranges of
snapshots, and the record of a fresh deal. What is hidden from each seat derives from them too. A game writes
down only the exceptions.

Small integers are widened where they are read. Compiled code computes with 64 bits anyhow. For interpreted
code `StateRecord` hands out 64-bit integers, so that sums do not wrap and shifts lose no bits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.support.frozen import frozen_array

SIGNED = (np.int8, np.int16, np.int32, np.int64)
WORD = 8  # bytes
MOST_PAID = 10**12  # game points, far above what any game pays

Lifetime = Literal["lane", "match", "deal"]
Knowers = Literal["all", "owner", "nobody", "some"]
LIFETIMES: tuple[Lifetime, ...] = ("lane", "match", "deal")


Meaning = Literal["number", "card", "cards", "suit", "suits", "seat", "seats", "word"]


@dataclass(frozen=True)
class Kind:
    """The numbers of a field: from `low` to `high`, `blank` where there is none.

    `holds` says what a number stands for. A table with fewer players has fewer seats, and sets of seats.
    """

    low: float
    high: float
    blank: int = 0
    holds: Meaning = "number"
    dtype: type | None = None

    @property
    def stored_as(self) -> np.dtype:
        if self.dtype:
            return np.dtype(self.dtype)
        return next(
            np.dtype(size)
            for size in SIGNED
            if np.iinfo(size).min <= self.low and self.high <= np.iinfo(size).max
        )

    def range(self, seats: int) -> tuple[float, float]:
        """Least and greatest value at a table of this number of seats."""
        return self.low, {"seat": seats - 1, "seats": (1 << seats) - 1}.get(self.holds, self.high)


FLAG = Kind(0, 1)
SUIT_SET = Kind(0, 0b1111, holds="suits")
ANY_NUMBER = Kind(-(1 << 63), (1 << 63) - 1)


def card(cards: int, always: bool = False) -> Kind:
    """A card, by its number in the pack; or NONE, unless there always is one."""
    return Kind(0 if always else NONE, cards - 1, 0 if always else NONE, "card")


def suit(always: bool = False) -> Kind:
    """A suit; or NONE, unless there always is one."""
    return Kind(0 if always else NONE, 3, 0 if always else NONE, "suit")


def card_set(cards: int) -> Kind:
    return Kind(0, (1 << cards) - 1, holds="cards")


def seat(seats: int, always: bool = False) -> Kind:
    """One of the seats; or NONE, unless there always is one."""
    return Kind(0, seats - 1, 0, "seat") if always else Kind(NONE, seats - 1, NONE, "seat")


def seat_set(seats: int) -> Kind:
    return Kind(0, (1 << seats) - 1, holds="seats")


def count(most: int) -> Kind:
    """A number from 0 to `most`."""
    return Kind(0, most)


def member(words: type[IntEnum]) -> Kind:
    """One of the numbered words; blank is the first."""
    return Kind(min(words), max(words), min(words), "word")


def points(dtype: type) -> Kind:
    """Game points, in a type that holds exactly what the game pays."""
    most = np.iinfo(dtype).max if np.issubdtype(dtype, np.integer) else MOST_PAID
    return Kind(-most, most, dtype=dtype)


def packed(most: int) -> Kind:
    """A number from 0 to `most` without a sign, in one byte where that is enough; to be read through a
    function that widens it."""
    return Kind(0, most, dtype=np.uint8 if most < 256 else np.int16)


@dataclass(frozen=True)
class Field:
    """One field of a game's state.

    Attributes:
        shape: of an array of such numbers; arrays that are known to their owners have a row for each seat
            first
        known: to "all"; to each "owner", of its own row; to "nobody"; or to "some", as the game's `redact`
            says
        lasts: is fresh in each "deal", in each "match" (an episode), or never, for the whole life of a "lane"
        fresh: the value when it is fresh or hidden; None: what is blank for the kind
        by_seat: whether an array has a row for each seat; one that is known to its owners has
        below: the rule option that the numbers stay below between two deals of a match; empty: there is none
    """

    name: str
    kind: Kind
    shape: int | tuple[int, ...] = ()
    meaning: str = ""
    known: Knowers = "all"
    lasts: Lifetime = "deal"
    fresh: int | None = None
    by_seat: bool = False
    below: str = ""

    @property
    def has_rows(self) -> bool:
        """True if the field is an array with a row for each seat."""
        return self.by_seat or self.known == "owner"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype((self.kind.stored_as, self.shape))

    @property
    def blank(self) -> int:
        return self.kind.blank if self.fresh is None else self.fresh


class Wide(np.ndarray):
    """An array of small integers whose entries are read as 64-bit ones."""

    def __getitem__(self, key):
        value = super().__getitem__(key)
        return value if isinstance(value, np.ndarray) else np.int64(value)


class StateRecord(np.record):  # type: ignore[misc] # NumPy's stubs call it final
    """A state as interpreted code sees it: small integers are read as 64-bit ones."""

    def __getattribute__(self, name):
        try:
            value = np.void.__getitem__(self, name)  # a tenth of the time that NumPy's records take
        except ValueError:  # no field
            return super().__getattribute__(name)
        if isinstance(value, np.integer):
            return np.int64(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.dtype.itemsize < WORD:
            return value.view(Wide)
        return value


@dataclass(frozen=True, eq=False)
class StateLayout:
    """All fields of a game's state, with what derives from them.

    Attributes:
        shared: how many of the fields, the first ones, every game has; the others are the game's own
        dtype: of the state records: the lane's fields, those of the match, those of the deal, without gaps
        fresh: an array of one record as it is in a fresh deal of a fresh match
        match_start, deal_start: offsets in bytes of these parts, which reach to the end
        known: a record for each seat, whose bits are set where the seat may know a state
        blanks: a record for each seat, with the fresh values in all other places; so a seat sees `state &
            known | blanks`
    """

    fields: Sequence[Field]
    seats: int
    shared: int = 0

    def __post_init__(self):
        object.__setattr__(self, "fields", tuple(self.fields))

    @property
    def own(self) -> Sequence[Field]:
        """The fields that this game has declared."""
        return self.fields[self.shared :]

    @property
    def owners_know_deck(self) -> bool:
        """True if the state holds who got each card of the deck; see `state_layout`."""
        return any(field.name == "deck_owner" for field in self.fields)

    @cached_property
    def dtype(self) -> np.dtype:
        return self._lay_out()

    @cached_property
    def match_start(self) -> int:
        return self._start("match")

    @cached_property
    def deal_start(self) -> int:
        return self._start("deal")

    def _start(self, lasts: Lifetime) -> int:
        return min(self._place(field.name)[0] for field in self.fields if field.lasts == lasts)

    @cached_property
    def fresh(self) -> np.ndarray:
        fresh = np.zeros(1, self.dtype)
        for field in self.fields:
            fresh[0][field.name] = field.blank
        return frozen_array(fresh)

    @cached_property
    def known(self) -> np.ndarray:
        return frozen_array(self._bits_known().view(self.dtype)[:, 0])

    @cached_property
    def blanks(self) -> np.ndarray:
        blanks = self.fresh.view(np.uint8) & ~self._bits_known()
        return frozen_array(blanks.view(self.dtype)[:, 0])

    def words(self, name: str) -> type[IntEnum]:
        """The numbered words that a field holds one of, such as the decision nodes of `phase`."""
        kind = self.field(name).kind
        assert isinstance(kind.low, IntEnum), f"{name} holds plain numbers"
        return type(kind.low)

    def field(self, name: str) -> Field:
        """The field of this name."""
        (field,) = (field for field in self.fields if field.name == name)
        return field

    def out_of_range(self, records: np.ndarray, seats: int) -> str | None:
        """The first field that has a number out of its range in some record; None if all are inside."""
        for field in self.fields:
            low, high = field.kind.range(seats)
            numbers = records[field.name]
            if not ((low <= numbers) & (numbers <= high)).all():
                return field.name
        return None

    def _lay_out(self) -> np.dtype:
        """Larger numbers first inside each part, those of one secrecy together; every part is made up to
        whole words."""
        columns: list[tuple[str, Any]] = []
        for number, lifetime in enumerate(LIFETIMES):
            inside = [field for field in self.fields if field.lasts == lifetime]
            inside.sort(key=lambda field: (-field.kind.stored_as.itemsize, field.known))
            columns += [(field.name, field.dtype) for field in inside]
            if gap := -sum(field.dtype.itemsize for field in inside) % WORD:
                columns.append((f"gap_{number}", (np.int8, gap)))
        dtype = np.dtype(columns, align=True)
        assert dtype.itemsize == np.dtype(columns).itemsize, (
            "gaps between fields would hold whatever was in memory"
        )
        return np.dtype((StateRecord, dtype))

    def _place(self, name: str) -> tuple[int, int]:
        """Offset and size of a field in bytes."""
        assert self.dtype.fields is not None
        dtype, offset = self.dtype.fields[name][:2]
        return offset, dtype.itemsize

    def _bits_known(self) -> np.ndarray:
        """uint8[seats, bytes]"""
        known = np.full((self.seats, self.dtype.itemsize), 0xFF, np.uint8)
        for seat in range(self.seats):
            for start, stop in self._hidden_from(seat):
                known[seat, start:stop] = 0
        return known

    def _hidden_from(self, seat: int) -> Iterator[tuple[int, int]]:
        for field in self.fields:
            start, size = self._place(field.name)
            if field.known == "nobody":
                yield start, start + size
            elif field.known == "owner":
                row = size // np.shape(self.fresh[0][field.name])[0]
                yield start, start + seat * row
                yield start + (seat + 1) * row, start + size

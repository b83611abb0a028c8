"""Encodings that derive from declarations: the fields that a seat knows, the log, and the fields hidden from
it.

Rows of seats are written from the seat that observes on, in the order of play, so that all seats see alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any, Literal

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature
from stichwerk.envs.spec.fields import Field, StateLayout
from stichwerk.envs.spec.hooks import Observe

Rows = Literal["all", "own", "others"]
"""The rows that are written, of an array with one for each seat."""
Part = tuple[Feature, Callable[[int], Observe]]
"""A feature, and what makes its writer from its offset."""
Cell = Callable[[np.record, int], Any]
"""`cell(state, index)`: a number of a field, compiled."""
Put = Callable[[np.record, int, Any, np.ndarray, int], None]
"""`put(rules, seat, value, out, at)`: write a number of a field, compiled."""
FLOW = ("dealer", "phase", "seat")
"""Fields of every game that derived observations show beside the game's own."""
WORDS: Mapping[Rows, str] = {
    "all": ", by seat, this one first",
    "own": ", of this seat",
    "others": ", of the other seats in the order of play",
}


@cache
def summary_encoding(layout: StateLayout) -> Encoding:
    """All fields that a seat knows: the default of the observation `summary`."""
    return _encoding("summary", _known_parts(layout, known_fields(layout)))


def history_encoding(layout: StateLayout, actions: Sequence[Action], **fields: str) -> Encoding:
    """Some fields that a seat knows, and all actions of the deal with their seats.

    That is perfect recall if the fields hold what the seat has been dealt and has drawn.

    Args:
        layout: the fields of the game.
        actions: the actions of the game.
        fields: the meaning of a feature for each field, by name. Without any all fields that a seat knows are
            written; so is the default of the observation `history`.

    Returns:
        The encoding `history`; the same object for the same arguments.
    """
    return _history(layout, tuple(actions), tuple(fields.items()))


@cache
def _history(
    layout: StateLayout, actions: tuple[Action, ...], fields: tuple[tuple[str, str], ...]
) -> Encoding:
    known = _known_parts(layout, dict(fields) or known_fields(layout))
    return _encoding("history", [*known, *_log_parts(layout, actions)])


def perfect_encoding(summary: Encoding, layout: StateLayout, **fields: str) -> Encoding:
    """The summary, and the fields that are hidden from a seat.

    Args:
        summary: the observation to begin with.
        layout: the fields of the game.
        fields: the meaning of a feature for each hidden field, by name. Without any all hidden fields of the
            game are written; so is the default of the perfect information.

    Returns:
        The encoding `perfect`; the same object for the same arguments.
    """
    return _perfect(summary, layout, tuple(fields.items()))


@cache
def _perfect(summary: Encoding, layout: StateLayout, fields: tuple[tuple[str, str], ...]) -> Encoding:
    hidden = dict(fields) or {field.name: "" for field in layout.own if field.known in ("owner", "nobody")}
    parts = []
    for name, words in hidden.items():
        field = layout.field(name)
        parts.append(_field_part(layout, field, "others" if field.known == "owner" else "all", words))
    rest = _encoding("perfect", parts, summary.size)
    return Encoding("perfect", (*summary.features, *rest.features), _both(summary.observe, rest.observe))


def known_fields(layout: StateLayout) -> dict[str, str]:
    """The names of all fields that a seat knows, of the flow of the deal and of the game's own."""
    return dict.fromkeys([*FLOW, *(field.name for field in layout.own if field.known != "nobody")], "")


def _known_parts(layout: StateLayout, fields: Mapping[str, str]) -> list[Part]:
    parts = []
    for name, words in fields.items():
        field = layout.field(name)
        parts.append(_field_part(layout, field, "own" if field.known == "owner" else "all", words))
    return parts


def _encoding(name: str, parts: Sequence[Part], start: int = 0) -> Encoding:
    """An encoding of these parts, the first one at an offset."""
    write, at = _nothing, start
    for feature, make_writer in parts:
        write = _both(write, make_writer(at))
        at += feature.size
    return Encoding(name, tuple(feature for feature, _ in parts), write)


@compiled
def _nothing(rules, state, seat, out):
    pass


def _both(first: Observe, second: Observe) -> Observe:
    @compiled
    def write(rules, state, seat, out):
        first(rules, state, seat, out)
        second(rules, state, seat, out)

    return write


# Fields


def _field_part(layout: StateLayout, field: Field, rows: Rows, meaning: str) -> Part:
    """A field as a feature."""
    shape, seats = field.dtype.shape, layout.seats
    by_seat = field.has_rows
    first, stop = {"all": (0, seats), "own": (0, 1), "others": (1, seats)}[rows] if by_seat else (0, 1)
    cells = prod(shape[1:] if by_seat else shape)
    width, per, put = _value(field, seats)
    name = f"other_{field.name}" if by_seat and rows == "others" else field.name
    meaning = meaning or f"{field.meaning or field.name}{WORDS[rows] if by_seat else ''}{_scale(field)}"
    cell = _cell(field.name, bool(shape))

    def make_writer(at: int) -> Observe:
        @compiled
        def write(rules, state, seat, out):
            place = at
            for i in range(first, min(stop, rules.players)):
                row = (seat + i) % rules.players if by_seat else 0
                for k in range(cells):
                    put(rules, seat, cell(state, row * cells + k), out, place)
                    place += width

        return write

    return Feature(name, (stop - first) * cells * width, meaning, per), make_writer


def _cell(name: str, is_array: bool) -> Cell:
    """A function that reads a number of a field."""

    @compiled
    def of_array(state, index):
        return getattr(state, name).ravel()[index]

    @compiled
    def alone(state, index):
        return getattr(state, name)

    return of_array if is_array else alone


def _value(field: Field, seats: int) -> tuple[int, Literal["value", "card", "suit"], Put]:
    """The size of a field's value in numbers, their meaning, and the function that writes them."""
    kind = field.kind
    size = int(kind.high) + 1
    if kind.holds in ("card", "suit"):
        return size, kind.holds, _put_place
    if kind.holds == "cards":
        return int(kind.high).bit_length(), "card", _members(int(kind.high).bit_length())
    if kind.holds == "suits":
        return int(kind.high).bit_length(), "suit", _members(int(kind.high).bit_length())
    if kind.holds == "word":
        return size, "value", _put_place
    if kind.holds == "seat":
        return seats, "value", _put_seat
    if kind.holds == "seats":
        return seats, "value", _put_seats
    return 1, "value", _part_of_option(field.below) if field.below else _part_of_range(kind.low, kind.high)


def _scale(field: Field) -> str:
    if field.kind.holds != "number" or (field.kind.low, field.kind.high) == (0, 1):
        return ""
    return f" / {field.below or f'{field.kind.high:g}'}" if field.kind.low == 0 else ", from 0 to 1"


@compiled
def _put_place(rules, seat, value, out, at):
    if value != NONE:
        out[at + value] = 1


@compiled
def _put_seat(rules, seat, value, out, at):
    if value != NONE:
        out[at + (value - seat) % rules.players] = 1


@compiled
def _put_seats(rules, seat, value, out, at):
    for i in range(rules.players):
        out[at + i] = value >> (seat + i) % rules.players & 1


def _members(size: int) -> Put:
    @compiled
    def put(rules, seat, value, out, at):
        for i in range(size):
            out[at + i] = value >> i & 1

    return put


def _part_of_option(name: str) -> Put:
    @compiled
    def put(rules, seat, value, out, at):
        out[at] = value / getattr(rules, name)

    return put


def _part_of_range(low: float, high: float) -> Put:
    @compiled
    def put(rules, seat, value, out, at):
        out[at] = (value - low) / (high - low)

    return put


# The log


def _log_parts(layout: StateLayout, actions: tuple[Action, ...]) -> Iterator[Part]:
    """The actor of each entry and its action: for two seats own or not, for more the seat."""
    (longest,), seats, width = layout.field("log").dtype.shape, layout.seats, len(actions)
    cards_alone = all(action.card is not None for action in actions)
    did = "played the first, second, … card" if cards_alone else "took the first, second, … action"
    what = "cards played" if cards_alone else "actions of the deal"
    who = ("own_actions", longest, f"whether this seat {did} of the deal")
    if seats > 2:
        who = ("actors", longest * seats, f"which of all seats {did} of the deal")

    def make_who(at: int) -> Observe:
        @compiled
        def write_own(rules, state, seat, out):
            for i in range(state.log_size):
                out[at + i] = logged_seat(state, i) == seat

        @compiled
        def write_actors(rules, state, seat, out):
            for i in range(state.log_size):
                out[at + i * seats + (logged_seat(state, i) - seat) % rules.players] = 1

        return write_actors if seats > 2 else write_own

    def make_what(at: int) -> Observe:
        @compiled
        def write(rules, state, seat, out):
            for i in range(state.log_size):
                action = logged_action(state, i)
                if action != NONE:
                    out[at + i * width + action] = 1

        return write

    yield Feature(*who), make_who
    meaning = f"the {what} in order, one row of actions each"
    yield Feature("actions", longest * width, meaning, "action"), make_what

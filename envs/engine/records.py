"""State records as copies, and as plain values for JSON."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stichwerk.envs.spec.fields import LIFETIMES, Field, Lifetime, StateLayout, packed
from stichwerk.envs.spec.match import leaves
from stichwerk.support.errors import InputError, quoted

BYTE = 255  # its greatest number
NINTH_BITS = "log_high"  # the name of the ninth bits of a log in snapshots


def copy_of(states: np.ndarray) -> np.ndarray:
    """A copy of an array of records, byte by byte; NumPy's own `copy` goes slowly from field to field."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def to_plain(
    record: np.record, layout: StateLayout, lasts: Collection[Lifetime] = LIFETIMES
) -> dict[str, Any]:
    """The fields of these lifetimes as numbers and lists, in the order in which they are declared."""
    plain = {}
    for field in _fields(layout, lasts):
        values = np.asarray(record[field.name])
        if _has_nine_bits(field):
            plain[field.name] = (values & BYTE).tolist()
            plain[NINTH_BITS] = np.packbits(values > BYTE, bitorder="little").tolist()
        else:
            plain[field.name] = values.tolist()
    return plain


def from_plain(
    record: np.record,
    values: Any,
    layout: StateLayout,
    seats: int,
    lasts: Collection[Lifetime] = LIFETIMES,
    what: str = "state",
) -> None:
    """Write plain values into a record; InputError, naming `what` they are, unless they are its fields of
    these lifetimes in their shapes, types and ranges."""
    fields = [part for field in _fields(layout, lasts) for part in _parts(field)]
    names = [field.name for field in fields]
    if not isinstance(values, Mapping) or set(values) != set(names):
        raise InputError(f"a snapshot's {what} must have the fields {', '.join(names)}")
    for field in fields:
        value = values[field.name]
        low, high = field.kind.range(seats)
        fractions = field.kind.stored_as.kind == "f"
        number = (int, float, np.integer, np.floating) if fractions else (int, np.integer)
        entries = list(leaves(value, field.dtype.shape))
        if not all(isinstance(leaf, number) and not isinstance(leaf, bool) for leaf in entries):
            allowed = f"{field.kind.stored_as} numbers in shape {field.dtype.shape}"
            raise InputError(f"{what} field {field.name}: got {quoted(value)}; expected {allowed}")
        if not all(low <= leaf <= high for leaf in entries):
            raise InputError(f"{what} field {field.name}: got {quoted(value)}; expected {low} to {high}")
        if field.name == NINTH_BITS:
            _add_ninth_bits(record.log, value, what)
        else:
            record[field.name] = value


def _parts(field: Field) -> list[Field]:
    """The entries of a field in a snapshot of format 2. A log of numbers of nine bits stands in bytes, then
    come the ninth bits, eight in a byte."""
    if not _has_nine_bits(field):
        return [field]
    (size,) = field.dtype.shape
    kind = packed(BYTE)
    return [replace(field, kind=kind), replace(field, name=NINTH_BITS, kind=kind, shape=-(-size // 8))]


def _has_nine_bits(field: Field) -> bool:
    return field.name == "log" and field.kind.high > BYTE


def _add_ninth_bits(log: np.ndarray, value: Any, what: str) -> None:
    bits = np.unpackbits(np.array(value, np.uint8), bitorder="little").astype(log.dtype)
    if bits[len(log) :].any():
        raise InputError(f"{what} field {NINTH_BITS}: got {quoted(value)}; expected {len(log)} bits")
    log |= bits[: len(log)] << 8


def _fields(layout: StateLayout, lasts: Collection[Lifetime]) -> list[Field]:
    return [field for field in layout.fields if field.lasts in lasts]

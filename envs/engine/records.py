"""State records as copies, and as plain values for JSON."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from stichwerk.envs.spec.fields import LIFETIMES, Field, Lifetime, StateLayout
from stichwerk.envs.spec.match import leaves
from stichwerk.support.errors import InputError, quoted


def copy_of(states: np.ndarray) -> np.ndarray:
    """A copy of an array of records, byte by byte; NumPy's own `copy` goes slowly from field to field."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def to_plain(
    record: np.record, layout: StateLayout, lasts: Collection[Lifetime] = LIFETIMES
) -> dict[str, Any]:
    """The fields of these lifetimes as numbers and lists, in the order in which they are declared."""
    return {field.name: np.asarray(record[field.name]).tolist() for field in _fields(layout, lasts)}


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
    fields = _fields(layout, lasts)
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
        record[field.name] = value


def _fields(layout: StateLayout, lasts: Collection[Lifetime]) -> list[Field]:
    return [field for field in layout.fields if field.lasts in lasts]

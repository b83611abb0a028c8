"""State records as plain values, for JSON."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from stichwerk.envs.core.errors import InputError


def to_plain(record: np.record) -> dict[str, Any]:
    """The fields of a record as numbers and lists."""
    return {name: record[name].tolist() for name in record.dtype.fields or ()}


def from_plain(record: np.record, values: Any, ranges: Mapping[str, tuple[int, int]] = MappingProxyType({})) -> None:
    """Write plain values into a record; InputError unless they are exactly its fields in their shapes, types and ranges."""
    names = list(record.dtype.fields or ())
    if not isinstance(values, Mapping) or set(values) != set(names):
        raise InputError(f"a state must have the fields {', '.join(names)}")
    for name in names:
        field = record[name]
        given = np.asarray(values[name])
        whole = np.issubdtype(field.dtype, np.integer)
        if given.shape != np.shape(field) or given.dtype.kind not in ("i" if whole else "if"):
            raise InputError(f"state field {name}={values[name]!r}: allowed are {field.dtype} numbers in shape {np.shape(field)}")
        low, high = ranges.get(name, (-np.inf, np.inf))
        if (given < low).any() or (given > high).any():
            raise InputError(f"state field {name}={values[name]!r}: allowed is {low} to {high}")
        record[name] = given

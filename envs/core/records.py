"""State records as plain values, for JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from envs.core.errors import InputError


def to_plain(record: np.record) -> dict[str, Any]:
    """The fields of a record as numbers and lists."""
    return {name: record[name].tolist() for name in record.dtype.fields or ()}


def from_plain(record: np.record, values: Mapping[str, Any]) -> None:
    """Write plain values into a record; InputError unless they are exactly its fields in their shapes."""
    names = list(record.dtype.fields or ())
    if not isinstance(values, Mapping) or set(values) != set(names):
        raise InputError(f"not the fields of this state: {', '.join(names)}")
    for name in names:
        field = record[name]
        if np.shape(values[name]) != np.shape(field):
            raise InputError(f"state field {name} has shape {np.shape(values[name])}; allowed is {np.shape(field)}")
        record[name] = values[name]

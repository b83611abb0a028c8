"""Files of arrays from outside: nothing is loaded before all names, shapes and types are right."""

from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from stichwerk.support.errors import InputError, quoted

BYTES = {"F32": 4, "I64": 8, "U8": 1}  # of a number, by the type's name in a safetensors file
MOST_BESIDES = 1 << 20  # bytes of a file besides the numbers


class OtherVersion(InputError):  # noqa: N818 - nothing is wrong with the file
    """A file that is whole, but was written by another version of what reads it."""


class Shape(NamedTuple):
    """The type of an array's numbers, a key of BYTES, and its sizes."""

    kind: str
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.kind}{list(self.sizes)}"


def read_arrays(
    path: Path, shapes: Mapping[str, Shape], about: Mapping[str, str] | None = None
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read a safetensors file.

    Args:
        path: the file.
        shapes: what it must hold, by name.
        about: metadata that must be there.

    Returns:
        The arrays by name, and the file's metadata.

    Raises:
        OtherVersion: its metadata are others.
        InputError: it does not hold exactly arrays of these names, shapes and types, all finite.
    """
    most = sum(prod(shape.sizes) * BYTES[shape.kind] for shape in shapes.values()) + MOST_BESIDES
    if path.stat().st_size > most:
        raise InputError(f"too large: {path.stat().st_size:,} bytes of at most {most:,}")
    try:
        with safe_open(path, "np") as file:
            metadata = file.metadata() or {}
            for name, value in (about or {}).items():
                if metadata.get(name) != value:
                    raise OtherVersion(f"it is of another {name}")
            found = dict(_shapes(file))
            for name, needed in shapes.items():
                if found.pop(name, None) != str(needed):
                    raise InputError(f"it must hold {name} as {needed}")
            if found:
                raise InputError(f"it holds {quoted(next(iter(found)))}, which does not belong there")
            arrays = {name: file.get_tensor(name) for name in shapes}
    except SafetensorError as error:
        raise InputError(error) from None
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise InputError(f"{name} holds numbers that are not finite")
    return arrays, metadata


def _shapes(file: safe_open) -> Iterator[tuple[str, str]]:
    for name in file.keys():  # noqa: SIM118 - not a dict
        part = file.get_slice(name)
        yield name, f"{part.get_dtype()}{part.get_shape()}"

"""Mappings and arrays that all players of a game share, and that none of them can change."""

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np


class FrozenDict(dict):
    """A dict that cannot be changed. Unlike a mapping proxy it can be copied, pickled and written as JSON."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("a mapping of the game: got a change; expected none, make a dict of it first")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __copy__(self) -> "FrozenDict":
        return self

    def __deepcopy__(self, memo: dict) -> "FrozenDict":
        return self

    def __reduce__(self) -> tuple:
        return FrozenDict, (dict(self),)


def frozen(value: Any) -> Any:
    """Freeze a value: mappings, and those inside them, become FrozenDict, lists tuples."""
    if isinstance(value, Mapping):
        return FrozenDict({key: frozen(each) for key, each in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def frozen_array(array: np.ndarray) -> np.ndarray:
    """A copy over bytes, which NumPy does not make writeable again, as it would an array of its own."""
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)

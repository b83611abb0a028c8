"""Encodings: a list of named features beside the compiled function that writes them.

Slices, the tables of the docs and the schema hash that checkpoints carry are all derived from the list.
"""

import hashlib
import json
from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from stichwerk.envs.jit.bitsets import put_set as put_set
from stichwerk.envs.jit.bitsets import put_sum as put_sum
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.hooks import Observe
from stichwerk.support.frozen import frozen


@dataclass(frozen=True)
class Feature:
    """A named run of the vector. `per` says what its entries stand for, so that suits can be exchanged for
    one another.

    The size is a multiple of the pack with `per="card"` (suit by suit), of four with `per="suit"`, and of the
    number of actions with `per="action"`.
    """

    name: str
    size: int
    meaning: str
    per: Literal["value", "card", "suit", "action"] = "value"


@dataclass(frozen=True)
class Encoding:
    """One way to write a state as float32 numbers: the features, and the function that writes them."""

    name: str
    features: tuple[Feature, ...]
    observe: Observe

    @cached_property
    def size(self) -> int:
        return sum(feature.size for feature in self.features)

    @cached_property
    def slices(self) -> dict[str, slice]:
        ends = accumulate(feature.size for feature in self.features)
        places = zip(self.features, ends, strict=True)
        return frozen({feature.name: slice(end - feature.size, end) for feature, end in places})

    @cached_property
    def schema(self) -> str:
        """A short hash of names, sizes and meanings: two encodings with one hash can share networks."""
        rows = [[f.name, f.size, f.meaning, f.per] for f in self.features]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def named(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """Views of a vector (…, size) by feature name."""
        return {name: vector[..., where] for name, where in self.slices.items()}


def offsets(features: tuple[Feature, ...]) -> Any:
    """The offset of each feature, as a named tuple of numbers that compiled code can read."""
    starts = accumulate((feature.size for feature in features[:-1]), initial=0)
    make = namedtuple("Offsets", [feature.name for feature in features])  # type: ignore[misc]
    return make(*starts)


def offsets_by_players(lists: Iterable[tuple[Feature, ...]]) -> np.ndarray:
    """The offsets of features with the same names, for several numbers of players: an array of records.

    Compiled code chooses among records at no cost, where it would copy a chosen tuple.
    """
    rows = [offsets(features) for features in lists]
    return np.array(rows, np.dtype((np.record, [(name, np.int64) for name in rows[0]._fields])))


@compiled
def share(number, whole):
    """number / whole, both whole numbers below 2**24.

    Division in 32 bits is quicker, and for such numbers it rounds as one in 64 bits rounded to 32 would.
    """
    return np.float32(number) / np.float32(whole)


@compiled
def put_steps(out, start, number, height, steps):
    """Write zeros and ones that tell if a number reaches 0, `height`, 2 * `height` …."""
    for i in range(steps):
        out[start + i] = number >= height * i

"""The columns of a data set, one row a decision: their Parquet types, what they hold, and how observations
are packed.

Most entries of an observation are 0 or 1. So a row keeps a bit for each entry that is 1, a bit for each that
is neither 0 nor 1, and the values of the latter as float32. This loses nothing, and needs no list of the
features that hold bits only.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.game import Game
from stichwerk.support.extras import from_extra

pa = from_extra("pyarrow", "data")


class Column(NamedTuple):
    """One column.

    Attributes:
        name: in the file
        type: of Arrow
        meaning: for the manifest and the card
    """

    name: str
    type: Any
    meaning: str

    @property
    def type_in_words(self) -> str:
        """The type for the manifest and the card."""
        if pa.types.is_fixed_size_binary(self.type):
            return f"binary, {self.type.byte_width} bytes"
        if pa.types.is_list(self.type):
            return "list of float32"
        if pa.types.is_dictionary(self.type):
            return "string, by a dictionary"
        return "float32" if pa.types.is_float32(self.type) else str(self.type)


def columns_for(game: Game, encoding: Encoding) -> tuple[Column, ...]:
    """The columns of a game with one of its encodings."""
    bits, mask = bytes_for(encoding.size), bytes_for(len(game.actions))
    return (
        Column("deal", pa.int64(), "number of the deal; its cards derive from the seed and this number"),
        Column("line_up", pa.uint8(), "number of the line-up that played the deal"),
        Column("step", pa.uint16(), "number of the decision in this game, from 0"),
        Column("seat", pa.uint8(), "seat to act"),
        Column("policy", pa.dictionary(pa.int32(), pa.string()), "agent that chose the action"),
        Column("observation_ones", pa.binary(bits), "bits: entries of the observation that are 1"),
        Column("observation_others", pa.binary(bits), "bits: entries that are neither 0 nor 1"),
        Column("observation_values", pa.list_(pa.float32()), "the values of these others, in order"),
        Column("action_mask", pa.binary(mask), "bits: legal actions"),
        Column("action", pa.uint16(), "id of the action played"),
        Column("reward", pa.float32(), "points of the deal at the seat's last decision in it, else 0"),
        Column("return", pa.float32(), "game points that the deal pays this seat"),
        Column("last", pa.bool_(), "the seat's last decision in this game"),
    )


def bytes_for(bits: int) -> int:
    """The bytes that hold this number of bits, the first one in the lowest bit."""
    return -(-bits // 8)


def pack_bits(rows: np.ndarray) -> np.ndarray:
    """Rows of truth values, bool[n, k], as bytes, uint8[n, bytes]."""
    return np.packbits(rows, axis=1, bitorder="little")


def unpack_bits(rows: np.ndarray, size: int) -> np.ndarray:
    """The first `size` bits of rows of bytes, uint8[n, size] of 0 and 1."""
    return np.unpackbits(rows, axis=1, count=size, bitorder="little")


class Packed(NamedTuple):
    """Observations as a data set keeps them.

    Attributes:
        ones: entries that are 1, uint8[n, bytes]
        others: entries that are neither 0 nor 1, uint8[n, bytes]
        counts: the number of others in each row, int64[n]
        values: of all rows one after another, float32
    """

    ones: np.ndarray
    others: np.ndarray
    counts: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, observation: np.ndarray) -> "Packed":
        """Observations, float32[n, features], packed."""
        ones = observation == 1
        others = (observation != 0) & ~ones
        return cls(pack_bits(ones), pack_bits(others), np.count_nonzero(others, axis=1), observation[others])

    def observation(self, size: int) -> np.ndarray:
        """Float32[n, size], as it was packed."""
        observation = unpack_bits(self.ones, size).astype(np.float32)
        observation[unpack_bits(self.others, size).astype(bool)] = self.values
        return observation


def table_of(columns: tuple[Column, ...], arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> Any:
    """An Arrow table of the arrays by the names of columns."""
    schema = pa.schema([(column.name, column.type) for column in columns], metadata=dict(metadata))
    return pa.table(
        [arrow_of(arrays[column.name], column.type) for column in columns],
        schema=schema,
    )


def arrow_of(array: Any, kind: Any) -> Any:
    """An array as Arrow has it: rows of bytes as fixed binaries, counts and values as lists."""
    if pa.types.is_fixed_size_binary(kind):
        rows = np.ascontiguousarray(array)
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)])
    if pa.types.is_list(kind):
        counts, values = array
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
    if pa.types.is_dictionary(kind):
        numbers, names = array
        return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(names, pa.string()))
    return pa.array(array, kind)


def numpy_of(column: Any) -> np.ndarray:
    """A column of a table as a NumPy array: fixed binaries as uint8[n, bytes], lists as their values one
    after another, texts as objects."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], column.type)
    if pa.types.is_fixed_size_binary(whole.type):
        width, start = whole.type.byte_width, whole.offset
        data = np.frombuffer(whole.buffers()[1] or b"", np.uint8)
        return data[start * width : (start + len(whole)) * width].reshape(len(whole), width)
    if pa.types.is_list(whole.type):
        return whole.flatten().to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(whole.type):
        names = np.array(whole.dictionary.to_pylist(), object)
        return names[whole.indices.to_numpy(zero_copy_only=False)]
    return whole.to_numpy(zero_copy_only=False)

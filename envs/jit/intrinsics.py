"""Copying records or parts of them, byte by byte; rows of arrays that nobody counts."""

import ctypes

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from stichwerk.envs.jit.compiled import compiled, for_range_slice, make_array, populate_array

BYTE = ir.IntType(8).as_pointer()
WORD, FLAG = ir.IntType(64), ir.IntType(32)
CACHE_LINE = 64  # bytes
WORDS_AT_ONCE = 4  # one vector register nearly everywhere


def copy_bytes(target, source, start, stop):
    """Copy the bytes `start` … `stop - 1` of one record to the same place in another of the same dtype."""
    ctypes.memmove(int(_address(target) + start), int(_address(source) + start), int(stop - start))


def copy_masked(target, source, mask, others):
    """Copy those bits of a record that are set in `mask`, and all others from another record; the dtype is of
    whole words."""
    to, origin, chosen, rest = (_bytes(record) for record in (target, source, mask, others))
    to[:] = origin & chosen | rest & ~chosen


@compiled
def copy_numbers(target, source):
    """Copy one array to another of its length. Numba's `target[:] = source` takes a copy first, in case they
    overlap."""
    for i in range(len(target)):
        target[i] = source[i]


def row(array, index):
    """A row of an array of two dimensions, to be used while the array is there.

    Compiled `array[index]` would count who holds the array, up and down again in each function that is handed
    the row. All threads share these counts, so each costs as much as many numbers written.
    """
    return array[index]


def fetch_row(array, index):
    """Have the processor bring a row near that is to be written soon, while it does something else."""


def _address(record):
    return record.__array_interface__["data"][0]


def _bytes(record):
    return np.ctypeslib.as_array((ctypes.c_uint8 * record.itemsize).from_address(_address(record)))


@overload(copy_bytes)
def _copy_bytes(target, source, start, stop):
    if isinstance(target, types.Record) and target == source:
        return lambda target, source, start, stop: _move(target, source, start, stop)
    return None


@overload(copy_masked)
def _copy_masked(target, source, mask, others):
    if isinstance(target, types.Record) and target == source == mask == others:
        return lambda target, source, mask, others: _blend(target, source, mask, others)
    return None


@overload(row)
def _row(array, index):
    if isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C":
        return lambda array, index: _uncounted_row(array, index)
    return None


@overload(fetch_row)
def _fetch_row(array, index):
    if isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C":
        return lambda array, index: _prefetch(array, index)
    return fetch_row


@intrinsic
def _move(typing_context, target, source, start, stop):
    def build(context, builder, signature, arguments):
        to, origin = (builder.bitcast(pointer, BYTE) for pointer in arguments[:2])
        first, size = arguments[2], builder.sub(arguments[3], arguments[2])
        move = builder.module.declare_intrinsic("llvm.memcpy", [BYTE, BYTE, WORD])
        places = (builder.gep(to, [first]), builder.gep(origin, [first]))
        builder.call(move, [*places, size, ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(target, source, types.int64, types.int64), build


@intrinsic
def _blend(typing_context, target, source, mask, others):
    """Straight through the record, some words at once: no loop, no branch."""

    def build(context, builder, signature, arguments):
        places = [builder.bitcast(pointer, WORD.as_pointer()) for pointer in arguments]
        words = target.size // 8
        starts = [*range(0, words - words % WORDS_AT_ONCE, WORDS_AT_ONCE)]
        parts = [(start, ir.VectorType(WORD, WORDS_AT_ONCE)) for start in starts]
        parts += [(start, WORD) for start in range(words - words % WORDS_AT_ONCE, words)]
        for start, part in parts:
            at = [
                builder.bitcast(builder.gep(place, [ir.Constant(WORD, start)]), part.as_pointer())
                for place in places
            ]
            origin, chosen, rest = (builder.load(place, align=8) for place in at[1:])
            value = builder.or_(builder.and_(origin, chosen), builder.and_(rest, builder.not_(chosen)))
            builder.store(value, at[0], align=8)
        return context.get_dummy_value()

    return types.void(target, source, mask, others), build


@intrinsic
def _uncounted_row(typing_context, array, index):
    result = types.Array(array.dtype, 1, "C", readonly=not array.mutable, aligned=array.aligned)

    def build(context, builder, signature, arguments):
        whole = make_array(array)(context, builder, arguments[0])
        size = builder.extract_value(whole.shape, 1)
        line = make_array(result)(context, builder)
        populate_array(
            line,
            data=builder.gep(whole.data, [builder.mul(arguments[1], size)]),
            shape=[size],
            strides=[whole.itemsize],
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return line._getvalue()

    return result(array, types.int64), build


@intrinsic
def _prefetch(typing_context, array, index):
    def build(context, builder, signature, arguments):
        whole = make_array(array)(context, builder, arguments[0])
        size = builder.mul(builder.extract_value(whole.shape, 1), whole.itemsize)
        start = builder.gep(builder.bitcast(whole.data, BYTE), [builder.mul(arguments[1], size)])
        kind = ir.FunctionType(ir.VoidType(), [BYTE, FLAG, FLAG, FLAG])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [BYTE], kind)
        to_write, nearest, data = FLAG(1), FLAG(3), FLAG(1)
        with for_range_slice(builder, WORD(0), size, WORD(CACHE_LINE)) as (at, _):
            builder.call(prefetch, [builder.gep(start, [at]), to_write, nearest, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), build

"""Sets of cards written out as rows of numbers, for observations and masks of actions: a number for each
card.

Compiled code lays a set out many cards at a time. Numba alone would do it with 64-bit integers card by card,
for which most processors have no vector instruction to turn them into float32. The size of a set must be
known when the game is compiled, as all constants of a module are. Any other size, or array, is written as in
interpreted code.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

LONG, BYTE = ir.IntType(64), ir.IntType(8)
WIDTHS = 16, 8, 4, 1  # numbers written at once, as many as there are left


def put_set(out, start, members, size):
    """Write a set as `size` zeros and ones from `start` on."""
    for i in range(size):
        out[start + i] = (members >> i) & 1


def put_sum(out, start, one, other, size):
    """Write in how many of two sets each card is, as `size` numbers from 0 to 2."""
    for i in range(size):
        out[start + i] = ((one >> i) & 1) + ((other >> i) & 1)


@overload(put_set, prefer_literal=True)
def _put_set(out, start, members, size):
    if _can_be_laid_out(out, size):
        return lambda out, start, members, size: _lay_out(out, start, (members,), size)
    return put_set


@overload(put_sum, prefer_literal=True)
def _put_sum(out, start, one, other, size):
    if _can_be_laid_out(out, size):
        return lambda out, start, one, other, size: _lay_out(out, start, (one, other), size)
    return put_sum


def _can_be_laid_out(out, size):
    contiguous = isinstance(out, types.Array) and out.ndim == 1 and out.layout == "C"
    return contiguous and out.dtype in (types.float32, types.int8) and isinstance(size, types.IntegerLiteral)


@intrinsic(prefer_literal=True)
def _lay_out(typing_context, out, start, sets, size):
    """Write the sum of some sets."""

    def build(context, builder, signature, arguments):
        array = context.make_array(out)(context, builder, arguments[0])
        members = builder.extract_value
        sets = [members(arguments[2], i) for i in range(len(signature.args[2]))]
        at = 0
        while at < size.literal_value:
            width = next(width for width in WIDTHS if at + width <= size.literal_value)
            numbers = [_numbers(builder, each, at, width, out.dtype) for each in sets]
            value = numbers[0]
            for more in numbers[1:]:
                value = builder.fadd(value, more) if out.dtype == types.float32 else builder.add(value, more)
            place = builder.gep(array.data, [builder.add(arguments[1], ir.Constant(LONG, at))])
            place = builder.bitcast(place, value.type.as_pointer())
            builder.store(value, place, align=out.dtype.bitwidth // 8)
            at += width
        return context.get_dummy_value()

    # The size by its literal type: Numba finds `build` again by the types of the arguments.
    return types.void(out, types.int64, types.UniTuple(types.int64, len(sets)), size), build


def _numbers(builder, members, at, width, dtype):
    """Zeros and ones for `width` cards of a set from card `at` on.

    Each number looks at its own bit in a copy of the set. The copy is a whole byte of it for a number of one
    byte, 32 bits for a float.
    """
    members = builder.lshr(members, ir.Constant(LONG, at))
    small = dtype == types.int8
    part = BYTE if small else ir.IntType(32)
    if small:
        source = builder.bitcast(members, ir.VectorType(BYTE, 8))
        copied = [i // 8 for i in range(width)]
    else:
        source = builder.insert_element(
            ir.Constant(ir.VectorType(part, width), ir.Undefined),
            builder.trunc(members, part),
            ir.Constant(ir.IntType(32), 0),
        )
        copied = [0] * width
    row = ir.VectorType(part, width)
    copies = builder.shuffle_vector(
        source,
        ir.Constant(source.type, ir.Undefined),
        ir.Constant(ir.VectorType(ir.IntType(32), width), copied),
    )
    bits = ir.Constant(row, [1 << (i % 8 if small else i) for i in range(width)])
    held = builder.icmp_unsigned("!=", builder.and_(copies, bits), ir.Constant(row, [0] * width))
    if small:
        return builder.zext(held, row)
    floats = ir.VectorType(ir.FloatType(), width)
    return builder.select(held, ir.Constant(floats, [1.0] * width), ir.Constant(floats, [0.0] * width))

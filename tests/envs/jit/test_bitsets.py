"""Sets written out as numbers, and records copied by masks: many at a time, to the same end as one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from stichwerk.envs.jit.bitsets import put_set, put_sum
from stichwerk.envs.jit.intrinsics import copy_masked, copy_numbers, fetch_row, row
from stichwerk.envs.spec.encoding import put_steps, share
from tests.envs.support import few

SIZES = (1, 3, 4, 24, 31, 32, 33, 63)  # several vectors, parts of one, more than 32 bits
ANY_SET = st.integers(0, 2**63 - 1)
START = 2


def compiled_for(size: int):
    """The functions with the size as a constant, as games have it."""

    @njit
    def one(out, members):
        put_set(out, START, members, size)

    @njit
    def both(out, members, others):
        put_sum(out, START, members, others, size)

    return one, both


WRITERS = {size: compiled_for(size) for size in SIZES}


@pytest.mark.parametrize("dtype", few(1, [np.float32, np.int8, np.int64]))
@pytest.mark.parametrize("size", SIZES)
@settings(deadline=None, max_examples=20)
@given(one=ANY_SET, other=ANY_SET)
def test_sets_are_written_number_by_number(size, dtype, one, other):
    write, write_sum = WRITERS[size]
    expected = np.array([[one >> i & 1, (one >> i & 1) + (other >> i & 1)] for i in range(size)])
    for column, filled in enumerate(np.full((2, size + 2 * START), 7, dtype)):
        write_sum(filled, one, other) if column else write(filled, one)
        np.testing.assert_array_equal(filled[START:-START], expected[:, column])
        assert (filled[[0, 1, -2, -1]] == 7).all(), "beside the set"


def test_sizes_stay_apart_where_numba_compiles_a_function_once_more():
    def written(size, **options):
        @njit(**options)
        def write(out):
            put_set(out, 0, 2**63 - 1, size)

        out = np.zeros(16, np.float32)
        write(out)
        return out.sum()

    # With other options Numba compiles the overload again, but takes its types from the first time.
    assert [written(3), written(11), written(3, nogil=True), written(3, fastmath=True)] == [3, 11, 3, 3]


@settings(deadline=None)
@given(st.integers(-(2**24) + 1, 2**24 - 1), st.integers(1, 2**24 - 1))
def test_shares_are_rounded_once(number, whole):
    assert share(number, whole) == np.float32(number / whole)


def test_steps():
    out = np.full(6, 7, np.float32)
    put_steps(out, 1, 20, 10, 4)
    assert out.tolist() == [7, 1, 1, 1, 0, 7]


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_bits_are_copied_by_a_mask(words, random):
    source, mask, others = (
        np.frombuffer(random.randbytes(8 * words), np.dtype((np.record, [("word", np.int64, words)])))
        for _ in range(3)
    )
    target = np.zeros_like(source)
    copy_masked_compiled(target[0], source[0], mask[0], others[0])
    expected = source["word"] & mask["word"] | others["word"] & ~mask["word"]
    np.testing.assert_array_equal(target["word"], expected)


@njit
def copy_masked_compiled(target, source, mask, others):
    copy_masked(target, source, mask, others)


@njit
def copy_row(target, source, index):
    fetch_row(source, index)
    copy_numbers(row(target, index), row(source, index))


def test_rows_are_those_of_the_array():
    source, target = np.arange(12.0, dtype=np.float32).reshape(3, 4), np.zeros((3, 4), np.float32)
    copy_row(target, source, 1)
    assert target.tolist() == [[0] * 4, [4, 5, 6, 7], [0] * 4]

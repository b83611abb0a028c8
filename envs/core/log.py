"""The log of a deal: each entry says in one number who did what.

An action that a seat may not know is NONE in its view.
"""

import numpy as np
from numba.extending import overload

from stichwerk.envs.jit.compiled import compiled


@compiled
def log_action(state, seat, action):
    """Write down an action."""
    write_log(state, state.log_size, seat, action)
    state.log_size += 1


@compiled
def write_log(state, entry, seat, action):
    write_number(state, entry, (action + 1) * len(state.reward) + seat)


@compiled
def logged_seat(state, entry):
    return logged_number(state, entry) % len(state.reward)


@compiled
def logged_action(state, entry):
    return logged_number(state, entry) // len(state.reward) - 1


def log_entries(state) -> list[tuple[int, int]]:
    """The log of a deal so far: who did what."""
    return [
        (int(logged_seat(state, entry)), int(logged_action(state, entry))) for entry in range(state.log_size)
    ]


def write_number(state, entry, number):
    """Write an entry of the log."""
    (_write_nine_bits if _has_nine_bits(state.dtype) else _write_whole)(state, entry, number)


def logged_number(state, entry):
    """Read an entry of the log."""
    return (_logged_nine_bits if _has_nine_bits(state.dtype) else _logged_whole)(state, entry)


def _has_nine_bits(record) -> bool:
    """Whether the states of a game, given by their type, have a log with entries of nine bits."""
    return "log_high" in record.fields


def _write_whole(state, entry, number):
    state.log[entry] = number


def _logged_whole(state, entry):
    return np.int64(state.log[entry])


def _write_nine_bits(state, entry, number):
    """The ninth bits of eight entries share a byte."""
    state.log[entry] = number & 0xFF
    others = np.int64(state.log_high[entry // 8]) & ~(1 << entry % 8)
    state.log_high[entry // 8] = others | number >> 8 << entry % 8


def _logged_nine_bits(state, entry):
    high = np.int64(state.log_high[entry // 8]) >> entry % 8 & 1
    return np.int64(state.log[entry]) | high << 8


@overload(write_number)
def _write_number(state, entry, number):
    return _write_nine_bits if _has_nine_bits(state) else _write_whole


@overload(logged_number)
def _logged_number(state, entry):
    return _logged_nine_bits if _has_nine_bits(state) else _logged_whole

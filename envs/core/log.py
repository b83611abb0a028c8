"""The log of a deal: each entry says in one number who did what.

An action that a seat may not know is NONE in its view.
"""

import numpy as np

from stichwerk.envs.jit.compiled import compiled


@compiled
def log_action(state, seat, action):
    """Write down an action."""
    write_log(state, state.log_size, seat, action)
    state.log_size += 1


@compiled
def write_log(state, entry, seat, action):
    state.log[entry] = (action + 1) * len(state.reward) + seat


@compiled
def logged_seat(state, entry):
    return np.int64(state.log[entry]) % len(state.reward)


@compiled
def logged_action(state, entry):
    return np.int64(state.log[entry]) // len(state.reward) - 1


def log_entries(state) -> list[tuple[int, int]]:
    """The log of a deal so far: who did what."""
    actions, seats = np.divmod(state.log[: state.log_size].astype(np.int64), len(state.reward))
    return list(zip(seats.tolist(), (actions - 1).tolist(), strict=True))

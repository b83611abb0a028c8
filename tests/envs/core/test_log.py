"""The log of a deal, and seats counted round the table."""

from typing import Any

import numpy as np
import pytest

from stichwerk.envs import make_game
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_action, log_entries, logged_action, logged_seat, write_log
from stichwerk.envs.core.seats import turns_after, wrapped

ENTRIES = [(0, 3), (2, 0), (3, 17), (2, NONE)]


@pytest.fixture
def state() -> Any:
    """A state of four seats before any action."""
    return np.zeros(1, make_game("snapszer_v0").state)[0]


def test_who_did_what(state):
    for seat, action in ENTRIES:
        log_action(state, seat, action)
    assert log_entries(state) == ENTRIES
    assert [(logged_seat(state, entry), logged_action(state, entry)) for entry in range(4)] == ENTRIES


def test_an_entry_is_hidden(state):
    for seat, action in ENTRIES:
        log_action(state, seat, action)
    write_log(state, 1, 2, NONE)
    assert log_entries(state) == [ENTRIES[0], (2, NONE), *ENTRIES[2:]]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_seats_round_the_table(players):
    rules = np.zeros(1, np.dtype((np.record, [("players", np.int64)])))[0]
    rules.players = players
    for first in range(players):
        for turns in range(players):
            seat = wrapped(rules, first + turns)
            assert seat == (first + turns) % players
            assert turns_after(rules, first, seat) == turns

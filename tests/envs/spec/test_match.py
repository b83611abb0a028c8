"""The match state that a game has without hooks of its own: its fields that last for a match."""

from dataclasses import replace
from enum import IntEnum

import numpy as np
import pytest

from stichwerk.envs.games.schnapsen import GAME
from stichwerk.envs.spec.fields import FLAG, Field, count
from stichwerk.envs.spec.match import match_of, set_match
from stichwerk.envs.spec.state import state_layout
from stichwerk.support.errors import SetupError
from tests.envs.support import refused

Phase = IntEnum("Phase", ["PLAY", "DONE"], start=0)
LAYOUT = state_layout(
    [
        Field("score", count(100), 2, "deals won", lasts="match", below="target"),
        Field("sheet", count(9), (2, 2), "who got what from whom", lasts="match"),
        Field("doubled", FLAG, (), "the next deal counts double", lasts="match"),
        Field("trick", count(5), (), "of this deal"),
    ],
    seats=2,
    kinds=4,
    deck=4,
    phases=Phase,
    actions=4,
    longest_deal=4,
)
RULES = np.array([(3,)], np.dtype((np.record, [("target", np.int64)])))[0]
MATCH = {"score": [2, 0], "sheet": [[0, 9], [1, 0]], "doubled": 1}


def test_a_match_comes_back_as_it_was_set():
    state = LAYOUT.fresh.copy()[0]
    set_match(LAYOUT, RULES, state, MATCH)
    assert match_of(LAYOUT, state) == MATCH
    assert state.score.tolist() == [2, 0]


def test_a_match_that_cannot_be(refusals):
    def put(change: dict) -> None:
        state = LAYOUT.fresh.copy()[0]
        try:
            set_match(LAYOUT, RULES, state, {**MATCH, **change})
        finally:
            assert (LAYOUT.fresh == state).all(), "nothing is written"

    refusals("matches", refused(put, SetupError))


def test_hooks_of_a_match_come_in_pairs():
    with pytest.raises(ValueError, match="got one of set_match and match_of; expected both or neither"):
        replace(GAME, set_match=lambda rules, state, match: None)

"""Encodings, texts and pictures that derive from the declared fields and the log."""

from enum import IntEnum

import numpy as np
import pytest

from stichwerk.envs.core.actions import Action, card_actions
from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.log import log_action
from stichwerk.envs.core.text import as_lines
from stichwerk.envs.spec.declared import history_encoding, perfect_encoding, summary_encoding
from stichwerk.envs.spec.declared.text import fields_lines, fields_scene
from stichwerk.envs.spec.fields import SUIT_SET, Field, Kind, card, card_set, count, seat, seat_set, suit
from stichwerk.envs.spec.state import state_layout

Phase = IntEnum("Phase", ["PLAY", "DONE"], start=0)
PACK = Pack("AK")
ACTIONS = (*card_actions("play", PACK.names), Action("pass"))
LAYOUT = state_layout(
    [
        Field("score", count(100), 3, "points", by_seat=True, lasts="match", below="target"),
        Field("hand", card_set(8), 3, "cards in hand", known="owner"),
        Field("drawn", card(8), (3, 2), "cards drawn", known="owner"),
        Field("stock", card(8), 2, "cards to come", known="nobody"),
        Field("table", card(8), 3, "cards on the table", by_seat=True),
        Field("trump", suit(), (), "trump suit"),
        Field("voids", SUIT_SET, 3, "suits proven missing", by_seat=True),
        Field("leader", seat(3), (), "of the trick"),
        Field("passed", seat_set(3), (), "who has passed"),
        Field("tricks", count(4), 2, "tricks of the first and the second half"),
        Field("balance", Kind(-10, 10), (), "what is owed"),
    ],
    seats=3,
    kinds=8,
    deck=8,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=4,
)
RULES = np.array([(3, 5)], np.dtype((np.record, [("players", np.int64), ("target", np.int64)])))[0]


@pytest.fixture
def state():
    state = LAYOUT.fresh.copy()[0]
    state.score[:] = 1, 2, 3
    state.hand[:] = 0b1, 0b110, 0b11000
    state.drawn[1] = 2, -1
    state.stock[:] = 6, 7
    state.table[:] = -1, 5, -1
    state.voids[:] = 0b1000, 0, 0b1
    state.leader, state.passed, state.trump, state.dealer, state.seat = 0, 0b101, 2, 2, 1
    state.tricks[:] = 4, 1
    state.balance = -5
    log_action(state, 2, 3)
    log_action(state, 0, 8)
    return state


def seen(encoding, state, seat) -> dict[str, list[float]]:
    out = np.zeros(encoding.size, np.float32)
    encoding.observe(RULES, state, seat, out)
    return {name: values.tolist() for name, values in encoding.named(out).items()}


def test_what_a_seat_knows(state):
    shown = seen(summary_encoding(LAYOUT), state, 1)
    assert shown["hand"] == [0, 1, 1, 0, 0, 0, 0, 0]
    assert shown["drawn"] == [0, 0, 1, 0, 0, 0, 0, 0] + [0] * 8
    assert shown["score"] == pytest.approx([2 / 5, 3 / 5, 1 / 5]), "this seat first, as shares of the target"
    assert shown["table"] == [0, 0, 0, 0, 0, 1, 0, 0] + [0] * 16
    assert shown["trump"] == [0, 0, 1, 0]
    assert shown["voids"] == [0] * 4 + [1, 0, 0, 0] + [0, 0, 0, 1]
    assert shown["leader"] == [0, 0, 1], "the seat before this one"
    assert shown["passed"] == [0, 1, 1]
    assert shown["tricks"] == [1, 0.25], "no rows of seats"
    assert shown["balance"] == [0.25], "from -10 to 10"
    assert (shown["dealer"], shown["seat"], shown["phase"]) == ([0, 1, 0], [1, 0, 0], [1, 0])
    assert "stock" not in shown


def test_the_history_is_the_log_and_chosen_fields(state):
    encoding = history_encoding(LAYOUT, ACTIONS, drawn="the cards drawn")
    assert [(f.name, f.size, f.per) for f in encoding.features] == [
        ("drawn", 16, "card"),
        ("actors", 12, "value"),
        ("actions", 36, "action"),
    ]
    shown = seen(encoding, state, 1)
    assert shown["actors"] == [0, 1, 0] + [0, 0, 1] + [0] * 6
    assert np.flatnonzero(shown["actions"]).tolist() == [3, 9 + 8]
    assert encoding is history_encoding(LAYOUT, ACTIONS, drawn="the cards drawn"), "it is compiled once"


def test_perfect_information_adds_the_hidden_fields(state):
    summary = summary_encoding(LAYOUT)
    encoding = perfect_encoding(summary, LAYOUT)
    assert [f.name for f in encoding.features[len(summary.features) :]] == [
        "other_hand",
        "other_drawn",
        "stock",
    ]
    shown = seen(encoding, state, 1)
    assert shown["hand"] == [0, 1, 1, 0, 0, 0, 0, 0]
    assert shown["other_hand"] == [0, 0, 0, 1, 1, 0, 0, 0] + [1] + [0] * 7
    assert np.flatnonzero(shown["stock"]).tolist() == [6, 8 + 7]


def test_the_text_of_a_seat(state):
    assert fields_lines(LAYOUT, PACK, ACTIONS, 3, state, 1) == [
        "deal 1, dealt by player_2",
        "score     player_0 1, player_1 2, player_2 3",
        "hand      ♠K ♥A",
        "drawn     ♥A",
        "table     player_0 -, player_1 ♦K, player_2 -",
        "trump     ♦",
        "voids     player_0 ♣, player_1 -, player_2 ♠",
        "leader    player_0",
        "passed    player_0 player_2",
        "tricks    4 1",
        "balance   -5",
        "last      player_0: pass",
        "turn      player_1, play",
    ]
    state.phase, state.over, state.deal_points = Phase.DONE, 1, [1, 0, -1]
    assert (
        fields_lines(LAYOUT, PACK, ACTIONS, 3, state, 1)[-1].words == "player_0 +1, player_1 +0, player_2 -1"
    )


def test_hands_and_cards_on_the_table_are_drawn(state):
    state.hand[[0, 2]] = 0
    scene = fields_scene(LAYOUT, PACK, ACTIONS, 3, as_lines("a line"), state, 1)
    assert scene.lines == ("a line",)
    assert [(hand.seat, hand.cards) for hand in scene.hands] == [(1, ("sK", "hA")), (2, ()), (0, ())]
    assert [hand.played for hand in scene.hands] == ["dK", None, None]
    assert (scene.dealer, scene.turn) == (2, 1)

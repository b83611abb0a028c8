"""Answers in free text are read as the action that they mean, or refused with one clear line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.agents.language import AnswerError, read_answer
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from tests.envs.support import refused

LEGAL = ("play hA", "play hK", "play sT", "meld h", "close", "claim")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("3", "play sT"),
        ("3.", "play sT"),
        ("[3]", "play sT"),
        ("Option 3", "play sT"),
        ("play hA", "play hA"),
        (" PLAY  HA ", "play hA"),
        ("`play hA`", "play hA"),
        ("play ♥A", "play hA"),
        ("♥️A", "play hA"),
        ("sT", "play sT"),
        ("m", "meld h"),
        ("play s", "play sT"),
        ("2. play hK", "play hK"),
        ('{"action": "play hK"}', "play hK"),
        ('{"action": 2}', "play hK"),
        ('Here:\n```json\n{"why": "play hA loses", "action": "claim"}\n```', "claim"),
        ('{"plan": {"now": "win"}, "action": "play hA", "next": "play hK"}', "play hA"),
        ('{"action": "play hA", "why": {"instead of": "play hK"}}', "play hA"),
        ('{"action": "play hA", "why": "{hK} is play hK"}', "play hA"),
        ('{"action": "play hA", "others": [{"action": "play hK"}]} {"sure": true}', "play hA"),
        ('{"reasoning": "set {a}", "action": 1, "confidence": 3}', "play hA"),
        ('{"answer": {"action": 2}}', "play hK"),
        ('{plan} {"action": 2} {"action"', "play hK"),
        ("I could play hA, but the king is safer.\nACTION: play hK", "play hK"),
        ("**Action:** 5", "close"),
        ("ACTION: claim\nNo, wait.\nAction: close, as trumps are gone", "close"),
        ("Final answer: meld h.", "meld h"),
        ("I have 66 points in 5 tricks.\n\n6", "claim"),
        ("After play hA the ten falls, so I play hK. That is all.", "play hK"),
    ],
)
def test_answers_of_many_forms_are_read(text, action):
    assert read_answer(text, LEGAL) == action


def test_wrong_answers_are_refused_in_one_line(refusals):
    refusals("answers", refused(lambda text: read_answer(text, LEGAL), AnswerError), {"nothing": None})


@pytest.mark.parametrize("env_id", OWN_GAMES)
@given(data=st.data())
def test_every_action_of_every_game_can_be_given_by_name_and_by_number(env_id, data):
    actions = make_game(env_id).actions
    legal = data.draw(st.lists(st.sampled_from(actions), min_size=1, max_size=12, unique=True))
    for number, action in enumerate(legal, start=1):
        forms = str(number), action, action.upper(), f"{number}. {action}", f"I choose {action}, at last"
        for text in (*forms, f"ACTION: {action}", f'{{"action": "{action}"}}'):
            assert read_answer(text, legal) == action, text


@given(text=st.text(max_size=60), legal=st.permutations(LEGAL))
def test_whatever_is_answered_is_read_as_legal_or_refused(text, legal):
    with suppress(AnswerError):
        assert read_answer(text, legal) in legal


def test_long_answers_take_no_long_time():
    for text in (
        "{" * 200_000,
        "\n" * 200_000,
        "action " * 50_000,
        "*" * 200_000 + "claim",
        '{"a":' * 50_000,
    ):
        try:
            assert read_answer(text, LEGAL) == "claim"
        except AnswerError:
            assert "claim" not in text

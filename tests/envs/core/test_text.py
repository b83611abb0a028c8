"""Words that the texts of all games share."""

import copy
import pickle
import re

from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs.core.text import Line, as_lines, counted, results
from stichwerk.envs.spec.scene import SPECTATOR
from tests.envs.support import each_variant, positions

SOME_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=12)


def test_numbers_in_texts():
    assert [counted(number, "card") for number in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert results([-0.0, 1.5]) == "over      player_0 +0, player_1 +1.5"
    assert results([1234, -411 - 1 / 3]) == "over      player_0 +1234, player_1 -411.33"
    assert results([-1e-9, -2], "+z.3f") == "over      player_0 +0.000, player_1 -2.000"


@given(SOME_WORDS, st.sampled_from(["", "trump", "turned up", "a_very_long_label"]))
def test_a_line_is_its_text_and_survives_copies(words, label):
    line = Line(words, label, "turn")
    for each in (copy.deepcopy(line), pickle.loads(pickle.dumps(line)), line.saying(words)):
        assert (each, each.words, each.label, each.kind) == (line, words, label, "turn")
    assert line == (f"{label:<8}  {words}" if label else words)


def test_plain_texts_are_read_as_lines():
    lines = as_lines("deal 1\ntrump     ♠\nover      player_0 +1")
    assert [(each.label, each.words, each.kind) for each in lines] == [
        ("", "deal 1", "fact"),
        ("trump", "♠", "fact"),
        ("over", "player_0 +1", "over"),
    ]
    assert as_lines(lines) == lines


@each_variant
def test_lines_say_of_what_kind_they_are(variant):
    """At most one of each kind that is told elsewhere, and no line would be read as another."""
    env, seen = variant.env(), set()
    for _ in positions(env, seed=6, episodes=1, share=0.3):
        for seat in range(env.game.seats):
            scene = env.game.scene(env.view(f"player_{seat}"), seat)
            for lines in (env.game.lines(env.view(f"player_{seat}"), seat), scene.lines):
                kinds = [line.kind for line in lines if line.kind != "fact"]
                assert kinds == sorted(set(kinds), key=kinds.index)
                assert "turn" in kinds
                seen |= {*kinds}
                assert [(line.kind, line.words.strip()) for line in lines] == [
                    (line.kind, line.words.strip()) for line in as_lines(map(str.__str__, lines))
                ]
    assert seen == {"turn", "last"}
    assert env.game.lines(env.copy_state(), SPECTATOR)[0].label == ""


@each_variant
def test_one_card_is_no_cards(variant):
    """Until a deal is over, in what every seat sees."""
    env = variant.env(render_mode="ansi")
    texts = [
        env.game.text(env.view(agent), seat)
        for _ in positions(env, seed=5)
        for seat, agent in enumerate(env.possible_agents)
    ]
    assert not any(re.search(r"\b1 (cards|tricks|points)\b", text) for text in texts)

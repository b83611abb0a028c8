"""A seat of any game in text: all that it needs is told, and nothing that it does not know."""

import random

import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.language import TextGame
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.support.errors import InputError
from tests.environments import ROOT
from tests.envs.support import each_variant, python, refused


def text_game(variant, seat=None, seed=1) -> TextGame:
    return TextGame(variant.env_id, seat, "random", seed, rules=variant.rules)


@each_variant
def test_a_deal_is_played_in_text_to_its_end(variant):
    game, rng = text_game(variant), random.Random(1)
    for _ in range(4):
        question = game.reset()
        assert question.startswith(game.game.rules_text())
        done = False
        while not done:
            legal = game.legal
            numbered = [f"{place}. {name}" for place, name in enumerate(legal, start=1)]
            assert "\n".join(["Legal actions:", *numbered]) in question
            assert game.table.agent_selection == f"player_{game.seat}"
            chosen = rng.randrange(len(legal))
            question, reward, done = game.answer(str(chosen + 1))
            assert f"player_{game.seat} (you): {legal[chosen]}\n" in question
            assert done or reward == 0
        assert reward == game.table.rewards[f"player_{game.seat}"]
        assert "The deal is over. You get " in question
        assert game.legal == ()
        assert game.look() == question


@each_variant
def test_the_text_depends_on_nothing_that_the_seat_does_not_know(variant):
    """Whatever the hidden cards are, the question is the same; the counter-check is that they did change."""
    rng, changed = random.Random(2), 0
    for seed in range(3):
        for seat in range(make_game(variant.env_id, variant.rules).seats):
            game, other = (text_game(variant, seat, seed) for _ in range(2))
            game.reset()
            other.reset()
            done = False
            while not done:
                state = game.table.copy_state()
                world = variant.model.redeal(game.game, state, seat, rng)
                of_state, of_world = (variant.model.world(game.game, each) for each in (state, world))
                changed += of_state != of_world
                other.table.set_state(world)
                other._seen = game._seen
                assert other.look() == game.look()
                assert other.legal == game.legal
                assert other.introduction() == game.introduction()
                done = game.answer(rng.choice(game.legal)).done
    assert changed > 5


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_the_rules_are_told_in_short_with_every_option_that_differs(env_id):
    game = make_game(env_id)
    assert 100 < len(game.rules_text().split()) < 250
    for preset in game.spec.rules.PRESETS:
        other = make_game(env_id, preset)
        for name, value in other.rules.as_dict().items():
            told = f"\n- {name} = {value}: " in other.rules_text()
            assert told == (value != game.rules.as_dict()[name]), name


def test_the_rules_of_a_game_that_declares_no_text_are_its_options(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "briscola")
    text = make_game("briscola:briscola_v0").rules_text()
    assert text.startswith("The game is Briscola.\n- ")


def test_too_many_wrong_answers_forfeit_the_deal():
    game = TextGame("schnapsen_v0", 0, "random", 1, wrong_answers=2)
    assert "2 wrong answers forfeit the deal: -3 game points." in game.reset()
    legal = game.legal
    first = game.answer("I pass")
    assert first.text.startswith("got 'I pass'; expected a number from 1 to ")
    assert "1 further wrong answer will forfeit the deal." in first.text
    assert (first.reward, first.done, game.legal) == (0, False, legal)
    second = game.answer("99")
    assert second.text.endswith("2 wrong answers: the deal is forfeited. You get -3 game points.")
    assert (second.reward, second.done, game.legal) == (-3, True, ())
    with pytest.raises(InputError, match="no deal is under way: call reset"):
        game.answer("1")
    game.reset()
    assert not game.answer("1").done


def test_wrong_answers_change_nothing_at_the_table():
    game = TextGame("schnapsen_v0", 0, "random", 1)
    game.reset()
    before = game.table.snapshot()
    game.answer("")
    assert game.table.snapshot() == before


def test_a_seed_gives_the_same_deals_and_later_ones_others():
    one, two = (TextGame("schnapsen_v0", 0, "random", 5) for _ in range(2))
    questions = [one.reset(), one.reset()]
    assert questions == [two.reset(), two.reset()]
    assert questions[0] != questions[1]
    assert one.reset(seed=5) == questions[0]


def test_a_hint_is_what_an_agent_would_play():
    game = TextGame("schnapsen_v0", 0, "random", 3)
    with pytest.raises(InputError, match="call reset"):
        game.hint()
    game.reset()
    agent = make_agent_for("rules", game.game)
    expected = game.game.actions[int(agent.act(Turns.at(game.table))[0])]
    assert game.hint("rules") == expected


def test_wrong_arguments_are_refused(refusals):
    refusals("text_games", refused(lambda words: TextGame("schnapsen_v0", **words)))
    game = TextGame("schnapsen_v0", 0, "random", 1)
    seen = game.reset()
    with pytest.raises(InputError, match="seed: got -1"):
        game.reset(-1)
    assert seen.endswith(game.look())


def test_games_in_text_need_no_torch():
    program = """
import sys
sys.modules["torch"] = None
from stichwerk.agents.language import TextGame
game = TextGame("schnapsen_v0", seat=0, opponents="rules", seed=1)
print("Legal actions:" in game.reset())
"""
    assert python(program) == "True"

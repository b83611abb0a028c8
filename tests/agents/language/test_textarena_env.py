"""Games in TextArena, where the package is there."""

import random
import re

import pytest

pytest.importorskip("textarena", reason="the extra textarena is for an environment of its own")

import textarena as ta

from stichwerk.agents.language.textarena_env import CardGame, textarena_id
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.support.errors import InputError


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_a_deal_is_played_by_all_seats(env_id):
    game, rng = make_game(env_id), random.Random(1)
    env = ta.make(textarena_id(env_id))
    env.reset(num_players=game.seats, seed=3)
    done, turns = False, 0
    while not done:
        seat, text = env.get_observation()
        assert game.rules_text() in text
        assert f"You are player_{seat}" in text
        last = text.rpartition("Legal actions:")[2]
        numbers = re.findall(r"^(\d+)\. ", last, re.MULTILINE)
        done, _ = env.step(f"ACTION: {rng.choice(numbers)}")
        turns += 1
    rewards, info = env.close()
    assert sorted(rewards) == list(range(game.seats))
    assert sum(rewards.values()) == pytest.approx(0)
    assert sum(each["turn_count"] for each in info.values()) == turns
    assert not any(each["invalid_move"] for each in info.values())


@pytest.mark.parametrize("chance", range(4))
def test_every_deal_of_an_environment_begins_with_nothing_before_it(chance):
    """Its questions are those of a new environment, in any game and after any number of deals."""
    rng = random.Random(chance)
    env_id = rng.choice(list(OWN_GAMES))
    seats, used = make_game(env_id).seats, ta.make(textarena_id(env_id))
    for _ in range(3):
        seed, fresh = rng.randrange(100), ta.make(textarena_id(env_id))
        for each in (used, fresh):
            each.reset(num_players=seats, seed=seed)
        done, left = False, rng.choice([2, 1000])  # a deal may be left in the middle
        while not done and left:
            assert used.get_observation() == fresh.get_observation()
            answer = rng.choice(["ACTION: 1", "hm"])
            done, _ = fresh.step(answer)
            assert used.step(answer)[0] == done
            left -= 1


def test_a_player_sees_neither_hidden_cards_nor_the_words_of_others():
    env, other = CardGame("schnapsen_v0"), CardGame("schnapsen_v0")
    for each in (env, other):
        each.reset(num_players=2, seed=3)
    seat, _ = env.get_observation()
    hidden = 1 - seat
    other.table.set_state(env.table.resample(f"player_{seat}", 7))
    assert (other.table.copy_state()["hand"] != env.table.copy_state()["hand"]).any()
    for each in (env, other):
        each.get_observation()
        each._ask()
    assert env.get_observation() == other.get_observation()
    env.step("My secret plan.\nACTION: 1")
    assert env.get_observation()[0] == hidden
    env.step("1")
    seen = env.state.observations[hidden]
    assert "My secret plan" not in str(seen)


def test_wrong_answers_forfeit_the_deal():
    env = CardGame("schnapsen_v0", wrong_answers=2)
    env.reset(num_players=2, seed=3)
    seat, _ = env.get_observation()
    done, _ = env.step("I resign")
    assert not done
    again, told = env.get_observation()
    assert again == seat
    assert "got 'I resign'; expected a number from 1 to" in told[-1][1]
    done, _ = env.step("I resign")
    rewards, info = env.close()
    assert (done, rewards) == (True, {seat: -3, 1 - seat: 3})
    assert info[seat]["invalid_move"]


def test_another_number_of_players_is_refused():
    with pytest.raises(InputError, match="num_players: got 3; expected 2, the seats of schnapsen_v0"):
        CardGame("schnapsen_v0").reset(num_players=3)

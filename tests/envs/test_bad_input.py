"""Bad input is answered by one clear line that names the value and what is allowed."""

import pytest

from stichwerk.envs import RulesError, SetupError, make_game, make_vec
from stichwerk.envs.aec import CardGameEnv
from tests.envs.support import VARIANTS, each_variant

ID = "schnapsen_v0"


def refusal(error: type[Exception], call) -> str:
    """The one line that this call is refused with."""
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def test_wrong_arguments(refusals):
    """Those of many lanes are refused with the same words."""

    def refuse(arguments: dict) -> str:
        message = refusal(ValueError, lambda: CardGameEnv(**{"env_id": ID, **arguments}))
        if not any(name.startswith("render") for name in arguments):
            assert message == refusal(
                ValueError, lambda: make_vec(**{"env_id": ID, "num_envs": 2, **arguments})
            )
        return message

    refusals("environments", refuse, {"rules of pairs": {"rules": [("target", 7)]}})


@pytest.mark.parametrize("name", ["num_envs", "threads"])
@pytest.mark.parametrize("number", [0, -3, 1.5, "2", True, None], ids=repr)
def test_wrong_number_of_lanes_or_threads(name, number):
    message = refusal(ValueError, lambda: make_vec(**{"env_id": ID, "num_envs": 2, name: number}))
    assert f"{name}: got {number!r}" in message
    assert "from 1" in message


@pytest.mark.parametrize(
    ("name", "number", "word"),
    [("num_envs", 10**12, "memory"), ("num_envs", 10**30, "memory"), ("threads", 10**9, "to 1024")],
)
def test_more_lanes_or_threads_than_there_can_be(name, number, word):
    message = refusal(ValueError, lambda: make_vec(**{"env_id": ID, "num_envs": 2, name: number}))
    assert f"{name}: got {number}" in message
    assert word in message


@pytest.mark.parametrize(
    "call",
    [
        lambda: CardGameEnv(ID).reset(seed=-1),
        lambda: make_vec(ID, 2, seed=-1),
        lambda: make_vec(ID, 2).reset(seed=-1),
    ],
    ids=["reset", "make_vec", "reset of many lanes"],
)
def test_negative_seed(call):
    message = refusal(ValueError, call)
    assert "seed" in message
    assert "-1" in message
    assert "from 0" in message


def test_seeds_may_be_large():
    for seed in (0, 2**32, 2**63, 2**128):
        CardGameEnv(ID).reset(seed=seed)


def test_wrong_rules(refusals):
    refusals("rules", lambda rules: refusal(RulesError, lambda: make_game(ID, rules)))


# Set deals


DECK = list(make_game(ID).deck)
DECKS = {
    "deck too short": DECK[:-1],
    "deck too long": [*DECK, "sA"],
    "deck with a card twice": ["sT", *DECK[1:]],
    "deck with a card of another pack": ["s9", *DECK[1:]],
    "deck with no card": ["joker", *DECK[1:]],
    "deck with a number": [0, *DECK[1:]],
    "deck with a list": [["sA"], *DECK[1:]],
}


def test_impossible_set_deals_change_nothing(refusals):
    env = CardGameEnv(ID, episode="match")
    env.reset(seed=51)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    before = env.snapshot()

    def refuse(options: dict) -> str:
        message = refusal(SetupError, lambda: env.reset(seed=52, options=options))
        assert env.snapshot() == before
        return message

    refusals("set_deals", refuse, {name: {"deck": deck} for name, deck in DECKS.items()})


def test_unknown_reset_option():
    env = CardGameEnv(ID)
    with pytest.warns(
        UserWarning, match="unknown reset option 'decks' ignored; there are deck, dealer, match, actions"
    ):
        env.reset(seed=54, options={"decks": DECK})


def test_set_deals_are_not_for_many_lanes():
    assert "dealer" in refusal(ValueError, lambda: make_vec(ID, 2).reset(options={"dealer": 0}))


@each_variant
def test_rendering_without_a_mode(variant):
    env = variant.env()
    env.reset(seed=53)
    message = refusal(ValueError, env.render)
    assert "ansi" in message
    assert "human" in message


def test_an_agent_that_is_no_name():
    env = CardGameEnv(ID)
    env.reset(seed=1)
    assert "player_1" in refusal(ValueError, lambda: env.observe(["player_0"]))


def test_every_table_is_named_in_the_answer():
    message = refusal(RulesError, lambda: make_game(VARIANTS[0].env_id, "?"))
    for variant in VARIANTS:
        if variant.env_id == VARIANTS[0].env_id:
            assert variant.preset in message

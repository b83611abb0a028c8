"""Bad input is answered by one clear line that names the value and what is allowed."""

import pytest

from stichwerk import envs
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


# A wrong argument, and words that the answer must hold: the value, and something that is allowed.
ARGUMENTS = {
    "env id": ({"env_id": "whist_v0"}, ["'whist_v0'", *envs.GAMES]),
    "env id of another type": ({"env_id": None}, ["None", ID]),
    "preset": ({"rules": "bridge"}, ["'bridge'", "schnapsen_tournament"]),
    "preset without a name": ({"rules": ""}, ["''", "schnapsen_tournament"]),
    "preset in a dict": ({"rules": {"preset": "bridge"}}, ["'bridge'", "schnapsen_tournament"]),
    "preset of another type": ({"rules": {"preset": 7}}, ["7", "schnapsen_tournament"]),
    "rules of another type": ({"rules": 7}, ["7", "preset name", "dict"]),
    "rules of pairs": ({"rules": [("target", 7)]}, ["('target', 7)", "dict"]),
    "option": ({"rules": {"joker": True}}, ["'joker'", "must_head"]),
    "option of another type": ({"rules": {3: True}}, ["3", "must_head"]),
    "episode": ({"episode": "rubber"}, ["'rubber'", "deal", "match"]),
    "observation": ({"observation": "pixels"}, ["'pixels'", "summary", "history"]),
    "observation of another type": ({"observation": ["summary"]}, ["['summary']", "summary", "history"]),
    "render mode": ({"render_mode": "opera"}, ["'opera'", "ansi", "human"]),
    "render seat": ({"render_seat": 2}, ["2", "0 to 1", "player_1"]),
    "render seat by name": ({"render_seat": "north"}, ["'north'", "player_1"]),
}


@pytest.mark.parametrize("fault", ARGUMENTS)
def test_wrong_argument(fault):
    arguments, words = ARGUMENTS[fault]
    message = refusal(ValueError, lambda: CardGameEnv(**{"env_id": ID, **arguments}))
    for word in words:
        assert word in message


@pytest.mark.parametrize("fault", [fault for fault in ARGUMENTS if "render" not in fault])
def test_wrong_argument_for_many_lanes(fault):
    arguments, words = ARGUMENTS[fault]
    message = refusal(ValueError, lambda: make_vec(**{"env_id": ID, "num_envs": 2, **arguments}))
    for word in words:
        assert word in message


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


# Rule options: a wrong value, and words that the answer must hold.
VALUES = {
    "nines": ([1, "no", None], ["True", "False"]),
    "memory": (["half", True], ["full", "table"]),
    "min_stock": ([0, -1, 1.0, True, "1"], ["from 1 to 10000"]),
    "next_dealer": (["nobody"], ["alternate", "winner", "loser"]),
    "exchange_window": (["any_turn"], ["on_lead", "after_trick", "either"]),
    "claim_window": (["either"], ["on_lead", "after_trick", "any_turn"]),
    "claims": (["never"], ["free", "safe", "auto"]),
    "schneider_max": ([-1, 32.5, 10**20], ["from 0 to 10000"]),
    "target": ([0, 10_001], ["from 1 to 10000"]),
    "goal": ([0], ["from 1 to 10000"]),
    "hand_size": ([0, 2.5], ["from 1 to 10000"]),
    "pack": (["sA sT", 20, [1, 2]], ["card names"]),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (values, _) in VALUES.items() for value in values], ids=repr
)
def test_wrong_option_value(name, value):
    message = refusal(RulesError, lambda: make_game(ID, {name: value}))
    shown = tuple(value) if isinstance(value, list) else value
    assert f"{name}: got {shown!r}" in message
    for word in VALUES[name][1]:
        assert word in message


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"pack": ["sA", "sT", "sK", "joker"], "hand_size": 1}, ["pack", "'joker'", "sA"]),
        ({"pack": ["sA", "sA", "sK", "sQ"], "hand_size": 1}, ["pack", "twice", "sA"]),
        ({"pack": ["sA", "sT", "sK", "sQ", "sJ"], "hand_size": 1}, ["pack", "5 cards", "even", "4"]),
        ({"pack": ["sA", "sT", "sK", "sQ"], "hand_size": 2}, ["pack", "4 cards", "6"]),
        ({"hand_size": 10}, ["20 cards", "10 in hand", "22"]),
        ({"pack": [], "hand_size": 1}, ["0 cards", "4"]),
    ],
    ids=["unknown card", "card twice", "odd", "too few", "hands too large", "empty"],
)
def test_impossible_pack(rules, words):
    message = refusal(RulesError, lambda: make_game(ID, rules))
    for word in words:
        assert word in message


# Set deals


def deck() -> list[str]:
    return list(make_game(ID).deck)


# A reset option, and words that the answer must hold.
RESET = {
    "deck is a text": ({"deck": "sA sT"}, ["deck", "20 card names"]),
    "deck too short": ({"deck": deck()[:-1]}, ["deck", "cJ", "missing"]),
    "deck too long": ({"deck": [*deck(), "sA"]}, ["deck", "sA", "duplicate"]),
    "deck with a card twice": ({"deck": ["sT", *deck()[1:]]}, ["deck", "sT", "duplicate"]),
    "deck with a card of another pack": (
        {"deck": ["s9", *deck()[1:]]},
        ["deck", "unknown card 's9'", "has sA"],
    ),
    "deck with no card": ({"deck": ["joker", *deck()[1:]]}, ["deck", "'joker'"]),
    "deck with a number": ({"deck": [0, *deck()[1:]]}, ["deck", "0"]),
    "deck with a list": ({"deck": [["sA"], *deck()[1:]]}, ["deck", "['sA']"]),
    "dealer too large": ({"dealer": 2}, ["dealer", "2", "0 to 1", "player_1"]),
    "dealer negative": ({"dealer": -1}, ["dealer", "-1", "0 to 1"]),
    "dealer by a wrong name": ({"dealer": "player_9"}, ["dealer", "'player_9'", "player_1"]),
    "dealer is no seat": ({"dealer": True}, ["dealer", "True", "player_1"]),
    "match is a list": ({"match": [0, 0]}, ["match", "[0, 0]", "score"]),
    "match without score": ({"match": {}}, ["match", "score"]),
    "match with more": ({"match": {"score": [0, 0], "stake": 1}}, ["match", "stake", "score"]),
    "score is a number": ({"match": {"score": 3}}, ["score", "3", "0 to 6"]),
    "score for three": ({"match": {"score": [0, 0, 0]}}, ["score", "[0, 0, 0]", "2 whole numbers"]),
    "score negative": ({"match": {"score": [0, -1]}}, ["score", "-1", "0 to 6"]),
    "score of a match that is over": ({"match": {"score": [7, 0]}}, ["score", "7", "0 to 6"]),
    "score of fractions": ({"match": {"score": [0.5, 0]}}, ["score", "0.5", "0 to 6"]),
    "actions are a text": ({"actions": "close"}, ["actions", "'close'", "list"]),
    "action unknown": ({"actions": ["whistle"]}, ["action 0", "'whistle'", "player_", "close"]),
    "action by number": ({"actions": [0]}, ["action 0", "player_", "close"]),
    "action illegal": ({"actions": ["close", "close"]}, ["action 1", "'close'", "player_", "legal: play"]),
    "action after the end": ({"actions": ["claim"]}, ["action 0", "'claim'", "player_"]),
}


@pytest.mark.parametrize("fault", RESET)
def test_impossible_set_deal_changes_nothing(fault):
    options, words = RESET[fault]
    env = CardGameEnv(ID, episode="match")
    env.reset(seed=51)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    before = env.snapshot()
    message = refusal(SetupError, lambda: env.reset(seed=52, options=options))
    for word in words:
        assert word in message
    assert env.snapshot() == before


def test_unknown_reset_option():
    env = CardGameEnv(ID)
    with pytest.warns(
        UserWarning, match="unknown reset option 'decks' ignored; there are deck, dealer, match, actions"
    ):
        env.reset(seed=54, options={"decks": deck()})


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

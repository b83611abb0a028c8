"""Agents by name, their manners at the table, and the networks they are loaded from."""

import hashlib
import json
import os
import random
import resource
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pettingzoo import AECEnv
from safetensors.torch import load_file, save_file

from stichwerk.agents import AgentError, make_agent
from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.networks.sampling import pick
from stichwerk.agents.networks.saved import MANIFEST, WEIGHTS, read_network, write_network
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.envs import InputError, gaigel_v0, make_game, schnapsen_v0, sixty_six_v0
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import Onlooker, ppo_agent, random_network, save_random_network
from tests.envs.support import OBSERVATIONS, each_variant_with, every_variant, positions, spread_evenly

ID = "schnapsen_v0"
GAME = make_game(ID)


@pytest.fixture
def network(tmp_path):
    """A saved network for Schnapsen that plays best by its likeliest actions."""
    return save_random_network(tmp_path / "network", GAME, greedy=True)


# At the table


MAKE = {
    "random": lambda game: RandomAgent("random"),
    "rules": lambda game: RulesAgent("rules", game),
    "ppo, summary": lambda game: ppo_agent(game, "summary"),
    "ppo, history": lambda game: ppo_agent(game, "history", greedy=False),
}


@each_variant_with(kind=MAKE)
def test_agents_play_legal_actions_from_redacted_views(variant, kind):
    player = Onlooker(MAKE[kind](variant.game))
    play_pair(variant.game, player, RandomAgent("random"), Series(150, seed=1))
    turns, actions = player.seen()
    assert len(turns) > 150
    assert turns.mask[np.arange(len(turns)), actions].all()
    assert actions.dtype == np.int64
    assert set(turns.all_seats) == set(range(variant.game.seats))


@pytest.mark.parametrize("kind", MAKE)
def test_a_seed_restarts_chance(kind):
    player = Onlooker(RandomAgent("random"))
    play_pair(GAME, player, player, Series(20, seed=1))
    turns, _ = player.seen()
    agent = MAKE[kind](GAME)
    agent.seed(5)
    first, second = agent.act(turns), agent.act(turns)
    agent.seed(5)
    assert (agent.act(turns) == first).all()
    assert (first == second).all() == (kind in ("rules", "ppo, summary")), "the others draw lots each time"


def test_random_plays_every_legal_action_equally():
    mask = np.zeros((30_000, len(GAME.actions)), np.int8)
    legal = [0, 3, 7, 24, len(GAME.actions) - 1]
    mask[:, legal] = 1
    nowhere = np.zeros(len(mask), GAME.state), np.zeros(len(mask), np.int64)
    actions = RandomAgent("random").act(Turns(np.arange(len(mask)), *nowhere, mask))
    counts = np.bincount(actions, minlength=len(GAME.actions))
    assert counts[legal].sum() == len(mask)
    assert spread_evenly(counts[legal])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_networks_draw_actions_by_their_probabilities(kind):
    odds = np.array([0.5, 0.3, 0.15, 0.05])
    mask = np.array([1, 1, 0, 1], np.int8)
    logits = np.tile(np.log(odds, dtype=kind) + 3, (40_000, 1))
    actions = pick(logits, np.tile(mask, (len(logits), 1)), np.random.default_rng(1), "it")
    shares = np.bincount(actions, minlength=4) / len(actions)
    expected = odds * mask / (odds * mask).sum()
    assert (abs(shares - expected) <= 5 * np.sqrt(expected * (1 - expected) / len(actions))).all()
    assert (pick(logits, 1 - np.tile(mask, (len(logits), 1)), None, "it") == 2).all(), (
        "without chance the likeliest legal one"
    )


def test_a_network_is_asked_where_there_is_a_choice():
    """A lone legal action is played without it."""
    turns = Turns.of(lanes := in_play(GAME), lanes.all)
    legal = turns.mask.sum(axis=1)
    agent, asked = ppo_agent(GAME), []
    network = agent.network

    def counting(observations: np.ndarray) -> np.ndarray:
        asked.append(len(observations))
        return network(observations)

    agent.network = counting
    actions = agent.act(turns)
    assert asked == [(legal > 1).sum()]
    assert 0 < asked[0] < len(turns)
    assert (actions[legal == 1] == turns.mask[legal == 1].argmax(axis=1)).all()


# What the environment has written need not be written again


def in_play(game, observation: str = "summary") -> Lanes:
    lanes = Lanes(game, 60, observation=observation)
    lanes.seed(1)
    lanes.start()
    rng = np.random.default_rng(1)
    for _ in range(9):
        lanes.step((rng.random(lanes.mask.shape) * lanes.mask).argmax(axis=1))
    return lanes


@each_variant_with(observation=OBSERVATIONS)
def test_observations_that_are_there_are_those_of_the_views(variant, observation):
    game, which = variant.game, np.arange(0, 60, 3)
    turns = Turns.of(in_play(game, observation), which)
    for name in game.encodings:
        ours, anew = turns.observation(game, name), replace(turns, written=None).observation(game, name)
        assert ours.dtype == anew.dtype == np.float32
        np.testing.assert_array_equal(ours, anew)
    assert turns.written is not None
    turns.written.rows[:] = 7
    assert (turns.observation(game, observation) == 7).all(), "the counter-check: these were used"
    other = next(name for name in game.encodings if name != observation)
    assert not (turns.observation(game, other) == 7).all()


def test_observations_under_other_rules_are_written_again():
    """Memory belongs to the rules, so a player by other rules sees something else."""
    game, full = (make_game("sixty_six_v0", {"memory": memory}) for memory in ("table", "full"))
    turns = Turns.of(in_play(game), np.arange(60))
    anew = replace(turns, written=None)
    np.testing.assert_array_equal(turns.observation(full), anew.observation(full))
    assert (turns.observation(full) != turns.observation(game)).any()


@each_variant_with(observation=OBSERVATIONS)
def test_one_turn_of_an_environment(variant, observation):
    env = variant.env(observation=observation)
    for agent in positions(env, seed=3, share=0.3):
        turns = Turns.at(env)
        assert len(turns) == 1
        for name in env.game.encodings:
            anew = replace(turns, written=None).observation(env.game, name)
            np.testing.assert_array_equal(turns.observation(env.game, name), anew)
        assert turns.written is not None
        np.testing.assert_array_equal(turns.written.rows[0], env.observe(agent)["observation"])


# In an environment


@pytest.mark.parametrize("kind", ["rules", "ppo, summary"])
@pytest.mark.parametrize(
    ("module", "rules", "words"),
    [
        (sixty_six_v0, None, "its env is 'schnapsen_v0', here it must be 'sixty_six_v0'"),
        (schnapsen_v0, "schnapsen_tournament", "its rules min_stock is 1, here it must be 3"),
        (gaigel_v0, None, "its env is 'schnapsen_v0', here it must be 'gaigel_v0'"),
    ],
)
def test_agents_refuse_environments_of_other_games_and_rules(kind, module, rules, words):
    agent = MAKE[kind](GAME)
    env = module.env(rules=rules)
    env.reset(seed=1)
    with pytest.raises(AgentError, match=words) as caught:
        agent.act_in(env)
    assert "exchange_window" not in str(caught.value)
    assert "\n" not in str(caught.value)


@each_variant_with(kind=MAKE)
def test_agents_act_in_environments_of_their_own(variant, kind):
    env = variant.module.env(rules=variant.rules)
    env.reset(seed=1)
    agent = MAKE[kind](make_game(variant.env_id, variant.rules))
    assert env.observe(env.agent_selection)["action_mask"][agent.act_in(env)]


def test_agents_refuse_environments_of_other_suites():
    with pytest.raises(AgentError, match="this suite"):
        RandomAgent("random").act_in(AECEnv())


# By name


@every_variant
def test_agents_by_name(variant):
    for text, kind in (("random", RandomAgent), ("rules", RulesAgent), ("rules:0.1", RulesAgent)):
        agent = make_agent(text, variant.env_id, variant.rules)
        assert type(agent) is kind
        assert agent.name == text


@pytest.mark.parametrize(("setting", "greedy"), [("", True), (",greedy=yes", True), (",greedy=no", False)])
def test_a_network_by_name(network, setting, greedy):
    text = f"ppo:{network}{setting}"
    agent = make_agent(text, ID)
    assert agent.name == text
    assert agent.greedy == greedy


def test_a_saved_network_plays_as_before(network):
    agent = make_agent(f"ppo:{network}", ID)
    observation = np.random.default_rng(1).random((50, GAME.encoding("summary").size), np.float32)
    assert np.array_equal(agent.network(observation), ppo_agent(GAME).network(observation))


def refusal(text: str, rules=None, env_id: str = ID) -> str:
    with pytest.raises(AgentError) as caught:
        make_agent(text, env_id, rules)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_wrong_texts(refusals):
    """Of agents of all kinds."""
    refusals("agents", refusal, {"many letters": "ppo:" + "x" * 100_000})


def test_wrong_game():
    with pytest.raises(InputError, match=f"'whist_v0'.*{ID}"):
        make_agent("random", "whist_v0")


# Networks that do not fit


def changed(**fields):
    """Another manifest."""

    def damage(network) -> None:
        manifest = json.loads((network / MANIFEST).read_text())
        (network / MANIFEST).write_text(json.dumps({**manifest, **fields}))

    return damage


def without(field: str):
    def damage(network) -> None:
        manifest = json.loads((network / MANIFEST).read_text())
        del manifest[field]
        (network / MANIFEST).write_text(json.dumps(manifest))

    return damage


def rewritten(name: str, change):
    """Other bytes of a file."""
    return lambda network: (network / name).write_bytes(change((network / name).read_bytes()))


def with_number(number: float):
    def damage(network) -> None:
        weights = load_file(network / WEIGHTS)
        weights["trunk.0.weight"][1, 2] = number
        save_file(weights, network / WEIGHTS)

    return damage


WIDTHS = [[], None, 8, "8", [0.5], ["8"], [-8], [0], [[8]], [9], [8, 8], [True], [8192] * 16, [8] * 17]
CONTENTS = [b"", b"{", b"[]", b"7", b"null", b"\xff\xfe", b"[" * 100_000, b" " * 10**7]
DAMAGES = {
    "format": changed(format=2),
    "observation": changed(observation="pixels"),
    "schema": changed(schema="0123456789abcdef"),
    "actions": changed(actions=99),
    "rules": changed(rules={"preset": "schnapsen"}),
    "env": changed(env="x" * 1_000_000),
    "wide": changed(widths=[10_000_000]),
    **{
        f"without {field}": without(field)
        for field in ("format", "env", "rules", "observation", "schema", "actions", "widths")
    },
    **{f"widths {repr(widths)[:20]}": changed(widths=widths) for widths in WIDTHS},
    **{f"manifest {c[:8]!r}": rewritten(MANIFEST, lambda data, c=c: c) for c in CONTENTS},
    "no weights": rewritten(WEIGHTS, lambda data: b""),
    "weights, header only": rewritten(WEIGHTS, lambda data: data[:100]),
    "weights, end missing": rewritten(WEIGHTS, lambda data: data[:-4]),
    "weights, too long": rewritten(WEIGHTS, lambda data: data + b"...."),
    "weights, noise": rewritten(WEIGHTS, lambda data: b"\xff" * len(data)),
    "NaN": with_number(torch.nan),
    "infinity": with_number(torch.inf),
    "manifest lost": lambda network: (network / MANIFEST).unlink(),
    "weights lost": lambda network: (network / WEIGHTS).unlink(),
    "weights of another network": lambda network: shutil.copy(
        save_random_network(network.parent / "other", make_game("sixty_six_v0"), seed=1) / WEIGHTS, network
    ),
    **{f"digest {digest!r}": changed(sha256=digest) for digest in ("", None, 7, "0" * 64)},
}


def test_damaged_networks(network, refusals):
    whole = {name: (network / name).read_bytes() for name in (MANIFEST, WEIGHTS)}

    def refuse(damage) -> str:
        for name, content in whole.items():
            (network / name).write_bytes(content)
        damage(network)
        return refusal(f"ppo:{network}")

    refusals("networks", refuse, DAMAGES)


def test_networks_of_other_games_and_rules(network, refusals):
    refusals("networks_elsewhere", lambda given: refusal(f"ppo:{network}", given["rules"], given["env"]))


def test_shapes_are_compared_before_memory_is_asked_for(network, monkeypatch):
    """Layers as wide as they may be, and weights that are not."""
    manifest = json.loads((network / MANIFEST).read_text())
    (network / MANIFEST).write_text(json.dumps({**manifest, "widths": [8192] * 16}))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "trunk.0.weight" in refusal(f"ppo:{network}")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kilobytes"


def test_a_bit_that_has_flipped(network):
    """Wherever it is, in the header, in a name, or in a number that stays finite."""
    whole = (network / WEIGHTS).read_bytes()
    anywhere = np.random.default_rng(1).integers(8 * len(whole), size=200).tolist()
    bits = [*range(0, 8 * 500, 37), *anywhere, 8 * (len(whole) - 4)]  # the last number's last binary digit
    for bit in bits:
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (network / WEIGHTS).write_bytes(damaged)
        message = refusal(f"ppo:{network}")
        assert message.startswith(f"damaged network {network / WEIGHTS}: ")
    digests = [hashlib.sha256(each).hexdigest() for each in (damaged, whole)]
    assert message.endswith(f"its sha256: got {digests[0]}; expected '{digests[1]}', as in {MANIFEST}")
    (network / WEIGHTS).write_bytes(whole)
    assert make_agent(f"ppo:{network}", ID)


def test_networks_from_before_there_were_digests(network):
    manifest = json.loads((network / MANIFEST).read_text())
    del manifest["sha256"]
    (network / MANIFEST).write_text(json.dumps(manifest))
    assert make_agent(f"ppo:{network}", ID)


def test_shipped_networks_have_digests():
    for name in SHIPPED:
        digest = hashlib.sha256((SHIPPED_FOLDER / name / WEIGHTS).read_bytes()).hexdigest()
        assert json.loads((SHIPPED_FOLDER / name / MANIFEST).read_text())["sha256"] == digest


def cut_off(folder: Path, moves: int) -> None:
    """Save a network, and end the process when this many of its files are in their places."""
    moved, move_whole = [], os.replace

    def move(*names) -> None:
        if len(moved) == moves:
            os._exit(9)
        moved.append(names)
        move_whole(*names)

    os.replace = move
    try:
        save_random_network(folder, GAME, seed=1, decisions=2)
    finally:
        os._exit(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_crash_while_a_network_is_saved(tmp_path):
    """It leaves the old network or the new one, and weights never meet the other's manifest."""
    folders = [save_random_network(tmp_path / name, GAME, decisions=1) for name in ("first", "second")]
    for moves, folder in enumerate(folders):
        if not (child := os.fork()):
            cut_off(folder, moves)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    for decisions, folder in enumerate(folders, start=1):
        arrays, manifest, _ = read_network(folder, GAME)
        assert manifest["decisions"] == decisions
        expected = random_network(GAME, seed=decisions - 1).arrays()
        assert all(np.array_equal(arrays[name], expected[name]) for name in expected)
        save_random_network(folder, GAME, decisions=3)
        assert read_network(folder, GAME).manifest["decisions"] == 3


@pytest.mark.parametrize("text", ["ppo:{}", "ppo:{},greedy=no", "search:{},worlds=2", "rollout:{},worlds=2"])
def test_weights_that_lead_to_no_numbers(text, network):
    """All of them finite, and their products beyond what a float holds."""
    huge = {name: array * np.float32(1e38) for name, array in random_network(GAME).arrays().items()}
    write_network(network, huge, json.loads((network / MANIFEST).read_text()))
    agent, env = make_agent(text.format(network), ID), schnapsen_v0.env()
    env.reset(seed=1)
    with pytest.raises(AgentError, match=rf"^agent .*{network.name}.*: got scores with NaN in ") as caught:
        agent.act_in(env)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["ppo:schnapsen", "search:schnapsen,worlds=2", "rollout:schnapsen,worlds=2"])
def test_loading_moves_nobodys_chance(text):
    torch.manual_seed(1)
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    make_agent(text, ID)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert np.random.get_state()[1].tolist() == before[2]


@pytest.mark.parametrize("text", ["random", "rules", "rollout:worlds=2"])
def test_nobody_acts_before_an_episode_or_after_it(text):
    agent, env = make_agent(text, "schnapsen_v0"), schnapsen_v0.env()
    with pytest.raises(InputError, match="call reset first"):
        agent.act_in(env)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    with pytest.raises(InputError, match="no legal action"):
        agent.act_in(env)
    while env.agents:
        env.step(None)
    with pytest.raises(InputError, match="the episode is over"):
        agent.act_in(env)

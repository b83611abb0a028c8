"""Checkpoints that somebody has altered: no state of a lane reaches compiled code that no play leads to, and
everything else is what a run of this config can hold."""

import json
import random
import time

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.training.checkpoint import play_again
from stichwerk.commands import train
from stichwerk.envs import make_game
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.support.errors import InputError
from tests.agents.support import here, nothing_changes, rewrite, write_config
from tests.envs.support import EPISODES, each_variant, each_variant_with


@pytest.fixture
def checkpoint(finished, tmp_path, monkeypatch):
    """The checkpoint of a run whose final evaluation is still to come."""
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path)
    (tmp_path / "run").mkdir()
    for name in ("config.yaml", "checkpoint.safetensors", "metrics.jsonl", ".lock"):
        (tmp_path / "run" / name).write_bytes((finished / name).read_bytes())
    return tmp_path / "run" / "checkpoint.safetensors"


def put(name, value):
    return lambda tensors, facts: tensors.__setitem__(name, value)


def set_in(name, index, value):
    return lambda tensors, facts: tensors[name].view(-1).__setitem__(index, value)


def fact(name, value):
    return lambda tensors, facts: facts.__setitem__(name, value)


def fact_without(name):
    return lambda tensors, facts: facts.pop(name)


def other_chance(**changes):
    return lambda tensors, facts: facts["chances"][0].update(changes)


STATES, BIAS = "lanes.states", "policy.action_net.bias"
RANDOM_LEFT = torch.tensor([90, 2, 0, 0], dtype=torch.uint8)  # 602 words are left
ALTERED = {
    "tensor missing": lambda tensors, facts: tensors.pop(BIAS),
    "tensor more": put("policy.extra", torch.zeros(1)),
    "tensor of another shape": put(BIAS, torch.zeros(7)),
    "tensor of another type": put("lanes.learner", torch.zeros(16)),
    "short random state": put("random.torch", torch.zeros(100, dtype=torch.uint8)),
    "blank random state": put("random.torch", torch.zeros(5056, dtype=torch.uint8)),
    "random state that reads beyond its end": set_in("random.torch", 17, 3),
    "random state whose parts disagree": set_in("random.torch", slice(8, 12), RANDOM_LEFT),
    "random words of NumPy": set_in("random.numpy", 0, 2**40),
    "random words of Python": set_in("random.python", 0, 2**40),
    "a position beyond Python's words": set_in("random.python", 624, 625),
    "a normal number of Python that is none": fact("random_python", [3, float("nan")]),
    "another generator of Python": fact("random_python", [2, None]),
    "NaN in the weights": set_in(BIAS, 0, torch.nan),
    "infinity in the optimizer": set_in("optimizer.0.exp_avg", 0, torch.inf),
    "squares below zero": set_in("optimizer.0.exp_avg_sq", 0, -1.0),
    "steps below zero": set_in("optimizer.0.step", 0, -1.0),
    "learner in another seat": set_in("lanes.learner", 0, 5),
    "states that are noise": lambda tensors, facts: tensors[STATES].random_(0, 256),
    "states that are blank": lambda tensors, facts: tensors[STATES].zero_(),
    "facts that are no JSON": lambda tensors, facts: "{",
    "facts that are no mapping": lambda tensors, facts: "[]",
    "facts without end": lambda tensors, facts: "[" * 100_000,
    "facts missing": lambda tensors, facts: "{}",
    "decisions below zero": fact("decisions", -5),
    "decisions between updates": fact("decisions", 300),
    "decisions beyond the end": fact("decisions", 256 * 25),
    "decisions of another type": fact("decisions", "256"),
    "a flag for decisions": fact("decisions", True),
    "promoted below zero": fact("promoted", -1),
    "more promoted than there were": fact("promoted", 13),
    "fewer promoted than there were": fact("promoted", 11),
    "promoted of another type": fact("promoted", 12.0),
    "highest missing": fact_without("highest"),
    "highest of another type": fact("highest", "much"),
    "a machine without a name": fact("learned_on", [{"device": "cpu"}]),
    "no machine": fact("learned_on", []),
    "highest that is no number": fact("highest", float("nan")),
    "position beyond the words": fact("random_position", 10**9),
    "position below zero": fact("random_position", -1),
    "a normal number of another kind": fact("random_normal", [2, 0.5]),
    "a normal number that is none": fact("random_normal", [1, float("nan")]),
    "chances missing": fact("chances", []),
    "chances of another type": fact("chances", [1, 2, 3]),
    "chance of another generator": other_chance(bit_generator="MT19937"),
    "chance below zero": other_chance(state={"state": -1, "inc": 1}),
    "chance beyond its bits": other_chance(state={"state": 2**200, "inc": 1}),
    "half a chance": other_chance(uinteger=2**40),
    "codes of another type": fact("codes", [7]),
    "no codes": fact("codes", []),
}


def test_altered_checkpoints(checkpoint, refusals, capsys):
    whole = checkpoint.read_bytes()

    def refuse(alter) -> str:
        checkpoint.write_bytes(whole)
        rewrite(checkpoint, alter)
        with nothing_changes(checkpoint.parents[1]):
            assert here(train.main, "small.yaml", "--run", "run", "--resume") == 2
        err = capsys.readouterr().err
        assert err.startswith("error: damaged checkpoint run/checkpoint.safetensors: ")
        assert len(err) < 500
        return err

    refusals("checkpoints", refuse, ALTERED)


def test_checkpoint_with_a_flipped_bit(checkpoint, capsys):
    """Damage that nothing else would notice."""
    rewrite(checkpoint, set_in(BIAS, 0, 0.25), digest=lambda tensors, facts: "0" * 64)
    assert here(train.main, "small.yaml", "--run", "run", "--resume") == 2
    assert "digest" in capsys.readouterr().err


def test_checkpoint_that_is_only_written_again(checkpoint, finished):
    """The counter-check."""
    for name in ("best", "last"):
        (checkpoint.parent / name).symlink_to(finished / name)
    rewrite(checkpoint, lambda tensors, facts: None)
    assert here(train.main, "small.yaml", "--run", "run", "--resume") == 0


def test_checkpoint_of_a_config_with_fewer_fields(checkpoint, finished, capsys):
    """As an earlier version wrote it: a field that it did not know has its default."""
    for name in ("best", "last"):
        (checkpoint.parent / name).symlink_to(finished / name)
    tensors = load_file(checkpoint)
    with safe_open(checkpoint, "pt") as file:
        about = file.metadata()
    config = json.loads(about["config"])
    assert config["rollout_targets"].pop("rollout_floor") == 0.3
    other = {**config, "ppo": {**config["ppo"], "gae_lambda": 0.9}}
    save_file(tensors, checkpoint, {**about, "config": json.dumps(other)})
    assert here(train.main, "small.yaml", "--run", "run", "--resume") == 2
    assert "of another config" in capsys.readouterr().err
    save_file(tensors, checkpoint, {**about, "config": json.dumps(config)})
    assert here(train.main, "small.yaml", "--run", "run", "--resume") == 0


# States of lanes


def in_play(game, episode: str, start_states: bool = False, lanes: int = 24) -> SelfPlayEnv:
    """A learner's environment in the middle of play."""
    opponents = [(RandomAgent("random"), 1.0)]
    env = SelfPlayEnv(game, lanes, opponents, 1, episode, start_states=start_states)
    rng = np.random.default_rng(1)
    env.reset()
    for _ in range(150):
        mask = np.stack(env.env_method("action_masks"))
        env.step((rng.random(mask.shape) * mask).argmax(axis=1))
    return env


def fresh(env: SelfPlayEnv, start_states: bool = False) -> Lanes:
    """Lanes of the same seeds before their first deal."""
    lanes = Lanes(
        env.lanes.game, env.num_envs, "match" if env.lanes.match else "deal", start_states=start_states
    )
    lanes.seed(1)
    return lanes


@each_variant_with(episode=EPISODES, start_states=[False, True])
def test_states_are_reached_again(variant, episode, start_states):
    if start_states and variant.game.spec.draw_start is None:
        pytest.skip("the game draws none")
    env = in_play(variant.game, episode, start_states)
    lanes = fresh(env, start_states)
    play_again(lanes, env.lanes.states.copy())
    for name in ("states", "views", "observation", "mask", "seats"):
        np.testing.assert_array_equal(getattr(lanes, name), getattr(env.lanes, name))


@each_variant_with(episode=EPISODES)
def test_altered_states_are_refused(variant, episode):
    """Every altered bit, but for numbers of the earlier deals of a match, which are in their ranges, and for
    actions in place of which another one leads to the same state (Preferans: "alone", "together")."""
    env, rng = in_play(variant.game, episode), random.Random(1)
    right, refused = env.lanes.states, 0
    fields = variant.game.spec.state.fields
    lanes = fresh(env)
    for _ in range(120):
        states = right.copy()
        lane, byte = rng.randrange(len(states)), rng.randrange(states.itemsize)
        states[lane : lane + 1].view(np.uint8)[byte] ^= 1 << rng.randrange(8)
        altered = [f for f in fields if states[lane][f.name].tobytes() != right[lane][f.name].tobytes()]
        try:
            play_again(lanes, states)
        except InputError:
            refused += 1
        else:
            earlier = episode == "match" and states[lane]["deals_done"] > 0
            allowed = ["log", *(f.name for f in fields if earlier and f.lasts == "match")]
            assert {field.name for field in altered} <= set(allowed)
    assert refused > 80


@each_variant
def test_noise_for_states_is_refused(variant):
    env = in_play(variant.game, "match")
    rng = np.random.default_rng(2)
    for _ in range(60):
        states = env.lanes.states.copy()
        for field in variant.game.spec.state.fields:  # in their ranges, but for the order of bytes
            if rng.random() < 0.5:
                low, high = field.kind.range(variant.game.seats)
                low, high = max(low, -(1 << 62)), min(high, (1 << 62))
                states[field.name] = rng.integers(low, high + 1, states[field.name].shape)
        with pytest.raises(InputError):
            play_again(fresh(env), states)


def test_reaching_a_thousand_states_again_takes_no_time():
    env = in_play(make_game("snapszer_v0"), "deal", lanes=1024)
    lanes = fresh(env)
    play_again(lanes, env.lanes.states.copy())
    started = time.process_time()
    play_again(lanes, env.lanes.states.copy())
    assert time.process_time() - started < 1

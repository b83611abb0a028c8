"""An environment is a value: it can be saved, copied, sent and restored at any moment, and then plays on the
same."""

import copy
import json
import pickle
import random

import numpy as np
import pytest

from stichwerk.envs import make_vec
from tests.envs.support import (
    EPISODES,
    VARIANTS,
    assert_same,
    by_sight_everywhere,
    choose,
    decisions,
    each_variant,
    each_variant_with,
    over,
)

# Every way to make a second environment out of a first.
WAYS = {
    "restore": lambda env, twin: twin.restore(env.snapshot()),
    "json": lambda env, twin: twin.restore(json.loads(json.dumps(env.snapshot()))),
    "position": lambda env, twin: twin.go_to(env.position()),
    "deepcopy": lambda env, twin: copy.deepcopy(env),
    "pickle": lambda env, twin: pickle.loads(pickle.dumps(env)),
}
each_way = pytest.mark.parametrize("way", WAYS)


def second(env, variant, way: str):
    twin = variant.env(episode=env.episode, observation=env.encoding.name, render_mode=env.render_mode)
    return WAYS[way](env, twin) or twin


def assert_equal(env, twin) -> None:
    assert env.snapshot() == twin.snapshot()
    assert env.agents == twin.agents
    for agent in env.agents:
        assert_same(env.observe(agent), twin.observe(agent))
    if env.agents:
        for given, other in zip(env.last()[1:], twin.last()[1:], strict=True):
            assert given == other
    assert (env.state() == twin.state()).all()


def play_out(env, seed: int) -> list:
    """Play the episode to its end, the steps of the seats that are already out, and the next episode too."""
    rng, seen = random.Random(seed), []
    for _ in range(2):
        for agent in env.agent_iter():
            observation, *rest = env.last()
            seen.append(
                (agent, observation["observation"].tobytes(), observation["action_mask"].tobytes(), rest)
            )
            env.step(None if over(env) else choose(env, rng))
        env.reset()
    return seen


@each_variant_with(episode=EPISODES, way=WAYS)
def test_a_second_environment_plays_on_the_same(variant, episode, way):
    env = variant.env(episode=episode, observation="history")
    for seed, steps in ((1, 0), (2, 7), (3, 15), (4, 60)):
        env.reset(seed=seed)
        rng = random.Random(seed)
        for _ in range(steps):
            if not over(env):
                env.step(choose(env, rng))
        twin = second(env, variant, way)
        assert_equal(env, twin)
        untouched = env.snapshot()
        played = play_out(twin, seed)
        assert env.snapshot() == untouched, "the two share nothing"
        assert play_out(env, seed) == played


@each_variant_with(way=WAYS)
def test_copies_between_the_last_steps(variant, way):
    """After the end each seat still has one empty step; a copy made between those has the same steps left."""
    env = variant.env()
    env.reset(seed=5)
    for _ in decisions(env, random.Random(5)):
        pass
    while env.agents:
        twin = second(env, variant, way)
        assert_equal(env, twin)
        env.step(None)
        twin.step(None)
        assert_equal(env, twin)


@each_variant_with(way=WAYS)
def test_an_environment_that_never_dealt_can_be_copied(variant, way):
    env = variant.env()
    twin = second(env, variant, way)
    for each in (env, twin):
        each.reset(seed=6)
    assert_equal(env, twin)


@each_variant
def test_a_position_can_be_gone_to_often(variant):
    env = variant.env(episode="match")
    env.reset(seed=8)
    position, before = env.position(), env.snapshot()
    played = play_out(env, 8)
    for _ in range(2):
        env.go_to(position)
        assert env.snapshot() == before
        assert play_out(env, 8) == played


@each_variant_with(way=["deepcopy", "pickle"])
def test_the_wrapped_environment_can_be_copied_too(variant, way):
    env = variant.module.env(variant.rules)
    env.reset(seed=7)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    twin = WAYS[way](env, None)
    assert env.unwrapped.snapshot() == twin.unwrapped.snapshot()
    assert env.unwrapped is not twin.unwrapped
    for agent in env.agents:
        assert_same(env.observe(agent), twin.observe(agent))


@each_variant_with(episode=EPISODES, way=["deepcopy", "pickle"], steps=[0, 40])
def test_a_copy_of_many_lanes_plays_on_the_same(variant, episode, way, steps):
    vec = make_vec(variant.env_id, 5, variant.rules, episode, seed=12, threads=2)
    seen, _ = vec.reset()
    for _ in range(steps):
        seen, *_ = vec.step(by_sight_everywhere(seen))
    twin = WAYS[way](vec, None)
    for _ in range(40):
        actions = by_sight_everywhere(seen)
        seen, *results, info = vec.step(actions)
        twin_seen, *twin_results, twin_info = twin.step(actions)
        assert_same(seen, twin_seen)
        np.testing.assert_array_equal(vec.seats, twin.seats)
        for given, also in zip(
            [*results, info["deal_points"]], [*twin_results, twin_info["deal_points"]], strict=True
        ):
            np.testing.assert_array_equal(given, also)


@each_variant_with(way=["deepcopy", "pickle"])
def test_many_lanes_that_never_dealt_can_be_copied(variant, way):
    vec = make_vec(variant.env_id, 5, variant.rules, seed=13)
    twin = WAYS[way](vec, None)
    assert_same(vec.reset()[0], twin.reset()[0])


@each_variant
def test_restoring_into_another_encoding(variant):
    env, other, fresh = variant.env(), variant.env(observation="history"), variant.env(observation="history")
    for each in (env, fresh):
        each.reset(seed=8)
    other.restore(env.snapshot())
    for agent in env.agents:
        assert_same(other.observe(agent), fresh.observe(agent))


@each_variant
def test_a_fresh_deal_is_the_same_state_whatever_came_before(variant):
    one, two = variant.env(), variant.env()
    for player, env in enumerate((one, two)):
        env.reset(seed=9)
        for _ in range(3):
            for _ in decisions(env, random.Random(player)):
                pass
            env.reset()
    assert one.snapshot()["state"] == two.snapshot()["state"]


TABLE = VARIANTS[0]


def changed(snapshot: dict, **state) -> dict:
    return {**snapshot, "state": {**snapshot["state"], **state}}


def without(values: dict, name: str) -> dict:
    return {key: value for key, value in values.items() if key != name}


# What is wrong with a snapshot, and a word of the complaint about it.
REFUSED = {
    "nothing": (lambda s: None, "snapshot"),
    "empty": (lambda s: {}, "format"),
    "other format": (lambda s: {**s, "format": 99}, "format"),
    "other game": (lambda s: {**s, "env_id": "whist_v0"}, "whist_v0"),
    "other rules": (lambda s: {**s, "rules": {**s["rules"], "target": 99}}, "rules"),
    "other episode": (lambda s: {**s, "episode": "match"}, "episode"),
    "no state": (lambda s: without(s, "state"), "state"),
    "state is a text": (lambda s: {**s, "state": "?"}, "state"),
    "field missing": (lambda s: {**s, "state": without(s["state"], "log_size")}, "log_size"),
    "field unknown": (lambda s: changed(s, joker=1), "fields"),
    "field of text": (lambda s: changed(s, log_size="many"), "log_size"),
    "field of nothing": (lambda s: changed(s, log_size=None), "log_size"),
    "field too long": (lambda s: changed(s, deck=[*s["state"]["deck"], 0]), "deck"),
    "field not flat": (lambda s: changed(s, log_size=[1]), "log_size"),
    "number not whole": (lambda s: changed(s, deal_number=0.5), "deal_number"),
    "number too large": (lambda s: changed(s, deal_number=2**70), "deal_number"),
    "no such seat": (lambda s: changed(s, seat=99), "seat"),
    "bookkeeping missing": (lambda s: {**s, "aec": without(s["aec"], "rewards")}, "rewards"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_bad_snapshot_is_refused_and_changes_nothing(fault):
    env, other = TABLE.env(), TABLE.env()
    env.reset(seed=10)
    other.reset(seed=11)
    before = env.snapshot()
    spoil, word = REFUSED[fault]
    with pytest.raises(ValueError, match=word) as refusal:
        env.restore(spoil(other.snapshot()))
    assert "\n" not in str(refusal.value)
    assert env.snapshot() == before
    env.step(choose(env, random.Random(0)))

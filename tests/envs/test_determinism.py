"""Equal seeds give equal play: in every process, in both kinds of environment, however the deals before were
played."""

import os
import random

import numpy as np
import pytest

from stichwerk.envs import make_vec
from tests.envs.support import (
    EPISODES,
    OBSERVATIONS,
    assert_same,
    by_sight_everywhere,
    decisions,
    each_variant,
    each_variant_with,
    over,
    python,
    true_state,
)

DIGEST = "from tests.envs.support import digest; print(digest(1))"


def decks(variant, seed: int, player: int, count: int, episode: str = "deal") -> list[list[int]]:
    """The decks of the first deals of a seed, as one random player comes upon them."""
    env, rng, dealt = variant.env(episode=episode), random.Random(player), {}
    env.reset(seed=seed)
    while len(dealt) < count:
        record = true_state(env)[0]
        dealt.setdefault(int(record.deal_number), record.deck.tolist())
        for _ in decisions(env, rng):
            record = true_state(env)[0]
            dealt.setdefault(int(record.deal_number), record.deck.tolist())
        env.reset()
    return [dealt[number] for number in range(count)]


@each_variant_with(episode=EPISODES)
def test_same_seed_same_play(variant, episode):
    one, two = variant.env(episode=episode), variant.env(episode=episode)
    two.reset(seed=99)  # what was played before must not matter
    for number in range(4):
        for env in (one, two):
            env.reset(seed=11 if number == 0 else None)
        for _ in decisions(one, random.Random(number)):
            pass
        for _ in decisions(two, random.Random(number)):
            pass
        assert one.snapshot() == two.snapshot()


@each_variant
def test_other_seed_other_cards(variant):
    assert decks(variant, 1, 0, 3) != decks(variant, 2, 0, 3)


@each_variant_with(episode=EPISODES)
def test_cards_do_not_depend_on_the_play_before(variant, episode):
    played = [decks(variant, 12, player, 4, episode) for player in range(3)]
    assert played[0] == played[1] == played[2]
    assert len({str(deck) for deck in played[0]}) == 4


@pytest.mark.slow
def test_processes_agree_whatever_their_hash_seed():
    assert python(DIGEST, PYTHONHASHSEED="1") == python(DIGEST, PYTHONHASHSEED="2")


@each_variant_with(episode=EPISODES, observation=OBSERVATIONS)
def test_single_environment_and_first_lane_play_alike(variant, episode, observation):
    env = variant.env(episode=episode, observation=observation)
    vec = make_vec(variant.env_id, 3, variant.rules, episode, seed=13, observation=observation)
    seen, _ = vec.reset(seed=13)
    env.reset(seed=13)
    ended = 0
    while ended < 3:
        single = env.observe(env.agent_selection)
        lane = {name: array[0] for name, array in seen.items()}
        assert_same(single, lane)
        assert env.possible_agents[vec.seats[0]] == env.agent_selection

        actions = by_sight_everywhere(seen)
        seen, rewards, terminations, _, info = vec.step(actions)
        env.step(actions[0])
        assert (
            rewards[0].tolist() == np.float32([env.rewards[agent] for agent in env.possible_agents]).tolist()
        )
        points = [env.infos[agent].get("deal_points", 0) for agent in env.possible_agents]
        assert info["deal_points"][0].tolist() == np.float32(points).tolist()
        assert terminations[0] == over(env)
        if over(env):
            ended += 1
            env.reset()


@each_variant
def test_lanes_differ(variant):
    vec = make_vec(variant.env_id, 64, variant.rules, seed=14)
    seen, _ = vec.reset()
    assert len({row.tobytes() for row in seen["observation"]}) > 60


@each_variant_with(episode=EPISODES)
def test_threads_change_nothing(variant, episode):
    one, two = (
        make_vec(variant.env_id, 33, variant.rules, episode, seed=15, threads=threads) for threads in (1, 2)
    )
    seen, _ = one.reset(seed=15)
    two.reset(seed=15)
    for _ in range(150):
        actions = by_sight_everywhere(seen)
        seen, *results, info = one.step(actions)
        other, *other_results, other_info = two.step(actions)
        assert_same(seen, other)
        for array, other_array in zip(
            [*results, info["deal_points"]], [*other_results, other_info["deal_points"]], strict=True
        ):
            np.testing.assert_array_equal(array, other_array)


@each_variant
def test_a_lane_is_the_same_among_few_and_many(variant):
    few, many = (
        make_vec(variant.env_id, lanes, variant.rules, seed=16).reset(seed=16)[0]["observation"]
        for lanes in (2, 50)
    )
    np.testing.assert_array_equal(few, many[:2])


FORKED = """
import os
from stichwerk.envs import make_vec
vec = make_vec("schnapsen_v0", 64, seed=3, threads=2)
seen, _ = vec.reset()
seen, *_ = vec.step(seen["action_mask"].argmax(axis=1))
actions = seen["action_mask"].argmax(axis=1)
if os.fork() == 0:
    print(vec.step(actions)[0]["observation"].sum(), flush=True)
    os._exit(0)
assert os.wait()[1] == 0
print(vec.step(actions)[0]["observation"].sum())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_steps_on_with_threads_of_its_own():
    child, parent = python(FORKED).split()
    assert child == parent

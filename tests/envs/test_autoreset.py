"""The autoreset modes of the vector environment: the same deals in both, NEXT_STEP as in Gymnasium."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from stichwerk.agents import make_agent
from stichwerk.envs import CardVectorEnv, IllegalAction, InputError, make_vec
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.testing import by_sight, over
from tests.envs.support import EPISODES, each_variant, each_variant_with

LANES = 4
STEPS, ENDS = 150, 3


def course(vec: CardVectorEnv, steps: int) -> list[list[tuple]]:
    """What happens in each lane, decision by decision: what the seat sees, and what its action brings. Steps
    that begin an episode, whose actions are any, are checked and left out."""
    seen, _ = vec.reset(seed=1)
    lanes: list[list[tuple]] = [[] for _ in range(vec.num_envs)]
    waits = np.ones(vec.num_envs, bool)
    for _ in range(steps):
        before = vec.seats.copy(), *(array.copy() for array in seen.values())
        actions = np.array([by_sight(*sight) for sight in zip(*before[1:], strict=True)])
        actions[~waits] = -7
        assert set(vec.to_act) == set(np.flatnonzero(waits))
        seen, rewards, terminations, truncations, info = vec.step(actions)
        assert not truncations.any()
        for lane in range(vec.num_envs):
            if waits[lane]:
                sight = before[0][lane], before[1][lane].tobytes(), before[2][lane].tobytes()
                result = rewards[lane].tolist(), info["deal_points"][lane].tolist(), bool(terminations[lane])
                lanes[lane].append((*sight, *result))
            else:
                assert not terminations[lane]
                assert not rewards[lane].any()
                assert not info["deal_points"][lane].any()
        waits = ~terminations if vec.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP else waits
    return lanes


@each_variant_with(episode=EPISODES)
def test_both_modes_play_the_same_episodes(variant, episode):
    same, following = (
        course(make_vec(variant.env_id, LANES, variant.rules, episode, autoreset=mode), STEPS)
        for mode in ("same_step", "next_step")
    )
    for lane in range(LANES):
        episodes = sum(decision[-1] for decision in following[lane])
        begun = STEPS - len(following[lane])
        assert begun in (episodes - 1, episodes), (
            "one step more for each episode, the last one perhaps not yet"
        )
        assert following[lane] == same[lane][: len(following[lane])]
    assert episode == "match" or episodes > 1


@each_variant
def test_the_end_is_that_of_the_single_environment(variant):
    """The seat named sees the finished deal as at a table, and the mask lets a sampler find action 0."""
    vec = make_vec(variant.env_id, 1, variant.rules, autoreset="next_step")
    env = CardGameEnv(variant.env_id, variant.rules)
    seen, _ = vec.reset(seed=3)
    env.reset(seed=3)
    for _ in range(ENDS):
        while over(env):  # lanes pass over episodes that the cards end at once
            env.reset()
        ended = False
        while not ended:
            action = by_sight(seen["observation"][0], seen["action_mask"][0])
            seen, rewards, terminations, _, _ = vec.step([action])
            env.step(action)
            ended = terminations[0]
        assert rewards[0].tolist() == np.float32(list(env.rewards.values())).tolist()
        at_table = env.observe(f"player_{vec.seats[0]}")
        assert not at_table["action_mask"].any()
        np.testing.assert_array_equal(seen["observation"][0], at_table["observation"])
        assert np.flatnonzero(seen["action_mask"][0]).tolist() == [0]
        assert vec.action_space.sample(tuple(seen["action_mask"])).tolist() == [0]
        seen, *_ = vec.step([0])
        env.reset()


def until_some_end(vec: CardVectorEnv) -> np.ndarray:
    """Play until some lanes have ended and others not: the first of those, bool[num_envs]."""
    seen, _ = vec.reset(seed=1)
    terminations, rng = np.zeros(vec.num_envs, bool), np.random.default_rng(1)
    while not terminations.any() or terminations.all():
        mask = seen["action_mask"]
        seen, _, terminations, _, _ = vec.step((rng.random(mask.shape) * mask).argmax(axis=1))
    return terminations.copy()


def test_actions_are_checked_in_the_lanes_that_wait_alone():
    vec = make_vec("schnapsen_v0", 8, autoreset="next_step")
    ended = until_some_end(vec)
    mask = vec.lanes.mask.copy()
    before = vec.lanes.states.tobytes()
    actions = mask.argmax(axis=1)
    actions[np.argmin(ended)] = mask[np.argmin(ended)].argmin()
    with pytest.raises(IllegalAction, match=f"lane {np.argmin(ended)}"):
        vec.step(actions)
    assert vec.lanes.states.tobytes() == before
    np.testing.assert_array_equal(vec.lanes.mask, mask)
    for wrong in (actions[:-1], actions.astype(float)):
        with pytest.raises(InputError, match="whole numbers"):
            vec.step(wrong)
    actions = np.where(ended, 10**9, mask.argmax(axis=1))
    assert not vec.step(actions)[2][ended].any()


def test_all_lanes_may_end_at_once():
    vec = make_vec("schnapsen_v0", 1, autoreset="next_step", threads=1)
    assert until_all_end(vec)["action_mask"][0].sum() == 1
    seen, _, terminations, _, _ = vec.step([0])
    assert not terminations.any()
    assert seen["action_mask"].any()


def until_all_end(vec: CardVectorEnv) -> dict[str, np.ndarray]:
    seen, _ = vec.reset(seed=1)
    terminations = np.zeros(vec.num_envs, bool)
    while not terminations.all():
        seen, _, terminations, _, _ = vec.step(seen["action_mask"].argmax(axis=1))
    return seen


def test_a_reset_restarts_every_lane():
    one, two = (make_vec("schnapsen_v0", 6, autoreset="next_step") for _ in range(2))
    ended = until_some_end(one)
    numbers = one.lanes.states["deal_number"].copy()
    one.reset()
    assert (one.lanes.states["deal_number"] == numbers + 1).all()
    assert len(one.to_act) == 6
    one.reset(seed=1)
    assert (until_some_end(two) == ended).all()
    two.reset(seed=1)
    np.testing.assert_array_equal(one.lanes.states, two.lanes.states)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda vec: pickle.loads(pickle.dumps(vec))])
def test_copies_keep_the_mode_and_the_ended_lanes(twin_of):
    vec = make_vec("gaigel_v0", 8, autoreset="next_step")
    until_some_end(vec)
    twin = twin_of(vec)
    assert twin.metadata == vec.metadata
    assert vec.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert twin.to_act.tolist() == vec.to_act.tolist()
    np.testing.assert_array_equal(twin.lanes.mask, vec.lanes.mask)
    for _ in range(40):
        actions = vec.lanes.mask.argmax(axis=1)
        (one, *results), (two, *others) = vec.step(actions), twin.step(actions)
        for name, array in one.items():
            np.testing.assert_array_equal(array, two[name])
        for array, other in zip(results[:3], others[:3], strict=True):
            np.testing.assert_array_equal(array, other)


def test_threads_play_the_same():
    one, three = (make_vec("schnapsen_v0", 7, autoreset="next_step", threads=number) for number in (1, 3))
    assert course(one, 60) == course(three, 60)


def test_agents_are_asked_for_the_lanes_that_wait_alone():
    vec = make_vec("gaigel_v0", 8, autoreset="next_step")
    rules = make_agent("rules", "gaigel_v0")
    vec.reset(seed=1)
    begun = 0
    for _ in range(80):
        ended = np.flatnonzero(vec.lanes.terminations)
        actions = rules.act_in(vec)
        assert (actions[ended] == 0).all()
        assert (vec.lanes.mask[ended].sum(axis=1) == 1).all(), "the look at the views leaves the mask alone"
        begun += len(ended)
        vec.step(actions)
    assert begun > 8
    alone = make_vec("schnapsen_v0", 1, autoreset="next_step")
    until_all_end(alone)
    assert make_agent("rules", "schnapsen_v0").act_in(alone).tolist() == [0]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_modes_by_name_and_as_gymnasiums_enum(mode):
    for given in (mode, mode.name.lower()):
        assert make_vec("schnapsen_v0", 1, autoreset=given).metadata["autoreset_mode"] is mode
    assert make_vec("schnapsen_v0", 1).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert CardVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP, "each has its own"


@pytest.mark.parametrize("wrong", ["disabled", AutoresetMode.DISABLED, "NextStep", None, 1])
def test_modes_that_there_are_not(wrong):
    with pytest.raises(InputError, match=r"^autoreset: got .*; expected 'same_step' or 'next_step'$"):
        make_vec("schnapsen_v0", 1, autoreset=wrong)

"""Every vector wrapper of the installed Gymnasium, round both vector environments, in both autoreset modes.

Which fit, and that those count right: the tables in `docs/reference/vector.md` and
`docs/reference/single_agent.md` say the same.
`tests/test_gymnasium.py` runs this file under each version that is supported.
"""

import copy
import importlib.util
from collections.abc import Callable
from typing import Any

import gymnasium
import gymnasium.wrappers as single
import gymnasium.wrappers.vector as wrappers
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

from stichwerk.envs import IllegalAction, InputError, make_vec
from stichwerk.envs.testing import by_sight
from tests.agents.support import name_of
from tests.envs.support import each_game

VERSION = tuple(map(int, gymnasium.__version__.split(".")[:2]))
ID = "stichwerk/Schnapsen-v0"
LANES, STEPS = 6, 120
MODES = ("same_step", "next_step")

# What each wrapper is made with, besides the environment.
ARGUMENTS: dict[str, Callable[[VectorEnv], dict[str, Any]]] = {
    "VectorizeTransformObservation": lambda vec: {
        "wrapper": single.TransformObservation,
        "func": lambda seen: seen,
        "observation_space": None,
    },
    "VectorizeTransformAction": lambda vec: {
        "wrapper": single.TransformAction,
        "func": lambda action: action,
        "action_space": vec.single_action_space,
    },
    "VectorizeTransformReward": lambda vec: {
        "wrapper": single.TransformReward,
        "func": lambda reward: 2 * reward,
    },
    "TransformObservation": lambda vec: {"func": lambda seen: seen},
    "TransformAction": lambda vec: {"func": lambda actions: actions},
    "TransformReward": lambda vec: {"func": lambda rewards: 2 * rewards},
    "FilterObservation": lambda vec: {"filter_keys": ["observation"]},
    "ResizeObservation": lambda vec: {"shape": (4, 4)},
    "ReshapeObservation": lambda vec: {"shape": (1, *(vec.single_observation_space.shape or ()))},
    "RescaleObservation": lambda vec: {"min_obs": -1.0, "max_obs": 1.0},
    "DtypeObservation": lambda vec: {"dtype": np.float16},
    "RescaleAction": lambda vec: {"min_action": -1.0, "max_action": 1.0},
    "ClipReward": lambda vec: {"min_reward": -1.0, "max_reward": 1.0},
    "RecordVideo": lambda vec: {"video_folder": "videos"},
    "ArrayConversion": lambda vec: {"env_xp": np, "target_xp": importlib.import_module("torch")},
}

BOTH, NEXT, NEITHER = MODES, MODES[1:], ()
# In which modes a wrapper fits one seat (SeatVectorEnv), and all seats (CardVectorEnv).
FITS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ArrayConversion": (BOTH, BOTH),
    "ClipAction": (NEITHER, NEITHER),
    "ClipReward": (BOTH, BOTH),
    "DictInfoToList": (BOTH, BOTH),
    "DtypeObservation": (NEXT, NEITHER),
    "FilterObservation": (NEITHER, NEXT),
    "FlattenObservation": (NEXT, NEXT),
    "GrayscaleObservation": (NEITHER, NEITHER),
    "HumanRendering": (NEITHER, NEITHER),
    "JaxToNumpy": (NEITHER, NEITHER),
    "JaxToTorch": (NEITHER, NEITHER),
    "NormalizeObservation": (NEXT, NEITHER),
    "NormalizeReward": (BOTH, NEITHER),
    "NumpyToTorch": (BOTH, BOTH),
    "RecordEpisodeStatistics": (BOTH, NEITHER),
    "RecordVideo": (NEITHER, NEITHER),
    "RescaleAction": (NEITHER, NEITHER),
    "RescaleObservation": (NEITHER, NEITHER),
    "ReshapeObservation": (NEXT, NEITHER),
    "ResizeObservation": (NEITHER, NEITHER),
    "TransformAction": (BOTH, BOTH),
    "TransformObservation": (NEXT, NEXT),
    "TransformReward": (BOTH, BOTH),
    "VectorizeTransformAction": (BOTH, BOTH),
    "VectorizeTransformObservation": (NEXT, NEXT),
    "VectorizeTransformReward": (BOTH, BOTH),
}
NEEDS = (
    {"ArrayConversion": "array_api_compat", "NumpyToTorch": "array_api_compat"} if VERSION >= (1, 2) else {}
)
# What a wrapper may refuse an environment with.
REFUSALS = (
    AssertionError,
    TypeError,
    ValueError,
    KeyError,
    ImportError,
    gymnasium.error.Error,
    np.exceptions.AxisError,
)


def one_seat(mode: str) -> VectorEnv:
    return gymnasium.make_vec(ID, LANES, opponents="random", autoreset=mode)


def all_seats(mode: str) -> VectorEnv:
    return make_vec("schnapsen_v0", LANES, autoreset=mode)


def wrapped(name: str, vec: VectorEnv) -> VectorEnv:
    return getattr(wrappers, name)(vec, **ARGUMENTS.get(name, lambda vec: {})(vec))


def play(env: VectorEnv) -> list[tuple]:
    """What `reset` and the steps return, in arrays of its own; the actions are drawn by the masks."""
    lanes, rng = env.unwrapped.lanes, np.random.default_rng(1)
    results = [copy.deepcopy(env.reset(seed=1))]
    for _ in range(STEPS):
        actions = (rng.random(lanes.mask.shape) * lanes.mask).argmax(axis=1)
        if type(env).__name__ in ("NumpyToTorch", "ArrayConversion"):
            actions = importlib.import_module("torch").from_numpy(actions)
        results.append(copy.deepcopy(env.step(actions)))
    return results


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [one_seat, all_seats])
@pytest.mark.parametrize("name", sorted(wrappers.__all__))
@pytest.mark.filterwarnings("ignore")  # Gymnasium's, about precision, infinite bounds and arrays for reading
def test_every_wrapper_fits_or_refuses(name, make, mode):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    if name.startswith("Jax") and importlib.util.find_spec("jax"):
        pytest.skip("these wrappers refuse where there is no JAX")
    if mode not in FITS[name][make is all_seats]:
        with pytest.raises(REFUSALS):
            play(wrapped(name, make(mode)))
        return
    for got, plain in zip(play(wrapped(name, make(mode))), play(make(mode)), strict=True):
        if name not in CHANGED_OBSERVATIONS:
            expected = OBSERVATIONS.get(name, lambda seen: seen)(plain[0])
            np.testing.assert_equal(arrays(got[0]), expected)
        if name != "NormalizeReward":
            for number, (array, before) in enumerate(zip(got[1:-1], plain[1:-1], strict=True)):
                change = REWARDS.get(name) if number == 0 else None
                np.testing.assert_array_equal(np.asarray(array), change(before) if change else before)
        if name == "DictInfoToList":
            np.testing.assert_equal(got[-1], by_lane(plain[-1]))


def arrays(seen: Any) -> Any:
    """Tensors as arrays."""
    return {name: np.asarray(seen[name]) for name in seen} if isinstance(seen, dict) else np.asarray(seen)


def by_lane(info: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    names = [name for name in info if not name.startswith("_")]
    return [{name: info[name][lane] for name in names} for lane in range(LANES)]


def flat(seen: Any) -> np.ndarray:
    """The mask, then the observation: `Dict` sorts them by name."""
    return np.hstack([seen["action_mask"], seen["observation"]]) if isinstance(seen, dict) else seen


CHANGED_OBSERVATIONS = ("NormalizeObservation",)
OBSERVATIONS: dict[str, Callable] = {
    "FilterObservation": lambda seen: {"observation": seen["observation"]},
    "FlattenObservation": flat,
    "ReshapeObservation": lambda seen: seen[:, None],
    "DtypeObservation": lambda seen: seen.astype(np.float16),
}
REWARDS: dict[str, Callable] = {
    "VectorizeTransformReward": lambda rewards: 2 * rewards,
    "TransformReward": lambda rewards: 2 * rewards,
    "ClipReward": lambda rewards: rewards.clip(-1, 1),
}


def test_the_table_has_every_wrapper():
    assert set(wrappers.__all__) <= set(FITS)


# Those that count


class Course:
    """What the steps of a vector come to, counted by hand: which of them are decisions, and the episodes in
    the order in which they end, as (decisions, sum of rewards)."""

    def __init__(self, results: list[tuple], mode: str):
        self.decides, self.rewards, self.ends = [], [], []
        for _, rewards, terminations, *_ in results[1:]:
            before = self.ends[-1] if self.ends and mode == "next_step" else np.zeros(LANES, bool)
            self.decides.append(~before)
            self.rewards.append(rewards)
            self.ends.append(terminations)
        self.episodes, counts, sums = [], [0] * LANES, [0.0] * LANES
        for decides, rewards, ends in zip(self.decides, self.rewards, self.ends, strict=True):
            for lane in range(LANES):
                counts[lane] += int(decides[lane])
                sums[lane] += float(rewards[lane])
                if ends[lane]:
                    self.episodes.append((counts[lane], sums[lane]))
                    counts[lane], sums[lane] = 0, 0.0
        assert len(self.episodes) > 3 * LANES

    def returns(self, gamma: float) -> np.ndarray:
        """The discounted sum of an episode's rewards so far, of every decision in turn."""
        sums, all_returns = np.zeros(LANES), []
        for decides, rewards, ends in zip(self.decides, self.rewards, self.ends, strict=True):
            sums[decides] = gamma * sums[decides] + rewards[decides]
            all_returns.extend(sums[decides])
            sums[ends] = 0
        return np.array(all_returns)


def counts_right(name: str, mode: str) -> bool:
    """Whether a wrapper leaves out the steps that begin an episode, and no decision, in this Gymnasium."""
    if name == "RecordEpisodeStatistics":
        return mode == "next_step" or VERSION >= (1, 4)
    return VERSION >= (1, 4) or (mode == "next_step") == (VERSION >= (1, 3))


@pytest.mark.parametrize("mode", MODES)
def test_lengths_and_returns_of_episodes(mode):
    course = Course(play(one_seat(mode)), mode)
    env = wrappers.RecordEpisodeStatistics(one_seat(mode), buffer_length=10**4)
    told = []
    for result in play(env)[1:]:
        info = result[-1]
        assert ("episode" in info) == result[2].any()
        if "episode" in info:
            np.testing.assert_array_equal(info["_episode"], result[2])
            told += [
                (int(info["episode"]["l"][lane]), float(info["episode"]["r"][lane]))
                for lane in np.flatnonzero(result[2])
            ]
    assert (told == course.episodes) == counts_right("RecordEpisodeStatistics", mode)
    assert list(zip(env.length_queue, env.return_queue, strict=True)) == told
    assert env.episode_count == len(course.episodes)


@pytest.mark.parametrize("mode", MODES)
def test_one_seat_of_all_can_be_counted(mode):
    """As `docs/reference/vector.md` shows it."""
    course = Course(
        [
            (None, *((result[1][:, 0],) if number else (None,)), *result[2:])
            for number, result in enumerate(play(all_seats(mode)))
        ],
        mode,
    )
    env = wrappers.TransformReward(all_seats(mode), lambda rewards: rewards[:, 0])
    env = wrappers.RecordEpisodeStatistics(env, buffer_length=10**4)
    play(env)
    told = list(zip(env.length_queue, env.return_queue, strict=True))
    assert (told == course.episodes) == counts_right("RecordEpisodeStatistics", mode)


@pytest.mark.parametrize("mode", MODES)
def test_rewards_are_normalized_by_decisions(mode):
    results = play(one_seat(mode))
    course = Course(results, mode)
    env = wrappers.NormalizeReward(one_seat(mode), gamma=0.9)
    got = play(env)
    decisions = sum(decides.sum() for decides in course.decides)
    assert (env.return_rms.count == pytest.approx(decisions + 1e-4)) == counts_right("NormalizeReward", mode)
    last = results[-1][1] / np.sqrt(env.return_rms.var + env.epsilon)
    np.testing.assert_allclose(got[-1][1], last)
    # Elsewhere the last reward of an episode still counts in the next one.
    exact = VERSION >= (1, 4) and mode == "same_step"
    assert (env.return_rms.var == pytest.approx(course.returns(0.9).var(), rel=1e-3)) == exact


def test_observations_are_normalized():
    plain = np.array([result[0] for result in play(one_seat("next_step"))])
    env = wrappers.NormalizeObservation(one_seat("next_step"))
    got = play(env)
    assert env.obs_rms.count == pytest.approx((STEPS + 1) * LANES + 1e-4)
    np.testing.assert_allclose(env.obs_rms.mean, plain.mean(axis=(0, 1)), atol=1e-4)
    last = (plain[-1] - env.obs_rms.mean) / np.sqrt(env.obs_rms.var + env.epsilon)
    np.testing.assert_allclose(got[-1][0], last, rtol=1e-4, atol=1e-4)


# The modes of the single-seat vector


@each_game
@pytest.mark.parametrize("mode", MODES)
def test_modes_are_those_of_gymnasiums_own_vector(env_id, mode):
    """One lane is one table, in either vector."""
    how = {"opponents": "rules", "rules": None}
    env = gymnasium.make_vec(name_of(env_id), 1, autoreset=mode, **how)
    own = {"autoreset_mode": AutoresetMode[mode.upper()]}
    theirs = gymnasium.make_vec(name_of(env_id), 1, "sync", vector_kwargs=own, **how)
    assert env.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is own["autoreset_mode"]
    (seen, info), (their, their_info) = env.reset(seed=5), theirs.reset(seed=5)
    ended, episodes = False, 0
    for _ in range(100):
        np.testing.assert_array_equal(seen, their)
        assert info["seat"] == their_info["seat"]
        if ended and mode == "next_step":
            assert np.flatnonzero(info["action_mask"][0]).tolist() == [0]
            assert not their_info["action_mask"].any()
        else:
            np.testing.assert_array_equal(info["action_mask"], their_info["action_mask"])
        actions = np.array([by_sight(seen[0], info["action_mask"][0])])
        (seen, *results, info), (their, *others, their_info) = env.step(actions), theirs.step(actions)
        for array, other in zip(results, others, strict=True):
            np.testing.assert_allclose(array, other, rtol=1e-6)  # float32 beside float64
        ended = results[1][0]
        episodes += int(ended)
    assert episodes > 2


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_both_modes_play_the_same_episodes(episode):
    def course(mode: str) -> list[list]:
        env = gymnasium.make_vec(ID, LANES, opponents="rules", episode=episode, autoreset=mode)
        seen, info = env.reset(seed=1)
        lanes, waits = [[] for _ in range(LANES)], np.ones(LANES, bool)
        for _ in range(STEPS):
            before = seen, info["action_mask"], info["seat"]
            actions = np.array([by_sight(*sight) for sight in zip(*before[:2], strict=True)])
            actions[~waits] = -7
            seen, rewards, ends, _, info = env.step(actions)
            for lane in range(LANES):
                if waits[lane]:
                    sight = (array[lane].tolist() for array in before)
                    lanes[lane].append((*sight, float(rewards[lane]), bool(ends[lane])))
                else:
                    assert not ends[lane]
                    assert rewards[lane] == 0
            waits = ~ends if mode == "next_step" else waits
        return lanes

    for same, following in zip(course("same_step"), course("next_step"), strict=True):
        assert following == same[: len(following)]
        assert len(following) < len(same)


@pytest.mark.parametrize("illegal", ["raise", "replace"])
def test_actions_are_checked_in_the_lanes_that_wait_alone(illegal):
    env = gymnasium.make_vec(ID, LANES, opponents="random", illegal=illegal, autoreset="next_step")
    _, info = env.reset(seed=1)
    ends, rng = np.zeros(LANES, bool), np.random.default_rng(1)
    while not ends.any() or ends.all():
        mask = info["action_mask"]
        _, _, ends, _, info = env.step((rng.random(mask.shape) * mask).argmax(axis=1))
    legal = info["action_mask"].argmax(axis=1)
    waiting = np.argmin(ends)
    wrong = np.where(np.arange(LANES) == waiting, info["action_mask"][waiting].argmin(), legal)
    if illegal == "raise":
        with pytest.raises(IllegalAction, match=f"lane {waiting}"):
            env.step(wrong)
        np.testing.assert_array_equal(env.unwrapped.action_masks(), info["action_mask"] == 1)
    else:
        wrong[ends] = 10**9
        assert not env.step(wrong)[2][ends].any()
        return
    assert not env.step(np.where(ends, -1, legal))[2][ends].any()


def test_a_reset_restarts_ended_lanes():
    env = gymnasium.make_vec(ID, 1, opponents="random", autoreset="next_step")
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, (ended,), _, info = env.step(info["action_mask"].argmax(axis=1))
    seat = info["seat"][0]
    _, info = env.reset()
    assert info["seat"][0] != seat
    with pytest.raises(IllegalAction):
        env.step(info["action_mask"].argmin(axis=1))


@pytest.mark.parametrize("mode", MODES)
def test_specs_and_copies_keep_the_mode(mode):
    env = one_seat(mode)
    again = gymnasium.make_vec(env.spec)
    assert again.metadata == env.metadata
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    assert twin.metadata == env.metadata
    for one, two in zip(play(env), play(twin), strict=True):
        np.testing.assert_equal(one, two)


@pytest.mark.parametrize("wrong", ["disabled", AutoresetMode.DISABLED])
def test_modes_that_there_are_not(wrong):
    with pytest.raises(InputError, match="expected 'same_step' or 'next_step'"):
        gymnasium.make_vec(ID, 2, autoreset=wrong)


def test_episodes_are_cut_short_at_single_tables_alone():
    with pytest.raises(InputError, match="max_episode_steps: got 3; expected none"):
        gymnasium.make_vec(ID, 2, max_episode_steps=3)
    for env, step in (
        (gymnasium.make(ID, opponents="random", max_episode_steps=3), int),
        (gymnasium.make_vec(ID, 1, "sync", opponents="random", max_episode_steps=3), np.atleast_1d),
    ):
        _, info = env.reset(seed=1)
        truncated = []
        for _ in range(3):
            action = np.asarray(info["action_mask"]).reshape(-1).argmax()
            _, _, terminated, cut, info = env.step(step(action))
            assert not np.any(terminated)
            truncated.append(bool(np.any(cut)))
        assert truncated == [False, False, True]

"""The learner's environment: no reward is lost or turned round, whoever ends the deal and however often a
seat acts in a row."""

from dataclasses import replace
from itertools import compress, pairwise

import numpy as np
import pytest
from gymnasium import Env, spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecEnv, VecMonitor, VecNormalize

from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.envs.pool import seed_agents
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.envs import make_game
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.vector import CardVectorEnv
from stichwerk.support.errors import InputError
from tests.agents.support import Onlooker, ppo_agent
from tests.envs.support import EPISODES, OBSERVATIONS, each_variant_with

LANES = 12


class Recorded(SelfPlayEnv):
    """Writes down every action played and every episode that ends, lane by lane, before the seats move on."""

    def __init__(self, *args, **kwargs):
        self.played: list[tuple[int, int, int]] = []  # lane, seat, action
        # Lane, learner's seat, seat that acted last, learner's reward.
        self.ended: list[tuple[int, int, int, float]] = []
        self.counted: list[bool] = []  # of those: the learner has acted
        super().__init__(*args, **kwargs)

    def _step(self, which, actions):
        learner, actor, decided = self.learner.copy(), self.lanes.seats.copy(), self.decided.copy()
        self.played += zip(which.tolist(), actor[which].tolist(), actions.tolist(), strict=True)
        super()._step(which, actions)
        for lane in which[self.lanes.terminations[which]].tolist():
            reward = float(self.lanes.rewards[lane, learner[lane]])
            self.ended.append((lane, int(learner[lane]), int(actor[lane]), reward))
            self.counted.append(bool(decided[lane]))


def make_env(game, episode="deal", observation="summary", **kwargs) -> Recorded:
    opponents = [(RandomAgent("random"), 0.5), (ppo_agent(game, greedy=False), 0.5)]
    return Recorded(game, LANES, opponents, seed=1, episode=episode, observation=observation, **kwargs)


def random_steps(env: SelfPlayEnv, steps: int, seed: int = 1):
    """Random play of the learner; yields what each step gives."""
    rng = np.random.default_rng(seed)
    env.reset()
    for _ in range(steps):
        mask = np.stack(env.env_method("action_masks"))
        yield env.step((rng.random(mask.shape) * mask).argmax(axis=1))


# Rewards


@each_variant_with(episode=EPISODES)
def test_every_reward_reaches_the_learner_unchanged(variant, episode):
    """Step by step: an episode that ended pays what the game gave the learner's seat, and any other step pays
    nothing."""
    env = make_env(variant.game, episode)
    told, by_opponent, total = 0, 0, np.zeros(LANES)
    for _, rewards, dones, _ in random_steps(env, 300 if episode == "deal" else 1200):
        new = list(compress(env.ended[told:], env.counted[told:]))
        told = len(env.ended)
        assert sorted(lane for lane, *_ in new) == np.flatnonzero(dones).tolist(), (
            "at most one counted episode a lane and step"
        )
        expected = np.zeros(LANES)
        for lane, learner, last, reward in new:
            expected[lane] = reward
            by_opponent += last != learner
        assert (rewards == expected).all()
        total += rewards
    assert env.games == len(env.ended) > 30
    assert 5 < by_opponent < len(env.ended), "deals are ended by both"
    assert total.sum() == pytest.approx(sum(reward for *_, reward in compress(env.ended, env.counted))) != 0
    assert min(total) < 0


def test_the_record_replays_to_the_same_rewards(game):
    """A vector environment of the same seed gives the same for the recorded actions: nothing else was played,
    and none is missing."""
    env = make_env(game)
    list(random_steps(env, 200))
    moves = [[(seat, action) for at, seat, action in env.played if at == lane] for lane in range(LANES)]
    assert any(one[0] == two[0] for lane in moves for one, two in pairwise(lane)), "seats act twice in a row"
    paid = [
        iter([(learner, reward) for at, learner, _, reward in env.ended if at == lane])
        for lane in range(LANES)
    ]
    vec = CardVectorEnv(game, LANES, seed=1)
    vec.reset()
    for step in range(min(map(len, moves))):
        seats, actions = zip(*(lane[step] for lane in moves), strict=True)
        assert vec.seats.tolist() == list(seats)
        _, rewards, terminations, _, _ = vec.step(np.array(actions))
        for lane in np.flatnonzero(terminations):
            learner, reward = next(paid[lane])
            assert rewards[lane, learner] == reward


def test_reward_scale(game):
    plain = [rewards for _, rewards, *_ in random_steps(make_env(game), 100)]
    scaled = [rewards for _, rewards, *_ in random_steps(make_env(game, reward_scale=0.25), 100)]
    assert (np.array(plain) != 0).any()
    np.testing.assert_array_equal(np.array(plain) * np.float32(0.25), scaled)


def test_reward_limit(game):
    """Order and sign stay, the scale is applied first, and nothing goes beyond the limit."""
    plain = np.array([rewards for _, rewards, *_ in random_steps(make_env(game, reward_scale=2.0), 100)])
    pressed = np.array(
        [rewards for _, rewards, *_ in random_steps(make_env(game, reward_scale=2.0, reward_limit=1.5), 100)]
    )
    np.testing.assert_allclose(pressed, 1.5 * np.tanh(plain / 1.5), rtol=1e-6)
    assert 1.4 < abs(pressed).max() < 1.5 < abs(plain).max()


def test_start_states_need_a_game_that_draws_them(game):
    without = replace(game, spec=replace(game.spec, draw_start=None))
    with pytest.raises(InputError, match="start_states"):
        make_env(without, start_states=True)


# Seats and opponents


def test_the_learner_moves_on_one_seat_an_episode(game):
    env = make_env(game)
    env.reset()
    assert env.learner.tolist() == [0, 1] * (LANES // 2)
    for _ in random_steps(env, 100):
        for lane in range(LANES):
            seats = [learner for at, learner, *_ in env.ended if at == lane]
            assert seats == [(lane + number) % 2 for number in range(len(seats))]
            assert env.learner[lane] == (lane + len(seats)) % 2
    assert len(env.ended) > LANES


class Extreme(Agent):
    """Plays the legal action of smallest or of largest number, so that its lanes can be told."""

    def __init__(self, largest: bool):
        super().__init__("largest" if largest else "smallest")
        self.largest = largest

    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1) if self.largest else mask.argmax(axis=1)


class Checked(SelfPlayEnv):
    """Asserts that each opponent plays in its own lanes, and the learner in none of its turns."""

    def _step(self, which, actions):
        for lane, action in zip(which, actions, strict=True):
            if self.lanes.seats[lane] != self.learner[lane]:
                legal = np.flatnonzero(self.lanes.mask[lane])
                assert action == (legal[-1] if lane >= 9 else legal[0])
        super()._step(which, actions)


def test_shares_of_the_lanes(game):
    env = Checked(game, LANES, [(Extreme(largest=False), 0.75), (Extreme(largest=True), 0.25)], seed=1)
    for _ in random_steps(env, 60):
        pass
    assert env.games > LANES


class Teamed(SelfPlayEnv):
    """Asserts that the partner plays for the learner's side, and nobody else does."""

    by_partner = 0

    def _step(self, which, actions):
        sides = np.array(self.lanes.game.sides)
        for lane, action in zip(which, actions, strict=True):
            if (seat := self.lanes.seats[lane]) != self.learner[lane]:
                mine, legal = sides[seat] == sides[self.learner[lane]], np.flatnonzero(self.lanes.mask[lane])
                assert action == (legal[-1] if mine else legal[0])
                self.by_partner += mine
        super()._step(which, actions)


@pytest.mark.parametrize("players", [4, 6])
def test_the_partner_plays_the_other_seats_of_the_side(players):
    teams = make_game("gaigel_v0", {"players": players})
    env = Teamed(teams, LANES, [(Extreme(largest=False), 1.0)], seed=1, partner=Extreme(largest=True))
    for _ in random_steps(env, 60):
        pass
    assert env.by_partner > 100


@given(st.lists(st.integers(1, 100), min_size=1, max_size=6), st.integers(1, 70))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_any_shares_are_kept_as_nearly_as_lanes_allow(game, weights, lanes):
    shares = np.array(weights) / sum(weights)
    env = SelfPlayEnv(game, lanes, [(RandomAgent("random"), share) for share in shares], seed=1)
    given_out = np.bincount(env.opponent_of, minlength=len(shares))
    assert given_out.sum() == lanes
    assert (abs(given_out - shares * lanes) <= 1 + 1e-9).all()


def test_opponents_of_a_pool_do_not_draw_alike():
    one, two = agents = RandomAgent("one"), RandomAgent("two")
    seed_agents(agents, 1)
    assert one.random.integers(2**62) != two.random.integers(2**62)


def test_opponents_see_no_hidden_cards(game):
    """`Onlooker` checks every turn."""
    player = Onlooker(RandomAgent("random"))
    for _ in random_steps(SelfPlayEnv(game, LANES, [(player, 1.0)], seed=1), 60):
        pass
    assert len(player.seen()[1]) > 60 * LANES / 2


# What the learner sees


@each_variant_with(observation=OBSERVATIONS)
def test_observations_are_the_learners_own_in_canonical_suits(variant, observation):
    game = variant.game
    env, loops = make_env(game, observation=observation), loops_for(game, observation)
    symmetry, view = SuitSymmetry(game, game.encoding(observation)), np.zeros(1, game.state)
    seen, mask = np.zeros_like(env.lanes.observation), np.zeros_like(env.lanes.mask)
    for observations, *_ in random_steps(env, 40):
        assert (env.lanes.seats == env.learner).all()
        for lane, seat in enumerate(env.learner):
            loops.observe_seat(game.rules_record, env.lanes.states, lane, seat, view, seen[lane], mask[lane])
        expected, expected_mask, _ = symmetry.canonical(seen, mask)
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_array_equal(env.env_method("action_masks"), expected_mask)


def test_observations_stay_as_they_were(game):
    """The learner keeps a rollout of them: no later step may write into an earlier one."""
    env = make_env(game)
    kept = [
        (observation, observation.copy(), rewards, rewards.copy())
        for observation, rewards, *_ in random_steps(env, 30)
    ]
    assert all((one == two).all() and (three == four).all() for one, two, three, four in kept)


def test_shapes_and_types_for_the_learning_library(game):
    env = make_env(game)
    assert isinstance(env, VecEnv)
    assert env.num_envs == LANES
    assert env.action_space.n == len(game.actions)
    observation = env.reset()
    assert (
        observation.shape == (LANES, game.encoding("summary").size) == (LANES, *env.observation_space.shape)
    )
    assert observation.dtype == env.observation_space.dtype == np.float32
    masks = get_action_masks(env)
    assert masks.shape == (LANES, len(game.actions))
    assert set(np.unique(masks)) == {0, 1}
    observation, rewards, dones, infos = env.step(masks.argmax(axis=1))
    assert all(env.observation_space.contains(row) for row in observation)
    assert (rewards.shape, rewards.dtype) == ((LANES,), np.float32)
    assert (dones.shape, dones.dtype) == ((LANES,), bool)
    assert infos == [{}] * LANES


# What stable-baselines3 asks of a vector environment


class OneLane(Env):
    """What a lane of `DummyVecEnv` would be."""

    observation_space, action_space = spaces.Box(0, 1, (1,)), spaces.Discrete(2)

    def action_masks(self):
        return np.ones(2, np.int8)


@pytest.mark.parametrize("indices", [None, 2, -1, [0, 3], range(1, 3), np.array([1])])
def test_lanes_are_chosen_as_in_stable_baselines3s_own_environment(indices):
    env, theirs = make_env(make_game("schnapsen_v0")), DummyVecEnv([OneLane] * LANES)
    env.reset()
    expected = len(theirs.env_method("action_masks", indices=indices))
    masks = env.env_method("action_masks", indices=indices)
    assert len(masks) == expected
    np.testing.assert_array_equal(masks, env._mask[list(env._get_indices(indices))])
    assert env.get_attr("render_mode", indices) == theirs.get_attr("render_mode", indices)
    assert env.env_is_wrapped(VecMonitor, indices) == theirs.env_is_wrapped(VecMonitor, indices)


def test_attributes_of_lanes():
    """All lanes share them."""
    env = make_env(make_game("schnapsen_v0"))
    assert env.has_attr("action_masks")
    assert env.has_attr("reward_scale")
    assert not env.has_attr("render_fps")
    env.set_attr("reward_scale", 2.0)
    assert env.get_attr("reward_scale") == [2.0] * LANES
    with pytest.raises(AttributeError, match="expected all lanes"):
        env.set_attr("reward_scale", 3.0, indices=[0])
    with pytest.raises(AttributeError, match="render_fps"):
        env.get_attr("render_fps")
    with pytest.raises(AttributeError, match="seed_everything"):
        env.env_method("seed_everything")


def test_a_seed_counts_from_the_next_reset_on():
    game = make_game("schnapsen_v0")
    first, second = make_env(game), make_env(game)
    second.reset()
    assert len(second.seed(7)) == LANES
    first.seed(7)
    for env in (first, second):
        env.reset()
    np.testing.assert_array_equal(first.lanes.states["seed"], second.lanes.states["seed"])
    np.testing.assert_array_equal(first.lanes.states["deck"], second.lanes.states["deck"])
    assert not np.array_equal(first.lanes.states["seed"], make_env(game).lanes.states["seed"])


def test_a_seed_brings_back_the_same_episodes(game):
    """The seats of the learner, and what opponents and a partner draw, are those of the first time."""
    teams = make_game("gaigel_v0", {"players": 4})
    for env in (make_env(game), make_env(teams, partner=RandomAgent("random"))):
        seen = []
        for _ in range(2):
            env.seed(3)
            seen.append([observation for observation, *_ in random_steps(env, 25)])
        np.testing.assert_array_equal(*seen)


@pytest.mark.parametrize("wrapper", [VecMonitor, VecCheckNan, VecNormalize])
def test_wrappers_of_stable_baselines3(wrapper):
    """Returns and lengths that `VecMonitor` tells are those of the lanes."""
    env = make_env(make_game("schnapsen_v0"))
    wrapped = wrapper(env)
    wrapped.seed(3)
    wrapped.reset()
    rng, lengths, told = np.random.default_rng(1), np.zeros(LANES, int), 0
    for _ in range(60):
        mask = np.stack(wrapped.env_method("action_masks"))
        _, rewards, dones, infos = wrapped.step((rng.random(mask.shape) * mask).argmax(axis=1))
        lengths += 1
        for lane in np.flatnonzero(dones):
            if wrapper is VecMonitor:
                assert infos[lane]["episode"]["l"] == lengths[lane]
                assert infos[lane]["episode"]["r"] == pytest.approx(rewards[lane], abs=1e-5)
                told += 1
            lengths[lane] = 0
    assert told > LANES or wrapper is not VecMonitor


# Learning


@pytest.mark.slow
def test_learns_a_small_game():
    """Twelve cards, four in hand: a minute of self-play beats the untrained network by far."""
    rules = {"pack": [suit + rank for suit in "shdc" for rank in "AKQ"], "hand_size": 4, "goal": 40}
    game = make_game("schnapsen_v0", rules)
    config = TrainConfig.of(
        decisions=150_000,
        lanes=64,
        steps=64,
        widths=(64,),
        opponents="{latest: 1}",
        entropy=0.02,
        learning_rate=2e-3,
    )
    learner = Learner(config, game)
    player = learner.player("ppo", learner.network)
    before = play_pair(game, player, RandomAgent("random"), Series(2000, seed=1))
    learner.ppo.learn(config.ppo.decisions)
    after = play_pair(game, player, RandomAgent("random"), Series(2000, seed=1))
    assert after.low > before.high + 0.5, f"{before.mean:+.2f} before, {after.mean:+.2f} after"
    fixed = play_pair(game, player, ppo_agent(game), Series(2000, seed=1))
    assert fixed.low > 0.5

"""PPO learns from every seat that it plays, and computes what MaskablePPO computes."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.nn import functional

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.builtin.rules import find_rule_player
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.envs.learning import LearningLanes
from stichwerk.agents.envs.rollout_targets import RolloutTargets, weighted_advantages
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.networks.network import TorchLogits, precision_here
from stichwerk.agents.search.endgame import endings_for
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.agents.training.checkpoint import capture, restore, workplace
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.ppo import PPO
from stichwerk.agents.training.rollout import estimate_advantages
from stichwerk.envs import make_game
from stichwerk.envs.engine.equity import NO_EQUITY
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.vector import CardVectorEnv
from tests.agents.support import Onlooker, save_random_network
from tests.envs.support import each_episode

LANES = 12


def random_moves(env: LearningLanes, steps: int):
    """Random play of the learner; yields its turns, who moves and has a choice, and what each step gives."""
    rng = np.random.default_rng(1)
    env.start()
    for _ in range(steps):
        turns, seats = env.own_turns(), env.lanes.seats.copy()
        has_choice = env.lanes.mask.sum(axis=1) > 1
        actions = (rng.random(turns.masks.shape) * turns.masks).argmax(axis=1)
        yield turns, seats, has_choice, *env.move(turns, actions)


def small_learner(**changes) -> Learner:
    settings = {"lanes": 16, "steps": 24, "minibatches": 1, "epochs": 1, "widths": (16,), **changes}
    return Learner(TrainConfig.of(**settings), make_game("schnapsen_v0"))


def learned(ppo: PPO):
    """The decisions of its rollout that it learns from, their advantages and their returns."""
    return ppo.rollout.batch(torch.from_numpy(np.flatnonzero(ppo.rollout.learned)))


# Lanes


@each_episode
def test_lanes_that_no_opponent_has_are_played_by_the_learner_alone(game, episode):
    """It moves as a vector environment does, one decision of every lane a step, with the same rewards; it
    is asked where there is a choice, and a lone legal action is played all the same."""
    env, vec = (
        LearningLanes(game, LANES, [], seed=1, episode=episode),
        CardVectorEnv(game, LANES, episode, seed=1),
    )
    vec.reset()
    rng = np.random.default_rng(1)
    env.start()
    alone = 0
    for _ in range(150):
        turns = env.own_turns()
        has_choice = env.lanes.mask.sum(axis=1) > 1
        assert turns.lanes.tolist() == np.flatnonzero(has_choice).tolist()
        assert vec.seats.tolist() == env.lanes.seats.tolist()
        actions = (rng.random(turns.masks.shape) * turns.masks).argmax(axis=1)
        played = env.lanes.mask.argmax(axis=1)
        played[turns.lanes] = env.symmetry.true_actions(actions, turns.orders)
        alone += np.count_nonzero(~has_choice)
        rewards, ended = env.move(turns, actions)
        _, expected, terminations, *_ = vec.step(played)
        np.testing.assert_array_equal(rewards, expected)
        np.testing.assert_array_equal(ended, terminations)
    assert env.games > 0
    assert alone > 0


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0", "snapszer_v0"])
def test_opponents_have_their_own_lanes_and_seats(env_id):
    """In the first half of the lanes the learner has one seat, with its partner's where the rules fix one,
    and another one each episode."""
    game = make_game(env_id)
    opponent = Onlooker(RandomAgent("random"))
    env = LearningLanes(game, LANES, [(opponent, 0.5)], seed=1)
    sides, fixed = np.array(game.sides), game.side_count < game.seats
    learner = env.learner.copy()
    for turns, seats, has_choice, _, ended in random_moves(env, 120):
        own = sides[seats] == sides[learner] if fixed else seats == learner
        own[LANES // 2 :] = True
        assert turns.lanes.tolist() == np.flatnonzero(own & has_choice).tolist()
        learner = np.where(ended, (learner + 1) % game.seats, learner)
        np.testing.assert_array_equal(env.learner, learner)
    assert len(opponent.seen()[1]) > 120 * LANES / 8
    assert env.games > 0


def test_rewards_are_scaled_and_pressed(game):
    plain = [rewards for *_, rewards, _ in random_moves(LearningLanes(game, LANES, [], seed=1), 100)]
    scaled = LearningLanes(game, LANES, [], seed=1, reward_scale=2.0, reward_limit=1.5)
    pressed = [rewards for *_, rewards, _ in random_moves(scaled, 100)]
    np.testing.assert_allclose(pressed, 1.5 * np.tanh(np.array(plain) * 2 / 1.5), rtol=1e-6)


# Advice


@pytest.mark.parametrize(
    ("env_id", "text"),
    [
        ("schnapsen_v0", "rules"),
        *(
            pytest.param(env_id, text, marks=pytest.mark.slow)
            for env_id, text in (
                ("schnapsen_v0", "rules:0.1"),
                ("sixty_six_v0", "rules"),
                ("snapszer_v0", "rules"),
                ("gaigel_v0", "rules"),
                ("preferans_v0", "rules"),
            )
        ),
    ],
)
def test_rollout_targets_are_playouts(env_id, text):
    """As searches play on in a world, which is a test of theirs."""
    game = make_game(env_id)
    env, targets = LearningLanes(game, LANES, [], seed=3), RolloutTargets(text, game)
    choose = find_rule_player(env_id, text.partition(":")[2] or None)
    playouts, workspace = playouts_for(env_id, game.spec, choose), targets._workspace
    judged = 0
    for step, _ in enumerate(random_moves(env, 40)):
        if step % 6 == 5:
            states, some = env.lanes.states.copy(), env.lanes.all[::-5]
            outcomes = targets.action_values(env.lanes, some)
            np.testing.assert_array_equal(env.lanes.states, states)
            for row, lane in enumerate(some):
                legal = np.flatnonzero(env.lanes.mask[lane])
                expected = np.zeros(len(game.actions), np.float32)
                if len(legal) > 1:
                    values, seat = np.zeros((1, len(legal))), env.lanes.seats[lane]
                    world = states[lane : lane + 1]
                    playouts.play_out(game.rules_record, world, seat, legal, workspace, NO_EQUITY, values)
                    expected[legal] = values
                    judged += len(legal)
                np.testing.assert_array_equal(outcomes[row], expected)
    assert judged > 20


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "preferans_v0"])
def test_rollout_targets_of_a_network_are_its_own_play(env_id, tmp_path):
    """Each legal action, then the network's likeliest ones to the end, or to where all cards are known."""
    game = make_game(env_id)
    text = f"ppo:{save_random_network(tmp_path / 'network', game, greedy=True)}"
    lanes, targets, agent = Lanes(game, 12), RolloutTargets(text, game), make_agent_for(text, game)
    lanes.seed(2)
    lanes.start()
    workspace, advance = targets._workspace, endings_for(env_id, game.spec).advance
    for _ in range(5):
        lanes.step(RandomAgent("random").act(Turns.of(lanes, lanes.all)))
    found = targets.action_values(lanes, lanes.all)
    for lane in lanes.all:
        legal = np.flatnonzero(lanes.mask[lane])
        expected = np.zeros(len(game.actions), np.float32)
        for action in legal if len(legal) > 1 else ():
            expected[action] = value_played_on(lanes, lane, action, agent, advance, workspace)
        np.testing.assert_array_equal(found[lane], expected)
    assert found.any()


def value_played_on(lanes, lane, action, agent, advance, workspace) -> float:
    """The deal points of the seat to act after this action, each later one asked for by itself."""
    table = Lanes(lanes.game, 1)
    table.states[:], seat = lanes.states[lane], lanes.seats[lane]
    while True:
        ended, _ = advance(lanes.game.rules_record[0], table.states[0], action, workspace[0])
        if ended:
            return table.states["deal_points"][0, seat]
        table.observe(table.all)
        action = agent.act(Turns.of(table, table.all))[0]


@pytest.mark.slow
def test_rollout_targets_for_a_share_of_the_decisions():
    learner = small_learner(rollout_policy="rules:0.1", rollout_share=0.25)
    learner.ppo.play()
    decisions, learned = learner.ppo.rollout.decisions, torch.from_numpy(learner.ppo.rollout.learned)
    with_targets = decisions.action_values.any(dim=2)[learned].float().mean()
    assert 0.15 < with_targets < 0.3, "of some all actions are worth the same"
    assert np.isfinite(learner.ppo.update(left=1.0)["policy_loss"])


def test_rollout_targets_are_in_canonical_suits_and_scaled_as_rewards_are(game):
    targets, others = RolloutTargets("rules:0.1", game), [(RandomAgent("random"), 0.5)]
    env = LearningLanes(game, LANES, others, seed=1, reward_scale=0.5, reward_limit=1.5)
    assert len(list(random_moves(env, 12))) == 12
    turns = env.own_turns()
    assert len(turns.lanes) < LANES
    outcomes = targets.action_values(env.lanes, turns.lanes)
    some = np.arange(1, len(turns.lanes), 2)
    scaled = env.symmetry.in_true_suits(env.action_values(turns, some, targets), turns.orders[some])
    np.testing.assert_allclose(scaled, 1.5 * np.tanh(outcomes[some] * 0.5 / 1.5), rtol=1e-6)
    assert scaled.any()


def test_rollout_targets_alone_raise_the_expected_value():
    """The gradient is that of the mean over the policy's actions, in the unit that advantages have."""
    alone = {"rollout_weight": 1.0, "rollout_floor": 0.0, "entropy": 0.0}
    learner = small_learner(rollout_policy="rules:0.1", precision="float32", **alone)
    ppo = learner.ppo
    ppo.value_weight, ppo.max_gradient_norm = 0.0, 1e9
    ppo.play()
    decisions, advantages, _ = learned(ppo)
    logits = learner.network(decisions.observations).masked_fill(~decisions.masks, -torch.inf)
    values = (torch.softmax(logits, dim=1) * decisions.action_values).sum(dim=1)
    expected = torch.autograd.grad(-values.mean() / advantages.std(), list(learner.network.parameters()))
    before = [parameter.detach().clone() for parameter in learner.network.parameters()]
    ppo.update(left=1.0)
    for one, parameter in zip(expected, learner.network.parameters(), strict=True):
        torch.testing.assert_close(parameter.grad, one, rtol=1e-3, atol=1e-6)
    assert any(not torch.equal(*both) for both in zip(before, learner.network.parameters(), strict=True))


def test_rollout_targets_reach_unlikely_actions():
    """By its floor, and up or down by what they bring; those that are as good as gone are not pushed further,
    illegal ones not at all."""
    likely = torch.tensor([[0.9, 0.0999, 0.0001, 0.0], [0.9, 0.0999, 0.0001, 0.0]])
    masks = torch.tensor([[True, True, True, False]] * 2)
    outcomes = torch.tensor([[0.0, 0.0, 3.0, 0.0], [0.0, 0.0, -3.0, 0.0]])
    without, floored = (weighted_advantages(likely, masks, outcomes, floor) for floor in (0.0, 0.3))
    assert 0 < without[0, 2] < 0.001 < 0.2 < floored[0, 2]
    assert floored[1, 2] == 0
    assert (floored[0, :2] < 0).all()
    assert (floored[1, :2] > 0).all()
    assert (floored[:, 3] == 0).all()
    torch.testing.assert_close(floored[0].sum(), torch.tensor(0.0))  # all logits together stay where they are


# What moves were worth


def estimate_plainly(learned, seats, rewards, ended, values, next_values, gae_lambda):
    """Advantages by definition, one seat of one lane after the other; None for what cannot be said."""
    steps, lanes = learned.shape
    advantages = {}
    for lane in range(lanes):
        for seat in range(rewards.shape[2]):
            own = [step for step in range(steps) if learned[step, lane] and seats[step, lane] == seat]
            later = None  # the advantage of the seat's next move in the same episode
            for number, step in reversed(list(enumerate(own))):
                until = own[number + 1] if number + 1 < len(own) else steps
                over = next((t for t in range(step, until) if ended[t, lane]), None)
                reward = rewards[step : (until if over is None else over + 1), lane, seat].sum()
                if over is not None:
                    value, later = 0.0, 0.0
                elif until < steps:
                    value, later = values[until, lane], later or 0.0
                else:
                    value, later = next_values[lane, seat], 0.0
                error = reward + value - values[step, lane]
                later = None if np.isnan(value) else error + gae_lambda * later
                advantages[step, lane] = later
    return advantages


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.9, 1.0]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_advantages(seed, gae_lambda):
    rng = np.random.default_rng(seed)
    steps, lanes, players = rng.integers(1, 12), 2, rng.integers(1, 4)
    learned, ended = rng.random((steps, lanes)) < 0.7, rng.random((steps, lanes)) < 0.2
    seats = rng.integers(0, players, (steps, lanes))
    rewards = rng.normal(size=(steps, lanes, players)).astype(np.float32)
    values = rng.normal(size=(steps, lanes)).astype(np.float32)
    next_values = rng.normal(size=(lanes, players)).astype(np.float32)
    next_values[rng.random((lanes, players)) < 0.5] = np.nan
    expected = estimate_plainly(learned, seats, rewards, ended, values, next_values, gae_lambda)
    advantages = np.full((steps, lanes), np.nan, np.float32)
    estimate_advantages(learned, seats, rewards, ended, values, next_values, gae_lambda, advantages)
    for place, advantage in expected.items():
        assert learned[place] == (advantage is not None)
        if advantage is not None:
            assert advantages[place] == pytest.approx(advantage, abs=1e-4)


def test_only_last_moves_are_not_learned_from():
    """Of each seat in each lane at most one choice of a rollout, its last, is left out."""
    learner = small_learner(opponents="{latest: 1}")
    learner.ppo.learn(1)
    rollout = learner.ppo.rollout
    chosen = rollout.decisions.masks.any(dim=2).numpy()  # others were lone legal actions
    for lane in range(16):
        for seat in (0, 1):
            learned = rollout.learned[chosen[:, lane] & (rollout.seats[:, lane] == seat), lane]
            assert learned[:-1].all()
    assert 16 * 18 < rollout.learned.sum() <= chosen.sum() < 16 * 24


# An update


def test_an_update_is_that_of_maskable_ppo():
    """The same moves, in one batch, give the same gradient; some have become likelier since, others less
    likely, and many so much that they are clipped."""
    ours = small_learner(precision="float32", learning_rate=1e-2).ppo
    theirs = ours.to_maskable_ppo(table_for(ours))
    theirs.set_logger(Logger(folder=None, output_formats=[]))
    ours.play()
    ours.rollout.decisions.log_probs.add_(torch.empty(24, 16).uniform_(-0.5, 0.5))
    decisions, advantages, returns = learned(ours)
    theirs.rollout_buffer = _Batch(
        observations=decisions.observations,
        actions=decisions.actions[:, None],
        action_masks=decisions.masks.float(),
        old_values=decisions.values,
        old_log_prob=decisions.log_probs,
        advantages=advantages,
        returns=returns,
    )
    metrics = ours.update(left=1.0)
    theirs.train()
    assert 0.3 < metrics["clip_fraction"] < 0.9
    for (name, one), other in zip(ours.policy.named_parameters(), theirs.policy.parameters(), strict=True):
        assert other.grad.abs().max() > 1e-4, name
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6, msg=name)


@pytest.mark.parametrize("decisions", [1, 383, 384, 385, 1536, 1537])
def test_every_update_learns(decisions):
    """Each by the same amount less, from the whole rate, and by more than nothing in the last one, also where
    that goes beyond the end; by what `learn` was asked for, not by the config's decisions."""
    ppo = small_learner(learning_rate=1.0, lr_final_fraction=0.0).ppo
    rates, lasts = [], []

    def after_update(metrics, last):
        rates.append(metrics["learning_rate"])
        lasts.append(last)

    ppo.learn(decisions, after_update)
    updates = -(-decisions // (16 * 24))
    assert rates == pytest.approx([1 - number / updates for number in range(updates)])
    assert lasts == [False] * (updates - 1) + [True]
    ppo.learn(384 * updates, after_update)
    assert rates[updates:] == pytest.approx([(updates - number) / (2 * updates) for number in range(updates)])
    assert ppo.decisions == 2 * 384 * updates


@pytest.mark.parametrize(("change", "learns"), [(1.0, True), (2.2, True), (2.4, False), (40.0, False)])
def test_what_has_become_ten_times_as_likely_has_no_gradient(change, learns):
    """Nor one that is not finite, though it turned out badly; up to there a bad move is unlearned."""
    ppo = small_learner(precision="float32", entropy=0.0).ppo
    ppo.value_weight = 0.0  # the policy's gradient alone
    ppo.play()
    ppo.rollout.decisions.log_probs.sub_(change)
    metrics = ppo.update(left=1.0)
    gradients = [parameter.grad for parameter in ppo.policy.parameters()]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert any(gradient.any() for gradient in gradients) == learns
    assert 0 < metrics["kl"] < 10, "of the same ratio"


def test_a_magnet_that_plays_at_random_is_entropy():
    """Its divergence is the logarithm of the number of legal actions less the entropy, so both have one
    gradient."""
    gradients = []
    for changes in ({"entropy": 0.1}, {"entropy": 0.0, "magnet": 0.1}):
        ppo = small_learner(precision="float32", **changes).ppo
        ppo.play()
        if ppo.magnet:
            ppo.decisions *= 2  # an update in which the magnet stays
            for parameter in ppo.magnet.parameters():
                parameter.detach().zero_()
        torch.manual_seed(1)  # of the order of the sums
        metrics = ppo.update(left=1.0)
        gradients.append([parameter.grad for parameter in ppo.policy.parameters()])
        if ppo.magnet:
            masks = learned(ppo)[0].masks
            uniform = masks.sum(dim=1).log().mean() + metrics["negative_entropy"]
            assert metrics["magnet_kl"] == pytest.approx(float(uniform), abs=1e-5)
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-6)


def test_the_magnet_is_moved_and_goes_on_after_a_checkpoint():
    """Every second update it becomes the network that begins the update; a resumed run has the same
    digits."""
    changes = {"magnet": 0.2, "magnet_every": 2, "learning_rate": 0.01}
    whole, divergences = small_learner(**changes), list[float]()
    whole.ppo.learn(4 * 384, lambda metrics, last: divergences.append(metrics["magnet_kl"]))
    assert [value < 1e-6 for value in divergences] == [True, False, True, False]
    first, updates = small_learner(**changes), iter(range(2))

    class Stopped(Exception):  # noqa: N818
        pass

    def stop(metrics, last):
        if next(updates):
            raise Stopped

    with pytest.raises(Stopped):
        first.ppo.learn(4 * 384, stop)
    tensors, facts = capture(first)
    rest = {"highest": None, "codes": ["0"], "learned_on": [workplace(first)]}
    resumed = small_learner(**changes)
    restore(resumed, tensors, json.loads(json.dumps({**facts, **rest})))
    resumed.ppo.learn(2 * 384)
    for one, other in zip(whole.ppo.policy.parameters(), resumed.ppo.policy.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


class _Batch:
    """Hands MaskablePPO one batch, as its own buffer would."""

    def __init__(self, **columns: torch.Tensor):
        self.batch = SimpleNamespace(**columns)
        self.values, self.returns = columns["old_values"].numpy(), columns["returns"].numpy()

    def get(self, size):
        yield self.batch


def assert_learn_alike(one: PPO, other: PPO) -> None:
    """Both have learned the same way from their moves, but for rounding."""
    for (name, mine), its in zip(one.policy.named_parameters(), other.policy.parameters(), strict=True):
        gradients = mine.grad.cpu().flatten(), its.grad.cpu().flatten()
        assert functional.cosine_similarity(*gradients, dim=0) > 0.95, name


def test_precisions_learn_alike():
    """From the same moves products in bfloat16 give nearly the same gradient, and weights stay float32."""
    exact, rough = (small_learner(precision=each).ppo for each in ("float32", "bfloat16"))
    exact.play()
    rough.rollout = exact.rollout
    for ppo in (exact, rough):
        torch.manual_seed(1)  # of the minibatches
        ppo.update(left=1.0)
    assert_learn_alike(exact, rough)
    assert all(tensor.dtype == torch.float32 for tensor in rough.policy.state_dict().values())
    assert exact.policy.action_net.weight.grad.ne(rough.policy.action_net.weight.grad).any()


def test_auto_is_bfloat16_where_there_are_units():
    """As Linux names them."""
    processor = Path("/proc/cpuinfo")
    if not processor.exists():
        pytest.skip("the processor's units are read off Linux")
    units = {"amx_tile", "avx512_bf16"} & set(processor.read_text().split())
    assert precision_here("auto") == ("bfloat16" if units else "float32")


def test_searches_in_a_training():
    """As opponents and imitated, in the arithmetic that they have everywhere."""
    learner = small_learner(
        precision="bfloat16",
        opponents="{latest: 0.5, 'search:schnapsen-0.1,worlds=2': 0.25, 'pimc:worlds=2': 0.25}",
        imitation_agent="rollout:schnapsen-0.1,worlds=2",
    )
    learner.ppo.learn(1)
    assert learner.ppo.rollout.learned.any(axis=0).all(), "in every lane"
    player, game = make_agent_for("search:schnapsen-0.1,worlds=2", learner.game), learner.game
    lanes = Lanes(game, 4)
    lanes.start()
    views, seats = lanes.views, lanes.seats
    with torch.autocast("cpu", torch.bfloat16):
        inside = [player.prior(views[i : i + 1], seats[i]) for i in lanes.all]
    assert np.array_equal(inside, [player.prior(views[i : i + 1], seats[i]) for i in lanes.all])


OWN_TORCH = """
import torch

def make_agent(game):
    layer = torch.nn.Linear(game.encoding("summary").size, len(game.actions))

    def act(observation, mask):
        logits = layer(torch.from_numpy(observation))
        assert logits.dtype == torch.float32
        logits.sum().backward()
        return int(torch.where(torch.from_numpy(mask) > 0, logits, -torch.inf).argmax())

    return act
"""


def test_other_agents_compute_by_torch_as_they_do_elsewhere(tmp_path, monkeypatch):
    """As opponents and imitated, in their own precision and with gradients. Snapshots have the learner's."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_torch.py").write_text(OWN_TORCH)
    own = "python:own_torch:make_agent"
    learner = small_learner(
        precision="bfloat16",
        opponents={"latest": 0.5, "past": 0.25, own: 0.25},
        past_size=1,
        imitation_agent=own,
    )
    learner.ppo.learn(1)
    assert learner.ppo.rollout.learned.any(axis=0).all(), "in every lane"
    (snapshot,) = learner.agents["past"]
    observations = learner.env.own_turns().observations
    exact, rough = (
        TorchLogits(learner.past[0], learner.device, each)(observations) for each in ("float32", "bfloat16")
    )
    np.testing.assert_array_equal(snapshot.network(observations), rough)
    assert (exact != rough).any()


NO_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.mark.parametrize("precision", ["float32", "auto"])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NO_GPU)])
def test_a_gpu_changes_nothing_but_the_device(device, precision):
    """The same chance, the same games at first, nearly the same weights; and what is kept lies on the CPU."""
    settings = {
        "precision": precision,
        "opponents": "{latest: 0.5, past: 0.25, 'ppo:schnapsen-0.1': 0.25}",
        "rollout_policy": "rules:0.1",
    }
    trained = []
    for each in ("cpu", device):  # one after the other: what is drawn is drawn from the process's chance
        learner = small_learner(device=each, **settings)
        learner.ppo.learn(1)
        trained.append((learner, *capture(learner)))
    (one, ours, _), (other, theirs, facts) = trained
    assert_learn_alike(one.ppo, other.ppo)
    torch.testing.assert_close(ours["random.torch"], theirs["random.torch"])
    restored = small_learner(device=device, **settings)
    of_the_run = {"highest": None, "codes": ["a code"], "learned_on": [workplace(other)]}
    restore(restored, theirs, facts | of_the_run)
    before = other.network.action.weight.clone()
    for learner in (other, restored):
        torch.set_rng_state(theirs["random.torch"])
        learner.ppo.learn(1)
    assert not torch.equal(before, other.network.action.weight)
    for mine, its in zip(other.network.parameters(), restored.network.parameters(), strict=True):
        assert mine.device.type == device
        torch.testing.assert_close(mine, its, atol=1e-3, rtol=0)


def table_for(ppo: PPO) -> SelfPlayEnv:
    """Where MaskablePPO learns: the same game, one seat of each lane."""
    return SelfPlayEnv(ppo.env.lanes.game, ppo.env.num_lanes, [(RandomAgent("random"), 1.0)], seed=1)


@pytest.mark.parametrize("helper", [{}, {"imitation_agent": "rules"}, {"rollout_policy": "rules:0.1"}])
def test_to_maskable_ppo(helper, tmp_path):
    """It plays as the network does, can be saved and loaded, and goes on learning."""
    learner = small_learner(**helper)
    learner.ppo.learn(1)
    table = table_for(learner.ppo)
    learner.ppo.to_maskable_ppo(table).save(tmp_path / "model.zip")
    model = MaskablePPO.load(tmp_path / "model.zip", env=table)
    turns = learner.env.own_turns()
    logits = learner.network(torch.from_numpy(turns.observations)).detach()
    actions, _ = model.predict(turns.observations, action_masks=turns.masks, deterministic=True)
    np.testing.assert_array_equal(actions, np.where(turns.masks, logits, -np.inf).argmax(axis=1))
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(1)
    assert not all(map(torch.equal, before, model.policy.parameters())), "it goes on learning"

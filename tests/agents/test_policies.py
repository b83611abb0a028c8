"""Policies of other libraries play as they would at home, but never illegally."""

import sys

import numpy as np
import pytest
import torch
from gymnasium import Env, spaces
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import DQN, PPO
from torch import nn

from stichwerk.agents import AgentError
from stichwerk.agents.agent import Turns
from stichwerk.agents.networks.ppo import PPOAgent
from stichwerk.agents.policies import PolicyAgent, from_onnx, from_sb3, from_torchscript
from stichwerk.envs import make_game, make_vec
from stichwerk.envs.core.extras import MissingExtra
from tests.agents.support import random_network

GAME = make_game("schnapsen_v0")
FEATURES, ACTIONS = GAME.encoding("summary").size, len(GAME.actions)


class Shapes(Env):
    """Nothing but the shapes of the game."""

    observation_space = spaces.Box(0, np.inf, (FEATURES,), np.float32)
    action_space = spaces.Discrete(ACTIONS)

    def action_masks(self):
        return np.ones(ACTIONS, bool)


class Masked(nn.Module):
    """A network that looks at the mask too."""

    def __init__(self):
        super().__init__()
        self.network = random_network(GAME)

    def forward(self, observation, mask):
        return self.network(observation) + 1000.0 * (1.0 - mask.float())  # it wants what is not legal


@pytest.fixture
def turns():
    vec = make_vec("schnapsen_v0", 200, seed=1)
    vec.reset()
    rng = np.random.default_rng(1)
    for _ in range(7):
        vec.step((rng.random((200, ACTIONS)) * vec.lanes.mask).argmax(axis=1))
    return Turns.in_vector(vec)


def assert_legal(agent, turns) -> np.ndarray:
    actions = agent.act(turns)
    assert turns.mask[np.arange(len(turns)), actions].all()
    return actions


@pytest.mark.parametrize("kind", [PPO, DQN, QRDQN, MaskablePPO])
def test_models_of_stable_baselines3(kind, turns):
    sizes = {"buffer_size": 10} if kind in (DQN, QRDQN) else {"n_steps": 2, "batch_size": 2}
    model = kind("MlpPolicy", Shapes(), seed=1, **sizes)
    actions = assert_legal(from_sb3(model, GAME), turns)
    observation, mask = turns.observation(GAME), turns.mask
    if kind is MaskablePPO:
        expected, _ = model.predict(observation, action_masks=mask.astype(bool), deterministic=True)
        assert (actions == expected).all()
    else:  # theirs know no masks
        legal = (
            mask[np.arange(len(turns)), expected := model.predict(observation, deterministic=True)[0]] != 0
        )
        assert (actions[legal] == expected[legal]).all()
        assert legal.any()
    drawn = from_sb3(model, GAME, greedy=False)
    assert (assert_legal(drawn, turns) != assert_legal(drawn, turns)).any()


def test_models_of_another_shape():
    with pytest.raises(AgentError, match="gaigel_v0 with 'summary' has"):
        from_sb3(PPO("MlpPolicy", Shapes(), n_steps=2, batch_size=2), make_game("gaigel_v0"))


@pytest.mark.parametrize("suits", ["true", "canonical"])
def test_torchscript(suits, turns, tmp_path):
    network = random_network(GAME)
    torch.jit.script(network).save(tmp_path / "policy.pt")
    actions = assert_legal(from_torchscript(tmp_path / "policy.pt", GAME, suits=suits), turns)
    ours = PPOAgent("ppo", network, GAME, "summary", greedy=True).act(turns)
    assert (actions == ours).all() == (suits == "canonical"), "ours sees canonical suits"


def test_torchscript_that_takes_the_mask(turns, tmp_path):
    torch.jit.script(Masked()).save(tmp_path / "policy.pt")
    actions = assert_legal(from_torchscript(tmp_path / "policy.pt", GAME), turns)
    with torch.inference_mode():
        scores = random_network(GAME)(torch.from_numpy(turns.observation(GAME))).numpy()
    assert (actions == np.where(turns.mask, scores, -np.inf).argmax(axis=1)).all()


def test_onnx(turns, tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    network = random_network(GAME).eval()
    rows = torch.zeros(2, FEATURES)
    torch.onnx.export(
        network,
        (rows,),
        tmp_path / "policy.onnx",
        dynamic_shapes=({0: torch.export.Dim("n")},),
        verbose=False,
    )
    torch.jit.script(network).save(tmp_path / "policy.pt")
    actions = assert_legal(from_onnx(tmp_path / "policy.onnx", GAME), turns)
    assert (actions == from_torchscript(tmp_path / "policy.pt", GAME).act(turns)).all()


def test_onnx_of_whole_numbers_is_refused(tmp_path):
    """They would cut off what an observation has behind the point."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    rows = torch.zeros(2, FEATURES, dtype=torch.int8)
    torch.onnx.export(nn.Identity().eval(), (rows,), tmp_path / "policy.onnx", verbose=False)
    with pytest.raises(AgentError, match=r"takes tensor\(int8\): allowed are an observation, float32"):
        from_onnx(tmp_path / "policy.onnx", GAME)


def test_a_missing_runtime_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r'onnxruntime is not installed: pip install "stichwerk\[onnx\]"'):
        from_onnx(tmp_path / "policy.onnx", GAME)


@pytest.mark.parametrize("make", [from_torchscript, from_onnx])
@pytest.mark.parametrize("content", [None, b"", b"PK nothing"])
def test_damaged_files(make, content, tmp_path):
    if make is from_onnx:
        pytest.importorskip("onnxruntime")
    if content is not None:
        (tmp_path / "policy").write_bytes(content)
    with pytest.raises(AgentError, match="file to play from"):
        make(tmp_path / "policy", GAME)


@pytest.mark.parametrize("score", [-np.inf, np.nan])
def test_hopeless_scores_are_legal_too(score, turns):
    for greedy in (True, False):
        agent = PolicyAgent("mine", lambda seen, mask: np.where(mask, score, 0.0), GAME, greedy=greedy)
        assert_legal(agent, turns)


def test_scores_of_another_shape(turns, tmp_path):
    torch.jit.script(nn.Linear(FEATURES, 3)).save(tmp_path / "policy.pt")
    with pytest.raises(AgentError, match=r"scores in shape \(200, 3\)"):
        from_torchscript(tmp_path / "policy.pt", GAME).act(turns)


def test_suits_have_two_ways():
    with pytest.raises(AgentError, match="allowed are 'true' and 'canonical'"):
        from_sb3(PPO("MlpPolicy", Shapes(), n_steps=2, batch_size=2), GAME, suits="german")

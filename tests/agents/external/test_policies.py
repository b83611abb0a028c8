"""Policies of other libraries play as they would at home, but never illegally."""

import random
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import Env, spaces
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import DQN, PPO
from torch import nn

from stichwerk.agents import AgentError, as_agent
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.external.policies import PolicyAgent, from_onnx, from_sb3, from_torchscript
from stichwerk.envs import make_game, make_vec
from stichwerk.support.extras import MissingExtra
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
    ours = NetworkAgent("ppo", network.for_play(), GAME, "summary", greedy=True).act(turns)
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
    with pytest.raises(AgentError, match=r"got tensor\(int8\); expected an observation, float32"):
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
    with pytest.raises(AgentError, match="not a playable"):
        make(tmp_path / "policy", GAME)


def refusal(agent, turns) -> str:
    with pytest.raises(AgentError) as caught:
        agent.act(turns)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def scored(score, greedy: bool) -> PolicyAgent:
    """It gives this score to each turn's last legal action, and 0 to all that is not legal."""

    def scores(_, mask):
        found = np.where(mask, -1.0, 0.0)
        found[np.arange(len(mask)), last_legal(mask)] = score
        return found

    return PolicyAgent("mine", scores, GAME, greedy=greedy)


def last_legal(mask: np.ndarray) -> np.ndarray:
    return ACTIONS - 1 - mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("greedy", [True, False])
def test_scores_without_an_end(greedy, turns):
    """An action may be out of the question, or beyond all others."""
    last = last_legal(turns.mask)
    assert (scored(np.inf, greedy).act(turns) == last).all()
    which = np.flatnonzero(turns.mask.sum(axis=1) > 1)
    several = replace(turns, which=which)
    assert (scored(-np.inf, greedy).act(several) != last[which]).all()
    assert_legal(scored(-np.inf, greedy), several)


@pytest.mark.parametrize("greedy", [True, False])
def test_scores_that_are_no_numbers(greedy, turns):
    expected = "numbers, of which a legal action has one above -inf"
    for nans in (scored(np.nan, greedy), PolicyAgent("mine", lambda _, mask: mask * np.nan, GAME)):
        assert (
            refusal(nans, turns)
            == f"agent mine: got scores with NaN in 200 of 200 turns; expected {expected}"
        )
    hopeless = PolicyAgent("mine", lambda _, mask: np.where(mask, -np.inf, 0.0), GAME, greedy=greedy)
    given = "agent mine: got scores with -inf for all legal actions in 200 of 200 turns"
    assert refusal(hopeless, turns) == f"{given}; expected {expected}"
    elsewhere = PolicyAgent("mine", lambda _, mask: np.where(mask, 0.0, np.nan), GAME, greedy=greedy)
    assert_legal(elsewhere, turns)  # what is not legal needs no score


ODD_SCORES = {
    "complex128": lambda mask: mask * 1j,
    "bool": lambda mask: mask != 0,
    "object": lambda mask: [[None] * ACTIONS] * len(mask),
    "<U1": lambda mask: np.full(mask.shape, "1"),
}


@pytest.mark.parametrize("kind", ODD_SCORES)
def test_scores_of_another_type(kind, turns):
    agent = PolicyAgent("mine", lambda _, mask: ODD_SCORES[kind](mask), GAME)
    given = f"scores of type {kind} in shape (200, {ACTIONS})"
    assert refusal(agent, turns) == f"agent mine: got {given}; expected numbers in shape (200, {ACTIONS})"


class Faulty(nn.Module):
    """What a policy does wrong: NaN from a NaN of its own, scores of another shape, or an error."""

    def __init__(self, fault: str):
        super().__init__()
        self.fault = fault
        self.layer = nn.Linear(FEATURES, 3 if fault == "shape" else ACTIONS)
        if fault == "nan":
            nn.init.constant_(self.layer.bias, torch.nan)

    def forward(self, observation):
        if self.fault == "error":
            assert observation.shape[0] == 0, "this policy\nplays nothing"
        return self.layer(observation)


def faulty_torchscript(fault, folder):
    torch.jit.script(Faulty(fault)).save(folder / "policy.pt")
    return from_torchscript(folder / "policy.pt", GAME)


def faulty_onnx(fault, folder):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    numbers = {"seen": FEATURES, "scores": ACTIONS if fault != "shape" else None}
    given, told = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, width])
        for name, width in numbers.items()
    )
    shape = {"shape": [FEATURES, 3], "error": [FEATURES + 1, ACTIONS]}.get(fault, [FEATURES, ACTIONS])
    value = np.full(shape, np.nan if fault == "nan" else 1, np.float32)
    if fault == "error":  # more rows than there are: an index out of bounds, known only when it runs
        node = onnx.helper.make_node("Gather", ["seen", "weights"], ["scores"], axis=1)
        value = np.full(ACTIONS, 10**6, np.int64)
    else:
        node = onnx.helper.make_node("MatMul", ["seen", "weights"], ["scores"])
    weights = onnx.numpy_helper.from_array(value, "weights")
    graph = onnx.helper.make_graph([node], "graph", [given], [told], [weights])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "policy.onnx")
    return from_onnx(folder / "policy.onnx", GAME)


def faulty_sb3(kind):
    def make(fault, folder):
        sizes = {"buffer_size": 10} if kind in (DQN, QRDQN) else {"n_steps": 2, "batch_size": 2}
        model = kind("MlpPolicy", Shapes(), seed=1, **sizes)
        layers = [layer for layer in model.policy.modules() if isinstance(layer, nn.Linear)]
        for layer in layers:
            if fault == "nan":
                nn.init.constant_(layer.bias, torch.nan)
            elif fault == "error":
                layer.weight = nn.Parameter(torch.zeros(1, 1))
            elif fault == "shape" and layer.out_features == ACTIONS:
                head = nn.Linear(layer.in_features, 3)
                layer.weight, layer.bias = head.weight, head.bias
        return from_sb3(model, GAME)

    return make


FAULTY = {
    "torchscript": faulty_torchscript,
    "onnx": faulty_onnx,
    **{kind.__name__: faulty_sb3(kind) for kind in (PPO, DQN, MaskablePPO)},
}
SAYS = {
    "nan": r"got scores with NaN|crashed: ValueError",
    "shape": r"\(200, 3\)|crashed",
    "error": "crashed: ",
}


@pytest.mark.parametrize("fault", SAYS)
@pytest.mark.parametrize("kind", FAULTY)
def test_what_goes_wrong_while_it_plays_is_the_agents_error(kind, fault, turns, tmp_path):
    if (kind, fault) == ("onnx", "shape"):  # which the runtime knows before it plays
        with pytest.raises(AgentError, match="has scores of 3 numbers"):
            faulty_onnx(fault, tmp_path)
        return
    agent = FAULTY[kind](fault, tmp_path)
    message = refusal(agent, turns)
    assert message.startswith(f"agent {agent.name}")
    assert re.search(SAYS[fault], message)
    named = as_agent(agent, GAME, "rival")
    assert refusal(named, turns) == f"agent rival: {message}"


def test_a_torchscript_file_without_forward(tmp_path):
    torch.jit.script(Silent()).save(tmp_path / "policy.pt")
    with pytest.raises(AgentError, match="not a playable TorchScript file"):
        from_torchscript(tmp_path / "policy.pt", GAME)


class Silent(nn.Module):
    @torch.jit.export
    def other(self, observation: torch.Tensor) -> torch.Tensor:
        return observation


def test_suits_have_two_ways():
    with pytest.raises(AgentError, match="expected 'true' or 'canonical'"):
        from_sb3(PPO("MlpPolicy", Shapes(), n_steps=2, batch_size=2), GAME, suits="german")


@pytest.mark.parametrize("kind", ["torchscript", "onnx", "PPO", "DQN"])
def test_loading_moves_nobodys_chance(kind, tmp_path):
    """Nor does a first move."""
    agent = FAULTY[kind]("none", tmp_path)
    files = {"torchscript": (from_torchscript, "policy.pt"), "onnx": (from_onnx, "policy.onnx")}
    vec = make_vec("schnapsen_v0", 3, seed=1)
    vec.reset()
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    if kind in files:
        make, name = files[kind]
        agent = make(tmp_path / name, GAME)
    assert_legal(agent, Turns.in_vector(vec))
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert np.random.get_state()[1].tolist() == before[2]

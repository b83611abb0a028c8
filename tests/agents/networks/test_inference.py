"""Networks play without torch as they do with it."""

import numpy as np
import pytest
import torch

from stichwerk.agents import make_agent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.networks.inference import ROWS_AT_ONCE, InferenceNetwork
from stichwerk.agents.networks.network import PolicyNetwork, TorchLogits
from stichwerk.agents.networks.saved import game_of
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.envs import make_game
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import random_network

CPU = torch.device("cpu")


@pytest.mark.parametrize("widths", [(1,), (8,), (33, 7), (64, 64, 64)])
@pytest.mark.parametrize("rows", [0, 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_logits_are_those_of_torch(widths, rows):
    game = make_game("schnapsen_v0")
    network = random_network(game, widths=widths)
    random = np.random.default_rng(1)
    observation = random.random((rows, game.encoding("summary").size), np.float32)
    observation *= random.random(observation.shape) < 0.2  # mostly 0, as observations are
    ours = network.for_play()(observation)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, TorchLogits(network, CPU)(observation), rtol=0, atol=1e-5)


def test_a_row_has_the_same_logits_in_every_batch():
    game = make_game("schnapsen_v0")
    network = random_network(game, widths=(40, 24)).for_play()
    observation = np.random.default_rng(1).random((600, game.encoding("summary").size), np.float32)
    alone = np.concatenate([network(observation[[row]]) for row in range(len(observation))])
    assert np.array_equal(network(observation), alone)


def test_there_and_back():
    network = random_network(make_game("schnapsen_v0"), widths=(40, 24))
    arrays = network.arrays()
    back = PolicyNetwork.of(InferenceNetwork(arrays, network.widths)).arrays()
    assert list(back) == list(arrays)
    assert all(np.array_equal(back[name], array) for name, array in arrays.items())


def same_choices(name: str, decisions: int) -> None:
    """Both draw the same actions in self-play of a shipped network."""
    game = game_of(SHIPPED_FOLDER / name)
    agent, torch_agent = (
        make_agent(f"ppo:{name},greedy=no", game.env_id, game.rules.as_dict()) for _ in range(2)
    )
    torch_agent.network = TorchLogits(PolicyNetwork.of(agent.network), CPU)
    lanes = Lanes(game, min(decisions, 1_000))
    lanes.seed(1)
    lanes.start()
    done = differing = 0
    while done < decisions:
        turns = Turns.of(lanes, lanes.all)
        actions = agent.act(turns)
        differing += (torch_agent.act(turns) != actions).sum()
        done += len(turns)
        lanes.step(actions, restart=True)
    assert differing == 0


@pytest.mark.parametrize("name", SHIPPED)
def test_choices_are_those_of_torch(name):
    same_choices(name, decisions=2_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_a_hundred_thousand_choices_are_those_of_torch(name):
    same_choices(name, decisions=100_000)

"""ONNX files play as the networks that they are made of, in true suits."""

import json

import numpy as np
import pytest

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.external.export import write_onnx
from stichwerk.agents.external.policies import from_onnx
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.commands.export import network as export
from stichwerk.envs import make_game
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import here, nothing_changes, ppo_agent
from tests.envs.support import slowly


@pytest.mark.parametrize("env_id", ["schnapsen_v0", *slowly("snapszer_v0", "gaigel_v0", "preferans_v0")])
def test_the_file_chooses_as_the_network_does(env_id, tmp_path):
    game = make_game(env_id)
    assert_same_choices(ppo_agent(game), game, tmp_path / "policy.onnx")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_the_players_that_come_with_the_package(name, tmp_path):
    manifest = json.loads((SHIPPED_FOLDER / name / "manifest.json").read_text())
    game = make_game(manifest["env"], manifest["rules"])
    assert_same_choices(make_agent_for(f"ppo:{name}", game), game, tmp_path / "policy.onnx")


@pytest.mark.slow
def test_a_file_in_8_bits(tmp_path):
    """It takes a third of the size, knows its game, and chooses as the network does where it is certain."""
    game, path = make_game("schnapsen_v0"), tmp_path / "policy.onnx"
    agent = make_agent_for("ppo:schnapsen", game)
    assert same_choices(agent, game, path, int8=True) > 0.95
    size = path.stat().st_size
    write_onnx(agent, path)
    assert 0.25 < size / path.stat().st_size < 0.35


def assert_same_choices(agent, game, path):
    assert same_choices(agent, game, path) == 1


def same_choices(agent, game, path, **how) -> float:
    """The share of turns in which a network and its file choose the same."""
    write_onnx(agent, path, **how)
    player, same = from_onnx(path, game), []
    lanes, rng = Lanes(game, 100), np.random.default_rng(1)
    lanes.seed(1)
    lanes.start()
    for _ in range(30):
        turns = Turns.of(lanes, lanes.all)
        same.append(player.act(turns) == agent.act(turns))
        lanes.step((rng.random(lanes.mask.shape) * lanes.mask).argmax(axis=1))
    return float(np.mean(same))


def test_the_file_fits_its_game_and_no_other(tmp_path):
    """A file that says nothing of itself is told by how many numbers it takes and gives."""
    onnx = pytest.importorskip("onnx")
    path, game = tmp_path / "policy.onnx", make_game("schnapsen_v0")
    write_onnx(ppo_agent(game), path)
    tournament = make_game("schnapsen_v0", "schnapsen_tournament")
    for other, reason in [
        (make_game("sixty_six_v0"), "does not fit: its env is 'schnapsen_v0'"),
        (tournament, "does not fit: its rules"),
    ]:
        with pytest.raises(AgentError, match=reason):
            from_onnx(path, other)
    model = onnx.load(path)
    for each, reason in [("{", "not JSON"), ("[]", "no mapping")]:
        onnx.helper.set_model_props(model, {"stichwerk": each})
        onnx.save(model, tmp_path / "damaged.onnx")
        with pytest.raises(AgentError, match=f"damaged ONNX file .*: its stichwerk is {reason}"):
            from_onnx(tmp_path / "damaged.onnx", game)
    del model.metadata_props[:]
    onnx.save(model, path)
    assert from_onnx(path, tournament).name == "onnx"
    with pytest.raises(AgentError, match="has observations of"):
        from_onnx(path, make_game("gaigel_v0"))


@pytest.mark.slow
def test_command(tmp_path, capfd):
    words = "--agent", "ppo:schnapsen-0.1", "--out", tmp_path / "player.onnx"
    assert here(export.main, *words) == 0
    out, err = capfd.readouterr()
    assert "action_mask" in out
    assert not err, "of the exporter's own affairs"
    with nothing_changes(tmp_path):
        assert here(export.main, *words) == 2
    assert "--force" in capfd.readouterr().err
    assert here(export.main, *words, "--force") == 0


@pytest.mark.parametrize("words", [[], *slowly(["--rules", "{memory: full}"])])
def test_the_agents_own_game(words, tmp_path):
    path = tmp_path / "player.onnx"
    assert here(export.main, "--agent", "ppo:sixty_six", "--out", path, *words) == 0
    from_onnx(path, make_game("sixty_six_v0", {"memory": "full"}))

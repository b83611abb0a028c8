"""The players that come with the package: each by its name, with a card, and better than chance."""

import hashlib
import json
import re

import numpy as np
import pytest
import torch
import yaml

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.networks.saved import manifest_for
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.agents.training.config_files import CONFIGS, load_config
from stichwerk.envs import make_game, sixty_six_v0
from stichwerk.envs.engine.lanes import Lanes

REPRODUCED = [name for name in SHIPPED if not name.endswith("-0.1")]


def test_there_is_one_for_every_game_and_number_of_players():
    there_are = {
        "schnapsen",
        "schnapsen_family",
        "sixty_six",
        "snapszer",
        "snapszer_family",
        "gaigel3",
        "gaigel4",
        "gaigel6",
        "gaigel_family",
        "preferans3",
        "preferans4",
        "preferans_family",
    }
    assert set(REPRODUCED) == there_are


@pytest.mark.parametrize("name", SHIPPED)
def test_player(name):
    manifest = json.loads((SHIPPED_FOLDER / name / "manifest.json").read_text())
    game = make_game(manifest["env"], manifest["rules"])
    player = make_agent_for(f"ppo:{name}", game)
    result = play_pair(
        game, player, RandomAgent("random"), Series(100, 1, start_states=bool(game.spec.draw_start))
    )
    assert result.low > 0
    assert sum(file.stat().st_size for file in (SHIPPED_FOLDER / name).iterdir()) < 2 * 2**20


@pytest.mark.parametrize("name", REPRODUCED)
def test_card(name):
    """How the player was made, by a config of the same game, layers and seed, and how strong it is."""
    manifest = json.loads((SHIPPED_FOLDER / name / "manifest.json").read_text())
    config = load_config(CONFIGS / "strong" / f"{name}.yaml")
    game = config.game.make()
    manifest["rules"] = game.spec.rules.completed(manifest["rules"])
    needed = manifest_for(game, config.game.observation, config.network.widths, seed=config.execution.seed)
    assert {each: manifest[each] for each in needed} == needed
    card = (SHIPPED_FOLDER / name / "README.md").read_text()
    _, facts, page = card.split("---\n", 2)
    assert yaml.safe_load(facts)["library_name"] == "stichwerk"
    assert page.startswith(f"\n# `ppo:{name}`\n")
    assert hashlib.sha256((SHIPPED_FOLDER / name / "weights.safetensors").read_bytes()).hexdigest() in card
    assert f"{config.ppo.decisions:,}" in card
    field = "random", "rules:0.1", "rules", "rollout:worlds=100", f"search:{name},worlds=64"
    assert all(f"| `{other}` |" in card for other in field)


@pytest.mark.parametrize("name", REPRODUCED)
def test_program_of_the_card(name, capsys):
    """A deal of the network with itself, as on a machine that has the package alone."""
    card = (SHIPPED_FOLDER / name / "README.md").read_text()
    found: dict = {}
    exec(re.search(r"```python\n(.*?)```", card, re.DOTALL)[1], found)
    assert found["player"].name == f"ppo:{name}"
    assert all(found["env"].terminations.values())
    assert capsys.readouterr().out == f"{found['env'].rewards}\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", REPRODUCED)
def test_points_of_the_card(name):
    """Against opponents without a search. Processors round sums otherwise, and a few decisions may differ."""
    config = load_config(CONFIGS / "strong" / f"{name}.yaml")
    game = config.game.make()
    row = re.compile(r"\| `(random|rules|rules:0\.1)` \| (\S+) ± (\S+) \| [^|]+ \| (\S+) \|")
    rows = row.findall((SHIPPED_FOLDER / name / "README.md").read_text())
    assert len(rows) == 3
    for opponent, mean, margin, deals in rows:
        agents = make_agent_for(f"ppo:{name}", game), make_agent_for(opponent, game)
        many = int(deals.replace(",", "")), config.execution.seed
        pair = play_pair(game, *agents, Series(*many, start_states=config.game.start_states), by_role=True)
        assert pair.mean == pytest.approx(float(mean), abs=float(margin) / 4)
        assert pair.margin == pytest.approx(float(margin), rel=0.1)


def test_a_network_leaves_torchs_threads_alone(game):
    """Who trains networks of their own beside it may want more than the one that it plays on."""
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    try:
        lanes = Lanes(game, 4)
        lanes.start()
        make_agent_for("ppo:schnapsen", game).act(Turns.of(lanes, lanes.all))
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)


def test_the_player_of_sixty_six_has_a_memory_of_its_own():
    """It has learned to see what was taken; where a table does not show that, it remembers it."""
    full, table = (make_game("sixty_six_v0", {"memory": memory}) for memory in ("full", "table"))
    own, other = (make_agent_for("ppo:sixty_six", game) for game in (full, table))
    assert make_game("sixty_six_v0").rules == table.rules, "the default"
    lanes = [Lanes(game, 50) for game in (full, table)]
    for each in lanes:
        each.seed(1)
        each.start()
    for _ in range(60):
        actions, others = (
            agent.act(Turns.of(each, each.all)) for agent, each in zip((own, other), lanes, strict=True)
        )
        np.testing.assert_array_equal(actions, others)
        for each in lanes:
            each.step(actions)
    env = sixty_six_v0.env()
    env.reset(seed=1)
    assert env.observe(env.agent_selection)["action_mask"][other.act_in(env)]
    with pytest.raises(AgentError, match="reads the seat's view"):
        other.act_on(env.observe(env.agent_selection))


def test_other_rules_than_memory_must_be_the_same():
    with pytest.raises(AgentError, match="its rules goal is 66, here it must be 50"):
        make_agent_for("ppo:sixty_six-0.3", make_game("sixty_six_v0", {"goal": 50}))

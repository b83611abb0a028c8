"""The players that come with the package: each by its name, with a card, and better than chance."""

import json

import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.arena import play_pair
from stichwerk.agents.kinds import PLAYERS, SHIPPED
from stichwerk.agents.simple import RandomAgent
from stichwerk.agents.training.config import load_config
from stichwerk.commands.train import CONFIGS
from stichwerk.envs import make_game

REPRODUCED = [name for name in SHIPPED if not name.endswith("-0.1")]


def test_there_is_one_for_every_game_and_number_of_players():
    there_are = {
        "schnapsen",
        "sixty_six",
        "snapszer",
        "gaigel3",
        "gaigel4",
        "gaigel6",
        "preferans3",
        "preferans4",
    }
    assert set(REPRODUCED) == there_are


@pytest.mark.parametrize("name", SHIPPED)
def test_player(name):
    manifest = json.loads((PLAYERS / name / "manifest.json").read_text())
    game = make_game(manifest["env"], manifest["rules"])
    player = make_agent_for(f"ppo:{name}", game)
    result = play_pair(game, player, RandomAgent("random"), 100, 1, start_states=bool(game.spec.draw_start))
    assert result.low > 0
    assert sum(file.stat().st_size for file in (PLAYERS / name).iterdir()) < 2 * 2**20


@pytest.mark.parametrize("name", REPRODUCED)
def test_card(name):
    """It says how the player was made, by a config that makes the same again."""
    manifest = json.loads((PLAYERS / name / "manifest.json").read_text())
    config = load_config(CONFIGS / "strong" / f"{name}.yaml")
    facts = config.env, list(config.widths), config.observation, config.seed
    assert facts == tuple(manifest[each] for each in ("env", "widths", "observation", "seed"))
    card = (PLAYERS / name / "README.md").read_text()
    assert card.startswith(f"# `ppo:{name}`\n")
    assert f"{config.decisions:,}" in card
    assert all(f"| `{other}` |" in card for other in ("random", "rules:0.1", "rollout:worlds=100"))

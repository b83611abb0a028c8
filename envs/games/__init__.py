"""The games, by environment id: rules, state, observations and text of each, written once and compiled."""

from collections.abc import Mapping
from typing import Any

from stichwerk.envs.core.errors import InputError
from stichwerk.envs.core.game import Game
from stichwerk.envs.games import gaigel, preferans, schnapsen, snapszer

# Environment id -> the module that makes the game, and its default preset.
GAMES = {
    "schnapsen_v0": (schnapsen, "schnapsen"),
    "sixty_six_v0": (schnapsen, "sixty_six"),
    "snapszer_v0": (snapszer, "snapszer"),
    "gaigel_v0": (gaigel, "source"),
    "preferans_v0": (preferans, "source"),
}


def make_game(env_id: str, rules: str | Mapping[str, Any] | None = None) -> Game:
    """The game of an environment id under a preset, a dict of options, or its default preset.

    Raises InputError for an unknown id and RulesError for unknown rules.
    """
    if env_id not in GAMES:
        raise InputError(f"unknown environment {env_id!r}; there are {', '.join(GAMES)}")
    module, default_preset = GAMES[env_id]
    return module.make_game(env_id, module.Rules.make(rules, default_preset))

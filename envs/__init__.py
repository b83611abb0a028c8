"""Stichwerk's environments: Central European trick-taking card games.

Importing this package registers every game with PettingZoo as `stichwerk/<name>-v0`.
"""

from collections.abc import Mapping
from typing import Any

import pettingzoo

from stichwerk.envs.core.errors import IllegalAction, InputError, RulesError, SetupError
from stichwerk.envs.core.game import Game
from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.vector import CardVectorEnv

__all__ = ["GAMES", "CardVectorEnv", "Game", "IllegalAction", "InputError", "RulesError", "SetupError", "make_game", "make_vec"]


def make_vec(
    env_id: str,
    num_envs: int,
    rules: str | Mapping[str, Any] | None = None,
    episode: str = "deal",
    seed: int | None = 0,
    **kwargs: Any,
) -> CardVectorEnv:
    """A vector environment of `num_envs` lanes; further arguments as for `CardVectorEnv`."""
    return CardVectorEnv(make_game(env_id, rules), num_envs, episode, seed=seed, **kwargs)


for _env_id in GAMES:
    pettingzoo.register("aec", f"stichwerk/{_env_id.replace('_v', '-v')}", f"stichwerk.envs.{_env_id}:env")

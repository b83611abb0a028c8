"""Stichwerk's environments: Central European trick-taking card games.

Importing this package registers every game with PettingZoo, if that is 1.27 or newer, as
`stichwerk/<name>-v0`. It registers them with Gymnasium too, as `stichwerk/<Name>-v0`: one seat, with the
others played inside.
"""

if __name__ == "envs":
    raise ImportError("the environments are called stichwerk.envs: `from stichwerk.envs import schnapsen_v0`")

from functools import partial
from typing import Any

import gymnasium
import pettingzoo

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.games import GAMES, add_game, make_game, name_and_version
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.vector import Autoreset, CardVectorEnv
from stichwerk.envs.wrappers import OrderEnforcing, wrap
from stichwerk.support.errors import IllegalAction, InputError, RulesError, SetupError

__all__ = [
    "GAMES",
    "CardGameEnv",
    "CardVectorEnv",
    "Game",
    "GameSpec",
    "IllegalAction",
    "InputError",
    "RulesError",
    "SetupError",
    "make_game",
    "make_vec",
    "register_game",
]


def make_vec(
    env_id: str,
    num_envs: int,
    rules: RuleSpec = None,
    episode: Episode = "deal",
    seed: int | None = 0,
    observation: str = "summary",
    threads: int = 1,
    autoreset: Autoreset = "same_step",
    copy: bool = True,
) -> CardVectorEnv:
    """Make a vector environment.

    Args:
        env_id: The environment id of the game.
        num_envs: The number of lanes.
        rules: A preset, a dict of options, or None for the default preset.

    The other arguments are those of `CardVectorEnv`.

    Raises:
        InputError: for an unknown game, and for other arguments that are not allowed.
        RulesError: for unknown rules.
    """
    return CardVectorEnv(
        make_game(env_id, rules),
        num_envs,
        episode=episode,
        observation=observation,
        seed=seed,
        threads=threads,
        autoreset=autoreset,
        copy=copy,
    )


def register_game(spec: GameSpec) -> None:
    """Make a game known under its environment ids, here, to PettingZoo and to Gymnasium.

    Args:
        spec: The declaration of the game.

    Raises:
        InputError: if it is no GameSpec, or if one of its ids is taken by another game.
    """
    add_game(spec)
    for env_id in spec.env_ids:
        _register(env_id)


def _register(env_id: str) -> None:
    """Make an id known to PettingZoo, and with opponents inside to Gymnasium, which imports those from
    `stichwerk.agents` when they are asked for."""
    name, version = name_and_version(env_id)
    if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
        pettingzoo.register("aec", f"stichwerk/{name}-v{version}", partial(_make_wrapped, env_id))
    title = "".join(word.capitalize() for word in name.split("_"))
    gymnasium.register(
        f"stichwerk/{title}-v{version}",
        "stichwerk.agents.envs.gym:SeatEnv",
        vector_entry_point="stichwerk.agents.envs.gym:SeatVectorEnv",
        kwargs={"env_id": env_id},
    )


def _make_wrapped(env_id: str, **kwargs: Any) -> OrderEnforcing:
    return wrap(CardGameEnv(env_id, **kwargs))


for _env_id in GAMES:
    _register(_env_id)

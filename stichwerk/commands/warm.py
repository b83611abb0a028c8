"""Compile games now, so that each starts in seconds afterwards: in images, on clusters, before tests.

stichwerk warm
stichwerk warm schnapsen gaigel
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.envs.gym import SeatVectorEnv
from stichwerk.agents.registry import shipped_network
from stichwerk.cli import Positional, parse
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.games import OWN_GAMES, find_game, make_game
from stichwerk.envs.spec.game import Game
from stichwerk.table.cold import note_warm
from stichwerk.table.opponents import default_opponent, search_with

STEPS = 10  # of the tables: every opponent comes to act


@dataclass(frozen=True, kw_only=True)
class WarmOptions:
    """Compile games with their agents, and keep the code on disk. NUMBA_CACHE_DIR names another folder."""

    games: Positional[tuple[str, ...]] = ()
    """The games, such as schnapsen. The default is all games of the suite."""


def main(arguments: Sequence[str]) -> None:
    options = parse(WarmOptions, arguments)
    games = [make_game(find_game(name)[0]) for name in options.games or OWN_GAMES]
    for game in games:
        begun = time.perf_counter()
        play_with_all(game)
        note_warm(game.env_id)
        print(f"{game.env_id}: {time.perf_counter() - begun:.0f} s", flush=True)


def play_with_all(game: Game) -> None:
    """Play a deal of the AEC environment, and the next one's beginning, and some steps against each of
    `players`."""
    env = CardGameEnv(game.env_id, episode="match")
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, _, _, _, info = env.last()
        if info.get("deals"):
            break
        env.step(int(observation["action_mask"].argmax()))
    texts = players(game)
    opponents = dict.fromkeys(texts, 1 / len(texts))
    tables = SeatVectorEnv(game.env_id, 2 * len(opponents), opponents)
    _, info = tables.reset(seed=1)
    for _ in range(STEPS):
        *_, info = tables.step(np.asarray(info["action_mask"]).argmax(axis=1))


def players(game: Game) -> list[str]:
    """The agents that are compiled with a game: those of the table, and searches."""
    texts = ["random", "rollout:worlds=8", default_opponent(game)]
    if has_rule_player(game.env_id):
        texts.append("rules")
    if network := shipped_network(game):
        texts += [f"ppo:{network}", search_with(network, worlds=8)]
    return list(dict.fromkeys(texts))

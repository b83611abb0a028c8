"""`stichwerk warm` compiles what environments and agents of a game need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stichwerk.commands import warm
from stichwerk.envs import make_game
from tests.agents.support import here

PLAY = """
import numpy as np
import stichwerk.envs.sixty_six_v0 as sixty_six
from stichwerk.agents.envs.gym import SeatVectorEnv

env = sixty_six.env(episode="match")
env.reset(seed=2)
for _ in env.agent_iter():
    observation, _, is_over, _, _ = env.last()
    env.step(None if is_over else int(np.flatnonzero(observation["action_mask"])[-1]))
for opponent in ("rules", "rollout:worlds=4", "ppo:sixty_six", "search:sixty_six,worlds=4"):
    tables = SeatVectorEnv("sixty_six_v0", 3, opponent)
    _, info = tables.reset(seed=2)
    for _ in range(12):
        *_, info = tables.step(np.asarray(info["action_mask"]).argmax(axis=1))
"""


def run(*words: str, cache: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)


def test_each_game_has_a_line(capsys):
    assert here(warm.main, "schnapsen") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("schnapsen_v0: ")
    assert line.endswith(" s")


def test_another_game_is_refused_before_any_is_compiled(capsys):
    assert here(warm.main, "schnapsen", "chess") == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert "'chess'" in error


def test_the_shipped_network_and_its_search_are_among_the_players():
    assert warm.players(make_game("sixty_six_v0")) == [
        "random",
        "rollout:worlds=8",
        "search:sixty_six,worlds=0,few=400",
        "rules",
        "ppo:sixty_six",
        "search:sixty_six,worlds=8",
    ]


@pytest.mark.slow
def test_nothing_is_compiled_afterwards(tmp_path):
    run("-m", "stichwerk", "warm", "sixty_six", cache=tmp_path)
    kept = {file.name for file in tmp_path.rglob("*.nbc")}
    run("-c", PLAY, cache=tmp_path)
    assert len(kept) > 100
    assert {file.name for file in tmp_path.rglob("*.nbc")} == kept

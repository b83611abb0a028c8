"""The page of a researcher's first hour: its commands, in order and briefly, in a folder of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sb3_contrib import MaskablePPO

from stichwerk.agents import make_agent_for
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.envs import make_game

PAGE = (Path(__file__).parents[1] / "docs" / "start" / "research.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
(AGENT,) = (text for language, text in BLOCKS if language == "py")
(ARRAY,) = (text for language, text in BLOCKS if language == "bash")
LITTLE = "--decisions 1 --lanes 8 --steps 4 --evaluate_deals 2 --final_deals 2"
BRIEF = {
    "--decisions 1000000": "--decisions 1024 --lanes 16 --measurements 1 --deals 20",
    "--minutes 1.5": "--minutes 0.01 --lanes 32 --steps 24 --deals 20",
    "--deals 64000": "--deals 400",
    "--data data/schnapsen": "--data data/schnapsen --epochs 1 --deals 20",
    "--deals 2000 ": "--deals 20 ",
    "--deals 20000": "--deals 20",
    "--deals 500 --block 20": "--deals 4 --block 2",
    "train schnapsen": f"train schnapsen {LITTLE}",
    "sweep schnapsen --decisions 4000000 --trials 20": f"sweep schnapsen {LITTLE} --trials 2 --deals 2",
    "--decisions 14000000": LITTLE,
    "worlds=100": "worlds=2",
    "tensorboard": "tensorboard --inspect",
}


def test_the_policy_of_sb3_as_an_agent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    game = make_game("schnapsen_v0")
    rules = make_agent_for("rules", game)
    model = MaskablePPO("MlpPolicy", SelfPlayEnv(game, 4, [(rules, 1.0)], seed=1), n_steps=4, device="cpu")
    model.save("maskable_ppo.zip")
    Path("my_agent.py").write_text(AGENT)
    assert play_pair(game, make_agent_for("python:my_agent:make_agent", game), rules, Series(4, 1)).deals == 4


def test_the_array_of_jobs_is_short_and_a_script():
    subprocess.run(["bash", "-n"], input=ARRAY, text=True, check=True)
    assert len(ARRAY.splitlines()) <= 10


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path):
    for name in ("ray", "optuna", "pyarrow"):
        pytest.importorskip(name)
    (tmp_path / "my_agent.py").write_text(AGENT)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": "3"}
    for commands in (text for language, text in BLOCKS if language != "py"):
        for whole, brief in BRIEF.items():
            commands = commands.replace(whole, brief)
        done = subprocess.run(
            ["bash", "-e", "-c", commands], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{commands}{done.stdout[-2_000:]}{done.stderr[-2_000:]}"
    for file in (
        "maskable_ppo.svg",
        "results/mine/results.json",
        "entries/leaderboard.md",
        "data/schnapsen/dataset.json",
        "runs/seeds/curves.svg",
        "runs/best/best/manifest.json",
        "runs/more/4/best/manifest.json",
        "results/search/results.json",
        "runs/array/3/test/results.json",
    ):
        assert (tmp_path / file).is_file(), file

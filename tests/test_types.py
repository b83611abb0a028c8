"""Types as a user's checker sees them: a right script passes, and misspelt arguments are caught."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = """
import numpy as np

from stichwerk.agents import Agent, Turns, as_agent, make_agent
from stichwerk.agents.external.policies import from_onnx
from stichwerk.envs import CardVectorEnv, make_game, make_vec, schnapsen_v0

table = schnapsen_v0.env(rules="schnapsen", render_mode="ansi")
table.reset(seed=1)
for agent in table.agent_iter():
    observation, reward, termination, truncation, info = table.last()
    table.step(None if termination else int(np.flatnonzero(observation["action_mask"])[0]))
rules_played: str = table.unwrapped.game.env_id

bare = schnapsen_v0.raw_env(rules={"claims": "auto"}, episode="match")
bare.reset(seed=1, options={"dealer": 0})
mask: np.ndarray = bare.observe(bare.agent_selection)["action_mask"]
bare.step(int(mask.argmax()))
snapshot = bare.snapshot()
bare.restore(snapshot)
world: np.ndarray = bare.resample("player_0", seed=1)

lanes: CardVectorEnv = make_vec("schnapsen_v0", num_envs=4, episode="deal", seed=1, threads=1)
seen, _ = lanes.reset(seed=2)
seen, rewards, terminations, truncations, more = lanes.step(seen["action_mask"].argmax(axis=1))
total: float = float(rewards.sum()) + float(more["deal_points"].sum())
players: list[int] = lanes.seats.tolist()


class First(Agent):
    def act(self, turns: Turns) -> np.ndarray:
        actions: np.ndarray = turns.mask.argmax(axis=1)
        return actions


game = make_game("schnapsen_v0", "schnapsen")
own = as_agent(lambda observation, mask: int(mask.argmax()), game, name="first")
action: int = make_agent("rules", "schnapsen_v0").act_in(bare)
actions: np.ndarray = own.act_in(lanes)
actions = First("first").act_in(lanes)
action = from_onnx("policy.onnx", game, greedy=False).act_on(seen)
"""
MISSPELT = {
    'episode="match"': 'epsiode="match"',
    'rules="schnapsen", render_mode="ansi"': 'rules="schnapsen", render_mode="anis"',
    "threads=1": "thread=1",
    "num_envs=4": "num_envs=four",
    "lanes.step": "lanes.stepp",
    'name="first")': 'nmae="first")',
    "greedy=False": "greeedy=False",
    "bare.snapshot()": "bare.snap()",
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory) -> Path:
    """The script, and beside it one script for each misspelling."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "right.py").write_text(SCRIPT)
    for number, (right, wrong) in enumerate(MISSPELT.items()):
        assert right in SCRIPT
        (folder / f"wrong_{number}.py").write_text(SCRIPT.replace(right, wrong))
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def check(module: str, *words: str, folder: Path) -> str:
    """What a checker says of all scripts."""
    command = [sys.executable, "-m", module, *words]
    paths = {"MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=paths, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout


def assert_caught(said: str, unseen: tuple[str, ...] = ()) -> None:
    assert "right.py" not in said, said
    for number, wrong in enumerate(MISSPELT.values()):
        assert (f"wrong_{number}.py" in said) == (wrong not in unseen), f"{wrong}: {said}"


@pytest.mark.slow
def test_mypy(scripts):
    """PettingZoo has no types for it, so that it lets pass what may be an attribute of `AECEnv`."""
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'user'}"  # or each run reads all of torch
    said = check("mypy", "--strict", cache, ".", folder=scripts)
    assert_caught(said, unseen=("bare.snap()",))


def test_basedpyright(scripts):
    assert_caught(check("basedpyright", "--pythonpath", sys.executable, ".", folder=scripts))

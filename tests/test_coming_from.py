"""Programs of other libraries on the page for their users; `test_project.py` runs ours."""

import re
from pathlib import Path

import pytest

from stichwerk.agents import make_agent
from stichwerk.envs import make_vec

PAGE = (Path(__file__).parents[1] / "docs" / "howto" / "coming_from.md").read_text()
PROGRAMS = dict(re.findall(r"^## (.*?)\n.*?```py\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))


def run(program: str) -> dict:
    found: dict = {}
    exec(compile(program, "coming_from.md", "exec"), found)
    return found


def test_pettingzoo():
    """The same program as ours but for the game."""
    ours = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    theirs = PROGRAMS["PettingZoo classic"]
    same = theirs.replace("pettingzoo.classic", "stichwerk.envs").replace("texas_holdem_v4", "schnapsen_v0")
    assert same == ours
    pytest.importorskip("pettingzoo.classic.texas_holdem_v4")
    assert run(theirs)["env"].agents == []


def test_rlcard():
    pytest.importorskip("rlcard")
    assert len(run(PROGRAMS["RLCard"])["payoffs"]) == 3


def test_openspiel():
    pytest.importorskip("pyspiel")
    assert run(PROGRAMS["OpenSpiel"])["state"].is_terminal()


def test_pgx():
    pytest.importorskip("pgx")
    assert run(PROGRAMS["Pgx"])["state"].rewards.shape == (64, 2)


def test_a_network_in_jax():
    """It plays as the network does."""
    pytest.importorskip("jax")
    found = run(re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)[-1])
    player, vec = make_agent("ppo:preferans3", "preferans_v0"), make_vec("preferans_v0", 64, seed=1)
    seen, _ = vec.reset()
    for _ in range(30):
        best = player.log_probabilities(seen["observation"], seen["action_mask"]).argmax(axis=1)
        actions = found["act"](found["weights"], seen["observation"], seen["action_mask"])
        assert (best == actions).mean() > 0.99, "but where two are level"
        seen, *_ = vec.step(best)

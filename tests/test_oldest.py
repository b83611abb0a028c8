"""The oldest versions of the frameworks that pyproject.toml allows work."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRAMEWORKS = ("gymnasium", "numba", "pettingzoo", "stable-baselines3", "sb3-contrib")
TESTS = (
    *("tests/envs/test_api.py", "tests/agents/test_selfplay.py", "tests/agents/test_training.py"),
    *("tests/agents/test_policies.py", "tests/agents/test_own.py", "tests/agents/test_single.py"),
)


def requirements() -> list[str]:
    """Those of the suite and its training, the frameworks at their lower bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["train"]]
    pinned = []
    for each in needed:
        name = re.split("[<>=]", each)[0]
        pinned.append(re.sub(">=", "==", each).partition(",")[0] if name in FRAMEWORKS else each)
    assert sum("==" in each for each in pinned) == len(FRAMEWORKS)
    return pinned


@pytest.mark.slow
def test_the_oldest_frameworks(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    packages = [*requirements(), "pytest", "pytest-xdist", "hypothesis"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    command = [python, "-m", "pytest", "-q", "-m", "not slow", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5_000:]

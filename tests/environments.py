"""Environments of their own for tests that need other versions than this one has."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TEST_TOOLS = ("pytest", "pytest-xdist", "hypothesis")
EXTRAS = PROJECT["optional-dependencies"]
SET_UP = [each for each in EXTRAS["dev"] if each.startswith("torch<")]
"""By how much a checkout narrows what the package asks for."""


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=]", requirement)[0]


def oldest(requirements: Iterable[str], names: Iterable[str]) -> list[str]:
    """The requirements, those of these names at their lower bounds."""
    return [
        each.replace(">=", "==").partition(",")[0] if name_of(each) in names else each
        for each in requirements
    ]


def make_environment(folder: Path, packages: Iterable[str]) -> Path:
    """The interpreter of an environment that is made in the folder, with these packages and the tools that
    tests need."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages, *TEST_TOOLS], check=True)
    return python


def environment_of_tools(folder: Path, *packages: str) -> Path:
    """The interpreter of an environment with tools that check the project from outside.

    The test is skipped where they cannot be installed, as without a network.
    """
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", *packages]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot install {' '.join(packages)}: {done.stderr.strip().splitlines()[-1]}")
    return python


def run_tests(python: Path, *words: str) -> str:
    """What pytest prints in that environment about tests of this checkout, which all pass."""
    command = [python, "-m", "pytest", "-q", "-m", "not slow", *words]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-2_000:]
    return done.stdout

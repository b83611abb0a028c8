"""RLlib, which needs another Gymnasium than the suite is tested with, in an environment of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venv-rllib"  # kept until pyproject.toml, or what is in it, changes
PACKAGES = ["--editable", f"{ROOT}[train,rllib]", "pytest", "pytest-xdist", "hypothesis"]


@pytest.fixture
def python() -> Path:
    """The interpreter of that environment, which is made if need be."""
    interpreter, ready = PLACE / "bin" / "python", PLACE / "ready"
    asked = "\n".join([*PACKAGES, (ROOT / "pyproject.toml").read_text()])
    if not ready.is_file() or ready.read_text() != asked:
        subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE], check=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        ready.write_text(asked)
    return interpreter


@pytest.mark.slow
def test_in_an_environment_of_its_own(python):
    command = [python, "-m", "pytest", "-q", "-m", "not slow", "tests/agents/test_rllib.py"]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5_000:]
    assert "skipped" not in done.stdout.splitlines()[-1]

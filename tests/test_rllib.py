"""RLlib, which needs another Gymnasium than the suite is tested with, in an environment of its own."""

from pathlib import Path

import pytest

from tests.environments import ROOT, SET_UP, make_environment, run_tests

PLACE = ROOT / ".venv-rllib"  # kept until pyproject.toml, or what is in it, changes
PACKAGES = ["--editable", f"{ROOT}[train,rllib]", *SET_UP]


@pytest.fixture
def python() -> Path:
    """The interpreter of that environment, which is made if need be."""
    interpreter, ready = PLACE / "bin" / "python", PLACE / "ready"
    asked = "\n".join([*PACKAGES, (ROOT / "pyproject.toml").read_text()])
    if not ready.is_file() or ready.read_text() != asked:
        make_environment(PLACE, PACKAGES)
        ready.write_text(asked)
    return interpreter


@pytest.mark.slow
def test_in_an_environment_of_its_own(python):
    assert "skipped" not in run_tests(python, "tests/agents/external/test_rllib.py").splitlines()[-1]

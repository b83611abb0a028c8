"""The Makefile sets up a machine that has nothing but Python and this repository."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stichwerk.envs.games import OWN_GAMES, find_game
from tests.environments import ROOT

CPU_INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"
PIP = """#!/bin/sh
case "$*" in
  *versions*) exit $INDEX_STATUS;;
  *) echo "pip $*" >> asked;;
esac
"""
NEEDS_MAKE = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
HAS_GPU = Path("/proc/driver/nvidia").exists() or shutil.which("nvidia-smi") is not None


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def made(target: str, folder: Path, **settings: str) -> list[str]:
    """The commands that `make` runs for a target in a folder whose pip and stichwerk only take notes."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder)
    program(folder / ".venv/bin/pip", PIP)
    program(folder / ".venv/bin/stichwerk", '#!/bin/sh\necho "stichwerk $*" >> asked\n')
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    environment = inherited | {"INDEX_STATUS": "0", "PATH": f"{folder}:{os.environ['PATH']}"} | settings
    command = ["make", "--silent", target, "PYTHON=true"]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=30)
    return (folder / "asked").read_text().splitlines()


def test_every_game_is_compiled_before_the_tests():
    named = re.findall(r"stichwerk warm (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {find_game(name)[0] for line in named for name in line.split()} == {*OWN_GAMES}


@NEEDS_MAKE
def test_a_table_takes_no_more_than_its_extra(tmp_path):
    assert made("play", tmp_path, GAME="gaigel") == [
        "pip install --quiet --editable .[play]",
        "stichwerk play gaigel",
    ]


@NEEDS_MAKE
@pytest.mark.skipif(HAS_GPU, reason="has a GPU")
def test_without_a_gpu_torch_is_built_for_the_cpu(tmp_path):
    (install,) = made(".venv/ready", tmp_path)
    expected = f" {CPU_INDEX}" if os.uname().sysname == "Linux" else ""
    assert install == f"pip install --quiet --editable .[train,dev]{expected}"


@NEEDS_MAKE
@pytest.mark.parametrize("why", ["unreachable", "own index", "gpu"])
def test_other_builds_of_torch(why, tmp_path):
    """pip is not sent to an index that it cannot reach; an index that is set, and a GPU, go first."""
    settings = {"unreachable": {"INDEX_STATUS": "1"}, "own index": {"PIP_EXTRA_INDEX_URL": "file:///x"}}
    if why == "gpu":
        program(tmp_path / "nvidia-smi", "#!/bin/sh\n")
    (install,) = made(".venv/ready", tmp_path, **settings.get(why, {}))
    assert install == "pip install --quiet --editable .[train,dev]"


@NEEDS_MAKE
def test_a_checkout_that_is_set_up_opens_a_table_at_once(tmp_path):
    made(".venv/ready", tmp_path)
    assert made("play", tmp_path)[1:] == ["stichwerk play schnapsen"]


@NEEDS_MAKE
@pytest.mark.parametrize("fails", ["ruff", "mypy", "python", "pytest"])
def test_whatever_fails_fails_make_test(fails, tmp_path):
    """The checks that run at the same time too; the tests begin after them."""
    made(".venv/ready", tmp_path)
    for tool in ("ruff", "mypy", "python", "pytest"):
        program(tmp_path / ".venv/bin" / tool, f"#!/bin/sh\necho {tool} >> ran\nexit {int(tool == fails)}\n")
    done = subprocess.run(["make", "test", "PYTHON=true"], cwd=tmp_path, capture_output=True, timeout=30)
    assert done.returncode == 2
    assert ("pytest" in (tmp_path / "ran").read_text()) == (fails == "pytest")

"""Ctrl-C while a command is still importing: a quiet end with status 130."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Python runs this file before anything else: it sends Ctrl-C when a module is about to be imported.
AT_IMPORT = """
import os, signal, sys

class Interrupter:
    def find_spec(name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter)
"""
TRAIN, EVAL = ["train", "schnapsen"], ["eval", "--agents", "rules", "random", "--deals", "10"]


COMMANDS = {
    "stichwerk train": ["-c", "from stichwerk.commands import main; main()", *TRAIN],
    "-m stichwerk eval": ["-m", "stichwerk", *EVAL],
    "train.py": [str(ROOT / "train.py"), *TRAIN[1:]],
    "eval.py": [str(ROOT / "eval.py"), *EVAL[1:]],
    "serve engine": ["-m", "stichwerk", "serve", "engine", "rules"],
}
# Each command and each module comes up in the fast tests.
CASES = [
    pytest.param(COMMANDS[name], module, id=f"{name}-{module}", marks=pytest.mark.slow if (n + m) % 3 else ())
    for n, name in enumerate(COMMANDS)
    for m, module in enumerate(("numpy", "stichwerk.envs.games", "stichwerk.support.terminal.arguments"))
]


@pytest.mark.parametrize(("command", "module"), CASES)
def test_ctrl_c_at_an_import(command, module, tmp_path):
    assert interrupted(command, module, tmp_path) == (130, "", "")
    assert {path.name for path in tmp_path.iterdir()} == {"sitecustomize.py"}


def test_who_ignores_ctrl_c_goes_on_to(tmp_path):
    """As behind `nohup`, or in the background of a script."""
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code = f"{ignoring}; from stichwerk.commands import main; main()"
    status, out, err = interrupted(["-c", code, "eval", "--help"], "numba", tmp_path)
    assert (status, err) == (0, "")
    assert "usage: stichwerk eval" in out


def interrupted(command: list[str], module: str, folder: Path) -> tuple[int, str, str]:
    """A command that gets Ctrl-C at the import of a module: exit status, stdout and stderr."""
    (folder / "sitecustomize.py").write_text(AT_IMPORT)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "INTERRUPTED_AT": module}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    words = [sys.executable, *command]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr

"""Commands as the first process of a container, which the kernel spares signals that it does not handle."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stichwerk import commands
from tests.envs.support import slowly

ROOT = Path(__file__).parents[2]
ALONE = ["unshare", "--pid", "--fork", "--kill-child"]
can_be_alone = (
    bool(shutil.which("unshare")) and not subprocess.run([*ALONE, "true"], capture_output=True).returncode
)
pytestmark = pytest.mark.skipif(not can_be_alone, reason="needs a PID namespace of its own")

# Python runs this file before anything else: it tells when a module is about to be imported, and waits there.
AT_IMPORT = """
import os, sys, time

class Waiter:
    def find_spec(name, path=None, target=None):
        if name == os.environ["WAITS_AT"]:
            print("here", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Waiter)
"""
# An agent that keeps Python from running anything else, as long compiled code does.
BUSY = """
import ctypes
def make(game):
    print("here", flush=True)
    ctypes.PyDLL(None).sleep(60)
"""
# One that handles the signal itself, as trainings do, which stop after their update.
TIDY = """
import os, signal, time
def make(game):
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(7))
    print("here", flush=True)
    time.sleep(60)
"""


def first_process(words: list[str], folder: Path, **environment: str) -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), **environment}
    command = [*ALONE, sys.executable, *words]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, cwd=folder, env=env, text=True, **pipes)


def ended_by(running: subprocess.Popen, number: int) -> int:
    """The exit status of a command that gets a signal as soon as it says that it is there."""
    assert running.stdout.readline() == "here\n"
    first = int(Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0])
    before = time.monotonic()
    os.kill(first, number)
    status = running.wait(20)
    assert time.monotonic() - before < 5
    return status


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("stichwerk.support.terminal.arguments", signal.SIGTERM),
        ("numpy", signal.SIGINT),
        *slowly(("numpy", signal.SIGTERM), ("numpy", signal.SIGHUP)),
    ],
)
def test_a_signal_ends_a_start_at_once(module, number, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT)
    words = ["-m", "stichwerk", "eval", "--agents", "rules", "random"]
    with first_process(words, tmp_path, WAITS_AT=module) as running:
        assert ended_by(running, number) == 128 + number


@pytest.mark.parametrize(("agent", "status"), [(BUSY, 143), (TIDY, 7)], ids=["busy", "tidy"])
def test_sigterm_ends_compiled_code_and_leaves_a_handler_its_way(agent, status, tmp_path):
    (tmp_path / "mine.py").write_text(agent)
    words = ["-m", "stichwerk", "eval", "--agents", "python:mine:make", "random", "--deals", "10"]
    with first_process(words, tmp_path) as running:
        assert ended_by(running, signal.SIGTERM) == status


@pytest.mark.parametrize(("word", "status"), [*slowly(("--help", 0)), ("--colour", 2)])
def test_the_status_and_what_is_printed_are_the_commands(word, status, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["stichwerk", "list", word])
    with pytest.raises(SystemExit) as end:
        commands.main()
    assert (end.value.code or 0) == status
    with first_process(["-m", "stichwerk", "list", word], tmp_path) as running:
        assert running.communicate() == tuple(capfd.readouterr())
    assert running.returncode == status

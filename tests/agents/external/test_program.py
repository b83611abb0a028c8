"""Programs behind engines: they leave no process behind, and fill no memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stichwerk.agents.external import program as programs
from stichwerk.agents.external.program import WAITING, Program
from stichwerk.support.errors import InputError

ROOT = Path(__file__).parents[3]
STARTER = """
import os, subprocess, sys
SLEEP = [sys.executable, "-S", "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"]
def start(**how):
    child = subprocess.Popen(SLEEP, stdout=subprocess.PIPE, **how)
    print(child.stdout.readline().decode().strip(), flush=True)
def daemon():
    if not os.fork():
        os.setsid()
        start()
        os._exit(0)
    os.wait()
%s
"""
CHILDREN = {
    "of its own session": "start(start_new_session=True)",
    "of its group": "start()",
    "whose parent has ended": "daemon()",
    "without its environment": "start(start_new_session=True, env={})",
}
LIVES_ON = "; sys.stdin.read()"
CRASHES = "; os._exit(1)"


def runs(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for its parent to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(pid: int, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while runs(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not runs(pid)


def line_of(program: Program) -> bytes:
    return program.receive(time.monotonic() + 60)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("kind", "then"),
    [(kind, then) for kind in CHILDREN for then in (LIVES_ON, CRASHES)][:-1],  # nothing tells the last one
)
def test_children_end_with_their_program(kind, then):
    program = Program([sys.executable, "-S", "-c", STARTER % (CHILDREN[kind] + then)])
    pid = int(line_of(program))
    assert runs(pid)
    if then is CRASHES:
        with pytest.raises(InputError, match="ended with status 1"):
            line_of(program)
    program.end()
    assert ends(pid)


def test_children_are_found_without_proc(monkeypatch):
    """As on macOS, by their parents."""
    if not os.access("/bin/ps", os.X_OK):
        pytest.skip("needs ps")
    monkeypatch.setattr(programs, "PROCESSES", Path("/nowhere"))
    program = Program([sys.executable, "-S", "-c", STARTER % (CHILDREN["of its own session"] + LIVES_ON)])
    pid = int(line_of(program))
    program.end()
    assert ends(pid)


def test_a_program_is_told_that_its_host_was_killed():
    code = (
        "import sys, time; from stichwerk.agents.external.program import Program\n"
        "words = [sys.executable, '-S', '-c', 'import os; print(os.getpid(), flush=True); input()']\n"
        "program = Program(words)\n"
        "print(int(program.receive(time.monotonic() + 60)), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as host:
        pid = int(host.stdout.readline())
        assert runs(pid)
        host.send_signal(signal.SIGKILL)
    assert ends(pid)


@pytest.mark.parametrize("length", [0, 60, 999_999])
def test_lines_that_nobody_asks_for_fill_no_memory(length):
    """The program waits; what it has written before can be read, and the end of it comes after."""
    code = f"import sys\nwhile sys.stdout.write('x' * {length} + chr(10)): pass"
    before = memory()
    program = Program([sys.executable, "-S", "-c", code])
    assert len(line_of(program)) == length + 1
    time.sleep(0.5)
    assert memory() - before < 15 * WAITING
    assert {len(line_of(program)) for _ in range(100)} == {length + 1}
    program.end()


def memory() -> int:
    """The bytes that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

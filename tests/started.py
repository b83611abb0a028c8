"""Commands in real processes that need not import everything first.

A fresh interpreter imports for two to four seconds before a command begins. Here a server, one for each
process of tests, has imported it all and forks itself: a child has streams, folder, variables and words of
its own, gets real signals, and ends as an interpreter does. It also has what the server has: tests of
imports, of missing packages and of compilation start an interpreter themselves.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = "eval", "play", "sweep", "tournament", "train"  # no others: some start threads, which no child has
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}  # from before any test changes it
READ_AT_START = "PYTHON", "NUMBA_", "OMP_", "LC_", "LANG", "LD_"  # names of variables begin so
ENCODING = "PYTHONIOENCODING"  # this one children read too


class Forked:
    """What tests use of `subprocess.Popen`, for a child of the server."""

    def __init__(self, words: list[str], cwd: Path, env: dict[str, str], stdout: int, stderr: int) -> None:
        (read, given), (out, printed), (err, said) = os.pipe(), os.pipe(), os.pipe()
        self._report, report = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        prints = {subprocess.PIPE: printed}.get(stdout, stdout)
        complains = {subprocess.PIPE: said, subprocess.STDOUT: prints}.get(stderr, stderr)
        asked = json.dumps([words, str(cwd), env]).encode()
        socket.send_fds(_server(), [asked], [read, prints, complains, report.fileno()])
        for end in (read, printed, said, report.detach()):
            os.close(end)
        encoding = env.get(ENCODING, "utf-8")
        self.stdin = os.fdopen(given, "w", encoding=encoding)
        self.stdout, self.stderr = os.fdopen(out, encoding=encoding), os.fdopen(err, encoding=encoding)
        self.returncode: int | None = None
        self.pid = int(self._report.recv(32))

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._report.settimeout(timeout)
            self.returncode = int(self._report.recv(32))
        return self.returncode

    def poll(self) -> int | None:
        with suppress(BlockingIOError):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: str = "", timeout: float | None = None) -> tuple[str, str]:
        with ThreadPoolExecutor(2) as readers:
            texts = [readers.submit(stream.read) for stream in (self.stdout, self.stderr)]
            with suppress(BrokenPipeError):
                self.stdin.write(given)
                self.stdin.close()
            try:
                out, err = (text.result(timeout) for text in texts)
            except TimeoutError:
                self.kill()
                raise
        self.wait(timeout)
        return out, err

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *error: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            with suppress(BrokenPipeError):
                stream.close()
        self.wait()
        self._report.close()


Started = Forked | subprocess.Popen


def start(
    *words: object,
    cwd: str | Path = ".",
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    **changes: str,
) -> Started:
    """Run Python with these words, a script, `-m` or `-c` first, and with pipes for its streams.

    Args:
        words: further ones are those of the command
        cwd: the folder in which it begins
        stdout: a file descriptor instead of a pipe
        stderr: one, or `subprocess.STDOUT`
        changes: variables that differ from those here. An interpreter of its own reads those that the server
            has read when it was started, and does all where processes with threads cannot fork.
    """
    texts, env = [*map(str, words)], {**os.environ, "OMP_NUM_THREADS": "1", **changes}
    if sys.platform == "linux" and _read_at_start(env) == _read_at_start(ENVIRONMENT):
        return Forked(texts, Path(cwd).absolute(), env, stdout, stderr)
    streams = {"stdin": subprocess.PIPE, "stdout": stdout, "stderr": stderr}
    encoding = env.get(ENCODING, "utf-8")
    return subprocess.Popen([sys.executable, *texts], cwd=cwd, env=env, encoding=encoding, **streams)


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if name.startswith(READ_AT_START) and name != ENCODING}


@cache
def _server() -> socket.socket:
    """The line to a server, which ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.started", str(theirs.fileno())]
        null = subprocess.DEVNULL
        subprocess.Popen(
            command, cwd=ROOT, env=ENVIRONMENT, pass_fds=[theirs.fileno()], stdin=null, stdout=null
        )
    return ours


def _next_child(line: socket.socket) -> list[str]:
    """Fork until nobody asks any more, and return in each child: its words."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the children
    while True:
        asked, streams, *_ = socket.recv_fds(line, 2**20, 4)
        if not asked:
            os._exit(0)
        if not os.fork():
            break
        for stream in streams:
            os.close(stream)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    line.close()
    report = socket.socket(fileno=streams.pop())
    if child := os.fork():
        for stream in (0, 1, 2, *streams):
            os.close(stream)
        report.send(b"%d" % child)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(BrokenPipeError):
            report.send(b"%d" % status)
        os._exit(0)
    report.close()
    words, cwd, env = json.loads(asked)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(streams[number], number)
        os.close(streams[number])
        how = {"encoding": env.get(ENCODING), "errors": getattr(sys, name).errors, "closefd": False}
        setattr(sys, name, os.fdopen(number, "rww"[number], 1 if number == 2 else -1, **how))
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return words


def _end() -> None:
    """Last of what `atexit` runs: end without the second that it takes to clear all modules away."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    status = 1  # of exceptions
    atexit.register(_end)
    for name in COMMANDS:
        import_module(f"stichwerk.commands.{name}")
    for name in ("cli", "table.serving.server", "table.terminal"):
        import_module(f"stichwerk.{name}")
    gc.freeze()
    first, *rest = _next_child(socket.socket(fileno=int(sys.argv[1])))
    try:
        sys.argv, sys.path[0] = rest, os.getcwd()
        if first == "-m":
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif first == "-c":
            code, sys.argv[0] = rest[0], first
            exec(code, {"__name__": "__main__"})
        else:
            sys.argv, sys.path[0] = [first, *rest], os.path.dirname(os.path.abspath(first))
            runpy.run_path(first, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise

"""Real processes that need not import everything first.

A fresh interpreter imports for two to four seconds before a command begins. Here a server, of which each
process of tests has its own, has imported that and forks itself: a child has streams, folder, variables and
words of its own, gets real signals, and ends as an interpreter does. It also has what the server has: tests
of missing packages and of the start itself start an interpreter themselves.
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
from types import ModuleType

import numba

PYTHON = sys.executable, "-W", "error:overflow encountered:RuntimeWarning"  # as `pyproject.toml` has it here
ROOT = Path(__file__).parents[1]
SERVERS = {
    "commands": [
        *(f"commands.{name}" for name in ("eval", "play", "sweep", "tournament", "train")),
        *("cli", "table.serving.server", "table.terminal"),
    ],  # no others: some start threads, which no child has
    "compiler": [],
}
"""What servers import from the package; that of the compiler has used Numba alone."""
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}  # from before any test changes it
READ_AT_START = "PYTHON", "NUMBA_", "OMP_", "LC_", "LANG", "LD_"  # names of variables begin so
ENCODING, PATH = "PYTHONIOENCODING", "PYTHONPATH"
READ_AGAIN = {
    "commands": {ENCODING, PATH},
    "compiler": {ENCODING, PATH, "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT"},
}
"""Of these variables, which children read."""


class Forked:
    """What tests use of `subprocess.Popen`, for a child of the server."""

    def __init__(
        self, server: str, words: list[str], cwd: Path, env: dict[str, str], stdout: int, stderr: int
    ) -> None:
        (read, given), (out, printed), (err, said) = os.pipe(), os.pipe(), os.pipe()
        self._report, report = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        prints = {subprocess.PIPE: printed}.get(stdout, stdout)
        complains = {subprocess.PIPE: said, subprocess.STDOUT: prints}.get(stderr, stderr)
        asked = json.dumps([words, str(cwd), env]).encode()
        socket.send_fds(_server(server), [asked], [read, prints, complains, report.fileno()])
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
    server: str = "commands",
    cwd: str | Path = ".",
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    **changes: str,
) -> Started:
    """Run Python with these words, a script, `-m` or `-c` first, and with pipes for its streams.

    Args:
        words: further ones are those of the command
        server: a key of `SERVERS`
        cwd: the folder in which it begins
        stdout: a file descriptor instead of a pipe
        stderr: one, or `subprocess.STDOUT`
        changes: variables that differ from those here. An interpreter of its own reads those that the server
            has read when it was started, and does all where processes with threads cannot fork.
    """
    texts, env = [*map(str, words)], {**os.environ, "OMP_NUM_THREADS": "1", **changes}
    if sys.platform == "linux" and _fixed(server, env) == _fixed(server, ENVIRONMENT):
        return Forked(server, texts, Path(cwd).absolute(), env, stdout, stderr)
    streams = {"stdin": subprocess.PIPE, "stdout": stdout, "stderr": stderr}
    encoding = env.get(ENCODING, "utf-8")
    return subprocess.Popen([*PYTHON, *texts], cwd=cwd, env=env, encoding=encoding, **streams)


def _fixed(server: str, env: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set, and that children of this server do not read."""
    found = {name: value for name, value in env.items() if value and name.startswith(READ_AT_START)}
    return {name: found[name] for name in found.keys() - READ_AGAIN[server]}


@cache
def _server(name: str) -> socket.socket:
    """The line to a server, which ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [*PYTHON, "-m", "tests.started", name, str(theirs.fileno())]
        streams = dict.fromkeys(("stdin", "stdout"), subprocess.DEVNULL)
        process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, pass_fds=[theirs.fileno()], **streams)
    atexit.register(process.wait)
    atexit.register(ours.shutdown, socket.SHUT_WR)
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
    sys.path[1:1] = filter(None, env.get(PATH, "").split(os.pathsep))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return words


def _end() -> None:
    """Last of what `atexit` runs: end without the second that it takes to clear all modules away."""
    code = status
    try:
        sys.stdout.flush()
    except OSError:
        code = code or 120  # as an interpreter
    except ValueError:  # closed
        pass
    os._exit(code)


if __name__ == "__main__":
    status = 1  # of exceptions
    atexit.register(_end)
    for name in SERVERS[sys.argv[1]]:
        import_module(f"stichwerk.{name}")
    numba.njit(lambda: 0)()
    gc.freeze()
    first, *rest = _next_child(socket.socket(fileno=int(sys.argv[2])))
    numba.config.reload_config()
    try:
        sys.argv, sys.path[0] = rest, os.getcwd()
        if first == "-m":
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif first == "-c":
            code, sys.argv[0] = rest[0], first
            sys.modules["__main__"] = main = ModuleType("__main__")
            exec(code, vars(main))
        else:
            sys.argv, sys.path[0] = [first, *rest], os.path.dirname(os.path.abspath(first))
            runpy.run_path(first, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise

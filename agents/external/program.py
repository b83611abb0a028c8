"""Programs that are run as engines: their lines in and out, and the end of all their processes."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple

from stichwerk.agents.external.protocol import LONGEST_LINE, to_line
from stichwerk.support.errors import InputError, quoted

FAREWELL = 1.0  # seconds that a program has to end by itself
WAITING = 1_000_000  # bytes of lines that are read before somebody asks for them
OVERHEAD = 100  # bytes that a line takes besides its text
ROUNDS = 100  # looks for processes that a program goes on to start while it is killed
PROCESSES = Path("/proc")
BEGUN = 17  # place of the start time in `stat`, behind the parent


class Running(NamedTuple):
    """A running process. With its beginning it is no other one of the same number."""

    pid: int
    begun: bytes = b""


class Talk:
    """Lines to and from a program. Threads write and read them, so that no full pipe can block.

    While nobody asks for its lines, `WAITING` bytes of them are read. Then the program has to wait.
    """

    end: Callable[[], object]  # ends the talk, once

    def __init__(self) -> None:
        self._out: SimpleQueue[bytes] = SimpleQueue()
        self._in = Lines()

    def send(self, lines: Iterable[bytes]) -> None:
        self._out.put(b"".join(lines))

    def receive(self, until: float) -> bytes:
        """The next line, or none at a time of the monotonic clock; InputError if the program has ended."""
        line = self._in.get(max(until - time.monotonic(), 1e-3))
        if line == b"":
            raise InputError(f"ended {self._last_words()}; expected an answer")
        return line or b""

    def _last_words(self) -> str:
        raise NotImplementedError


class Program(Talk):
    """A running program, which reads its input and writes to its output.

    InputError if it cannot be started.
    """

    def __init__(self, words: Sequence[str]):
        super().__init__()
        mark = f"STICHWERK_ENGINE_{secrets.token_hex(8)}"  # which all processes inherit that it starts
        try:
            # A session of its own: Ctrl-C goes to the host, which ends the program.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, mark: "1"},
            )
        except OSError as error:
            raise InputError(f"got {quoted(words[0])}, {error.strerror}; expected a program") from None
        self._errors: deque[bytes] = deque(maxlen=1)
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        works: list[tuple[Callable[..., None], tuple]] = [
            (_write, (pipes[0], self._out)),
            (_read, (pipes[1], self._in)),
            (_read_errors, (pipes[2], self._errors)),
        ]
        self._threads = [threading.Thread(target=work, args=args, daemon=True) for work, args in works]
        for thread in self._threads:
            thread.start()
        self.end = weakref.finalize(self, _end, self._process, self._out, self._in, mark)

    def _last_words(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        self._threads[-1].join(FAREWELL)
        said = self._errors[0].decode(errors="replace").strip() if self._errors else ""
        return f"with status {self._process.returncode}{f': {quoted(said)}' if said else ''}"


class Lines:
    """Lines that wait to be asked for, at most `WAITING` bytes of them, and at least one."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._closed = False
        self._changed = threading.Condition()

    def put(self, line: bytes) -> None:
        """Add a line as soon as there is room; once nobody reads any more, none is added."""
        size = len(line) + OVERHEAD
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._lines or self._size + size <= WAITING)
            if not self._closed:
                self._lines.append(line)
                self._size += size
            self._changed.notify_all()

    def get(self, seconds: float) -> bytes | None:
        """The next line; None if there is none in this time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._lines, seconds):
                return None
            line = self._lines.popleft()
            self._size -= len(line) + OVERHEAD
            self._changed.notify_all()
            return line

    def close(self) -> None:
        """Let nobody wait to add lines."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _write(pipe: IO[bytes], lines: "SimpleQueue[bytes]") -> None:
    with suppress(OSError, ValueError), pipe:
        while line := lines.get():
            pipe.write(line)
            pipe.flush()


def _read(pipe: IO[bytes], lines: Lines) -> None:
    """Pass on each line, and an empty one at the end."""
    with suppress(OSError, ValueError), pipe:
        while line := pipe.readline(LONGEST_LINE + 1):
            lines.put(line)
    lines.put(b"")


def _read_errors(pipe: IO[bytes], last: deque[bytes]) -> None:
    with suppress(OSError, ValueError), pipe:
        while line := pipe.readline(LONGEST_LINE):
            if line.strip():
                last.append(line)


def _end(process: subprocess.Popen, out: "SimpleQueue[bytes]", lines: Lines, mark: str) -> None:
    """Let the program end by itself; then kill the rest of it, and all processes that it has started."""
    started = set() if sys.platform == "win32" else _descendants(process, mark)
    out.put(to_line("end"))
    out.put(b"")
    lines.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _kill(process, mark, started)
        process.wait()


def _kill(process: subprocess.Popen, mark: str, started: set[Running]) -> None:
    """Kill a program and the processes that it has started, also those in sessions of their own.

    Args:
        process: the program, which has a session of its own; it may have ended
        mark: the environment variable that they have inherited
        started: those that were known before it ended
    """
    if sys.platform == "win32":
        ask = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(ask, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.kill()
        return
    for _ in range(ROUNDS):  # one may start another before it is killed
        started = (started & set(_running())) | _descendants(process, mark)
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        for each in started:
            with suppress(OSError):
                os.kill(each.pid, signal.SIGKILL)
        if not started:
            return
        time.sleep(0.001)


def _descendants(process: subprocess.Popen, mark: str) -> set[Running]:
    """The running processes that a program has started: those that have inherited its mark, and those whose
    parents lead to them or to it. A parent that has ended leads nowhere."""
    running, wanted = _running(), f"{mark}=".encode()
    found = set() if process.returncode is not None else {process.pid}
    for each in running:
        with suppress(OSError):
            if wanted in (PROCESSES / str(each.pid) / "environ").read_bytes():
                found.add(each.pid)
    while more := {each.pid for each, parent in running.items() if parent in found} - found:
        found |= more
    return {each for each in running if each.pid in found - {process.pid}}


def _running() -> dict[Running, int]:
    """The running processes of this machine, each with its parent's number."""
    if not PROCESSES.is_dir():  # macOS
        told = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True).stdout
        return {Running(int(pid)): int(parent) for pid, parent in map(str.split, told.splitlines())}
    running = {}
    for folder in PROCESSES.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                state, parent, *more = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                if state != b"Z":  # killed, and not waited for
                    running[Running(int(folder.name), more[BEGUN])] = int(parent)
    return running

"""Engines as agents of one game: programs in any language that speak the engine protocol (`protocol.py`)."""

import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from stichwerk.agents.base import FORFEIT, Agent, AgentError, Turns, with_choice
from stichwerk.agents.external.protocol import (
    LONGEST_LINE,
    OBSERVATION,
    Request,
    Requests,
    game_line,
    read_answer,
    read_move,
    read_ready,
    to_line,
)
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted

LOADING = 120.0  # seconds that an engine has for its answer to the game
MS = 10_000.0  # milliseconds that a decision may take where nothing else is said
FAREWELL = 1.0  # seconds that an engine has to end by itself
WAITING = 10_000  # lines that are read before somebody asks for them


@dataclass
class Faults:
    """The deals that an engine has lost by faults, and the first fault."""

    deals: int = 0
    first: str = ""


class EngineAgent(Agent):
    """A program that plays one game. It is started at the first request, and again for each seating.

    A fault is a crash, an answer that is no legal action or no message, or none in time. It ends the program.
    With `forfeits` it loses the deals in which the program had not answered yet, where deals can be given up;
    else it is an AgentError.

    Args:
        name: of the agent
        game: with its rules
        command: the program and its arguments, as in a shell
        ms: milliseconds that a decision may take, as the mean over a batch
        forfeits: whether a fault loses deals instead of ending what is played
    """

    def __init__(self, name: str, game: Game, command: str, ms: float = MS, forfeits: bool = False):
        self.command, self.ms, self.forfeits = command, ms, forfeits
        self.faults = Faults()
        self._words = words_of(command)
        self._requests = Requests(game)
        self._program: Program | None = None
        self._wants: frozenset[str] = frozenset()
        self._game = game
        super().__init__(name, game)
        self.outside = True

    def fresh(self) -> "EngineAgent":
        """Make this agent again, with a program of its own; the two share nothing but the count of faults."""
        other = EngineAgent(self.name, self._game, self.command, self.ms, self.forfeits)
        other.faults = self.faults
        return other

    def seed(self, seed: int) -> None:
        """Start the program again, with this seed, at the next request."""
        super().seed(seed)
        self._seed = seed
        self.close()

    def close(self) -> None:
        """End the program."""
        if self._program:
            self._program.end()
            self._program = None

    def act(self, turns: Turns) -> np.ndarray:
        actions, fault = self._play(turns)
        if fault:
            raise AgentError(f"agent {self.name}: {fault}")
        return actions

    def act_or_forfeit(self, turns: Turns) -> np.ndarray:
        if not self.forfeits:
            return self.act(turns)
        actions, fault = self._play(turns)
        self.faults.deals += int((actions == FORFEIT).sum())
        self.faults.first = self.faults.first or fault
        return actions

    def _play(self, turns: Turns) -> tuple[np.ndarray, str]:
        """The action of each turn, int64[n], FORFEIT where the program has none, and its first fault."""
        actions = turns.mask.argmax(axis=1)
        asked = with_choice(turns.mask)
        if not len(asked):
            return actions, ""
        program, start = self._program or self._started(), time.monotonic()
        actions[asked] = FORFEIT
        program.send(self._lines(turns, asked))
        fault, open_yet = "", set(asked.tolist())
        while open_yet and not fault:
            try:
                line = program.receive(start + self.ms * len(asked) / 1000)
                if not line:
                    fault = f"got no answer in {self.ms * len(asked):,.3g} ms; expected {len(open_yet)} moves"
                    break
                number, action = read_move(read_answer(line))
                if number not in open_yet:
                    raise InputError(f"got a move with the id {number}; expected one of a request")
                open_yet.discard(number)
                actions[number] = self._checked(action, turns.mask[number])
            except InputError as error:
                fault = str(error)
        if fault:
            self.close()
        return actions, fault

    def _lines(self, turns: Turns, asked: np.ndarray) -> list[bytes]:
        views, seats, mask = turns.views, turns.all_seats[turns.which], turns.mask
        observation = turns.observation(self._game) if OBSERVATION in self._wants else [None] * len(turns)
        return [
            self._requests.line(
                Request(turn, int(seats[turn]), views[turn : turn + 1], mask[turn]),
                self.ms,
                self._wants,
                observation[turn],
            )
            for turn in asked.tolist()
        ]

    def _checked(self, action: str, mask: np.ndarray) -> int:
        number = self._game.action_index.get(action)
        if number is None or not mask[number]:
            legal = ", ".join(self._game.actions[each] for each in np.flatnonzero(mask))
            raise InputError(f"plays {quoted(action)}, which is not legal here; legal: {legal}")
        return number

    def _started(self) -> "Program":
        """The program, ready to play this game; AgentError if it does not start or refuses the game."""
        try:
            program = Program(self._words)
            program.send([game_line(self._game, self._seed)])
            line = program.receive(time.monotonic() + LOADING)
            if not line:
                program.end()
                raise InputError(f"got no answer to the game in {LOADING:g} s; expected the event ready")
            self._wants = read_ready(read_answer(line))
        except InputError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        self._program = program
        return program


def words_of(command: str) -> list[str]:
    """The program and its arguments; AgentError if there is none."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise AgentError(f"engine: got {quoted(command)}, {error}; expected a command") from None
    if not words:
        raise AgentError("engine: got no command; expected a program, perhaps with arguments")
    return words


def files_of(command: str) -> list[Path]:
    """The files that a command names."""
    return [Path(word) for word in words_of(command) if Path(word).is_file()]


class Program:
    """A running program, with threads that write to it and read from it, so that no full pipe can block.

    InputError if it cannot be started.
    """

    def __init__(self, words: Sequence[str]):
        try:
            # A session of its own: Ctrl-C goes to the host, which ends the program.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"got {quoted(words[0])}, {error.strerror}; expected a program") from None
        self._out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._in: queue.Queue[bytes] = queue.Queue(WAITING)
        self._last_words: deque[bytes] = deque(maxlen=1)
        ended = threading.Event()
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        works: list[tuple[Callable[..., None], tuple]] = [
            (_write, (pipes[0], self._out)),
            (_read, (pipes[1], self._in, ended)),
            (_read_errors, (pipes[2], self._last_words)),
        ]
        self._threads = [threading.Thread(target=work, args=args, daemon=True) for work, args in works]
        for thread in self._threads:
            thread.start()
        self.end = weakref.finalize(self, _end, self._process, self._out, ended)

    def send(self, lines: Iterable[bytes]) -> None:
        self._out.put(b"".join(lines))

    def receive(self, until: float) -> bytes:
        """The next line, or none at a time of the monotonic clock; InputError if the program has ended."""
        try:
            line = self._in.get(timeout=max(until - time.monotonic(), 1e-3))
        except queue.Empty:
            return b""
        if line:
            return line
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        self._threads[-1].join(FAREWELL)
        said = self._last_words[0].decode(errors="replace").strip() if self._last_words else ""
        status = self._process.returncode
        raise InputError(
            f"ended with status {status}{f': {quoted(said)}' if said else ''}; expected an answer"
        )


def _write(pipe: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    with suppress(OSError, ValueError), pipe:
        while line := lines.get():
            pipe.write(line)
            pipe.flush()


def _read(pipe: IO[bytes], lines: "queue.Queue[bytes]", ended: threading.Event) -> None:
    """Put each line into the queue, and an empty one at the end."""
    with suppress(OSError, ValueError), pipe:
        while line := pipe.readline(LONGEST_LINE + 1):
            _put(lines, line, ended)
    _put(lines, b"", ended)


def _put(lines: "queue.Queue[bytes]", line: bytes, ended: threading.Event) -> None:
    while not ended.is_set():
        with suppress(queue.Full):
            return lines.put(line, timeout=0.1)


def _read_errors(pipe: IO[bytes], last: deque[bytes]) -> None:
    with suppress(OSError, ValueError), pipe:
        while line := pipe.readline(LONGEST_LINE):
            if line.strip():
                last.append(line)


def _end(process: subprocess.Popen, out: "queue.SimpleQueue[bytes]", ended: threading.Event) -> None:
    """Let the program end by itself, and kill it and its children if it does not."""
    out.put(to_line("end"))
    out.put(b"")
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        pass
    finally:
        ended.set()
        with suppress(OSError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()

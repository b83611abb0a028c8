"""Engines as agents of one game: programs in any language that speak the engine protocol (`protocol.py`)."""

import os
import shlex
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stichwerk.agents.core.agent import FORFEIT, Agent, AgentError, Turns, with_choice
from stichwerk.agents.external.callers import SCHEME, door
from stichwerk.agents.external.program import Program, Talk
from stichwerk.agents.external.protocol import (
    OBSERVATION,
    Request,
    Requests,
    game_line,
    read_answer,
    read_move,
    read_ready,
)
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted

LOADING = 120.0  # seconds that an engine has for its answer to the game
MS = 10_000.0  # milliseconds that a decision may take where nothing else is said


@dataclass
class Faults:
    """The deals that an engine has lost by faults, and the first fault."""

    deals: int = 0
    first: str = ""


class EngineAgent(Agent):
    """A program that plays one game. It is started at the first request, and again for each seating; one that
    connects by WebSocket gets its game in another connection then.

    A fault is a crash, an answer that is no legal action or no message, or none in time. It ends the program.
    With `forfeits` it loses the deals in which the program had not answered yet, where deals can be given up;
    else it is an AgentError.

    Args:
        name: of the agent
        game: with its rules
        command: the program and its arguments, as in a shell, or the address at which one connects
        ms: milliseconds that a decision may take, as the mean over a batch
        forfeits: whether a fault loses deals instead of ending what is played
        origin: of pages that may connect, besides those that this machine serves
    """

    def __init__(
        self,
        name: str,
        game: Game,
        command: str,
        ms: float = MS,
        forfeits: bool = False,
        origin: str = "",
    ):
        self.command, self.ms, self.forfeits, self._allowed = command, ms, forfeits, origin
        self.faults = Faults()
        self._words = words_of(command)
        self._requests = Requests(game)
        self._program: Talk | None = None
        self._wants: frozenset[str] = frozenset()
        self._game = game
        super().__init__(name, game)
        self.outside = True

    def fresh(self) -> "EngineAgent":
        """Make this agent again, with a separate program; the two share nothing but the count of faults."""
        other = EngineAgent(self.name, self._game, self.command, self.ms, self.forfeits, self._allowed)
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

    def _started(self) -> Talk:
        """The program, ready to play this game; AgentError if it does not start or refuses the game."""
        try:
            program = self._talk()
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

    def _talk(self) -> Talk:
        if self.command.startswith(SCHEME):
            return door(self.command, self._allowed).caller(LOADING)
        return Program(self._words)


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

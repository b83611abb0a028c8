"""Let an agent of the suite play as a program that speaks the engine protocol, on stdin and stdout.

stichwerk serve engine ppo:schnapsen
stichwerk eval "engine:stichwerk serve engine rules" random --deals 100
"""

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.external.protocol import (
    LONGEST_LINE,
    PROTOCOL,
    SAMPLE,
    Request,
    read_game,
    read_line,
    read_request,
    to_line,
)
from stichwerk.cli import Positional, parse
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.terminal.streams import Wire

AT_ONCE = 4096  # requests that are answered together


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Play by the engine protocol until the input ends. The host names the game and its rules."""

    agent: Positional[str]
    """The agent that plays, such as rules or ppo:NAME."""


def main(arguments: Sequence[str]) -> None:
    options = parse(EngineOptions, arguments)
    messages, out = Wire.taken()
    try:
        serve(options.agent, messages, out)
    except InputError as error:
        _send(out, to_line("error", text=str(error)))
        raise


def serve(text: str, messages: BinaryIO, out: BinaryIO) -> None:
    """Answer the messages of a host by the agent of this text; InputError for one that is none."""
    batches = _batches(messages)
    first, *more = next(batches, [b""])
    if not first:
        return
    game, seed = read_game(read_line(first))
    agent = make_agent_for(text, game)
    agent.seed(seed)
    _send(out, to_line("ready", protocol=PROTOCOL, name=text, wants=[SAMPLE]))
    replay = RecordReplay(game)
    for lines in chain([more] if more else [], batches):
        received = [read_line(line) for line in lines]
        requests = [read_request(message, replay) for message in received if message["event"] != "end"]
        if requests:
            actions = agent.act(_turns(requests))
            _send(out, b"".join(_moves(game, requests, actions)))
        if len(requests) < len(received):
            return


def _batches(messages: BinaryIO) -> Iterator[list[bytes]]:
    """The lines that have come, as many as are there at a time."""
    lines: queue.Queue[bytes] = queue.Queue(AT_ONCE)

    def read() -> None:
        while line := messages.readline(LONGEST_LINE + 1):
            lines.put(line)
        lines.put(b"")

    threading.Thread(target=read, daemon=True).start()
    while True:
        batch = [lines.get()]
        while batch[-1] and len(batch) < AT_ONCE and not lines.empty():
            batch.append(lines.get())
        if there := [line for line in batch if line]:
            yield there
        if not batch[-1]:
            return


def _turns(requests: Sequence[Request]) -> Turns:
    views = np.concatenate([request.view for request in requests])
    seats = np.array([request.seat for request in requests])
    mask = np.stack([request.mask for request in requests])
    return Turns(np.arange(len(requests)), views, seats, mask)


def _moves(game: Game, requests: Sequence[Request], actions: np.ndarray) -> Iterator[bytes]:
    for request, action in zip(requests, actions.tolist(), strict=True):
        yield to_line("move", id=request.number, action=game.actions[action])


def _send(out: BinaryIO, lines: bytes) -> None:
    out.write(lines)
    out.flush()

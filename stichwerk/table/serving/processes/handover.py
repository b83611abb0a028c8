"""From a process that plays interpreted to one that has compiled its games: between two deals.

The second process compiles while the first one serves. It has the same listening socket. Once it is ready and
nobody is in the middle of a deal it gets all tables, and plays their actions again. Pages connect again.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NoReturn

from stichwerk.envs.spec.game import Game
from stichwerk.table.cold import DISABLE
from stichwerk.table.compiling import Needs
from stichwerk.table.opponents import default_opponent
from stichwerk.table.serving.service import Service

if TYPE_CHECKING:
    import uvicorn

    from stichwerk.table.serving.rooms import Rooms

LOOK = 0.2  # seconds between two looks for an end of a deal
USUAL = 45.0  # seconds that compiling a game takes beside it, as people are told
LEAST = 5.0
LONGEST_TAKING = 60.0  # seconds in which the other process has to take the tables
READY, TAKEN = "ready", "taken"


class Handover:
    """The other process, as this one sees it.

    Args:
        service: to be gone on with
        listener: the socket
        rooms: the tables of this process
    """

    def __init__(self, service: Service, listener: socket.socket, rooms: "Rooms"):
        self._rooms, self._said = rooms, list[str]()
        self._asked: dict[str, float] = {}  # games, and when their compiling began
        self.is_done = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "stichwerk.table.serving.processes.successor", str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[listener.fileno()],
            start_new_session=True,  # signals come by way of this process alone
            env={name: value for name, value in os.environ.items() if name != DISABLE}
            | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._tell(service.as_data())
        threading.Thread(target=self._listen, name="successor", daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line.strip())

    def _tell(self, content: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(content)}\n")
        self._process.stdin.flush()

    @property
    def _alive(self) -> bool:
        return self._process.poll() is None

    def seconds_left(self, game: Game) -> float:
        """The seconds, about, until a game is compiled."""
        begun = self._asked.get(game.env_id)
        return max(LEAST, USUAL - (time.monotonic() - begun if begun else 0))

    async def run(self, server: "uvicorn.Server") -> None:
        """Hand the tables over as soon as that disturbs nobody; then the server of this process ends."""
        while self._alive:
            await asyncio.sleep(LOOK)
            for game in self._rooms.games():
                if game.env_id not in self._asked:
                    self._asked[game.env_id] = time.monotonic()
                    needs = Needs([default_opponent(game)], study=True, review=True)
                    self._tell(
                        {"env": game.address or game.env_id, "rules": game.rules.as_dict(), **asdict(needs)}
                    )
            if self._asked and self._said.count(READY) == len(self._asked) and await self._hand_over():
                server.should_exit = True
                return

    async def _hand_over(self) -> bool:
        async with self._rooms.at_rest() as is_between:
            tables = self._rooms.saved() if is_between else None
            if tables is None:
                return False
            self._tell({"tables": tables})
            end = time.monotonic() + LONGEST_TAKING
            while self._alive and time.monotonic() < end:
                if TAKEN in self._said:
                    self.is_done = True
                    self._rooms.leave()
                    return True
                await asyncio.sleep(0.02)
        self._process.kill()
        return False

    def end(self) -> None:
        """Stop the other process, unless it has the tables."""
        if not self.is_done:
            self._process.kill()
            self._process.wait()

    def wait(self) -> NoReturn:
        """Hand signals on to the other process, and end as it does."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, frame: self._process.send_signal(number))
        raise SystemExit(self._process.wait())

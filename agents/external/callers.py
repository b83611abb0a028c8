"""Engines that connect by WebSocket, such as a page in a browser or a program on another machine.

The suite listens at the address. A program opens a connection and waits in it for its game; each message is
a text of JSON, as in a line of the engine protocol.
"""

import logging
import re
import sys
import threading
import time
import weakref
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from socket import SHUT_RDWR
from typing import Any
from urllib.parse import urlsplit

from stichwerk.agents.external.program import Lines, Talk
from stichwerk.agents.external.protocol import LONGEST_LINE, to_line
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra
from stichwerk.support.machine.sockets import listening

SCHEME = "ws://"
FAREWELL = 5.0  # seconds for the last message
MOST_WAITING = 64  # connections that wait for a game
OF_THIS_MACHINE = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
"""The origins of pages that this machine serves. Any page may connect to it; programs name no origin."""


class Caller(Talk):
    """A program that has connected, with the connection's lines and the error that ended it."""

    def __init__(self, connection: Any):
        super().__init__()
        self._fault = list[str]()
        threading.Thread(target=_write, args=(connection, self._out), daemon=True).start()
        self.end = weakref.finalize(self, _end, connection, self._out, self._in)
        self.reading = connection, self._in, self._fault

    @property
    def is_there(self) -> bool:
        return not self._fault

    def _last_words(self) -> str:
        return f"its connection: {quoted(self._fault[0])}"


class Door:
    """An address of this machine at which programs connect.

    Args:
        url: `ws://HOST:PORT`
        origin: of the pages that may connect, besides those that this machine serves

    InputError if the url is no such address, or the port is taken.
    """

    def __init__(self, url: str, origin: str = ""):
        server = from_extra("websockets.sync.server", "play")
        self.url = url
        self._waiting: SimpleQueue[Caller] = SimpleQueue()
        self._lock = threading.Lock()
        host, port = _address(url)
        try:
            socket = listening(host, port)
        except InputError as error:
            raise InputError(str(error).partition(": --port")[0]) from None
        silent = logging.getLogger(f"{__name__}.silent")
        silent.disabled = True
        serving = server.serve(
            self._welcome,
            sock=socket,
            origins=[None, OF_THIS_MACHINE, *([origin] if origin else [])],
            max_size=LONGEST_LINE,
            max_queue=1,
            compression=None,  # a small message cannot become a large one
            logger=silent,
        )
        threading.Thread(target=serving.serve_forever, daemon=True).start()

    def caller(self, seconds: float) -> Caller:
        """The program that has waited the longest; InputError if none comes in this time."""
        until, told = time.monotonic() + seconds, False
        while (left := until - time.monotonic()) > 0:
            try:
                caller = self._waiting.get(block=told, timeout=left)
            except Empty:
                if not told:
                    print(f"waiting for an engine at {self.url}", file=sys.stderr)
                told = True
                continue
            if caller.is_there:
                return caller
        raise InputError(f"got no connection at {self.url} in {seconds:g} s; expected an engine")

    def _welcome(self, connection: Any) -> None:
        """Let a program wait, and read its lines until it ends its connection."""
        with self._lock:
            room = self._waiting.qsize() < MOST_WAITING
            if room:
                caller = Caller(connection)
                reading = caller.reading
                self._waiting.put(caller)
        if not room:
            connection.close(1013, "too many engines wait")
            return
        del caller  # which ends when nobody plays by it any more
        _read(*reading)


door = cache(Door)


def is_origin(text: str) -> str | None:
    """The text if it is an origin of pages."""
    return text if re.fullmatch(r"https?://[\w.:\[\]-]+", text) else None


def _address(url: str) -> tuple[str, int]:
    with suppress(ValueError):  # of a port that is none
        parts = urlsplit(url)
        if parts.hostname and parts.port and parts.netloc == url.removeprefix(SCHEME).removesuffix("/"):
            return parts.hostname, parts.port
    raise InputError(f"got {quoted(url)}; expected {SCHEME}HOST:PORT, such as {SCHEME}127.0.0.1:8765")


def _read(connection: Any, lines: Lines, fault: list[str]) -> None:
    """Pass on each message, and an empty one at the end."""
    try:
        while message := connection.recv():
            lines.put(message if isinstance(message, bytes) else message.encode())
        fault.append("an empty message")
    except Exception as error:  # the connection ended, in one of several ways
        fault.append(str(error))
    lines.put(b"")


def _write(connection: Any, out: "SimpleQueue[bytes]") -> None:
    with suppress(Exception):  # the reader tells how the connection ended
        while block := out.get():
            for line in block.splitlines():
                connection.send(line.decode())
    connection.close()


def _end(connection: Any, out: "SimpleQueue[bytes]", lines: Lines) -> None:
    """Say goodbye, and end the connection of a program that does not read it."""
    out.put(to_line("end"))
    out.put(b"")
    lines.close()
    cut = threading.Timer(FAREWELL, _cut, (connection.socket,))
    cut.daemon = True
    cut.start()


def _cut(end: Any) -> None:
    with suppress(OSError):
        end.shutdown(SHUT_RDWR)

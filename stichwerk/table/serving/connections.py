"""Connections of browsers to a server; idle ones are closed.

Uvicorn sets no time limit for a request's headers, its body, or the reading of an answer. A client could
open all the connections that it serves, and keep others out.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

LOOK = 5.0  # seconds between two looks at a connection
LOOKS_WITHOUT_REQUEST, LOOKS_AT_REQUEST = 2, 24  # in which nothing has changed, until a connection is closed
MOST_WITHOUT_REQUEST = 100  # connections; for one more the oldest of them is closed


class Connection(H11Protocol):
    """A connection that speaks HTTP, until it becomes a WebSocket, which has other limits."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._last, self._looks = self._now, 0
        waiting = [each for each in self.connections if isinstance(each, Connection) and not each._is_asked]
        if len(waiting) > MOST_WITHOUT_REQUEST:
            min(waiting, key=lambda each: each._since).transport.abort()
        self.loop.call_later(LOOK, self._look)

    @property
    def _is_asked(self) -> bool:
        """True if a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _now(self) -> tuple[object, bool]:
        return self.cycle, self._is_asked

    def _look(self) -> None:
        if self not in self.connections:  # closed, or a WebSocket
            return
        self._looks = self._looks + 1 if self._now == self._last else 0
        self._last = self._now
        if self._looks < (LOOKS_AT_REQUEST if self._is_asked else LOOKS_WITHOUT_REQUEST):
            self.loop.call_later(LOOK, self._look)
        else:
            self.transport.abort()

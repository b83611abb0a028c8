"""A server of tables for tests: in a thread of this process, at a free port."""

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from stichwerk.support.machine.sockets import listening
from stichwerk.table.serving import server
from stichwerk.table.serving.room import Room
from stichwerk.table.serving.rooms import PATIENCE, Rooms
from stichwerk.table.serving.service import Service
from stichwerk.table.serving.worker import Worker
from stichwerk.table.table import Table

RUNNING: list[Rooms] = []


def worker_of(table: Table) -> Worker:
    """The thread that plays at a table of a server that is running."""
    return next(room.worker for rooms in RUNNING for room in rooms._rooms if room.table is table)


class Served:
    """A server that is running.

    Attributes:
        at: its host and port
        rooms: its tables
    """

    def __init__(self, rooms: Rooms, listener: socket.socket):
        self.rooms = rooms
        self.at = server.names_of(*listener.getsockname()[:2])[0]

    def room(self, table: Table) -> Room:
        """The table with its pages."""
        (found,) = (room for room in self.rooms._rooms if room.table is table)
        return found

    def page(self, table: Table, seat: int) -> str:
        return f"http://{self.at}/table/{table.secrets[seat]}"

    def socket(self, table: Table, seat: int) -> str:
        return f"ws://{self.at}/socket/{table.secrets[seat]}"


@contextmanager
def served(
    most: int = 100,
    host: str = "127.0.0.1",
    patience: float = PATIENCE,
    studied: Sequence[str] = (),
    public: str = "",
) -> Iterator[Served]:
    """A server that runs until the block ends."""
    rooms, listener = Rooms(most, studied, patience), listening(host, 0)
    hosts = server.names_of(*listener.getsockname()[:2], host)
    app = server.make_app(rooms, Service(hosts=tuple(hosts), public=public))
    running = uvicorn.Server(server.config_of(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    RUNNING.append(rooms)
    try:
        while not running.started:
            time.sleep(0.01)
        yield Served(rooms, listener)
    finally:
        RUNNING.remove(rooms)
        running.should_exit = True
        thread.join(20)
        listener.close()
    assert not thread.is_alive()

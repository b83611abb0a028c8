"""A server of tables for tests: in a thread of this process, at a free port."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from stichwerk.support.sockets import listening
from stichwerk.table import server
from stichwerk.table.rooms import Rooms
from stichwerk.table.table import Table


class Served:
    """A server that is running.

    Attributes:
        at: its host and port
        rooms: its tables
    """

    def __init__(self, rooms: Rooms, listener: socket.socket):
        self.rooms = rooms
        self.at = f"127.0.0.1:{listener.getsockname()[1]}"

    def page(self, table: Table, seat: int) -> str:
        return f"http://{self.at}/table/{table.secrets[seat]}"

    def socket(self, table: Table, seat: int) -> str:
        return f"ws://{self.at}/socket/{table.secrets[seat]}"


@contextmanager
def served(most: int = 100, host: str = "127.0.0.1") -> Iterator[Served]:
    """A server that runs until the block ends."""
    rooms, listener = Rooms(most), listening(host, 0)
    app = server.make_app(rooms, server.names_of(host, listener.getsockname()[1]))
    running = uvicorn.Server(server.config_of(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        yield Served(rooms, listener)
    finally:
        running.should_exit = True
        thread.join(20)
        listener.close()
    assert not thread.is_alive()

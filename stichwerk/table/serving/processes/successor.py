"""The process that compiles games while another one plays them interpreted, and then takes over its tables.

Its argument is the number of the listening socket. It reads JSON objects from its standard input, a line for
each: the service; games to compile, each with its needs; at the end the tables.
"""

import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from stichwerk.envs.games import make_game
from stichwerk.envs.jit.compiled import SUITE
from stichwerk.table.cold import note_warm
from stichwerk.table.compiling import Needs
from stichwerk.table.records.recorder import recording
from stichwerk.table.serving import server
from stichwerk.table.serving.processes.handover import READY, TAKEN
from stichwerk.table.serving.processes.rehearsal import rehearse
from stichwerk.table.serving.service import Service


def main() -> None:
    logging.getLogger(SUITE).addHandler(logging.NullHandler())  # the other process is on the terminal
    listener = socket.socket(fileno=int(sys.argv[1]))
    service = Service.of(json.loads(sys.stdin.readline()))
    while line := sys.stdin.readline():
        asked = json.loads(line)
        if "tables" in asked:
            _go_on(service, listener, asked["tables"])
            return
        game = make_game(asked.pop("env"), asked.pop("rules"))
        rehearse(game, Needs(**asked))
        note_warm(game.env_id)
        print(READY, flush=True)


def _go_on(service: Service, listener: socket.socket, tables: Sequence[Mapping[str, Any]]) -> None:
    """Serve the tables until the process ends that had them before, or ends this one."""
    with recording(Path(service.record) if service.record else None, again=True) as recorder:
        rooms = service.rooms(recorder)
        rooms.restore(tables, recorder)
        print(TAKEN, flush=True)
        threading.Thread(target=_end_with_the_other, daemon=True).start()
        server.serve(server.make_app(rooms, service), listener)


def _end_with_the_other() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()

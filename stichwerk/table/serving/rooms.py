"""All tables of a server."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.table.records.keeper import Keeper
from stichwerk.table.records.recorder import Recorder
from stichwerk.table.records.saved import restored, saved
from stichwerk.table.serving.room import Room
from stichwerk.table.table import Table

MOST_TABLES = 100
PATIENCE = 60.0  # seconds
MOST_BESIDE = 5  # tables that one table has opened, with those that these have


class Rooms:
    """All tables of a server, found by the secrets of their people.

    Attributes:
        studied: the texts of agents that people may ask for ratings, besides the usual ones
        patience: seconds after which an agent counts as one that does not answer
        compiling: a lock for each set of functions, held while a process compiles them
        warms_up: True: games of the front door are compiled while nothing else is to be done
        keeper: writes the tables into a folder; None: nobody does
        recorder: of tables that are opened at the front door; None: nobody records them
        seconds_left: the seconds, about, until a game is compiled by the process that will go on with these
            tables; None: there is no such process

    Args:
        most: the greatest number of tables
    """

    def __init__(self, most: int = MOST_TABLES, studied: Sequence[str] = (), patience: float = PATIENCE):
        self._most = most
        self.studied = tuple(studied)
        self.patience = patience
        self.compiling: defaultdict[Hashable, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.recorder: Recorder | None = None
        self.keeper: Keeper | None = None
        self.warms_up = False
        self.seconds_left: Callable[[Game], float] | None = None
        self._rooms: list[Room] = []

    def open(self, table: Table) -> Room:
        """Take one more table in; InputError if there are too many."""
        if len(self._rooms) >= self._most:
            raise InputError(f"tables: got {len(self._rooms) + 1}; expected at most {self._most}")
        self._rooms.append(Room(table, self))
        if self.keeper:
            self.keeper.keep(table)
        return self._rooms[-1]

    def _close(self, room: Room) -> None:
        self._rooms.remove(room)
        room.close()
        if self.keeper:
            self.keeper.forget(room.table)

    def open_beside(self, room: Room, table: Table) -> Room:
        """Take a table in that another one has opened; of too many such tables the oldest is closed.

        Args:
            room: of the table that opens it
            table: the new one
        """
        beside = [each for each in self._rooms if each.root is room.root and each not in (room, room.root)]
        for old in beside[: max(0, len(beside) + 1 - MOST_BESIDE)]:
            self._close(old)
        opened = self.open(table)
        opened.root = room.root
        if room.table.recorder:
            room.table.recorder.watch(table)
        return opened

    def open_at_door(self, table: Table) -> Room:
        """Take in a table of the front door; of too many the oldest that nobody looks at is closed."""
        idle = [room for room in self._rooms if not room.pages]
        if len(self._rooms) >= self._most and idle:
            self._close(idle[0])
        opened = self.open(table)
        if self.recorder:
            self.recorder.watch(table)
        return opened

    def find(self, secret: str) -> tuple[Room, int] | None:
        """The table and the seat of a secret, if it is one."""
        for room in self._rooms:
            seat = room.table.seat_of(secret)
            if seat is not None:
                return room, seat
        return None

    # Going on in another process

    def games(self) -> list[Game]:
        """The games of all tables."""
        return list({room.table.game.env_id: room.table.game for room in self._rooms}.values())

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[bool]:
        """A block in which no table changes; True if nobody is in the middle of a deal."""
        async with AsyncExitStack() as stack:
            for room in self._rooms:
                await stack.enter_async_context(room.lock)
            yield all(room.is_between for room in self._rooms)

    def saved(self) -> list[dict[str, Any]] | None:
        """All tables as values that JSON can hold, each with the number of its root; None if one cannot
        be."""
        found = []
        for room in self._rooms:
            content = saved(room.table)
            if content is None:
                return None
            found.append(
                {**content, "root": self._rooms.index(room.root) if room.root in self._rooms else -1}
            )
        return found

    def restore(self, tables: Sequence[Mapping[str, Any]], recorder: Recorder | None) -> None:
        """Take in tables that were saved so; InputError for one that no play leads to."""
        rooms = [self.open(restored(each)) for each in tables]
        for room, each in zip(rooms, tables, strict=True):
            if each.get("root", -1) >= 0:
                room.root = rooms[each["root"]]
            if recorder:
                recorder.watch(room.table)

    def open_kept(self) -> int:
        """Take in the tables of the folder in which tables are kept, and return their number.

        Raises:
            InputError: one of them is damaged; the message names it.
        """
        tables = list(self.keeper.kept()) if self.keeper else []
        self.restore(tables[-self._most :], self.recorder)
        return len(tables)

    def leave(self) -> None:
        """Record nothing more: another process takes over all tables."""
        for recorder in {room.table.recorder for room in self._rooms}:
            if recorder:
                recorder.leave()

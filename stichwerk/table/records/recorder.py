"""The record of tables while they are played at, in one file: `stichwerk play --record FILE`."""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.growing import GrowingRecord
from stichwerk.support.errors import one_line

if TYPE_CHECKING:
    from stichwerk.table.table import Table


class Held(NamedTuple):
    """A deal in the file, with the table where it was played and the end of both, in bytes."""

    table: "Table"
    deal: DealRecord
    end: int
    game_line: str


class Recorder:
    """Writes each deal into the file as soon as it is over, and takes it out again if it is taken back.

    An error, such as a full disk, is reported once, and writing is tried again with the next deal.

    Args:
        path: the file
        again: True: it is written once more; else it must be new
    """

    def __init__(self, path: Path, again: bool = False):
        self._path, self._again = path, again
        self._file: GrowingRecord | None = None
        self._tables: list[Table] = []
        self._held: list[Held] = []
        self._told = ""
        self._lock = threading.Lock()  # tables are played at side by side

    def watch(self, table: "Table") -> None:
        """Record one more table."""
        table.recorder = self
        self._tables.append(table)
        self.note(table)

    def note(self, table: "Table") -> None:
        """Write the changes in the deals of a table that are over."""
        try:
            self._keep(table, [deal for deal in table.deals() if deal.points is not None])
        except OSError as error:
            if error.strerror != self._told:
                self._told = str(error.strerror)
                message = f"record {self._path}: {self._told}; it is tried again after the next deal"
                print(f"warning: {one_line(message)}", file=sys.stderr)

    def leave(self) -> None:
        """Write nothing more, as another process continues the file."""
        with self._lock:
            for table in self._tables:
                table.recorder = None
            self._tables.clear()

    def close(self) -> None:
        """Write the deals that are not over too; OSError, which names the file, if that fails."""
        for table in self._tables:
            self._keep(table, table.deals())
        if self._file:
            self._file.close()

    def _keep(self, table: "Table", deals: Sequence[DealRecord]) -> None:
        with self._lock:
            own = [place for place, held in enumerate(self._held) if held.table is table]
            pairs = zip(own, deals, strict=False)
            same = next((n for n, (place, deal) in enumerate(pairs) if self._held[place].deal != deal), None)
            same = min(len(own), len(deals)) if same is None else same
            if len(own) == len(deals) == same:
                return
            if self._file is None:
                self._file = GrowingRecord(self._path, 0 if self._again else None)
            later = self._held[own[same] :] if same < len(own) else []
            del self._held[len(self._held) - len(later) :]
            last = self._held[-1] if self._held else None
            self._file.cut(last.end if last else 0)
            self._file.game_line = last.game_line if last else ""
            others = [(held.table, held.deal) for held in later if held.table is not table]
            for each, deal in (*others, *((table, deal) for deal in deals[same:])):
                self._file.add_deals(each.game, [deal])
                self._held.append(Held(each, deal, self._file.end, self._file.game_line))
            self._file.sync()


@contextmanager
def recording(path: Path | None, again: bool = False) -> Iterator[Recorder | None]:
    """A recorder of tables, if a file is named; however the block ends, deals that are not over come last.

    SIGTERM ends the block by SystemExit, and SIGHUP counts as SIGTERM, which uvicorn handles. Where one is
    ignored, as behind `nohup`, it stays so.
    """

    def end(number, frame):
        raise SystemExit(128 + number)

    def hang_up(number, frame):
        signal.raise_signal(signal.SIGTERM)

    recorder = Recorder(path, again) if path else None
    handlers = {signal.SIGTERM: end}
    if hasattr(signal, "SIGHUP"):  # not on Windows
        handlers[signal.SIGHUP] = hang_up
    taken = [number for number in handlers if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, handlers[number])
    try:
        yield recorder
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_IGN)
        try:
            if recorder:
                recorder.close()
        finally:
            for number in taken:
                signal.signal(number, signal.SIG_DFL)

"""The output of commands: tables, and the progress of long work: a bar on a terminal, or else lines on
stderr at sensible distances."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from stichwerk.support.escape import plain
from stichwerk.support.terminal.streams import legible

TENTHS = 10


class PlainColumn(TextColumn):
    """A text of a task, which may hold names of others."""

    def __init__(self, text_of: Callable[[Task], str]):
        super().__init__("")
        self._text_of = text_of

    def render(self, task: Task) -> Text:
        return Text(plain(self._text_of(task)))


class PlainConsole(Console):
    """Shows texts as they are: no markup, no codes that a terminal obeys."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(plain(text, "\n"), **{**how, "markup": False, "emoji": False})


class ProgressLines(Progress):
    """Progress as lines of plain text on stderr, such as
    `playing: 1,200 of 4,000 (30 %), 410 a second, 0:00:06 left`.

    A line follows the one before after `longest` seconds, or after `shortest` if another tenth is done. Work
    of a few seconds has none.
    """

    def __init__(self, longest: float = 30.0, shortest: float = 5.0) -> None:
        super().__init__(disable=True)
        self._longest, self._shortest = longest, shortest
        self._at_first = 0.0  # how much of the task was done before
        self._told_at, self._told_tenth = time.monotonic(), 0
        self._ended = Event()
        self._waker = Thread(target=self._wake, daemon=True)

    def start(self) -> None:
        self._waker.start()

    def stop(self) -> None:
        self._ended.set()

    def add_task(self, *values: Any, **settings: Any) -> TaskID:
        with self._lock:
            self._told_tenth, self._at_first = 0, settings.get("completed", 0)
            return super().add_task(*values, **settings)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        super().advance(task_id, advance)
        self._tell_if_due()

    def update(self, *values: Any, **changes: Any) -> None:
        super().update(*values, **changes)
        self._tell_if_due()

    def _wake(self) -> None:
        """Look whether a line is due also while the work itself says nothing."""
        while not self._ended.wait(1.0):
            self._tell_if_due()

    def _tell_if_due(self) -> None:
        with self._lock:
            if not self.tasks:
                return
            task, now = self.tasks[-1], time.monotonic()
            tenth = int(TENTHS * task.completed / task.total) if task.total else 0
            waits = self._shortest if tenth > self._told_tenth else self._longest
            if now - self._told_at < waits or task.finished:
                return
            self._told_at, self._told_tenth = now, tenth
            line = line_of(task, self._at_first)
        with suppress(OSError, ValueError):  # nobody reads, or the stream is closed
            print(line, file=sys.stderr, flush=True)


def line_of(task: Task, at_first: float) -> str:
    """A task's progress as plain text; its speed is the mean since it was at first done so far."""
    facts, elapsed = [], task.elapsed or 0.0
    speed = (task.completed - at_first) / elapsed if elapsed else 0.0
    if task.total:
        facts.append(f"{task.completed:,.0f} of {task.total:,.0f} ({task.percentage:.0f} %)")
    if speed:
        facts.append(f"{speed:,.{0 if speed >= 10 else 2}f} a second")
    if speed and task.remaining is not None:
        facts.append(f"{timedelta(seconds=round(task.remaining / speed))} left")
    else:
        facts.append(f"{timedelta(seconds=round(elapsed))} so far")
    if note := task.fields.get("note"):
        facts.append(note)
    return plain(f"{task.description}: {', '.join(facts)}")


def make_bar(transient: bool = False) -> Progress:
    """A bar on the terminal, stdout's or else stderr's; where neither is one, lines on stderr.

    Args:
        transient: whether the bar goes away at the end
    """
    here, beside = Console(), Console(stderr=True)
    is_here = here.is_terminal or here.is_jupyter
    if not (is_here or beside.is_terminal):
        return ProgressLines()
    return Progress(
        PlainColumn(lambda task: task.description),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        PlainColumn(lambda task: task.fields.get("note", "")),  # besides its progress, if it has one
        console=here if is_here else beside,
        redirect_stdout=is_here,
        transient=transient,
    )


@contextmanager
def steps(description: str, total: int, shown: bool = True) -> Iterator[Callable[[], None]]:
    """Progress in a number of steps; the function that is given says that one is done. It is not shown where
    each step shows its own."""
    if not shown:
        yield lambda: None
        return
    with make_bar() as bar:
        task = bar.add_task(description, total=total)
        yield lambda: bar.advance(task)


def print_table(table: Table) -> None:
    """Print a table to stdout, whatever characters that can hold."""
    console = PlainConsole()
    with console.capture() as shown:
        console.print(table)
    print(legible(shown.get()), end="")

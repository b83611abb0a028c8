"""Threads that play for the tables of a server: one for each table, and one for each thought of an agent.

So no table delays another, and an agent that never answers does not delay its own.
"""

import asyncio
import ctypes
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from stichwerk.agents.external.guard import OutOfTime
from stichwerk.support.language import ENGLISH, speaking
from stichwerk.table.compiling import no_compiling

Result = TypeVar("Result")


class Worker:
    """A thread that calls one function after another. It ends with the process at the latest."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def _work(self) -> None:
        with suppress(OutOfTime):
            while task := self._tasks.get():
                task()

    def end(self) -> None:
        """Let the thread end after all submitted functions."""
        self._tasks.put(None)

    def interrupt(self) -> None:
        """End the thread where it runs Python; a thread that waits in other code ends with the process."""
        if self._thread:
            thread, error = ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(OutOfTime)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    def submit(self, task: Callable[..., Result], *values: Any) -> Future[Result]:
        """Call a function after all that were submitted before.

        Returns:
            Will hold the result of the function, or the exception that it raises.
        """
        done: Future[Result] = Future()

        def do() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(task(*values))
            except Exception as error:  # goes to the one who waits
                done.set_exception(error)

        self._tasks.put(do)
        if self._thread is None:
            self._thread = Thread(target=self._work, name="table", daemon=True)
            self._thread.start()
        return done

    async def run(self, task: Callable[..., Result], *values: Any, compiles: bool = False) -> Result:
        """Wait for a function in this thread, while the server goes on. Texts are in the caller's language.

        Args:
            task: the function
            values: its arguments
            compiles: True if it may compile, for which other tables wait

        Raises:
            NotCompiled: it would have to compile and may not.
        """

        def without_compiling() -> Result:
            with no_compiling():
                return task(*values)

        run = copy_context().run
        return await asyncio.wrap_future(
            self.submit(run, task, *values) if compiles else self.submit(run, without_compiling)
        )


async def apart(task: Callable[..., Result], *values: Any, compiles: bool = False) -> Result:
    """The same in a thread of its own, which is interrupted once nobody waits for it any more. Agents that it
    runs read English."""
    worker = Worker()
    try:
        with speaking(ENGLISH):
            return await worker.run(task, *values, compiles=compiles)
    except asyncio.CancelledError:
        worker.interrupt()
        raise
    finally:
        worker.end()

"""The thread that plays for all tables of a server."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from stichwerk.table.compiling import no_compiling

Result = TypeVar("Result")


class Worker:
    """A thread that plays for all tables, one action after another: a decision takes about a millisecond. It
    ends with the process, whatever it does."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, name="tables", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._tasks.get()()

    def submit(self, task: Callable[..., Result], *values: Any) -> Future[Result]:
        """Call a function after all that were submitted before.

        Returns:
            Will hold what the function returns, or the exception that it raises.
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
        return done

    async def run(self, task: Callable[..., Result], *values: Any, compiles: bool = False) -> Result:
        """What a function returns, or the exception that it raises; meanwhile the server goes on.

        Args:
            task: the function
            values: its arguments
            compiles: whether it may compile, which other tables wait for

        Raises:
            NotCompiled: it would have to compile and may not.
        """

        def without_compiling() -> Result:
            with no_compiling():
                return task(*values)

        return await asyncio.wrap_future(
            self.submit(task, *values) if compiles else self.submit(without_compiling)
        )


worker = Worker()
work = worker.run

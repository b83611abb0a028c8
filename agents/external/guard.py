"""Guards that keep code from outside from ending, stopping or moving the command that runs it."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from stichwerk.agents.core.agent import AgentError
from stichwerk.support.errors import error_line

LOOK = 0.25  # seconds between looks at whether code has come back

_ends: dict[int, tuple[float, str]] = {}  # by thread: when the process is ended, and the reason
_watch: threading.Thread | None = None


class Guard:
    """Runs the code from outside of one agent, which may change the present folder for itself alone.

    Attributes:
        patience: seconds after its time in which code is interrupted, and again until its process is ended
        again: seconds between interruptions, of code that catches them
    """

    patience = 5.0
    again = 1.0

    def __init__(self) -> None:
        self._folder: str | None = None  # None: where the command is

    @contextmanager
    def __call__(self, agent: str, failed: str, seconds: float = 0.0) -> Iterator[None]:
        """Run a block: whatever it raises, but for Ctrl-C, is an AgentError.

        Args:
            agent, failed: what the message says, such as `agent mine` and `crashed`
            seconds: that the block may take; 0: any time. It is interrupted `patience` later. That fails
                outside the main thread and on systems without alarms. If the block still runs after as long
                again, the process ends with one line and status 2.
        """
        here = _present()
        _enter(self._folder)
        limit = seconds + self.patience
        try:
            with time_limit(limit, agent, self.patience, self.again) if seconds else nullcontext():
                yield
        except (AgentError, KeyboardInterrupt):
            raise
        except OutOfTime:
            got = f"got no answer in {limit:.3g} s"
            raise AgentError(f"{agent} is too slow: {got}; expected one in {seconds:.3g} s") from None
        except BaseException as error:
            raise AgentError(f"{agent} {failed}: {error_line(error)}") from error
        finally:
            there = _present()
            if there != here:
                _enter(here)
            self._folder = there if there != here else None


def _present() -> str | None:
    """The present folder; None if it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _enter(folder: str | None) -> None:
    if folder and folder != _present():
        with suppress(OSError):
            os.chdir(folder)


# Time


class OutOfTime(BaseException):
    """Raised inside code that has not come back in time. No Exception, so that few catch it."""


@contextmanager
def time_limit(seconds: float, agent: str, patience: float, again: float) -> Iterator[None]:
    """Raise OutOfTime inside the block after `seconds`, and every `again` seconds if it is caught. End the
    process if that does not help in `patience` seconds more."""
    global _watch
    if _watch is None or not _watch.is_alive():
        _watch = threading.Thread(target=_end_what_hangs, daemon=True)
        _watch.start()
    thread = threading.get_ident()
    limit = seconds + patience
    _ends[thread] = time.monotonic() + limit, f"{agent} cannot be interrupted: got no answer in {limit:.3g} s"
    try:
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
            with _alarm(seconds, again):
                yield
        else:
            yield
    finally:
        _ends.pop(thread, None)


@contextmanager
def _alarm(seconds: float, again: float) -> Iterator[None]:
    within = True

    def ring(number, frame):
        if within:
            raise OutOfTime

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    rest, every = signal.setitimer(signal.ITIMER_REAL, seconds, again)
    try:
        yield
    finally:
        within = False
        passed = time.monotonic() - begun
        signal.setitimer(signal.ITIMER_REAL, max(rest - passed, 1e-3) if rest else 0.0, every)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


def _end_what_hangs() -> None:
    while True:
        time.sleep(LOOK)
        for end, reason in list(_ends.values()):
            if time.monotonic() > end:
                os.write(2, f"error: {reason}\n".encode(errors="replace"))
                os._exit(2)

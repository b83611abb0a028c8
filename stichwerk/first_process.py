"""Commands as the first process of a container."""

import os
import signal
import sys


def go_on_in_a_child() -> None:
    """Let a child do the work if this process is the first one of its container, with the number 1.

    The kernel keeps from that process every signal that it does not handle: `docker stop` would wait for ten
    seconds while a command starts or compiles. A handler in Python would wait too, for the end of compiled
    code. The first process hands on signals, and ends with the status of the child, as an init does.
    """
    if os.getpid() != 1:
        return
    child = os.fork()
    if not child:
        return
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: os.kill(child, number))
    if sys.stdin and sys.stdin.isatty():  # from the keyboard the child gets it too
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        ended, status = os.wait()  # others are orphans
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)

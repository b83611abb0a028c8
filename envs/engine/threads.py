"""Threads that are begun when they are first needed, in each process its own."""

import os
from concurrent.futures import ThreadPoolExecutor


class Threads:
    """A pool of threads of the process that asks: a forked child has none of its parent's."""

    def __init__(self, number: int):
        self.number = number
        self._pools: dict[int, ThreadPoolExecutor] = {}

    @property
    def pool(self) -> ThreadPoolExecutor:
        if os.getpid() not in self._pools:
            self._pools = {os.getpid(): ThreadPoolExecutor(self.number)}
        return self._pools[os.getpid()]

    def close(self) -> None:
        """End the threads, if there are any."""
        if pool := self._pools.pop(os.getpid(), None):
            pool.shutdown()

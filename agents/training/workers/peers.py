"""Processes that work in step. The first one leads: what it does with `together` all of them do, and in
between they add up numbers. torch.distributed carries both, by gloo.

A process that is lost breaks the connections of all others at their next exchange, so none goes on alone.
"""

import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import torch
from torch import distributed

from stichwerk.support.errors import InputError, error_line
from stichwerk.support.machine.cluster import WorkerDied, as_here, as_task, attempt, connect, outcome_of

LONGEST_WAIT = timedelta(days=1)  # for a process that is at work between two exchanges
PATIENCE = 10.0  # seconds until a process has told why it ends
LOOPBACK = ("lo", "lo0")  # by its names in Linux and macOS: what stays on this machine goes by it
INTERFACE = "GLOO_SOCKET_IFNAME"  # by which gloo listens


class WorkerLost(InputError):  # noqa: N818 - nothing is wrong with what was given
    """A worker has died, so the others cannot continue."""


class Peers:
    """This process among those that work in step, which find each other by a store; without one it is alone.

    Attributes:
        rank: its number; 0 leads
        size: how many there are
        subject: what `together` is about, in each process its own
    """

    def __init__(self, rank: int = 0, size: int = 1, store: distributed.Store | None = None):
        self.rank, self.size = rank, size
        self.subject: Any = None
        if store:
            distributed.init_process_group("gloo", None, LONGEST_WAIT, size, rank, store)

    def close(self) -> None:
        distributed.destroy_process_group()

    def together(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call `function(subject, *arguments)` in all processes, from the one that leads.

        Args:
            function: of a module

        Returns:
            The results by rank.
        """
        with _exchange():
            distributed.broadcast_object_list([(function, arguments)], 0)
        return self.share(function(self.subject, *arguments))

    def follow(self) -> None:
        """Do what the leading process does together with all, until it ends."""
        told: list[Any] = [None]
        while True:
            with _exchange():
                distributed.broadcast_object_list(told, 0)
            function, arguments = told[0]
            self.share(function(self.subject, *arguments))

    def share(self, result: Any) -> list[Any]:
        """The results of all processes, by rank, in each of them."""
        results = [result] * self.size
        if self.size > 1:
            with _exchange():
                distributed.all_gather_object(results, result)
        return results

    def add(self, numbers: torch.Tensor) -> torch.Tensor:
        """The sums over all processes, in the same order in each of them; `numbers` is overwritten unless it
        is on a GPU."""
        if self.size == 1:
            return numbers
        with _exchange():
            sums = numbers.cpu()
            distributed.all_reduce(sums)
            return sums.to(numbers.device)

    def add_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Replace the gradients by their sums over all processes."""
        if self.size == 1:
            return
        gradients = [each.grad for each in parameters if each.grad is not None]
        sums = self.add(torch.nn.utils.parameters_to_vector(gradients))
        torch.nn.utils.vector_to_parameters(sums, gradients)


@contextmanager
def _exchange() -> Iterator[None]:
    """The exchanges of torch have no errors of their own; out of memory is another one."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        raise WorkerLost(f"a worker is lost: {error_line(error)}") from None


class Part(NamedTuple):
    """The part of a process that follows.

    Attributes:
        rank: its number
        size: how many processes there are
        follow: a function of a module, `follow(peers, argument)`, which sets the subject and calls
            `peers.follow`
        argument: of that function
    """

    rank: int
    size: int
    follow: Callable[[Peers, Any], None]
    argument: Any

    def take(self, store: distributed.Store) -> None:
        """Follow until the process that leads ends."""
        store.set(_key(self.rank), "")
        with closing(Peers(self.rank, self.size, store)) as peers:
            self.follow(peers, self.argument)


def _key(rank: int) -> str:
    return f"begun/{rank}"


class LocalProcess:
    """A process of this machine, which ends with the leading one, however that ends."""

    def __init__(self, part: Part, store: str):
        context = get_context("spawn")
        self._told, tell = context.Pipe(duplex=False)
        arguments = part, store, os.getcwd(), [*sys.path], tell
        self._process = context.Process(target=_take_here, args=arguments, name=f"worker {part.rank}")
        taken = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which it inherits
        try:
            self._process.start()
        finally:
            signal.signal(signal.SIGINT, taken)
        tell.close()

    def has_ended(self) -> bool:
        return not self._process.is_alive()

    def fault(self) -> Exception | None:
        """Why it has ended; None: because others have, or because it was to."""
        with suppress(EOFError):
            if self._told.poll():
                return self._told.recv()
        status = self._process.exitcode or 0
        how = f"status {status}" if status > 0 else f"signal {-status}"
        return WorkerLost(f"{self._process.name} has ended with {how}") if status else None

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._told.close()


def _take_here(part: Part, store: str, folder: str, paths: list[str], tell: Connection) -> None:
    as_here(folder, paths)
    for number in (signal.SIGINT, signal.SIGTERM):  # of which the leading process stops, and then all others
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    error = attempt(part.take, distributed.FileStore(store, part.size))
    if error and not isinstance(error, WorkerLost):
        tell.send(error)


def _end_with_parent() -> None:
    """Before they have met, no connection breaks if the parent is killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class RayProcess:
    """A task of a cluster, which takes a core."""

    def __init__(self, part: Part, ray: Any, address: tuple[str, int]):
        self._ray, self._name = ray, f"worker {part.rank}"
        self._task = as_task(ray).remote(os.getcwd(), _take_there, (part, address))

    def has_ended(self) -> bool:
        return bool(self._ray.wait([self._task], timeout=0)[0])

    def fault(self) -> Exception | None:
        outcome = outcome_of(self._ray, self._task) if self.has_ended() else None
        if isinstance(outcome, WorkerDied):
            return WorkerLost(f"{self._name} has ended: {outcome}")
        return None if isinstance(outcome, WorkerLost) else outcome

    def end(self) -> None:
        self._ray.cancel(self._task, force=True)
        self._ray.wait([self._task], timeout=PATIENCE)


def _take_there(task: tuple[Part, tuple[str, int]]) -> None:
    part, address = task
    part.take(distributed.TCPStore(*address, part.size))


Other = LocalProcess | RayProcess


@contextmanager
def leading(parts: Sequence[Part], cluster: str = "") -> Iterator[Peers]:
    """This process as the one that leads, with others that take these parts.

    Args:
        parts: of the ranks from 1 on
        cluster: where they are taken, as in `connect`; empty: on this machine

    Raises:
        WorkerLost: one of the others has died. An error in one of them is raised as it was there.
    """
    with ExitStack() as ends:
        others: list[Other] = []
        try:
            store = _begin(parts, others, cluster, ends)
            peers = Peers(0, 1 + len(parts), store)
            ends.callback(peers.close)
            yield peers
        except WorkerLost as lost:
            raise _cause(others) or lost from None


def _begin(parts: Sequence[Part], others: list[Other], cluster: str, ends: ExitStack) -> distributed.Store:
    """Begin the other processes and wait for them; returns the store by which all find each other."""
    store: distributed.Store
    if cluster:
        ray = connect(cluster)
        host, size = ray.util.get_node_ip_address(), 1 + len(parts)
        store = tcp = distributed.TCPStore(host, 0, size, True, wait_for_workers=False)
        for part in parts:
            others.append(RayProcess(part, ray, (host, tcp.port)))
            ends.callback(others[-1].end)
    else:
        file = str(Path(ends.enter_context(tempfile.TemporaryDirectory()), "store"))
        ends.enter_context(_by_loopback())
        for part in parts:
            others.append(LocalProcess(part, file))
            ends.callback(others[-1].end)
        store = distributed.FileStore(file, 1 + len(parts))
    while not store.check([_key(part.rank) for part in parts]):
        if any(other.has_ended() for other in others):
            raise WorkerLost("a worker was lost before it began")
        time.sleep(0.02)
    return store


def _cause(others: Sequence[Other]) -> Exception | None:
    """Why the first of the others has ended; the rest end at their next exchange."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        all_ended = all(other.has_ended() for other in others)
        faults = [fault for other in others if (fault := other.fault())]
        if all_ended or faults:
            return next(iter(faults), None)
        time.sleep(0.02)
    return None


@contextmanager
def _by_loopback() -> Iterator[None]:
    """Let gloo, here and in processes that begin here, listen where no other machine can reach it."""
    names = [name for _, name in socket.if_nameindex() if name in LOOPBACK]
    if INTERFACE in os.environ or not names:
        yield
        return
    os.environ[INTERFACE] = names[0]
    try:
        yield
    finally:
        del os.environ[INTERFACE]

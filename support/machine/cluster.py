"""Work on several cores and machines, by Ray.

The results depend neither on the place nor on the number of processors, if these are of one kind (on others
networks round otherwise).

    outcomes = run_all(train_one, configs, cluster="auto", on_done=tell)

`function(argument)` is called for each argument: here, one after the other, or with a cluster as tasks of one
core each, side by side. The function is one of a module that is installed on every machine, and what it takes
and returns can be pickled.
"""

import os
import re
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from stichwerk.support.errors import InputError, one_line, quoted
from stichwerk.support.extras import from_extra

Argument = TypeVar("Argument")
Result = TypeVar("Result")
Failure = InputError | OSError | MemoryError
FAILURES = (InputError, OSError, MemoryError)  # told in one line; any other exception is a fault of the code

AUTO = "auto"
ADDRESS = re.compile(r"(ray://)?([^/\s:]+|\[[^/\s]+\]):(\d{1,5})")
PATIENCE = 5.0  # seconds until an address that does not answer is given up
WAITING = 2  # tasks for each core that are begun or queued
TRIES = 3  # of a task whose worker dies: a call that kills every worker must come to an end

_joined = ""  # the cluster that this process has come to


class ClusterError(InputError):
    """A cluster that is not there, or that has lost some of the work."""


class WorkerDied(Exception):  # noqa: N818 - the task may still come to its end
    """A worker has died in the middle of a task."""


def run_all(
    function: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    cluster: str = "",
    on_done: Callable[[int, Result | Failure], None] = lambda number, outcome: None,
) -> list[Result | Failure]:
    """`function(argument)` for every argument.

    A call whose worker dies is made again on another, so the function must come to the same when it is called
    again. After three such tries its outcome is ClusterError.

    Args:
        function: of one argument
        arguments: for each of them it is called
        cluster: "auto" or the address of one, as in `connect`; empty: none
        on_done: is told in this process of each outcome, with its argument's number, as soon as it is known

    Returns:
        The outcomes in the order of the arguments. An outcome is a result, or the InputError, OSError or
        MemoryError in its place: such a failure stops no other call.

    Raises:
        Exception: any other one, and the rest is given up. After KeyboardInterrupt the calls at work get it
            too, and may answer by tidying up.
    """
    outcomes: dict[int, Result | Failure] = {}
    with closing(_outcomes(function, arguments, cluster)) as found:
        for number, outcome in found:
            outcomes[number] = outcome
            on_done(number, outcome)
    return [outcomes[number] for number in range(len(arguments))]


def in_order(
    function: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    cluster: str = "",
    processes: int = 1,
) -> Generator[Result]:
    """The results of `function(argument)` in the order of the arguments, each as soon as all before it are
    known. The first failure is raised, and the rest given up.

    Args:
        function: of one argument
        arguments: for each of them it is called
        processes: of this machine that work where there is no cluster; 1: this one
    """
    early: dict[int, Result | Failure] = {}
    with closing(_outcomes(function, arguments, cluster, processes)) as found:
        for number in range(len(arguments)):
            while number not in early:
                early.update([next(found)])
            outcome = early.pop(number)
            if isinstance(outcome, FAILURES):
                raise outcome
            yield outcome


def connect(cluster: str) -> Any:
    """Ray, connected to a cluster: "auto", the running one or else a local one on this machine, or an address
    such as ray://host:10001 or host:6379.

    A process stays with the cluster that it has come to. Raises ClusterError for an address where none
    answers, or that is not that cluster's, and MissingExtra without Ray.
    """
    global _joined
    place = ADDRESS.fullmatch(cluster)
    if cluster != AUTO and not place:
        allowed = "auto, or an address such as ray://host:10001 or host:6379"
        raise ClusterError(f"cluster: got {quoted(cluster)}; expected {allowed}")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # tell nobody
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # leave GPUs as they are
    ray = from_extra("ray", "ray")
    if ray.is_initialized():
        if place and _joined and cluster != _joined:
            allowed = f"this process works on {_joined}, and on no other"
            raise ClusterError(f"cluster {quoted(cluster)}: {allowed}")
        return ray
    if place:
        _knock(cluster, place[2].strip("[]"), int(place[3]))
    try:
        if place and place[1]:
            ray.init(cluster, log_to_driver=False)
        else:
            address = running_or_local() if cluster == AUTO else cluster
            ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="error")
    except Exception as error:  # Ray's errors here have no common kind
        token = "" if "RAY_AUTH_MODE" in os.environ else " (if it asks for a token, set RAY_AUTH_MODE=token)"
        raise ClusterError(f"cluster {quoted(cluster)} cannot be used: {error}{token}") from None
    _joined = cluster
    return ray


def running_or_local() -> str | None:
    """The address that Ray finds by "auto": None, the running cluster or else a local one. "local" where the
    last one that `ray start` has made was killed, because Ray would wait for it for minutes."""
    last = Path(os.environ.get("RAY_TMPDIR", tempfile.gettempdir()), "ray", "ray_current_cluster")
    if "RAY_ADDRESS" in os.environ or not last.is_file():
        return None
    host, _, port = last.read_text(encoding="utf-8").rpartition(":")
    try:
        _knock(AUTO, host, int(port))
    except (ClusterError, ValueError):
        return "local"
    return None


def _knock(cluster: str, host: str, port: int) -> None:
    """ClusterError if nothing listens there; Ray itself would wait for minutes, and then end the process."""
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"cluster {quoted(cluster)} does not answer: {error}") from None


def _outcomes(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], cluster: str, processes: int = 1
) -> Generator[tuple[int, Result | Failure]]:
    """Each argument's number and outcome, in whatever order they become known."""
    if cluster:
        yield from _tasks(connect(cluster), function, arguments)
        return
    if processes > 1:
        yield from _by_processes(processes, function, arguments)
        return
    for number, argument in enumerate(arguments):
        yield number, attempt(function, argument)


def _by_processes(
    processes: int, function: Callable[[Argument], Result], arguments: Sequence[Argument]
) -> Generator[tuple[int, Result | Failure]]:
    """Find the outcomes by processes of this machine; a process that dies ends all of them."""
    left, numbers = iter(enumerate(arguments)), dict[Future, int]()
    pool = ProcessPoolExecutor(processes, get_context("spawn"), as_here, (os.getcwd(), [*sys.path]))
    try:
        while True:
            for number, argument in islice(left, WAITING * processes - len(numbers)):
                numbers[pool.submit(attempt, function, argument)] = number
            if not numbers:
                return
            done, _ = wait(numbers, return_when=FIRST_COMPLETED)
            for future in done:
                yield numbers.pop(future), future.result()
    except BrokenProcessPool:
        raise ClusterError("a worker process has died, and its work is lost") from None
    finally:
        pool.shutdown(cancel_futures=True)


def as_here(folder: str, paths: list[str]) -> None:
    """Let a new process find files and modules as the first one does, compute in one thread, and end at once
    on Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.chdir(folder)
    sys.path[:] = paths


def attempt(function: Callable[[Argument], Result], argument: Argument) -> Result | Failure:
    """The result of a call, or the failure in its place."""
    try:
        return function(argument)
    except FAILURES as error:
        return error


def _attempt_there(folder: str, function: Callable[[Argument], Result], argument: Argument) -> Any:
    """Call the function on a worker, in the caller's folder where the worker can see it. The paths and
    modules that the caller names are then the same."""
    if os.path.isdir(folder):
        os.chdir(folder)
        if folder not in sys.path:
            sys.path.append(folder)
    return attempt(function, argument)


def _tasks(
    ray: Any, function: Callable[[Argument], Result], arguments: Sequence[Argument]
) -> Generator[tuple[int, Result | Failure]]:
    """Find the outcomes by Ray's tasks, of which no more are queued than the cores will soon need. If this
    ends early, so do they."""
    task = as_task(ray)
    folder = os.getcwd()
    left = iter(enumerate(arguments))
    numbers: dict[Any, int] = {}  # of the tasks begun or queued
    died: Counter[int] = Counter()  # how many workers, by the number of the task
    try:
        while True:
            room = WAITING * int(ray.cluster_resources().get("CPU", 1)) - len(numbers)
            for number, argument in islice(left, max(room, 0)):
                numbers[task.remote(folder, function, argument)] = number
            if not numbers:
                return
            (done, *_), _ = ray.wait(list(numbers))
            number = numbers.pop(done)
            outcome = outcome_of(ray, done)
            if isinstance(outcome, WorkerDied):
                died[number] += 1
                if died[number] < TRIES:
                    numbers[task.remote(folder, function, arguments[number])] = number
                    continue
                outcome = ClusterError(f"{TRIES} workers of the cluster have died of one task: {outcome}")
            yield number, outcome
    finally:
        _give_up(ray, list(numbers))


@cache
def as_task(ray: Any) -> Any:
    """The one task for all functions: Ray keeps each function that is made a task for good."""
    return ray.remote(num_cpus=1, max_retries=0)(_attempt_there)


def outcome_of(ray: Any, task: Any) -> Any:
    """The result of a task; an exception that is a fault of the code is raised as it was there."""
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        return WorkerDied(one_line(str(error)))


def _give_up(ray: Any, tasks: list[Any]) -> None:
    """Interrupt tasks as Ctrl-C would, and wait until they have ended; a second Ctrl-C ends them at once."""
    try:
        for task in tasks:
            ray.cancel(task)
        for task in tasks:
            ray.wait([task])
    except KeyboardInterrupt:
        for task in tasks:
            ray.cancel(task, force=True)
        raise

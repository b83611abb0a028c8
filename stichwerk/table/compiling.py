"""Compiling the functions that a table needs first, in another process, while other tables continue.

To compile a search takes up to half a minute, in which the thread that plays for all tables would do nothing
else. Nor could another thread of the process load what is compiled already: Numba has one lock for both. So
that thread calls functions inside of `no_compiling`. What then fails is done again after another process has
compiled it, and kept it on disk.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from numba import config
from numba.core import event

from stichwerk.agents.core.agent import Agent
from stichwerk.envs.spec.game import Game
from stichwerk.support.language import tr

LONGEST = 300.0  # seconds that the other process may take: an agent there may never answer


def is_interpreted() -> bool:
    """True in a process that compiles nothing, as tables begin while another one compiles their game."""
    return bool(config.DISABLE_JIT)  # type: ignore[attr-defined]


class NotCompiled(Exception):  # noqa: N818 - nothing is wrong: it takes longer
    """A function has to be compiled first."""


@dataclass(frozen=True)
class Needs:
    """The functions that a process compiles in addition to the game itself.

    Attributes:
        agents: their texts
        study: True for the ratings of these agents, and exact values
        review: True for the judgement of a deal's decisions
    """

    agents: Sequence[str] = ()
    study: bool = False
    review: bool = False

    def told(self) -> str:
        """The same in words."""
        parts = [*dict.fromkeys(self.agents)]
        if self.study:
            parts.append(tr("exact values"))
        if self.review:
            parts.append(tr("the review of decisions"))
        return tr(" and ").join(parts) or tr("this game")


class _Here(threading.local):
    """Of each thread: True if it may not compile, and if that has made something fail."""

    refuses = failed = False


_here = _Here()


class _Refusal(event.Listener):
    """Lets functions fail that a thread would have to compile. Those that are not kept on disk do not: no
    other process could help."""

    def on_start(self, event: event.Event) -> None:
        if _here.refuses and event.data["dispatcher"].stats.cache_path is not None:
            _here.failed = True
            raise NotCompiled(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _Refusal())


@contextmanager
def no_compiling() -> Iterator[None]:
    """A block that compiles nothing in this thread.

    Raises:
        NotCompiled: it would have to; also where the guard of an agent has made another error of that.
    """
    _here.refuses, _here.failed = True, False
    try:
        yield
    except Exception:
        if _here.failed:
            raise NotCompiled from None
        raise
    finally:
        _here.refuses = False


@contextmanager
def drawing_nothing(agent: Agent) -> Iterator[None]:
    """A block in which an agent draws random numbers, unless something has to be compiled for it first: then
    it will be asked again."""
    chance = agent.random.bit_generator.state
    try:
        yield
    except NotCompiled:
        agent.random.bit_generator.state = chance
        raise


async def compile_apart(game: Game, needs: Needs, idle: bool = False) -> None:
    """Compile in another process, which ends with this task at the latest.

    A failure there, or a process that does not end, shows when the function is called here.

    Args:
        game: with its rules
        needs: what is compiled
        idle: True: while nothing else is to be done
    """
    asked = {"env": game.address or game.env_id, "rules": game.rules.as_dict(), "idle": idle, **asdict(needs)}
    # Asyncio's own processes outlive an event loop that ends, and say so.
    process = subprocess.Popen(
        [sys.executable, "-m", "stichwerk.table.serving.processes.rehearsal"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(sys.path)},  # for games and agents of the present folder
    )

    def wait() -> None:
        with suppress(subprocess.TimeoutExpired):
            process.communicate(json.dumps(asked).encode(), LONGEST)
        process.kill()
        process.wait()

    try:
        await asyncio.to_thread(wait)
    finally:
        process.kill()

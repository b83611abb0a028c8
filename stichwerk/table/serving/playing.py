"""Agents that play at a table, while people there may do something else.

An agent thinks in a thread of its own, and shares nothing with the table. So the table goes on if one never
answers: the people are told, and may seat another agent.
"""

import asyncio
from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.support.errors import InputError, error_line, quoted
from stichwerk.support.language import tr
from stichwerk.table.compiling import Needs, drawing_nothing
from stichwerk.table.opponents import default_opponent, offered_opponents, told_name
from stichwerk.table.protocol import Stalled
from stichwerk.table.serving.worker import apart

if TYPE_CHECKING:
    from stichwerk.table.serving.room import Room


def choice(agent: Agent, turn: Turns) -> int:
    """The action of an agent in its turn; InputError if it fails."""
    with drawing_nothing(agent):
        return int(agent.act(turn)[0])


class Playing:
    """The agents of one table as they play.

    Args:
        room: of the table
        patience: seconds after which people are told that an agent does not answer
    """

    def __init__(self, room: "Room", patience: float):
        self._room, self._patience = room, patience
        self._task: asyncio.Task[None] | None = None
        self._seat = 0  # of the agent that was asked last
        self._fault: Callable[[], str] | None = None  # of that agent, in words

    def go_on(self) -> None:
        """Let agents play until a person is to act; one action if they are watched."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(
                self._play(), context=Context()
            )  # for all pages, not for one reader

    def stop(self) -> None:
        """Wait for no agent any more."""
        if self._task:
            self._task.cancel()

    def leave(self, seat: int) -> None:
        """Wait no more for the agent that was asked last, if it is this seat's."""
        if self._seat == seat:
            self.stop()
            self._task = None
            self._tell(None)

    async def replace(self, who: str) -> None:
        """Let another agent play on in place of one that does not answer, or fails.

        Raises:
            InputError: the agent is not offered, or none has failed.
        """
        table = self._room.table
        offered = offered_opponents(table.game)
        if who not in offered:
            raise InputError(f"agent: got {quoted(who)}; expected one of {', '.join(offered)}")
        if not self._fault:
            raise InputError("replace: got it while the agents play; expected it when one does not answer")
        await self._room.work(table.replace_agent, self._seat, who)
        self.leave(self._seat)

    def message(self) -> Stalled:
        """The message about an agent that does not answer; after that an empty text."""
        agents = offered_opponents(self._room.table.game) if self._fault else ()
        return {"type": "stalled", "text": self._fault() if self._fault else "", "agents": list(agents)}

    def _tell(self, fault: Callable[[], str] | None) -> None:
        before, now = (each and each() for each in (self._fault, fault))
        self._fault = fault
        if now != before:
            self._room.tell(self.message)

    async def _play(self) -> None:
        table = self._room.table
        while table.waits_for_agent:
            try:
                await self._move()
            except Exception as error:  # of an agent from outside
                said = str(error) if isinstance(error, InputError) else error_line(error)
                self._tell(partial(str, said))
                return
            self._tell(None)
            if table.is_watched:
                return

    async def _move(self) -> None:
        """Let the agent to act play one action, unless the table changes while it thinks."""
        room, table = self._room, self._room.table
        async with room.lock:
            if table.turn is None or not table.waits_for_agent:
                return
            version, self._seat = table.version, table.turn
            who, asked = table.seats[self._seat], await room.work(table.asked)
        if who is None:  # a person's, which is covered
            who = default_opponent(table.game)
        needs = Needs([who] if isinstance(who, str) else [])
        action = await room.first_compiled(self._answered, choice, *asked, needs=needs)
        async with room.lock:
            if table.version == version:
                await room.work(table.answer, action, needs=needs)
                await room.tell_all()

    async def _answered(self, *task: Any, compiles: bool = False) -> Any:
        """The answer of an agent, which may take any time."""
        thought = asyncio.ensure_future(apart(*task, compiles=compiles))
        try:
            await asyncio.wait([thought], timeout=self._patience)
            if not thought.done():
                name, seconds = self._room.table.names[self._seat], f"{self._patience:g}"
                self._tell(
                    lambda: tr(
                        "{agent} has not answered for {seconds} seconds.",
                        agent=told_name(name),
                        seconds=seconds,
                    )
                )
            return await thought
        finally:
            thought.cancel()

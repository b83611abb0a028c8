"""A table that is under way, and the pages that show it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.shown import ShownDeal
from stichwerk.envs.render.film import to_page
from stichwerk.envs.render.shapes import Face
from stichwerk.support.errors import InputError
from stichwerk.support.language import speaking, spoken, tr
from stichwerk.table.compiling import Needs, NotCompiled, compile_apart
from stichwerk.table.languages import in_language
from stichwerk.table.opponents import offered_opponents, told_name
from stichwerk.table.protocol import Compiling, Message, allowed, read_request
from stichwerk.table.serving.answers import Answers
from stichwerk.table.serving.playing import Playing
from stichwerk.table.serving.worker import Worker, apart
from stichwerk.table.table import Table
from stichwerk.table.words import in_words

MOST_PAGES = 6  # of one seat at a time
MOST_WAITING = 200  # messages that a page has not taken yet
MOST_SHOWN = 50  # deals on the page of the record
NOTHING_ELSE = Needs()
SEAT = re.compile(r"\bplayer_(\d)\b")

if TYPE_CHECKING:
    from stichwerk.table.serving.rooms import Rooms

Result = TypeVar("Result")


class Page:
    """A page in a browser that shows a seat.

    Attributes:
        seat: the seat; of a spectator the one whose cards are shown, or SPECTATOR: all cards
        language: the catalogue of its texts
        waiting: messages to be sent
        must_go: True if it has taken too few of them, or its table is closed
    """

    def __init__(self, seat: int):
        self.seat = seat
        self.language = spoken()
        self.waiting: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)
        self.must_go = False

    def tell(self, message: Message) -> None:
        try:
            self.waiting.put_nowait(message)
        except asyncio.QueueFull:
            self.must_go = True

    def send_away(self) -> None:
        """Close the connection, after what is waiting."""
        self.must_go = True
        if not self.waiting.full():
            self.waiting.put_nowait({"type": "closed"})


class Room:
    """A table with the pages that show it.

    Attributes:
        root: the table from which this one was opened, or that one from which it was; else itself
        opening: held while a page sends a text to open
        lock: held while the table changes
        worker: plays at the table

    Args:
        table: the table
        rooms: all tables of the server
    """

    def __init__(self, table: Table, rooms: "Rooms"):
        self.table = table
        self.root = self
        self.opening = asyncio.Lock()
        self.rooms = rooms
        self.pages: set[Page] = set()
        self.lock = asyncio.Lock()
        self.worker = Worker()
        self.playing = Playing(self, rooms.patience)
        self._compiled: Needs | None = None  # what is being compiled
        self.answers = Answers(self)
        self._films: dict[
            Any, tuple[str, list[Any]]
        ] = {}  # by face and language: the last page, and its deals

    def enter(self, seat: int) -> Page:
        """Show a seat on one more page; InputError if it has too many."""
        if sum(page.seat == seat or self.table.is_watched for page in self.pages) >= MOST_PAGES:
            raise InputError(f"pages: got more than {MOST_PAGES} of one seat; expected fewer")
        page = Page(0 if self.table.is_watched else seat)
        self.pages.add(page)
        return page

    @property
    def is_between(self) -> bool:
        """True if nobody looks on in the middle of a deal: it is over, or nothing was played."""
        table = self.table
        return not self.pages or table.result is not None or (table.is_fresh and not table.waits_for_agent)

    def close(self) -> None:
        """Send all pages away, and play no more."""
        for page in self.pages:
            page.send_away()
        self.playing.stop()
        self.worker.end()

    def leave(self, page: Page) -> None:
        self.pages.discard(page)
        self._tell_who_is_here()

    async def welcome(self, page: Page) -> None:
        """Send a page the table as it is. An agent that has played in its place does so no more."""
        if page.seat in self.table.covered:
            async with self.lock:
                await self.work(self.table.uncover, page.seat)
                self.playing.leave(page.seat)
                await self.tell_all()
        page.tell(await self.work(self.table.message, page.seat))
        if review := await self.work(self.answers.kept, page.seat):
            page.tell(review)
        if "new" in allowed(self.table.role):
            agents = await self.work(offered_opponents, self.table.game)
            page.tell({"type": "offer", "agents": list(agents)})
        if self._compiled:
            page.tell(self._compiling())
        page.tell(self.playing.message())
        self._tell_who_is_here()
        self._go_on()

    async def take(self, page: Page, given: Mapping[str, Any]) -> None:
        """Answer a request of a page, or tell it why not."""
        async with self.lock:
            before = self.table.version, self.table.names
            try:
                if answer := await self.answers.to(page, read_request(given, self.table.role)):
                    page.tell(answer)
            except InputError as error:
                page.tell({"type": "refusal", "text": str(error)})
            if (self.table.version, self.table.names) != before:
                await self.tell_all()
        self._go_on()

    def _go_on(self) -> None:
        if not self.table.is_watched:  # there each page asks for the next action
            self.playing.go_on()

    async def record_page(self, seat: int, face: Face) -> str:
        """A page to step through the deals that are over, whose cards have this face."""
        async with self.lock:
            return await self.work(self._film, seat, face)

    def _film(self, seat: int, face: Face) -> str:
        game, sees = self.table.game, self.table.sees(seat)
        deals = [deal for deal in self.table.deals(sees) if deal.points is not None]
        first = max(len(deals) - MOST_SHOWN, 0)
        deals = deals[first:]
        if sees is None:
            deals = [self.answers.judged(deal) for deal in deals]
        made_of = [first, deals]
        look = face, spoken().code
        if self._films.get(look, ("", None))[1] != made_of:
            replay = RecordReplay(game)

            def named(deal: DealRecord) -> DealRecord:
                return replace(deal, players=tuple(map(told_name, deal.players)))

            films = [
                in_words(game, ShownDeal(number, game, named(deal), replay.seen(deal)).film(face))
                for number, deal in enumerate(deals, first + 1)  # a record of one seat has no number
            ]
            title = tr("{game}: deals at this table", game=tr(game.title))
            page = in_language(to_page(title, films), spoken().code)
            self._films[look] = SEAT.sub(lambda found: tr("player_{number}", number=found[1]), page), made_of
        return self._films[look][0]

    async def tell_all(self) -> None:
        """Send all pages the table as it is, and keep it so where tables are kept."""
        if self.rooms.keeper:
            await self.work(self.rooms.keeper.keep, self.table)
        for seat, language in {(page.seat, page.language) for page in self.pages}:
            with speaking(language):
                message = await self.work(self.table.message, seat)
            for page in self.pages:
                if (page.seat, page.language) == (seat, language):
                    page.tell(message)

    async def work(self, task: Callable[..., Result], *values: Any, needs: Needs = NOTHING_ELSE) -> Result:
        """Call a function that plays at this table; arguments and result are those of `first_compiled`."""
        return await self.first_compiled(self.worker.run, task, *values, needs=needs)

    async def ask(self, task: Callable[..., Result], *values: Any, needs: Needs = NOTHING_ELSE) -> Result:
        """Call a function that runs agents, and leaves this table alone; InputError if it takes too long."""
        patience = self.rooms.patience

        async def limited(*task: Any, compiles: bool = False) -> Any:
            try:
                async with asyncio.timeout(patience):
                    return await apart(*task, compiles=compiles)
            except TimeoutError:
                expected = f"expected one in {patience:g} seconds"
                raise InputError(f"agents: got no answer; {expected}") from None

        return await self.first_compiled(limited, task, *values, needs=needs)

    async def first_compiled(
        self, run: Callable[..., Awaitable[Result]], *task: Any, needs: Needs = NOTHING_ELSE
    ) -> Result:
        """Call a function, after another process has compiled its needs.

        Meanwhile other tables go on, and the people at this one are told.

        Args:
            run: calls it, such as `Worker.run`
            task: the function, which changes nothing that it would do again, and its arguments
            needs: its needs

        Returns:
            The result of the function.
        """
        try:
            return await run(*task)
        except NotCompiled:
            self._compiled = needs
        self.tell(self._compiling)
        try:
            async with self.rooms.compiling[self.table.game.env_id, *needs.agents, needs.study, needs.review]:
                await compile_apart(self.table.game, needs)
            return await run(*task, compiles=True)
        finally:
            self._compiled = None
            self.tell(self._compiling)

    def _compiling(self) -> Compiling:
        """The message while something is compiled; after that an empty text."""
        if self._compiled is None:
            return {"type": "compiling", "text": ""}
        words = tr(
            "Compiling {what} before its first use here, which takes up to half a minute …",
            what=self._compiled.told(),
        )
        return {"type": "compiling", "text": words}

    def tell(self, message: Callable[[], Message]) -> None:
        """Send all pages a message, to each in its language."""
        for page in self.pages:
            with speaking(page.language):
                page.tell(message())

    def _tell_who_is_here(self) -> None:
        here = sorted({page.seat for page in self.pages})
        self.tell(lambda: {"type": "here", "seats": here})

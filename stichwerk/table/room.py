"""A table that is under way, and those who look at it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.shown import ShownDeal
from stichwerk.envs.render.film import to_page
from stichwerk.envs.render.shapes import Face
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted
from stichwerk.table.arrange import arranged, arranged_data
from stichwerk.table.compiling import Needs, NotCompiled, compile_apart
from stichwerk.table.exercises import exercise_of, exercises_of
from stichwerk.table.message import Seat
from stichwerk.table.opponents import default_opponent, offered_opponents
from stichwerk.table.playing import Playing
from stichwerk.table.position import Position, position_in, position_of, read_position
from stichwerk.table.ratings import AgentRatings, Hints, check_move, decisions, ratings_data, state_at
from stichwerk.table.table import Table
from stichwerk.table.words import in_words, told_rating
from stichwerk.table.worker import Worker, apart

MOST_PAGES = 6  # of one seat at a time
MOST_WAITING = 200  # messages that a page has not taken yet
MOST_SHOWN = 50  # deals on the page of the record
SAME = "same"  # stands for the agents of a table, at the next one
OF_ALL = ("study", "rules", "record", "position", "exercise", "new", "replace")
OF_WATCHED = ("step", "look", *OF_ALL)
ACTIONS = ("act", "next", "undo", "hint", "review", "again", *OF_ALL)
NOTHING_ELSE = Needs()

if TYPE_CHECKING:
    from stichwerk.agents.evaluation.regret import JudgedMove
    from stichwerk.table.rooms import Rooms

Result = TypeVar("Result")


class Page:
    """A page in a browser that shows a seat.

    Attributes:
        seat: the seat; where agents are looked on at, the one whose cards are shown, or SPECTATOR: all cards
        waiting: messages to be sent
        must_go: whether it has taken too few of them, or its table is no more
    """

    def __init__(self, seat: int):
        self.seat = seat
        self.waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MOST_WAITING)
        self.must_go = False

    def tell(self, message: dict[str, Any]) -> None:
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
        self._rooms = rooms
        self.pages: set[Page] = set()
        self.lock = asyncio.Lock()
        self.worker = Worker()
        self._playing = Playing(self, rooms.patience)
        self._compiled = ""  # what is being compiled, in words
        self._hints = Hints(table.game)
        self._ratings: AgentRatings | None = None
        self._films: dict[
            Face, tuple[str, list[Any]]
        ] = {}  # the last page with each, and what is shown there
        self._reviews: dict[Hashable, tuple[DealRecord, Sequence[JudgedMove]]] = {}  # by `_played`

    def enter(self, seat: int) -> Page:
        """Show a seat on one more page; InputError if it has too many."""
        if sum(page.seat == seat or self.table.is_watched for page in self.pages) >= MOST_PAGES:
            raise InputError(f"pages: got more than {MOST_PAGES} of one seat; expected fewer")
        page = Page(0 if self.table.is_watched else seat)
        self.pages.add(page)
        return page

    def close(self) -> None:
        """Send all pages away, and play no more."""
        for page in self.pages:
            page.send_away()
        self._playing.stop()
        self.worker.end()

    def leave(self, page: Page) -> None:
        self.pages.discard(page)
        self._tell_who_is_here()

    async def welcome(self, page: Page) -> None:
        """Tell a page where the game stands."""
        page.tell(await self.work(self.table.message, page.seat))
        if self._may_open:
            page.tell({"type": "offer", "agents": await self.work(offered_opponents, self.table.game)})
        if self._compiled:
            page.tell(self._compiling)
        page.tell(self._playing.message)
        self._tell_who_is_here()
        self._go_on()

    async def take(self, page: Page, request: Mapping[str, Any]) -> None:
        """Do what a page asks for, or tell it why not."""
        async with self.lock:
            before = self.table.version
            try:
                await self._do(page, request)
            except InputError as error:
                page.tell({"type": "refusal", "text": str(error)})
            if self.table.version != before:
                await self.tell_all()
        self._go_on()

    def _go_on(self) -> None:
        if not self.table.is_watched:  # there each page asks for the next action
            self._playing.go_on()

    async def _do(self, page: Page, request: Mapping[str, Any]) -> None:
        kinds = OF_WATCHED if self.table.is_watched else ACTIONS
        kind = request.get("type")
        if kind not in kinds:
            raise InputError(f"type: got {quoted(kind)}; expected one of {', '.join(kinds)}")
        match kind:
            case "step":
                if request.get("version") != self.table.version:
                    pass  # another page was faster
                elif self.table.waits_for_agent:
                    self._playing.go_on()
                else:
                    await self.work(self.table.go_on)
            case "look":
                page.seat = self._looked_at(request.get("seat"))
                page.tell(await self.work(self.table.message, page.seat))
            case "act":
                self._check_version(request.get("version"))
                action = request.get("action")
                if not isinstance(action, str):
                    raise InputError(f"action: got {quoted(action)}; expected a name")
                await self.work(self.table.act, page.seat, action)
            case "next":
                await self.work(self.table.next_deal, page.seat)
            case "undo":
                await self.work(self.table.undo, page.seat)
            case "hint":
                page.tell({"type": "hint", **await self._hint(page.seat)})
            case "study":
                page.tell({"type": "study", **await self._study(page.seat, request)})
            case "rules":
                titles = [each.title for each in exercises_of(self.table.game)]
                told = {"text": self.table.game.rules_text(), "exercises": titles if self._may_open else []}
                page.tell({"type": "rules", **told})
            case "exercise":
                table = await self._ask(self._exercise, request.get("number"))
                page.tell({"type": "open", "link": self._open_beside(table)})
            case "new":
                table = await self._ask(self._new, request.get("agent"), request.get("match") is True)
                page.tell({"type": "open", "link": self._open_beside(table)})
            case "record":
                text = await self.work(self.table.record, self.sees(page.seat))
                page.tell({"type": "record", "text": text})
            case "review":
                told = await self.work(self._review, page.seat, needs=Needs(review=True))
                page.tell({"type": "review", **told})
            case "again":
                position = await self.work(self._again, page.seat, request.get("move"))
                page.tell({"type": "open", "link": await self._open_at(position)})
            case "replace":
                await self._playing.replace(request.get("agent"))
            case "position":
                all_cards = request.get("all") is True or page.seat == SPECTATOR
                text = await self.work(self.table.position, page.seat, all_cards)
                page.tell({"type": "position", "text": text})

    def _looked_at(self, seat: Any) -> int:
        """The seat whose cards somebody wants to see who looks on; None: all cards."""
        if seat is None:
            return SPECTATOR
        if type(seat) is not int or not 0 <= seat < self.table.game.seats:
            raise InputError(f"seat: got {quoted(seat)}; expected 0 to {self.table.game.seats - 1}, or null")
        return seat

    def sees(self, seat: int) -> int | None:
        """The seat whose record a page shows. SPECTATOR, with all cards, after a deal against agents alone,
        and for a spectator who wants to see all cards."""
        shown = seat == SPECTATOR or (self.table.is_study and self.table.result)
        return None if shown else seat

    def _review(self, seat: int) -> dict[str, Any]:
        """The costliest decisions of the deal that is over."""
        from stichwerk.table import study

        deal = self._deal_over(seat, "review")
        if _played(deal) not in self._reviews:
            self._reviews[_played(deal)] = study.review(self.table.game, deal, seat, self.table.begun_at)
        _, costly = self._reviews[_played(deal)]
        moves = [each.move for each in costly]
        return {"lines": study.told_costs(self.table.game, costly), "moves": moves}

    def _deal_over(self, seat: int, what: str) -> DealRecord:
        """The deal that is over; InputError during one, and with others at the table."""
        if self.sees(seat) is not None:
            raise InputError(
                f"{what}: got it with others or during a deal; expected a deal against agents that is over"
            )
        return self.table.last_deal()

    def _again(self, seat: int, move: Any) -> Position:
        """A decision that the review lists."""
        reviewed, costly = self._reviews.get(_played(self._deal_over(seat, "again")), (None, ()))
        moves = [each.move for each in costly]
        if reviewed is None or type(move) is not int or move not in moves:
            expected = ", ".join(map(str, moves)) or "those of a review"
            raise InputError(f"move: got {quoted(move)}; expected one of {expected}")
        return position_in(self.table.game, reviewed, move - 1)

    async def open_text(self, text: str, deal: int, step: int | None) -> str:
        """Open a table at a position from outside; returns its link.

        Args:
            text: of a record, a line or a snapshot
            deal: the number of the deal in it, from 1
            step: the moves before the position; None: as `position_in` has it

        Raises:
            InputError: the text leads to no position of this game, or people play at this table.
        """
        return await self._open_at(await self.work(self._read, text, deal, step))

    async def arrange(self, text: str, deal: int, step: int | None, change: Mapping) -> dict[str, Any]:
        """A position from outside after one change by hand; the first three arguments and what is raised are
        those of `open_text`, the last those of `arranged`."""

        def changed() -> dict[str, Any]:
            return arranged_data(arranged(self._read(text, deal, step), change))

        return await self.work(changed)

    def _read(self, text: str, deal: int, step: int | None) -> Position:
        """The position of a text; InputError as for `open_text`."""
        self._check_may_open()
        position, own = read_position(text, deal, step), self.table
        if position.game.env_id != own.game.env_id:
            expected = f"expected {own.game.env_id}, which is played here"
            raise InputError(f"position: got one of {position.game.env_id}; {expected}")
        return position

    @property
    def _may_open(self) -> bool:
        """Whether tables may be opened from this one: where no other people play."""
        return len(self.table.people) < 2

    def _check_may_open(self) -> None:
        if not self._may_open:
            raise InputError("open: got it with other people at the table; expected agents alone")

    def _exercise(self, number: Any) -> Table:
        """A table at the exercise of this number, from 1."""
        self._check_may_open()
        if type(number) is not int:
            raise InputError(f"exercise: got {quoted(number)}; expected a number")
        return self._beside(position_of(self.table.game, exercise_of(self.table.game, number)))

    def _new(self, agent: Any, match: bool) -> Table:
        """A fresh table of the same game, with the same agents or one of those that are offered."""
        self._check_may_open()
        own = self.table
        allowed = (SAME, *offered_opponents(own.game))
        if agent not in allowed:
            raise InputError(f"agent: got {quoted(agent)}; expected one of {', '.join(allowed)}")
        seats = [who if who is None or agent == SAME else agent for who in own.seats]
        return Table(own.game, seats, "match" if match else "deal")

    def _beside(self, position: Position) -> Table:
        """A table at a position, with the same agents where they play by its rules."""
        own = self.table
        agent, same = default_opponent(position.game), position.game.rules == own.game.rules
        seats: list[Seat] = [who or agent if same else agent for who in own.seats]
        seats[position.person] = None
        return Table(position.game, seats, start=position)

    async def _open_at(self, position: Position) -> str:
        """Open a table at a position, and return its link."""
        return self._open_beside(await self._ask(self._beside, position))

    def _open_beside(self, table: Table) -> str:
        """Open a table of the same person, and return its link."""
        self._rooms.open_beside(self, table)
        (secret,) = table.secrets.values()
        return f"/table/{secret}"

    async def record_page(self, seat: int, face: Face) -> str:
        """A page to step through the deals that are over, whose cards have this face."""
        async with self.lock:
            return await self.work(self._film, seat, face)

    def _film(self, seat: int, face: Face) -> str:
        game, sees = self.table.game, self.sees(seat)
        deals = [deal for deal in self.table.deals(sees) if deal.points is not None]
        first = max(len(deals) - MOST_SHOWN, 0)
        deals = deals[first:]
        if sees is None:
            deals = [self._reviews.get(_played(deal), (deal, ()))[0] for deal in deals]
        made_of = [first, deals]
        if self._films.get(face, ("", None))[1] != made_of:
            replay = RecordReplay(game)
            films = [
                in_words(game, ShownDeal(number, game, deal, replay.seen(deal)).film(face))
                for number, deal in enumerate(deals, first + 1)  # a record of one seat has no number
            ]
            self._films[face] = to_page(f"{game.spec.title}: deals at this table", films), made_of
        return self._films[face][0]

    def _check_version(self, version: Any) -> None:
        if type(version) is not int or version != self.table.version:
            raise InputError("The table has changed since; choose again.")

    async def _hint(self, seat: int) -> dict[str, Any]:
        turn, game = await self.work(self.table.turn_to_rate, seat), self.table.game
        rating = await self._ask(self._hints.of, turn, needs=Needs([default_opponent(game)]))
        return {
            "text": f"Hint: {told_rating(game, rating)}",
            "action": str(game.actions[rating.chosen]),
        }

    async def _study(self, seat: int, request: Mapping[str, Any]) -> dict[str, Any]:
        """What agents would do at a decision; without `agents` in the request, which ones may be asked."""
        if self._ratings is None:
            self._ratings = await self.work(AgentRatings, self.table.game, self._rooms.studied)
        ratings, agents, move = self._ratings, request.get("agents"), request.get("move")
        moves = await self.work(lambda: list(decisions(self.table, seat)))
        check_move(move, [number for number, _ in moves])
        told = {
            "version": self.table.version,
            "offered": list(ratings.offered),
            "chosen": list(ratings.chosen),
            "moves": [{"move": number, "words": words} for number, words in moves],
            "move": move,
        }
        if agents is None:
            return told
        if not isinstance(agents, list) or not agents or any(each not in ratings.offered for each in agents):
            raise InputError(f"agents: got {quoted(agents)}; expected some of {', '.join(ratings.offered)}")
        states = await self.work(state_at, self.table, seat, move)
        self._ratings = None  # an agent that never answers is made again
        needs = Needs([each for each in ratings.offered if each in agents], study=True)
        analysis = await self._ask(ratings.at, states, agents, request.get("all") is True, needs=needs)
        self._ratings = ratings
        return {**told, **ratings_data(self.table.game, analysis)}

    async def tell_all(self) -> None:
        """Tell all pages where the game stands."""
        for seat in {page.seat for page in self.pages}:
            message = await self.work(self.table.message, seat)
            for page in self.pages:
                if page.seat == seat:
                    page.tell(message)

    async def work(self, task: Callable[..., Result], *values: Any, needs: Needs = NOTHING_ELSE) -> Result:
        """What a function returns that plays at this table, or the exception that it raises; arguments are
        those of `first_compiled`."""
        return await self.first_compiled(self.worker.run, task, *values, needs=needs)

    async def _ask(self, task: Callable[..., Result], *values: Any, needs: Needs = NOTHING_ELSE) -> Result:
        """The same of a function that runs agents, and does not touch this table; InputError if it takes too
        long."""
        patience = self._rooms.patience

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
        """What a function returns, or the exception that it raises.

        What it needs is compiled first, in another process: meanwhile other tables go on, and the people at
        this one are told.

        Args:
            run: calls it, such as `Worker.run`
            task: the function, which changes nothing that it would do again, and its arguments
            needs: what has to be compiled for it, if anything has
        """
        try:
            return await run(*task)
        except NotCompiled:
            self._compiled = needs.words
        self.tell(self._compiling)
        try:
            async with self._rooms.compiling[self.table.game.env_id, needs.words]:
                await compile_apart(self.table.game, needs)
            return await run(*task, compiles=True)
        finally:
            self._compiled = ""
            self.tell(self._compiling)

    @property
    def _compiling(self) -> dict[str, Any]:
        """What pages are told while something is compiled; after that an empty text."""
        words = f"Compiling {self._compiled} before its first use here, which takes up to half a minute …"
        return {"type": "compiling", "text": words if self._compiled else ""}

    def tell(self, message: dict[str, Any]) -> None:
        for page in self.pages:
            page.tell(message)

    def _tell_who_is_here(self) -> None:
        here = sorted({page.seat for page in self.pages})
        self.tell({"type": "here", "seats": here})


def _played(deal: DealRecord) -> Hashable:
    """What tells the deals of a table apart; after an action was taken back they may have one number."""
    return deal.number, tuple(move.action for move in deal.moves)

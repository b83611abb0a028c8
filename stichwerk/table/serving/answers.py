"""The answers to the requests of the protocol: one method for each class of `protocol.py`."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import is_of_match
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import tr
from stichwerk.table import protocol
from stichwerk.table.compiling import Needs
from stichwerk.table.message import Seat
from stichwerk.table.opponents import default_opponent, offered_opponents
from stichwerk.table.positions.arrange import arranged, arranged_data
from stichwerk.table.positions.exercises import exercise_of, exercises_of
from stichwerk.table.positions.position import Position, position_in, position_of, read_position
from stichwerk.table.ratings import AgentRatings, Hints, check_move, decisions, ratings_data, state_at
from stichwerk.table.table import Table
from stichwerk.table.words import told_hint

if TYPE_CHECKING:
    from stichwerk.table.serving.room import Page, Room
    from stichwerk.table.study import Decision

Answer = Callable[["Answers", "Page", Any], Awaitable[protocol.Message | None]]
ANSWERS: dict[type[protocol.Request], Answer] = {}
"""A method for each request. What it changes at the table is sent to all pages after it."""


def answers(request: type[protocol.Request]) -> Callable[[Answer], Answer]:
    """A decorator that registers the method for a request."""

    def register(method: Answer) -> Answer:
        ANSWERS[request] = method
        return method

    return register


class Answers:
    """The answers at one table.

    Args:
        room: of the table
    """

    def __init__(self, room: "Room"):
        self._room, self._table, self._game = room, room.table, room.table.game
        self._hints = Hints(self._game)
        self._ratings: AgentRatings | None = None
        self._reviews: dict[Hashable, tuple[DealRecord, Sequence[Decision]]] = {}  # by `_played`

    async def to(self, page: "Page", request: protocol.Request) -> protocol.Message | None:
        """Answer a request of a page; None: a change of the table is answer enough.

        Raises:
            InputError: it cannot be done now.
        """
        needs, left = request.needs(self._game), self._room.rooms.seconds_left
        asked = isinstance(request, protocol.Review) or (needs.study and needs.agents)
        if left and asked:  # a hint has the action alone until then
            wait = tr("{what} will be ready in about {seconds} seconds.")
            what, seconds = needs.told(), f"{left(self._game):.0f}"
            raise InputError(wait.format(what=what[:1].upper() + what[1:], seconds=seconds))
        return await ANSWERS[type(request)](self, page, request)

    # Play

    @answers(protocol.Act)
    async def _act(self, page: "Page", asked: protocol.Act) -> None:
        if asked.version != self._table.version:
            raise InputError(tr("The table has changed since; choose again."))
        await self._room.work(self._table.act, page.seat, asked.action)

    @answers(protocol.Next)
    async def _next(self, page: "Page", asked: protocol.Next) -> None:
        await self._room.work(self._table.next_deal, page.seat)

    @answers(protocol.Name)
    async def _name(self, page: "Page", asked: protocol.Name) -> None:
        await self._room.work(self._table.rename, page.seat, asked.name)

    @answers(protocol.Cover)
    async def _cover(self, page: "Page", asked: protocol.Cover) -> None:
        here, covered = {each.seat for each in self._room.pages}, self._table.covered
        away = [seat for seat in self._table.people if seat not in here and seat not in covered]
        if asked.seat not in away:
            expected = ", ".join(map(str, away)) or "none: nobody has left"
            raise InputError(f"seat: got {asked.seat}; expected {expected}")
        needs = Needs([default_opponent(self._game)])
        await self._room.work(self._table.cover, asked.seat, needs=needs)
        if any(each.seat == asked.seat for each in self._room.pages):  # back while that took its time
            await self._room.work(self._table.uncover, asked.seat)

    @answers(protocol.Undo)
    async def _undo(self, page: "Page", asked: protocol.Undo) -> None:
        await self._room.work(self._table.undo, page.seat)

    @answers(protocol.Replace)
    async def _replace(self, page: "Page", asked: protocol.Replace) -> None:
        await self._room.playing.replace(asked.agent)

    @answers(protocol.Step)
    async def _step(self, page: "Page", asked: protocol.Step) -> None:
        if asked.version != self._table.version:
            return  # another page was faster
        if self._table.waits_for_agent:
            self._room.playing.go_on()
        else:
            await self._room.work(self._table.go_on)

    @answers(protocol.Look)
    async def _look(self, page: "Page", asked: protocol.Look) -> protocol.Message:
        if asked.seat is not None and not 0 <= asked.seat < self._game.seats:
            raise InputError(f"seat: got {asked.seat}; expected 0 to {self._game.seats - 1}, or null")
        page.seat = SPECTATOR if asked.seat is None else asked.seat
        return await self._room.work(self._table.message, page.seat)

    # Help

    @answers(protocol.Rules)
    async def _rules(self, page: "Page", asked: protocol.Rules) -> protocol.Message:
        may_open = protocol.Exercise.kind in protocol.allowed(self._table.role)
        titles = [tr(each.title) for each in exercises_of(self._game)] if may_open else []
        return {"type": "rules", "text": self._game.rules_text(), "exercises": titles}

    @answers(protocol.Hint)
    async def _hint(self, page: "Page", asked: protocol.Hint) -> protocol.Message:
        turn = await self._room.work(self._table.turn_to_rate, page.seat)
        rating, odds = await self._room.ask(self._hints.of, turn, needs=asked.needs(self._game))
        text = tr("Hint: {action}", action=told_hint(self._game, rating, odds))
        return {"type": "hint", "text": text, "action": str(self._game.actions[rating.chosen])}

    @answers(protocol.Study)
    async def _study(self, page: "Page", asked: protocol.Study) -> protocol.Message:
        if self._ratings is None:
            self._ratings = await self._room.work(AgentRatings, self._game, self._room.rooms.studied)
        ratings, agents = self._ratings, asked.agents
        moves = await self._room.work(lambda: list(decisions(self._table, page.seat)))
        check_move(asked.move, [number for number, _ in moves])
        told: protocol.StudyMessage = {
            "type": "study",
            "version": self._table.version,
            "offered": list(ratings.offered),
            "chosen": list(ratings.chosen),
            "moves": [{"move": number, "words": words} for number, words in moves],
            "move": asked.move,
        }
        if agents is None:
            return told
        if not agents or any(each not in ratings.offered for each in agents):
            raise InputError(f"agents: got {quoted(agents)}; expected some of {', '.join(ratings.offered)}")
        states = await self._room.work(state_at, self._table, page.seat, asked.move)
        self._ratings = None  # an agent that never answers is made again
        needs = asked.needs(self._game)
        analysis = await self._room.ask(ratings.at, states, agents, asked.all, needs=needs)
        self._ratings = ratings
        return {**told, **ratings_data(self._game, analysis)}

    # Records

    @answers(protocol.Record)
    async def _record(self, page: "Page", asked: protocol.Record) -> protocol.Message:
        text = await self._room.work(self._table.record, self._table.sees(page.seat))
        return {"type": "record", "text": text}

    @answers(protocol.Review)
    async def _review(self, page: "Page", asked: protocol.Review) -> protocol.Message:
        return await self._room.work(self._reviewed, page.seat, needs=asked.needs(self._game))

    def _reviewed(self, seat: int) -> protocol.ReviewMessage:
        from stichwerk.table import study

        deal = self._deal_over("review", seat)
        if _played(deal) not in self._reviews:
            self._reviews[_played(deal)] = study.review(self._game, deal, seat, self._table.begun_at)
        _, decisions = self._reviews[_played(deal)]
        told = study.decisions_data(self._game, deal, seat, decisions)
        return {"type": "review", "of_match": is_of_match(self._game, deal), "decisions": told}

    def kept(self, seat: int) -> protocol.ReviewMessage | None:
        """The review of the deal that is over, if somebody has asked for it."""
        is_over = self._table.is_study and self._table.result
        return self._reviewed(seat) if is_over and _played(self._table.last_deal()) in self._reviews else None

    def judged(self, deal: DealRecord) -> DealRecord:
        """A deal of the table with the values that a review has found, if it was reviewed."""
        return self._reviews.get(_played(deal), (deal, ()))[0]

    def _deal_over(self, what: str, seat: int) -> DealRecord:
        """The deal that is over; InputError during one."""
        if self._table.sees(seat) is not None:
            raise InputError(
                tr("{request}: got it during a deal; expected it when the deal is over", request=what)
            )
        return self._table.last_deal()

    # Other tables

    @answers(protocol.Again)
    async def _again(self, page: "Page", asked: protocol.Again) -> protocol.Message:
        return await self._open_at(await self._room.work(self._decision, page.seat, asked.move))

    def _decision(self, seat: int, move: int) -> Position:
        """A decision that the review lists."""
        reviewed, decisions = self._reviews.get(_played(self._deal_over("again", seat)), (None, ()))
        moves = [each.move for each in decisions]
        if reviewed is None or move not in moves:
            expected = ", ".join(map(str, moves)) or "those of a review"
            raise InputError(f"move: got {move}; expected one of {expected}")
        return position_in(self._game, reviewed, move - 1)

    @answers(protocol.Position)
    async def _position(self, page: "Page", asked: protocol.Position) -> protocol.Message:
        all_cards = asked.all or page.seat == SPECTATOR
        return {
            "type": "position",
            "text": await self._room.work(self._table.position, page.seat, all_cards),
        }

    @answers(protocol.Open)
    async def _open(self, page: "Page", asked: protocol.Open) -> protocol.Message:
        return await self._open_at(await self._room.work(self._read, asked))

    @answers(protocol.Arrange)
    async def _arrange(self, page: "Page", asked: protocol.Arrange) -> protocol.Message:
        return await self._room.work(
            lambda: arranged_data(arranged(self._read(asked), asked.change or {})),
        )

    def _read(self, asked: protocol.Open) -> Position:
        """The position of a text; InputError if it is none of this game."""
        position = read_position(asked.text, asked.deal, asked.step)
        if position.game.env_id != self._game.env_id:
            expected = f"expected {self._game.env_id}, which is played here"
            raise InputError(f"position: got one of {position.game.env_id}; {expected}")
        return position

    @answers(protocol.Exercise)
    async def _exercise(self, page: "Page", asked: protocol.Exercise) -> protocol.Message:
        exercise = exercise_of(self._game, asked.number)
        return await self._open_at(await self._room.ask(position_of, self._game, exercise))

    @answers(protocol.New)
    async def _new(self, page: "Page", asked: protocol.New) -> protocol.Message:
        return self._opened(await self._room.ask(self._fresh, asked.agent, asked.match))

    def _fresh(self, agent: str, match: bool) -> Table:
        """A fresh table of the same game, with the same agents or one of those that are offered."""
        offered = (protocol.SAME, *offered_opponents(self._game))
        if agent not in offered:
            raise InputError(f"agent: got {quoted(agent)}; expected one of {', '.join(offered)}")
        seats = [who if who is None or agent == protocol.SAME else agent for who in self._table.seats]
        return Table(self._game, seats, "match" if match else "deal")

    async def _open_at(self, position: Position) -> protocol.Message:
        return self._opened(await self._room.ask(self._at, position))

    def _at(self, position: Position) -> Table:
        """A table at a position, with the same agents if they play by its rules."""
        agent, same = default_opponent(position.game), position.game.rules == self._game.rules
        seats: list[Seat] = [who or agent if same else agent for who in self._table.seats]
        seats[position.person] = None
        return Table(position.game, seats, start=position)

    def _opened(self, table: Table) -> protocol.Message:
        """The link to a table of the same person, which is opened here."""
        self._room.rooms.open_beside(self._room, table)
        (secret,) = table.secrets.values()
        return {"type": "open", "link": f"/table/{secret}"}


def _played(deal: DealRecord) -> Hashable:
    """A key of a deal at a table; the number is not enough, as actions are taken back."""
    return deal.number, tuple(move.action for move in deal.moves)

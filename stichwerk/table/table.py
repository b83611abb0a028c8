"""One game at a table: people and agents in the seats, deals or matches one after another."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.aec import Position as EnvPosition
from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.notation import write_line
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import IllegalAction, InputError, quoted
from stichwerk.support.language import ENGLISH, speaking, tr
from stichwerk.table.compiling import NotCompiled, drawing_nothing
from stichwerk.table.message import NOTHING_SEEN, Seat, Sight, names_of, table_message
from stichwerk.table.newest import progress_of
from stichwerk.table.opponents import default_opponent, seated
from stichwerk.table.positions.position import Position
from stichwerk.table.protocol import Role, TableMessage
from stichwerk.table.records.kept import KeptDeals
from stichwerk.table.records.recorder import Recorder
from stichwerk.table.words import why_not

MOST_LETTERS = 20  # of a name
NO_LEVEL = str.maketrans("()", "[]")  # a level stands in round brackets behind a name
SECRET_BYTES = 24  # of each person: 192 bits
Moment = tuple[EnvPosition, dict[int, Sight], int]
"""A moment at a table: the position of its environment, the sights of the seats, and the actions so far."""


@dataclass(frozen=True)
class Result:
    """The end of a deal, which the table shows until all people ask for the next one.

    Attributes:
        state: the true state at the end, an array of one record
        last: the true states before the last action and after it outside a match, of which the account tells
        points: of each seat
        further: the points of deals that their cards have ended at once since
        episode_over: True if the match is over too
    """

    state: np.ndarray
    last: tuple[np.ndarray, np.ndarray]
    points: tuple[float, ...]
    further: tuple[tuple[float, ...], ...]
    episode_over: bool


class Table:
    """A table of one game.

    Attributes:
        seats: the player of each seat
        secrets: the secret of each person's seat; without people one for spectators, at SPECTATOR
        version: grows with every change of the table
        result: of the deal that has just ended; None while a deal is played
        ready: the people who have asked for the next deal
        covered: the seats of people who have left, which an agent plays meanwhile
        seed: of the deals and of the agents' chance
        agents: those of the seats that are no people's
        played: all actions since the table was opened that were not taken back
        recorder: writes the deals into a file; None: nobody does

    Args:
        game: with its rules
        seats: the player of each seat; without a person the table is watched
        episode: "deal": deals one after another with a fresh score; "match": matches
        seed: of the deals and of the agents' chance; None: one that nobody knows
        names: of the seats; without them agents go by their texts
        start: where every episode begins; None: with a fresh deal

    Raises:
        InputError: the seats are not as many as the game has, or an agent does not fit.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        episode: Episode = "deal",
        seed: int | None = None,
        names: Sequence[str] = (),
        start: Position | None = None,
    ):
        if len(seats) != game.seats:
            raise InputError(f"seats: got {len(seats)}; expected {game.seats}, as many as the game has")
        self.game = game
        self.seats = tuple(seats)
        self.start = start
        self.episode: Episode = episode
        self.people = tuple(seat for seat, who in enumerate(seats) if who is None)
        keys = self.people or (SPECTATOR,)
        self.secrets = {seat: secrets.token_urlsafe(SECRET_BYTES) for seat in keys}
        self.names = tuple(names) or names_of(seats)
        self.env = CardGameEnv(game.address, game.rules.as_dict(), episode)
        seed = secrets.randbits(63) if seed is None else seed
        self.seed = seed
        self.agents = {seat: self._made(seat, who) for seat, who in enumerate(seats) if who is not None}
        self.recorder: Recorder | None = None
        self._replay = RecordReplay(self.env.game)
        self._kept, self._kept_of_episode = KeptDeals(self._replay), 0
        self.version = 0
        self.ready: set[int] = set()
        self.covered: set[int] = set()
        self.played: list[int] = []
        self.totals = np.zeros(game.seats)
        self.deals_played = 0
        self.result: Result | None = None
        self._sights: dict[int, Sight] = {}
        self._before: list[Moment] = []
        self._begin(seed)

    # Who is who

    def _made(self, seat: int, who: str | Agent) -> Agent:
        """The agent of a seat."""
        agent = seated(who, self.env.game) if isinstance(who, str) else who
        agent.seed_for(self.seed, Use.AGENTS, Use.TEST, seat)
        return agent

    def replace_agent(self, seat: int, who: str) -> None:
        """Let another agent play on in a seat; InputError if it does not fit. A seat that is covered stays
        its person's."""
        if seat in self.people and seat not in self.covered:
            raise InputError(f"replace: got seat {seat}, which a person plays; expected an agent's")
        agent, before = self._made(seat, who), names_of(self.seats)
        self.agents[seat] = agent
        if seat not in self.people:
            self.seats = (*self.seats[:seat], who, *self.seats[seat + 1 :])
            if self.names == before:  # no others were given
                self.names = names_of(self.seats)
        self.version += 1

    def rename(self, seat: int, name: str) -> None:
        """Change the name of a person; InputError unless it has 1 to 20 letters."""
        told = " ".join(name.split())
        if not 1 <= len(told) <= MOST_LETTERS or not told.isprintable() or told.startswith("player_"):
            raise InputError(
                tr("name: got {given}; expected 1 to {most} letters", given=quoted(name), most=MOST_LETTERS)
            )
        self.names = (*self.names[:seat], told.translate(NO_LEVEL), *self.names[seat + 1 :])

    def cover(self, seat: int) -> None:
        """Let the default opponent play for a person who has left."""
        self.agents[seat] = self._made(seat, default_opponent(self.game))
        self.covered.add(seat)
        self.version += 1
        if self.result and self.ready and not self.waits_for:
            self._next()

    def uncover(self, seat: int) -> None:
        """Let a person play again who has come back."""
        if seat in self.covered:
            self.covered.remove(seat)
            del self.agents[seat]
            self.version += 1

    @property
    def waits_for(self) -> set[int]:
        """The people who have not asked for the next deal."""
        return set(self.people) - self.covered - self.ready

    def seat_of(self, secret: str) -> int | None:
        """The seat of the person with this secret; None for any other text."""
        given = secret.encode()
        found = (s for s, own in self.secrets.items() if secrets.compare_digest(own.encode(), given))
        return next(found, None)

    @property
    def is_watched(self) -> bool:
        """True if agents alone play, who wait for spectators."""
        return not self.people

    @property
    def is_study(self) -> bool:
        """True if one person plays against agents alone, and so may take actions back and ask for hints."""
        return len(self.people) == 1

    @property
    def role(self) -> Role:
        """The part of those who see a page of this table."""
        return "spectator" if self.is_watched else "alone" if self.is_study else "together"

    def sees(self, seat: int) -> int | None:
        """The seat whose record a seat may see; None: all cards, after a deal against agents alone, and for
        SPECTATOR."""
        return None if seat == SPECTATOR or (self.is_study and self.result) else seat

    @property
    def learned(self) -> str:
        return progress_of(self.agents.values())

    @property
    def turn(self) -> int | None:
        """The seat to act; None between deals."""
        return None if self.result else self.env.possible_agents.index(self.env.agent_selection)

    @property
    def waits_for_agent(self) -> bool:
        return self.turn in self.agents

    @property
    def is_fresh(self) -> bool:
        """True if nothing was played in the present deal."""
        return len(self.played) == self._dealt_at

    @property
    def begun_at(self) -> int:
        """The number of moves of a deal before the start position."""
        return len(self.start.deal.moves) if self.start and self.episode == "deal" else 0

    # Playing

    def _begin(self, seed: int | None) -> None:
        """Deal, as often as a deal is over at once by its cards, or go to the start position."""
        self.env.reset(seed=seed, options=self.start.deal if self.start else None)
        self._first_deal = int(self.env.copy_state()["deal_number"][0])
        self._deal_begins()
        if self.start:
            for states in self._replay.states(self.start.deal):
                self._look(states)
        if self.env.terminations[self.env.possible_agents[0]]:
            points = tuple(self._points()[-1])
            state = self.env.copy_state()
            self.result = Result(state, (state, state), points, (), True)
            self._add(points)

    def _deal_begins(self) -> None:
        self.result = None
        self.ready.clear()
        self._before.clear()
        self._dealt_at = len(self.played)
        seats = (*range(self.game.seats), *([SPECTATOR] if self.is_watched else []))
        self._sights = dict.fromkeys(seats, NOTHING_SEEN)
        self.version += 1

    def legal(self, seat: int) -> tuple[Action, ...]:
        """The legal actions of a seat; none where it is not to act."""
        if seat != self.turn:
            return ()
        mask = self.env.observe(f"player_{seat}")["action_mask"]
        return tuple(self.game.actions[action] for action in np.flatnonzero(mask))

    def view(self, seat: int) -> np.ndarray:
        """The state redacted for a seat, an array of one record; for SPECTATOR the true one. A deal that is
        over is shown until the next."""
        return self._seen(self._shown(), seat)

    def _shown(self) -> np.ndarray:
        """The true state that the table shows."""
        return self.result.state if self.result else self.env.copy_state()

    def account(self, seat: int) -> list[str]:
        """The reason for the result, in sentences, from what a seat may see; none during a deal."""
        return (
            self.game.account(*(self._seen(each, seat) for each in self.result.last)) if self.result else []
        )

    def _seen(self, states: np.ndarray, seat: int) -> np.ndarray:
        return states if seat == SPECTATOR else self._replay.view(states, seat)

    def act(self, seat: int, action: int | str) -> None:
        """Play an action of a person, by id or name.

        Raises:
            IllegalAction: it is not legal now; the message says why where that can be told.
        """
        legal, number = self.legal(seat), self.game.action_number(action)
        if number is None or self.game.actions[number] not in legal:
            name = str(action) if number is None else str(self.game.actions[number])
            raise IllegalAction(why_not(self.game, self.view(seat), seat, legal, name))
        self._act(number)

    def _act(self, number: int) -> None:
        before = self._step(number)
        if self.is_study:
            self._before.append(before)

    def asked(self) -> tuple[Agent, Turns]:
        """The agent in the seat to act, and the turn in which it chooses: nothing in there is the table's."""
        assert self.turn is not None
        return self.agents[self.turn], Turns.at(self.env)

    def answer(self, action: int) -> None:
        """Play what the agent in the seat to act has chosen; InputError if it is not legal."""
        self._step(action)

    def move_agent(self) -> None:
        """Let the agent in the seat to act play one action; InputError if it fails."""
        agent, turn = self.asked()
        with drawing_nothing(agent):
            with speaking(ENGLISH):
                chosen = int(agent.act(turn)[0])
            self.answer(chosen)

    def move_agents(self) -> None:
        """Let agents play until a person is to act or the deal is over."""
        while self.waits_for_agent:
            self.move_agent()

    def go_on(self) -> None:
        """Let agents that are watched play one action, or the next deal begin."""
        if self.result:
            self._next()
        else:
            self.move_agent()

    def _step(self, number: int) -> Moment:
        """Play an action; returns the moment before it. NotCompiled changes nothing."""
        before = self.env.position(), dict(self._sights), len(self.played)
        try:
            result = self._played(number)
        except NotCompiled:
            self._go_back(before)
            raise
        self.result = result
        self.played.append(number)
        for points in (result.points, *result.further) if result else ():
            self._add(points)
        self.version += 1
        if result and self.recorder:
            self.recorder.note(self)
        return before

    def _played(self, number: int) -> Result | None:
        """Play an action, and let all seats look; returns the end of a deal that it brings."""
        before, result = self.env.copy_state(), None
        self.env.step(number)
        if ended := self._points():
            state, alone = before.copy(), before.copy()
            alone["match"] = 0
            for each in (state, alone):
                self._replay.apply(each, str(self.game.actions[number]))
            state["over"] = 1  # as at the end of a deal outside a match
            state["dealer"] = before["dealer"]
            first, *further = map(tuple, ended)
            over = any(self.env.terminations.values())
            result = Result(state, (before, alone), first, tuple(further), over)
        self._look(result.state if result else self.env.copy_state())
        return result

    def _go_back(self, moment: Moment) -> None:
        position, self._sights, count = moment
        del self.played[count:]
        self.env.go_to(position)

    def play_again(self, actions: Sequence[int], is_over: bool) -> None:
        """Play actions of another table with the same beginning; at the end of a deal the next one is dealt,
        after the last action unless that deal `is_over` and still shown."""
        for action in actions:
            if self.result:
                self._next()
            self._step(action) if self.waits_for_agent else self._act(action)
        if self.result and not is_over:
            self._next()

    def _look(self, states: np.ndarray) -> None:
        """Let all seats remember what they see of the next position."""
        for seat, sight in self._sights.items():
            self._sights[seat] = sight.after(self.game, self._seen(states, seat), seat)

    def _points(self) -> list[list[float]]:
        """The points of the deals that have ended just now, of each seat."""
        by_seat = [self.env.infos[agent].get("deals", []) for agent in self.env.possible_agents]
        return [list(points) for points in zip(*by_seat, strict=True)]

    def _add(self, points: Sequence[float]) -> None:
        self.totals += points
        self.deals_played += 1

    def next_deal(self, seat: int) -> None:
        """Note that a person wants the next deal, which begins when all people do; InputError during a
        deal."""
        if not self.result:
            raise InputError(
                tr("{request}: got it during a deal; expected it when the deal is over", request="next")
            )
        self.ready.add(seat)
        self.version += 1
        if not self.waits_for:
            self._next()

    def _next(self) -> None:
        """Deal after a deal that is over."""
        assert self.result is not None
        deals = self._deals()
        if self.result.episode_over:
            self._begin(None)
            self._kept_of_episode = 0
        else:
            deals.pop()  # the one that begins
            self._deal_begins()
            self._kept_of_episode += len(deals)
        self._kept.add(deals)
        if self.recorder:  # a deal may be over by its cards
            self.recorder.note(self)

    def undo(self, seat: int) -> None:
        """Take back the person's last action of this deal, and all after it; InputError without one."""
        if not self._before:
            raise InputError(
                tr("undo: got it before an action of yours in this deal; expected one to take back")
            )
        if self.result:
            for points in (self.result.points, *self.result.further):
                self.totals -= points
                self.deals_played -= 1
        self._go_back(self._before.pop())
        self.result = None
        self.ready.clear()
        self.version += 1
        if self.recorder:
            self.recorder.note(self)

    def turn_to_rate(self, seat: int) -> Turns:
        """The turn of a person's seat with its view, for a hint; InputError if it is not to act."""
        if seat != self.turn:
            raise InputError(tr("hint: got it when others are to act; expected it at your turn"))
        return Turns.at(self.env)

    # Telling

    def message(self, seat: int) -> TableMessage:
        """The message for a seat, made of its view alone; for SPECTATOR that of all cards."""
        return table_message(self, seat)

    def sight(self, seat: int) -> Sight:
        """The memory that a seat has of the tricks."""
        return self._sights[seat]

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    def shows_start(self) -> bool:
        """True if the deal that is shown is that of the start position: the first of its episode."""
        return self.start is not None and int(self._shown()["deal_number"][0]) == self._first_deal

    def position(self, seat: int, all_cards: bool = False) -> str:
        """The present position as a line of text.

        Args:
            seat: the cards are those that this seat knows
            all_cards: with all cards as they are
        """
        return write_line(self.game, self.last_deal(None if all_cards else seat))

    def _deals(self) -> list[DealRecord]:
        """The deals of this episode that are not kept yet."""
        deals = self.env.deals(self.names, self._kept_of_episode)
        return [replace(deal, number=number) for number, deal in enumerate(deals, len(self._kept))]

    def _present(self, seat: int | None) -> list[DealRecord]:
        """Those of them that were shown to somebody, with what a seat knows."""
        deals = self._deals()
        if self.result and not self.result.episode_over:
            deals.pop()  # the next deal
        return self._kept.as_known(deals, seat)

    def deals(self, seat: int | None = None) -> list[DealRecord]:
        """Records of all deals at this table, those that are over and the present one.

        Args:
            seat: the records hold what this seat knows; None: all that is true
        """
        return [*self._kept.seen_by(seat), *self._present(seat)]

    def last_deal(self, seat: int | None = None) -> DealRecord:
        """The last of `deals`: the present one, or that which is over until the next begins."""
        return self._present(seat)[-1]

    def record(self, seat: int | None = None) -> str:
        """Write the records of `deals` as JSON Lines."""
        return self._kept.text(self._present(seat), seat)

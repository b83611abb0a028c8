"""One deal for a person at a prompt: look, play, take back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.bridges.diagrams import is_diagram, read_diagrams
from stichwerk.envs.core.random import lane_seeds
from stichwerk.envs.core.text import counted
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.set_deal import check_options, parse_seat
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord, Move, deal_record
from stichwerk.envs.records.foreign import as_it_stands, from_restored, restored, restored_where_needed
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.struct import from_struct, to_struct
from stichwerk.envs.render import Picture
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.spec.scene import SPECTATOR, Scene
from stichwerk.support.errors import IllegalAction, InputError, closest, quoted
from stichwerk.support.parsing import read_json
from stichwerk.support.terminal.streams import legible

Found = tuple[Game, DealRecord]
HEAD = 1_000  # characters that tell a snapshot from a record


@dataclass(frozen=True, repr=False, eq=False)
class View:
    """The view of a deal for a seat, or for a spectator all cards. It prints as text, and notebooks draw it.

    Attributes:
        game: The game under its rules.
        seat: The seat; SPECTATOR: all cards.
        state: What it knows, an array of one record.
        legal_actions: Of the seat, by name; none where it is not to act.
    """

    game: Game
    seat: int
    state: np.ndarray
    legal_actions: tuple[str, ...]

    @property
    def scene(self) -> Scene:
        """The content of the picture: hands, piles and the trick, as data.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("schnapsen", seed=1).view(0).scene.hands[0].cards
            ('sK', 'hT', 'dK', 'dQ', 'dJ')
        """
        return self.game.scene(self.state, self.seat)

    def __str__(self) -> str:
        return legible(self.game.text(self.state, self.seat))

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        cards = (self.game.actions[self.game.action_index[name]].card for name in self.legal_actions)
        legal = frozenset(card for card in cards if card is not None)
        return Picture(self.game.title, self.scene, legal=legal).svg()


class Deal:
    """One deal of a game. `str(deal)` and the picture in a notebook show all cards; `view` shows what one
    seat knows.

    Examples:
        >>> import stichwerk
        >>> deal = stichwerk.Deal("schnapsen", seed=1)
        >>> deal.seat, deal.legal_actions
        (1, ('play hK', 'play hQ', 'play dA', 'play cA', 'play cJ', 'meld h', 'close'))
        >>> deal.push("play dA")
        >>> print(deal.view(0))
        deal 1, dealt by player_0, score 0 : 0 to 7
        stock     ♠J and 9 face down, trump ♠
        player_1  4 cards  [0 tricks, 0 points]
        table     ♦A led by player_1
        player_0  ♠K ♥T ♦K ♦Q ♦J  [0 tricks, 0 points]
        last      player_1: play dA
        turn      player_0, to answer

    Args:
        game: The environment id, or the beginning of one such as "schnapsen".
        rules: A preset, a dict of options, or None for the default preset.
        seed: Of the cards, which are those of `reset(seed)` of an environment; None: unpredictable.
        options: What `reset` takes too: `deck`, `dealer`, `match`, and `actions` to play at once.

    Raises:
        InputError: The game, the rules, the seed or an option is impossible.
    """

    def __init__(
        self,
        game: str,
        rules: RuleSpec = None,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
    ):
        options = {} if options is None else options
        check_options(options)
        self._replay = RecordReplay(make_game(game, rules))
        seed = int(lane_seeds(seed, 1)[0])
        before, dealt = self._replay.begun(options, seed), self._replay.dealt(options, seed)
        before["dealer"] = dealt["dealer"]  # who may have been drawn
        self._dealt = deal_record(self.game, before[0], dealt[0])
        self._moves: list[Move] = []
        self._states = [dealt]  # after dealing, then after each move
        for action in options.get("actions") or ():
            self.push(action)

    @classmethod
    def of(cls, game: Game, record: DealRecord) -> Self:
        """The deal of a record, after its last move; InputError if no play leads there.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> deal.push("play dA")
            >>> stichwerk.Deal.of(deal.game, deal.record()).moves == deal.moves
            True
        """
        deal = cls.__new__(cls)
        deal._replay, deal._dealt, deal._moves = RecordReplay(game), record, [*record.moves]
        deal._states = [*deal._replay.states(record)]
        return deal

    @classmethod
    def read(cls, text: str, number: int = 1) -> Self:
        """The deal of a text: of a record in either form, of one line, of a diagram or of a snapshot.

        Args:
            text: From anywhere; blanks, quotes and dashes of mail and office programs are restored.
            number: Of the deal in a record, from 1.

        Raises:
            InputError: The text is none of these, or no play leads there.

        Examples:
            >>> import stichwerk
            >>> deck = "hK hT dK hQ dA cA sK dQ dJ cJ sJ sA sT sQ hA hJ dT cT cK cQ"
            >>> tags = "[game schnapsen_v0] | [dealer player_1] | [match {score: [0, 6]}]"
            >>> stichwerk.Deal.read(f"{tags} | [deck {deck}]")
            <Deal of schnapsen_v0 after 0 moves, player_0 to act>
        """
        return cls.of(*read_record(text, number))

    @property
    def game(self) -> Game:
        """The game under its rules.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("gaigel", {"players": 3}).game.seats
            3
        """
        return self._replay.game

    @property
    def state(self) -> np.ndarray:
        """The true state, an array of one record: for solvers and searches, never for players.

        Examples:
            >>> import stichwerk
            >>> int(stichwerk.Deal("schnapsen", seed=1).state["log_size"][0])
            0
        """
        return copy_of(self._states[-1])

    @property
    def seat(self) -> int | None:
        """The seat to act; None when the deal is over.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("schnapsen", seed=1).seat
            1
        """
        return None if self.is_over else int(self._states[-1][0].seat)

    @property
    def legal_actions(self) -> tuple[str, ...]:
        """The legal actions of the seat to act, by name; none when the deal is over.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("schnapsen", seed=1).legal_actions[0]
            'play hK'
        """
        return tuple(self._replay.legal(self._states[-1]))

    @property
    def is_over(self) -> bool:
        """True if the deal is over.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> while not deal.is_over:
            ...     deal.push(deal.legal_actions[0])
            >>> deal.legal_actions, deal.seat
            ((), None)
        """
        return bool(self._states[-1][0].over)

    @property
    def points(self) -> tuple[float, ...] | None:
        """The game points of each seat; None until the deal is over.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> while not deal.is_over:
            ...     deal.push(deal.legal_actions[0])
            >>> deal.points
            (-1.0, 1.0)
        """
        points = self._states[-1][0].deal_points[: self.game.seats]
        return tuple(map(float, points)) if self.is_over else None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The actions so far, each with its seat.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> deal.push("play dA")
            >>> [move.in_words for move in deal.moves]
            ['player_1 play dA']
        """
        return tuple(self._moves)

    def push(self, action: str | int) -> None:
        """Play an action, by name or number; IllegalAction, and nothing changes, if it is not legal.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> deal.push("play sA")
            Traceback (most recent call last):
            ...
            stichwerk.support.errors.IllegalAction: action 'play sA' is not legal for player_1; ...
        """
        legal, number = self.legal_actions, self.game.action_number(action)
        name = action if number is None else str(self.game.actions[number])
        if name not in legal:
            if not legal:
                raise IllegalAction(f"action {quoted(name)}: the deal is over; expected none")
            meant = closest(name, legal) if isinstance(name, str) and number is None else ""
            there_are = ", ".join(legal)
            raise IllegalAction(
                f"action {quoted(name)} is not legal for player_{self.seat}; {meant}legal: {there_are}"
            )
        states = self.state
        self._replay.apply(states, name)
        self._moves.append(Move(int(self._states[-1][0].seat), name))
        self._states.append(states)

    def pop(self) -> str:
        """Take the last action back, and return its name; InputError if there is none.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> deal.push("play dA")
            >>> deal.pop(), len(deal.moves)
            ('play dA', 0)
        """
        if len(self._states) == 1:
            raise InputError("pop: got it before the first action; expected one to take back")
        self._states.pop()
        return self._moves.pop().action

    def view(self, seat: int | str | None) -> View:
        """The view of a seat, such as 0 or "player_0"; None: all cards.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("schnapsen", seed=1).view(1).legal_actions[-1]
            'close'
        """
        if seat is None:
            return View(self.game, SPECTATOR, self.state, self.legal_actions)
        number = parse_seat(self.game, seat, "seat")
        own = self.legal_actions if number == self.seat else ()
        return View(self.game, number, self._replay.view(self._states[-1], number), own)

    def record(self, seat: int | str | None = None) -> DealRecord:
        """The record so far, which `reset(options=...)` of an environment takes.

        Args:
            seat: The record holds what this seat knows; the rest is drawn at random. None: all that is true.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> deal.record().dealer, len(deal.record().deck)
            (0, 20)
        """
        record = replace(self._dealt, moves=self.moves, points=self.points)
        return record if seat is None else self._replay.for_seat(record, parse_seat(self.game, seat, "seat"))

    def to_struct(self, seat: int | str | None = None) -> dict[str, Any]:
        """The deal as plain values with names, for JSON; `envs/records/deal.schema.json` is its schema.

        Args:
            seat: The struct holds what this seat knows. None: all cards.

        Examples:
            >>> import stichwerk
            >>> stichwerk.Deal("schnapsen", seed=1).to_struct(0)["table"]["hands"][0]["cards"]
            ['sK', 'hT', 'dK', 'dQ', 'dJ']
        """
        number = None if seat is None else parse_seat(self.game, seat, "seat")
        return to_struct(self.game, self.record(), number)

    @classmethod
    def from_struct(cls, struct: Mapping[str, Any]) -> Self:
        """The deal of a struct of all cards; InputError if it is none, or no play leads there.

        Examples:
            >>> import stichwerk
            >>> deal = stichwerk.Deal("schnapsen", seed=1)
            >>> stichwerk.Deal.from_struct(deal.to_struct()).record() == deal.record()
            True
        """
        return cls.of(*from_struct(struct))

    def __str__(self) -> str:
        return str(self.view(None))

    def __repr__(self) -> str:
        turn = "over" if self.is_over else f"player_{self.seat} to act"
        return f"<Deal of {self.game.env_id} after {counted(len(self._moves), 'move')}, {turn}>"

    def _repr_svg_(self) -> str:
        return self.view(None)._repr_svg_()


def read_record(text: str, number: int = 1) -> tuple[Game, DealRecord]:
    """The deal of this number in a text, as `Deal.read` has it; only snapshots are proved by play."""
    found = restored_where_needed(
        lambda: _deals(text.strip(), as_it_stands), lambda: _deals(restored(text), from_restored)
    )
    for game, deal in islice(found, number - 1, number):
        return game, deal
    raise InputError(f"deal: got {number}; expected the number of a deal in the record")


def _deals(text: str, deals: Callable[[str], Iterator[Found]]) -> Iterator[Found]:
    """The deal of a snapshot, or those of a record or of diagrams."""
    if is_diagram(text[:HEAD]):
        yield from read_diagrams(text)
    else:
        yield from [_of_snapshot(read_json(text))] if _is_snapshot(text[:HEAD]) else deals(text)


def _is_snapshot(head: str) -> bool:
    """True if a text that begins so is JSON, but no event of a record."""
    first = head.lstrip().partition("\n")[0]
    return first.startswith("{") and '"event"' not in first


def _of_snapshot(snapshot: Any) -> tuple[Game, DealRecord]:
    """The present deal of a snapshot, which is proved by play."""
    given: Mapping[str, Any] = snapshot if isinstance(snapshot, dict) else {}
    env_id = given.get("env_id")
    if not isinstance(env_id, str) or ":" in env_id:  # MODULE:ID would import a module
        raise InputError(f"snapshot: got env_id {quoted(env_id)}; expected what `snapshot()` returns")
    env = CardGameEnv(env_id, given.get("rules"), given.get("episode", "deal"))
    env.restore(given)
    return env.game, env.deals()[-1]

"""The record of one deal: cards, match, actions and points by name."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted


@dataclass(frozen=True)
class Move:
    """One action of a deal.

    Attributes:
        seat: who acts
        action: by name
        seconds: thinking time, if it is known
        values: game points for the seat by the names of actions, as the player or a judge has estimated them;
            in a match under way a judge's are what it gains of the probability to win
    """

    seat: int
    action: str
    seconds: float | None = None
    values: Mapping[str, float] | None = None

    @property
    def in_words(self) -> str:
        """The seat and what it does."""
        return f"player_{self.seat} {self.action}"


@dataclass(frozen=True)
class DealRecord:
    """One deal, with the actions that were played in it.

    Attributes:
        dealer: the seat that deals
        deck: all cards by name, in dealing order
        match: the state of the match before the deal, as `reset(options={"match": …})` takes it
        moves: in order of play
        points: what the deal paid each seat; None while it goes on
        players: a name for each seat; none, where nobody knows
        number: of the deal in a series or a match, from 0
        seat: the seat that the record is for; None: all cards are the true ones. Cards that this seat did not
            know, and actions that it did not see, are drawn at random, in agreement with all that it knew.
    """

    dealer: int
    deck: tuple[str, ...]
    match: Mapping[str, Any]
    moves: tuple[Move, ...] = ()
    points: tuple[float, ...] | None = None
    players: tuple[str, ...] = ()
    number: int | None = None
    seat: int | None = None

    def options(self) -> dict[str, Any]:
        """The options with which `reset(options=…)` reaches the end of this record."""
        return {
            "deck": list(self.deck),
            "dealer": self.dealer,
            "match": dict(self.match),
            "actions": [move.action for move in self.moves],
        }

    def check_step(self, step: int) -> None:
        """InputError for a number of moves that the record does not have."""
        if step > len(self.moves):
            raise InputError(f"step: got {step}; expected at most {len(self.moves)}, the moves of the deal")


def deal_record(
    game: Game,
    before: np.record,
    state: np.record,
    players: Iterable[str] = (),
    number: int | None = None,
) -> DealRecord:
    """Make the record of a deal from its true state.

    Args:
        game: with its rules
        before: the match as it stood before the deal, with the deal's dealer
        state: in the middle of the deal, or at its end before the next deal is dealt
        players: a name for each seat
        number: of the deal in its series
    """
    over = state.deals_done > before.deals_done
    return DealRecord(
        dealer=int(before.dealer),
        deck=deck_of(game, state),
        match=game.match_of(before),
        moves=moves_of(game, state),
        points=tuple(map(float, state.deal_points[: game.seats])) if over else None,
        players=check_players(game, [*players]),
        number=number,
    )


def check_players(game: Game, players: Any) -> tuple[str, ...]:
    """A list of the players' names as a tuple; InputError unless there is one for each seat, or none."""
    if not isinstance(players, list) or not all(map(_is_name, players)):
        expected = "names, without control characters and line breaks"
        raise InputError(f"players: got {quoted(players)}; expected {expected}")
    if players and len(players) != game.seats:
        raise InputError(f"players: got {quoted(players)}; expected {game.seats} names")
    return tuple(players)


def _is_name(value: Any) -> bool:
    """True if a value is a text that a terminal, and a line of a file, can take."""
    kinds = "Cc", "Cs", "Zl", "Zp"
    return isinstance(value, str) and not any(unicodedata.category(each) in kinds for each in value)


def deck_of(game: Game, state: np.record) -> tuple[str, ...]:
    """The cards of a deal by name, in dealing order."""
    return tuple(game.pack.names[card] for card in state.deck[: len(game.deck)])


def moves_of(game: Game, state: np.record) -> tuple[Move, ...]:
    """The actions of a deal so far."""
    return tuple(Move(seat, str(game.actions[action])) for seat, action in log_entries(state))

"""A table as data: a game's description of a position so that it can be drawn (`envs/render/`).

A scene is made of a record: a seat's redacted view, or for a spectator the true state. Cards that the record
does not hold lie face down in it, so a picture shows no more than the record knows.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from stichwerk.envs.core.cards import NONE, Pack
from stichwerk.envs.core.text import Line, as_lines

SPECTATOR = NONE
"""The seat of a spectator who sees all hands."""
BACK = ""
"""A card that lies face down; others go by their names, such as `sA`."""


@dataclass(frozen=True)
class Hand:
    """A seat at the table.

    Attributes:
        cards: in hand
        notes: what is said of the seat
        played: its card on the table, if there is one
        won: the number of tricks that lie in front of it
        points: that note which tells its card points, for people who count these themselves
    """

    seat: int
    cards: tuple[str, ...]
    notes: tuple[str, ...] = ()
    played: str | None = None
    won: int = 0
    points: str = ""


@dataclass(frozen=True)
class Pile:
    """Cards that lie aside under a few words, such as a stock or a talon."""

    label: str
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """The content of a picture.

    Attributes:
        lines: like those of the text; plain texts are read as `as_lines` does
        hands: from the seat in front on, in the order of play; a scene without hands shows the lines alone
        piles: at most two
        dealer, turn: seats, or NONE
        sheet: rows of a table, of one length, the first one its head
        trump: the letter of the trump suit, or the name of a contract without one; empty: not known yet
        score: of the match, by side, and the score that ends it
    """

    lines: tuple[Line, ...]
    hands: tuple[Hand, ...] = ()
    piles: tuple[Pile, ...] = ()
    dealer: int = NONE
    turn: int = NONE
    sheet: tuple[tuple[str, ...], ...] = ()
    trump: str = ""
    score: tuple[tuple[int, ...], int] | None = None

    def __post_init__(self):
        object.__setattr__(self, "lines", as_lines(self.lines))
        if len(self.piles) > 2:
            raise ValueError(f"scene: got {len(self.piles)} piles; expected at most 2")


def seats_from(seat: int, players: int) -> list[int]:
    """The seats in the order of play, from this one on; a spectator sits with the first."""
    return [(max(seat, 0) + i) % players for i in range(players)]


def faces(pack: Pack, known: int, held: int) -> tuple[str, ...]:
    """A hand of this number of cards, of which a set is known."""
    return face_up(pack.cards(known), held)


def face_up(known: Iterable[str], held: int) -> tuple[str, ...]:
    """This number of cards, the known ones first, the others face down."""
    cards = tuple(known)
    return cards + (BACK,) * (held - len(cards))

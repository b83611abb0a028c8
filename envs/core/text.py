"""Words that the texts of all games share, and the lines of texts and pictures."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, Self, cast, get_args

import numpy as np

from stichwerk.envs.core.cards import NONE, SUIT_SYMBOLS, SUITS, Pack, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.support.language import decimals, tr, trn

FRENCH_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
LABEL = 10  # characters, with the blanks after it
LineKind = Literal["fact", "last", "turn", "over"]
LABELLED = re.compile(r"(\w+) {2,}(.*)")


class Line(str):
    """A line of a text or beside a picture. It is its own text, such as `trump     ♠`.

    Attributes:
        words: of the line
        label: before the words; empty: none
        kind: "fact", or "last": repeats the last action, "turn": who is to act, "over": the points of a deal
            that is over. Where these three are told elsewhere, the line is left out.
    """

    words: str
    label: str
    kind: LineKind

    def __new__(cls, words: str, label: str = "", kind: LineKind = "fact") -> Self:
        before = f"{label + '  ':<{LABEL}}" if label else ""
        line = super().__new__(cls, before + words)
        line.words, line.label, line.kind = words, label, kind
        return line

    def __getnewargs__(self) -> tuple:
        return self.words, self.label, self.kind

    def saying(self, words: str) -> Self:
        """The same line with other words."""
        return type(self)(words, self.label, self.kind)


def as_lines(text: str | Iterable[str]) -> tuple[Line, ...]:
    """Lines as they are, and plain text in lines: there a label has two or more blanks after it."""
    return tuple(map(_as_line, text.splitlines() if isinstance(text, str) else text))


def _as_line(text: str) -> Line:
    if isinstance(text, Line):
        return text
    labelled = LABELLED.fullmatch(text)
    label, words = labelled.groups() if labelled else ("", text)
    return Line(words, label, cast(LineKind, label) if label in get_args(LineKind) else "fact")


def seat_name(seat: int) -> str:
    return f"player_{seat}"


def suit_symbol(suit: int) -> str:
    return SUIT_SYMBOLS[SUITS[suit]]


def suit_name(suit: int) -> str:
    return FRENCH_SUITS[SUITS[suit]]


def cards_text(pack: Pack, mask: int, none: str = "") -> str:
    """A set of cards with their suits as symbols, or what stands for none."""
    return " ".join(map(pretty, pack.cards(mask))) or none


def tricks_won(number: int) -> str:
    """`1 trick`, `2 tricks`."""
    return trn("{n} trick", "{n} tricks", number)


def cards_in_hand(number: int) -> str:
    """`1 card`, `2 cards`."""
    return trn("{n} card", "{n} cards", number)


def card_points(number: int) -> str:
    """`1 points`, `2 points`: those of the cards that a side has taken."""
    return tr("{number} points", number=number)


def waiting(number: int) -> list[str]:
    """The points of a marriage that do not count yet, if there are any."""
    return [tr("{number} waiting", number=number)] if number else []


def headline(view: np.record, more: str = "") -> Line:
    """The number of the deal in the episode, its dealer, and the score of the match."""
    dealt = tr("deal {number}, dealt by {seat}", number=deal_in_episode(view), seat=seat_name(view.dealer))
    return Line(", ".join([dealt, more]) if more else dealt)


def counted(number: int, noun: str) -> str:
    """`1 trick`, `2 tricks`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(seats: Iterable[int]) -> str:
    """Seats by name: `player_0 and player_2`, `player_0, player_1 and player_2`."""
    *others, last = map(seat_name, seats)
    return f"{', '.join(others)}{tr(' and ')}{last}" if others else last


def no_trick(seats: str) -> str:
    """A reason for game points."""
    return tr(", as {seats} had no trick", seats=seats)


def few_points(seats: str, points: int) -> str:
    """A reason for game points."""
    return tr(", as {seats} had only {points} points", seats=seats, points=points)


def paid(number: int, reason: str, why: str = "") -> str:
    """The account of a deal: a reason, the game points that it brought, and why these are so many."""
    values = {"reason": reason, "why": why}
    return trn("{reason}: {n} game point{why}.", "{reason}: {n} game points{why}.", number, **values)


def deal_in_episode(view: np.record) -> int:
    """The number of this deal in the episode, from 1."""
    return int(view.deals_done + (not view.over))


def results(points: Iterable[float], form: str = "+z.10g") -> Line:
    """The points of each seat in a deal that is over, without a negative zero."""
    rounded = (decimals(f"{round(each, 2):{form}}") for each in points)
    words = ", ".join(f"player_{seat} {each}" for seat, each in enumerate(rounded))
    return Line(words, tr("over"), "over")


def to_act(seat: int, doing: str) -> Line:
    """The line of the seat to act and what it is to do."""
    return Line(tr("{seat}, {doing}", seat=seat_name(seat), doing=tr(doing)), tr("turn"), "turn")


def lead_line(leader: int, more: str = "") -> Line:
    """The line that names the leader of the present trick."""
    return Line(f"player_{leader}{more}", tr("lead"))


def last_action(view: np.record, actions: Sequence[str], hidden: str = "") -> list[Line]:
    """The line of the latest action of the deal, if there is one; `hidden` stands for an action that this
    seat may not know."""
    if not view.log_size:
        return []
    seat, action = log_entries(view)[-1]
    return [Line(f"player_{seat}: {hidden if action == NONE else actions[action]}", "last", "last")]

"""Shapes, of which pictures are made. Places are in pixels from the upper left corner, colours `#rrggbb`."""

from dataclasses import dataclass
from typing import Literal, get_args

from stichwerk.envs.core.cards import SUIT_SYMBOLS


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, with round corners if `radius` is above zero, and with an edge if that has a colour."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0
    edge: str | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """A path of SVG, moved to (`x`, `y`) and `size` times as large: filled, with a line along it, or both."""

    path: str
    fill: str | None = None
    line: str | None = None
    width: float = 0
    x: float = 0
    y: float = 0
    size: float = 1


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text on the base line `y`; `x` is where it begins, its middle or where it ends."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    at: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Part = Box | Path | Words
"""The parts of cards."""
Face = Literal["french", "german", "hungarian"]
FACES: tuple[Face, ...] = get_args(Face)


@dataclass(frozen=True, slots=True)
class Turned:
    """Parts of a card, turned about its middle: what stands upside down."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A playing card by its name, or a back, with its upper left corner there; `render/cards.py` draws it.
    A marked one may be played."""

    name: str
    x: float
    y: float
    wide: float
    face: Face = "french"
    marked: bool = False


Shape = Box | Words | Card


# Text

_WIDTHS = {  # of letters of size 1, at most; of all others 0.8
    **dict.fromkeys("'IJijl", 0.3),
    **dict.fromkeys(" !(),-./:;[]fr|t", 0.42),
    **dict.fromkeys('"$0123456789?FLPTYabcdeghknopqsuvxyz_{}', 0.64),
    **dict.fromkeys("#%+<=>@MW^mw~…♠♥♦♣", 1),
}
SUIT_OF = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}


def width(text: str, size: float, bold: bool = False) -> float:
    """The most pixels that a text takes, in DejaVu Sans or any narrower font."""
    return (1.15 if bold else 1) * size * sum(_WIDTHS.get(each, 0.8) for each in text)


def by_suits(text: str) -> list[tuple[str, str | None]]:
    """A text in pieces: symbols of suits, each with its suit, and what stands between."""
    pieces: list[tuple[str, str | None]] = []
    for each in text:
        suit = SUIT_OF.get(each)
        if pieces and suit is None and pieces[-1][1] is None:
            pieces[-1] = pieces[-1][0] + each, None
        else:
            pieces.append((each, suit))
    return pieces


def wrapped(text: str, size: float, room: float) -> list[str]:
    """A text in lines that are no wider than the room. Lines are broken between words where that is possible,
    but not in a score such as `0 : 7`."""
    lines: list[str] = []
    for word in text.replace(" : ", "\xa0:\xa0").split(" "):
        while width(word, size) > room:
            fits = max(1, int(room / size))
            lines, word = [*lines, word[:fits]], word[fits:]
        if lines and width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines

"""Shapes, of which pictures are made. Places are in pixels from the upper left corner, colours `#rrggbb`."""

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Literal

from stichwerk.envs.core.cards import SUIT_SYMBOLS

Point = tuple[float, float]


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
class Suit:
    """The sign of a suit (`s`, `h`, `d`, `c`) around a middle."""

    suit: str
    x: float
    y: float
    size: float
    fill: str


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


Shape = Box | Suit | Words


# The signs of the suits: polygons in a square from -1/2 to 1/2


def _round(x: float, y: float, radius: float) -> list[Point]:
    corners = 28
    return [
        (x + radius * cos(2 * pi * i / corners), y + radius * sin(2 * pi * i / corners))
        for i in range(corners)
    ]


def _heart() -> list[Point]:
    turns = [2 * pi * i / 44 for i in range(44)]
    return [
        (sin(t) ** 3 / 2, -(13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t) + 2.5) / 31)
        for t in turns
    ]


_HALF = [(0, -0.5), (0.18, -0.24), (0.4, 0), (0.18, 0.24)]
DIAMOND = [*_HALF, *((-x, -y) for x, y in _HALF)]
STEM = [(-0.03, 0.1), (0.03, 0.1), (0.06, 0.35), (0.2, 0.5), (-0.2, 0.5), (-0.06, 0.35)]
LEAF = 0.235  # of clubs, the radius
SIGNS: dict[str, list[list[Point]]] = {
    "s": [[(0.94 * x, -0.84 * y - 0.08) for x, y in _heart()], STEM],
    "h": [_heart()],
    "d": [DIAMOND],
    "c": [
        _round(0, -0.26, LEAF),
        _round(-0.26, 0.1, LEAF),
        _round(0.26, 0.1, LEAF),
        _round(0, 0, 0.12),
        STEM,
    ],
}


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

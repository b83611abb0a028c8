"""Playing cards with French, German and Hungarian faces: the drawings of pictures and of the table's page.

A card is drawn on 100 by 150 units, and then put in its place at its size.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from stichwerk.envs.render import colours
from stichwerk.envs.render.shapes import Box, Card, Face, Part, Path, Turned, Words
from stichwerk.envs.render.signs import COLOURS, INK, draw_figure, draw_sign
from stichwerk.envs.spec.scene import BACK

WIDE, HIGH = 100, 150  # units of a card
TALL = HIGH / WIDE
RANKS = {
    "french": {"T": "10"},
    "german": {"A": "D", "Q": "O", "J": "U", "T": "10"},
    "hungarian": {"A": "Á", "Q": "F", "J": "A", "T": "X", "9": "IX", "8": "VIII", "7": "VII"},
}
"""The index in the corners, where it is not the letter of the card's name."""
CORNERS: list[tuple[float, float]] = [(x, y) for y in (0, 1) for x in (30, 70)]
# Of pips: their columns, and their places from the uppermost (0) to the lowest (1).
ROWS: dict[str, list[tuple[float, float]]] = {
    "2": [(50, 0), (50, 1)],
    "3": [(50, 0), (50, 1 / 2), (50, 1)],
    "4": CORNERS,
    "5": [*CORNERS, (50, 1 / 2)],
    "6": [*CORNERS, (30, 1 / 2), (70, 1 / 2)],
    "7": [(30, 0), (70, 0), (50, 1 / 4), (30, 1 / 2), (70, 1 / 2), (30, 1), (70, 1)],
    "8": [(30, 0), (70, 0), (50, 1 / 4), (30, 1 / 2), (70, 1 / 2), (50, 3 / 4), (30, 1), (70, 1)],
    "9": [(50, 1 / 2), *((x, y / 3) for y in range(4) for x in (30, 70))],
    "T": [(50, 1 / 6), (50, 5 / 6), *((x, y / 3) for y in range(4) for x in (34, 66))],  # clear of the index
}
FIGURES = "KQJ"
SLOPE = 14  # units between the lines of a back


@cache
def card_parts(name: str, face: Face) -> tuple[Part | Turned, ...]:
    """The parts of a card, by its name, or of a back."""
    return tuple(_back() if name == BACK else _front(name[0], name[1], face))


def _back() -> Iterator[Part]:
    yield Box(0.75, 0.75, WIDE - 1.5, HIGH - 1.5, colours.BACK_EDGE, 9, colours.PAPER_EDGE)
    left, upper, right, lower = 8, 8, WIDE - 8, HIGH - 8
    yield Box(left, upper, right - left, lower - upper, colours.BACK, 5)
    lines = []  # falling ones, on which y - x is `across`, and rising ones
    for across in range(-WIDE, HIGH + WIDE, SLOPE):
        first, last = max(left, upper - across), min(right, lower - across)
        if first < last:
            lines.append(f"M{first} {first + across}L{last} {last + across}")
            lines.append(f"M{WIDE - first} {first + across}L{WIDE - last} {last + across}")
    yield Path("".join(lines), line=colours.BACK_SIGN, width=1.6)


def _front(suit: str, rank: str, face: Face) -> Iterator[Part | Turned]:
    ink = COLOURS[INK[face][suit]]
    yield Box(0.75, 0.75, WIDE - 1.5, HIGH - 1.5, colours.PAPER, 9, colours.PAPER_EDGE)
    corner = tuple(_corner(suit, rank, face, ink))
    yield from corner
    yield Turned(corner)
    if rank in ROWS:
        for x, row in ROWS[rank]:
            y = 26 + 98 * row
            if face == "french" and row > 1 / 2:
                yield Turned(tuple(draw_sign(suit, face, WIDE - x, HIGH - y, 21)))
            else:
                yield from draw_sign(suit, face, x, y, 21)
    elif rank in FIGURES:
        yield Box(22, 15, 56, 120, "#fbf3dc", 3, ink)
        half = tuple(draw_figure(rank, suit, face))
        yield from half
        yield Turned(half)
        yield Path("M22 75H78", line=ink, width=1)
    elif face == "french":
        yield from draw_sign(suit, face, 50, 75, 52)
    else:
        yield from draw_sign(suit, face, 50, 58, 42)
        lower = tuple(draw_sign(suit, face, 50, 98 if suit == "h" else HIGH - 98, 42))
        yield from lower if suit == "h" else [Turned(lower)]


def _corner(suit: str, rank: str, face: Face, ink: str) -> Iterator[Part]:
    """The rank in the upper left corner, with the suit below it."""
    text = RANKS[face].get(rank, rank)
    size = {1: 24, 2: 16}.get(len(text), 11)
    yield Words(13 if len(text) < 3 else 4, 25, text, size, ink, "middle" if len(text) < 3 else "start", True)
    yield from draw_sign(suit, face, 13, 37, 15)


def draw_row(
    cards: Sequence[str],
    middle: float,
    y: float,
    wide: float,
    room: float,
    face: Face,
    marked: frozenset[str],
) -> Iterator[Card]:
    """Cards side by side around a middle; where the room is too small they overlap."""
    step = min(wide * 1.06, (room - wide) / max(1, len(cards) - 1))
    left = middle - (step * (len(cards) - 1) + wide) / 2
    for place, name in enumerate(cards):
        yield Card(name, left + place * step, y, wide, face, name in marked)

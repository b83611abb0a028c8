"""The layout of a scene: from data to shapes.

The table is on the left, with the seats around it and the trick in the middle. Piles lie in the lower
corners, for two players beside the trick. On the right is a panel with what a picture has to say in words.
Play runs to the right: the next seat is drawn counter-clockwise.
"""

import re
from collections.abc import Iterator
from math import cos, pi, sin

from stichwerk.envs.core.text import Line
from stichwerk.envs.render import colours
from stichwerk.envs.render.cards import TALL, draw_row
from stichwerk.envs.render.names import scene_in_face
from stichwerk.envs.render.shapes import SUIT_OF, Box, Card, Face, Shape, Words, width, wrapped
from stichwerk.envs.spec.scene import BACK, Hand, Pile, Scene
from stichwerk.support.language import tr

WIDTH, HEIGHT = 1120, 640  # of every picture, as videos need it
TABLE = 800  # the width of the table; the panel is beside it
MARGIN = 20

MIDDLE = 400, 280  # of the trick, around which the seats are
TO_SEATS, TO_CARDS = (270, 196), (112, 88)  # from the middle, across and down
SEAT_WIDTH, SMALL, LARGE, PLAYED = 204, 45, 69, 52  # pixels: a seat, and the width of cards
TINY, WON = 15, 58  # the width of a back that stands for a trick, and the room for all of them
FRONT = 462  # where the seat in front begins
# Piles: how far from the middle, how far down, and the width of their cards.
BESIDE, IN_CORNER = (230, 246, PLAYED), (320, 541, SMALL)

CARD = re.compile(rf"([{''.join(SUIT_OF)}]\w)")


def draw_scene(
    title: str, scene: Scene, face: Face = "french", legal: frozenset[str] = frozenset()
) -> list[Shape]:
    """All shapes of a picture, in the order in which they are painted; words call suits as the face does."""
    scene = scene_in_face(scene, face)
    ground = Box(0, 0, WIDTH, HEIGHT, colours.PANEL)
    if not scene.hands:
        return [ground, *_words_alone(title, scene.lines, face)]
    return [ground, *draw_table(scene, face, legal), *_panel(title, scene)]


def draw_table(scene: Scene, face: Face = "french", legal: frozenset[str] = frozenset()) -> list[Shape]:
    """The table alone, without the side panel: `TABLE` pixels wide."""
    scene = scene_in_face(scene, face)
    shapes: list[Shape] = [Box(8, 8, TABLE - 16, HEIGHT - 16, colours.FELT, 28, colours.FELT_EDGE)]
    for pile, side in zip(scene.piles, (-1, 1), strict=False):
        shapes += _pile(pile, *(BESIDE if len(scene.hands) == 2 else IN_CORNER), side, face)
    for place, hand in enumerate(scene.hands):
        look = face, legal if hand.seat == scene.turn else frozenset[str]()
        shapes += _in_front(scene, hand, *look) if place == 0 else _seat(scene, hand, place, *look)
    for place, hand in enumerate(scene.hands):
        if hand.played is not None:
            x, y = _towards(place, len(scene.hands), TO_CARDS)
            shapes.append(Card(hand.played, x - PLAYED / 2, y - PLAYED * TALL / 2, PLAYED, face))
    return shapes


# The table


def _towards(place: int, seats: int, far: tuple[float, float]) -> tuple[float, float]:
    """From the middle towards a seat; place 0 is in front, the next one to the right."""
    turn = pi / 2 - 2 * pi * place / seats
    return MIDDLE[0] + far[0] * cos(turn), MIDDLE[1] + far[1] * sin(turn)


def _seat(scene: Scene, hand: Hand, place: int, face: Face, legal: frozenset[str]) -> Iterator[Shape]:
    x, y = _towards(place, len(scene.hands), TO_SEATS)
    top = max(y - 66, MARGIN)
    yield from _plate(scene, hand, x, top, face)
    yield from draw_row(hand.cards, x, top + 30, SMALL, SEAT_WIDTH, face, legal)
    below = top + 30 + SMALL * TALL + 16 if hand.cards else top + 42
    for line in wrapped(", ".join(hand.notes), 13, SEAT_WIDTH):
        yield Words(x, below, line, 13, colours.BRIGHT, "middle")
        below += 16


def _in_front(scene: Scene, hand: Hand, face: Face, legal: frozenset[str]) -> Iterator[Shape]:
    middle = MIDDLE[0]
    yield from _plate(scene, hand, middle, FRONT, face)
    yield from draw_row(hand.cards, middle, FRONT + 30, LARGE, TABLE - 2 * 150, face, legal)
    yield Words(middle, HEIGHT - 24, ", ".join(hand.notes), 14, colours.BRIGHT, "middle")


def _plate(scene: Scene, hand: Hand, middle: float, top: float, face: Face) -> Iterator[Shape]:
    """The name of a seat, in gold for the seat to act, a sign for the dealer, and a back for each trick."""
    acts, name = hand.seat == scene.turn, f"player_{hand.seat}"
    long = width(name, 14, bold=True) + 16
    fill, ink = (colours.GOLD, colours.PLATE) if acts else (colours.PLATE, colours.BRIGHT)
    yield Box(middle - long / 2, top, long, 24, fill, 12)
    yield Words(middle, top + 17, name, 14, ink, "middle", bold=acts)
    if hand.seat == scene.dealer:
        left = middle + long / 2 + 5
        yield Box(left, top, 50, 24, colours.FELT_EDGE, 12)
        yield Words(left + 25, top + 16, tr("dealer"), 12, colours.DIM, "middle")
    yield from draw_row(
        (BACK,) * hand.won, middle - long / 2 - WON / 2 - 5, top, TINY, WON, face, frozenset()
    )


def _pile(pile: Pile, away: float, top: float, wide: float, side: int, face: Face) -> Iterator[Shape]:
    """A pile on the left (side -1) or on the right (1) of the middle."""
    middle = MIDDLE[0] + side * away
    for number, line in enumerate(reversed(wrapped(pile.label, 13, 124))):
        yield Words(middle, top - 8 - 16 * number, line, 13, colours.BRIGHT, "middle")
    yield from draw_row(pile.cards, middle, top, wide, 124, face, frozenset())


# The panel


def _panel(title: str, scene: Scene) -> Iterator[Shape]:
    left, room = TABLE + 14, WIDTH - TABLE - 14 - MARGIN
    yield Words(left, 42, title, min(23, room / width(title, 1, bold=True)), colours.BRIGHT, bold=True)
    y = 64.0
    for number, line in enumerate(scene.lines):
        if line.label:
            y += 9
            yield Words(left, y + 12, line.label, 12, colours.DIM)
            y += 15
        for part in wrapped(line.words, 15, room):
            yield Words(left, y + 16, part, 15, colours.BRIGHT)
            y += 20
        if number == 0:
            yield Box(left, y + 9, room, 1, colours.RULE)
            y += 8
    if scene.sheet:
        yield from _sheet(scene.sheet, left, y + 18, room)


def _sheet(rows: tuple[tuple[str, ...], ...], left: float, top: float, room: float) -> Iterator[Shape]:
    """A table whose first column stands on the left; the others share the rest."""
    names = max(width(row[0], 12) for row in rows)
    step = (room - names) / (len(rows[0]) - 1)
    yield Box(left, top + 20, room, 1, colours.RULE)
    for number, row in enumerate(rows):
        ink, y = colours.BRIGHT if number else colours.DIM, top + 14 + 22 * number
        yield Words(left, y, row[0], 12, colours.DIM)
        for place, entry in enumerate(row[1:], 1):
            yield Words(left + names + step * place, y, entry, 12, ink, "end")


# Words alone: a game that describes no scene is drawn as its text, with the cards in it as cards


def _words_alone(title: str, lines: tuple[Line, ...], face: Face) -> Iterator[Shape]:
    yield Words(MARGIN + 12, 48, title, 24, colours.BRIGHT, bold=True)
    step = min(56, (HEIGHT - 90) / max(1, len(lines)))
    size = step * 0.36
    for number, line in enumerate(lines):
        y = 76 + step * number
        x = float(MARGIN + 12)
        if line.label:
            yield Words(x, y + step * 0.62, line.label, size, colours.DIM)
            x += 8 * size
        yield from _flow(line.words, x, y, step, size, face)


def _flow(words: str, x: float, y: float, step: float, size: float, face: Face) -> Iterator[Shape]:
    """Words one after another, and cards between them."""
    wide = step * 0.9 / TALL
    for word in words.split():
        for piece in CARD.split(word):
            if CARD.fullmatch(piece):
                yield Card(SUIT_OF[piece[0]] + piece[1], x, y, wide, face)
                x += wide + size / 4
            elif piece:
                yield Words(x, y + step * 0.62, piece, size, colours.BRIGHT)
                x += width(piece, size)
        x += size / 3

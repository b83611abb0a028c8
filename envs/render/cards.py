"""Playing cards as shapes: drawings of our own, with the rank in two corners and the suit in the middle."""

from collections.abc import Iterator, Sequence

from stichwerk.envs.render import colours
from stichwerk.envs.render.shapes import Box, Shape, Suit, Words
from stichwerk.envs.spec.scene import BACK

TALL = 1.4  # times as high as wide


def draw_card(name: str, x: float, y: float, wide: float) -> Iterator[Shape]:
    """A card by its name, or a back, with its upper left corner there."""
    high, radius = TALL * wide, wide / 11
    if name == BACK:
        yield Box(x, y, wide, high, colours.BACK_EDGE, radius, colours.PAPER_EDGE)
        rim = wide / 12
        yield Box(x + rim, y + rim, wide - 2 * rim, high - 2 * rim, colours.BACK, radius / 2)
        for place in (0.32, 0.5, 0.68):
            yield Suit("d", x + wide / 2, y + high * place, wide / 4, colours.BACK_SIGN)
        return
    suit, rank = name[0], "10" if name[1] == "T" else name[1]
    ink, size = colours.ON_PAPER[suit], wide * (0.31 if len(rank) == 1 else 0.25)
    yield Box(x, y, wide, high, colours.PAPER, radius, colours.PAPER_EDGE)
    left, right = x + wide * 0.2, x + wide * 0.8
    yield Words(left, y + wide * 0.33, rank, size, ink, "middle", bold=True)
    yield Suit(suit, left, y + wide * 0.5, wide * 0.23, ink)
    yield Suit(suit, x + wide * 0.55, y + high * 0.55, wide * 0.4, ink)
    yield Words(right, y + high - wide * 0.11, rank, size, ink, "middle", bold=True)


def draw_row(cards: Sequence[str], middle: float, y: float, wide: float, room: float) -> Iterator[Shape]:
    """Cards side by side around a middle; where the room is too small they overlap."""
    step = min(wide * 1.06, (room - wide) / max(1, len(cards) - 1))
    left = middle - (step * (len(cards) - 1) + wide) / 2
    for place, name in enumerate(cards):
        yield from draw_card(name, left + place * step, y, wide)

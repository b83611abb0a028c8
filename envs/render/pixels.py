"""Shapes as pixels, painted by Pillow (the extra `render`).

The letters are those of DejaVu Sans. `letters.ttf` holds the Latin and Cyrillic ones and some symbols, cut
out with fontTools; `letters-licence.txt` is its licence.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.envs.render import colours
from stichwerk.envs.render.shapes import SIGNS, Box, Shape, Suit, Words, by_suits
from stichwerk.support.extras import from_extra

LETTERS = Path(__file__).with_name("letters.ttf")
FINER = 2  # painted so many times as large, and made smaller: smooth edges


def painter() -> Any:
    """Pillow; MissingExtra, which names the command that installs it, where it is not there."""
    return from_extra("PIL.Image", "render")


def to_pixels(shapes: Iterable[Shape], wide: int, high: int) -> np.ndarray:
    """uint8[high, wide, 3]. Raises MissingExtra without Pillow."""
    image = painter().new("RGB", (wide * FINER, high * FINER))
    draw = from_extra("PIL.ImageDraw", "render").Draw(image)
    for shape in shapes:
        _paint(draw, shape)
    return np.array(image.reduce(FINER))


def _paint(draw: Any, shape: Shape) -> None:
    match shape:
        case Box():
            box = [FINER * shape.x, FINER * shape.y]
            box += [box[0] + FINER * shape.width - 1, box[1] + FINER * shape.height - 1]
            draw.rounded_rectangle(box, FINER * shape.radius, shape.fill, shape.edge, width=FINER)
        case Suit():
            for polygon in SIGNS[shape.suit]:
                points = [(shape.x + shape.size * x, shape.y + shape.size * y) for x, y in polygon]
                draw.polygon([(FINER * x, FINER * y) for x, y in points], shape.fill)
        case Words():
            _write(draw, shape)


def _write(draw: Any, words: Words) -> None:
    font = font_of(round(FINER * words.size))
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[words.at]
    x = FINER * words.x - before * font.getlength(words.text)
    for text, suit in by_suits(words.text):
        ink = words.fill if suit is None else colours.ON_DARK[suit]
        stroke = words.size / 24 if words.bold else 0
        draw.text((x, FINER * words.y), text, ink, font, anchor="ls", stroke_width=stroke)
        x += font.getlength(text)


@cache
def font_of(size: int) -> Any:
    """The letters at a size in pixels."""
    return from_extra("PIL.ImageFont", "render").truetype(str(LETTERS), size)

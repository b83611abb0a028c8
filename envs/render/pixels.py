"""Shapes as pixels, painted by Pillow (the extra `render`).

The letters are those of DejaVu Sans. `letters.ttf` holds the Latin and Cyrillic ones and some symbols, cut
out with fontTools; `letters-licence.txt` is its licence.
"""

import pathlib
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from stichwerk.envs.render import colours
from stichwerk.envs.render.cards import TALL, WIDE, card_parts
from stichwerk.envs.render.paths import polygons
from stichwerk.envs.render.shapes import Box, Card, Face, Part, Path, Shape, Turned, Words, by_suits
from stichwerk.support.extras import from_extra

LETTERS = pathlib.Path(__file__).with_name("letters.ttf")
FINER = 2  # painted larger by this factor, and made smaller: smooth edges


def painter() -> Any:
    """Pillow; MissingExtra, which names the command that installs it, where it is not there."""
    return from_extra("PIL.Image", "render")


def to_pixels(shapes: Iterable[Shape], wide: int, high: int) -> np.ndarray:
    """uint8[high, wide, 3]. Raises MissingExtra without Pillow."""
    image = painter().new("RGB", (wide * FINER, high * FINER))
    draw = from_extra("PIL.ImageDraw", "render").Draw(image)
    for shape in shapes:
        if isinstance(shape, Card):
            _put(image, draw, shape)
        else:
            _paint(draw, shape, FINER)
    return np.array(image.reduce(FINER))


def _put(image: Any, draw: Any, card: Card) -> None:
    """Put a card in its place, with a golden rim if it is marked."""
    wide = round(FINER * card.wide)
    x, y = round(FINER * card.x), round(FINER * card.y)
    if card.marked:
        rim = round(wide / 25)
        lower = y + round(wide * TALL) + rim
        draw.rounded_rectangle([x - rim, y - rim, x + wide + rim, lower], wide / 8, colours.GOLD)
    bitmap = _bitmap(card.name, card.face, wide)
    image.paste(bitmap, (x, y), bitmap)


@lru_cache(maxsize=512)
def _bitmap(name: str, face: Face, wide: int) -> Any:
    """A card of this width in pixels, with nothing beyond its round corners."""
    size, scale = (wide, round(wide * TALL)), wide / WIDE
    image = painter().new("RGBA", size)
    for part in card_parts(name, face):
        if isinstance(part, Turned):
            layer = painter().new("RGBA", size)
            _paint_all(layer, part.parts, scale)
            image.alpha_composite(layer.rotate(180))
        else:
            _paint_all(image, (part,), scale)
    return image


def _paint_all(image: Any, parts: Iterable[Part], scale: float) -> None:
    draw = from_extra("PIL.ImageDraw", "render").Draw(image)
    for part in parts:
        _paint(draw, part, scale)


def _paint(draw: Any, part: Part, scale: float) -> None:
    """Paint a part of a picture whose units are `scale` pixels."""
    match part:
        case Box():
            box = [scale * part.x, scale * part.y]
            box += [box[0] + scale * part.width - 1, box[1] + scale * part.height - 1]
            draw.rounded_rectangle(box, scale * part.radius, part.fill, part.edge, width=max(1, round(scale)))
        case Path():
            for polygon in polygons(part.path):
                points = [(part.x + part.size * x, part.y + part.size * y) for x, y in polygon]
                points = [(scale * x, scale * y) for x, y in points]
                if part.fill:
                    draw.polygon(points, part.fill)
                if part.line:
                    draw.line(points, part.line, max(1, round(scale * part.size * part.width)), "curve")
        case Words():
            _write(draw, part, scale)


def _write(draw: Any, words: Words, scale: float) -> None:
    font = font_of(max(1, round(scale * words.size)))
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[words.at]
    x = scale * words.x - before * font.getlength(words.text)
    for text, suit in by_suits(words.text):
        ink = words.fill if suit is None else colours.ON_DARK[suit]
        stroke = scale * words.size / 48 if words.bold else 0
        draw.text((x, scale * words.y), text, ink, font, anchor="ls", stroke_width=stroke)
        x += font.getlength(text)


@cache
def font_of(size: int) -> Any:
    """The letters at a size in pixels."""
    return from_extra("PIL.ImageFont", "render").truetype(str(LETTERS), size)

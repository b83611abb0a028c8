"""Shapes as the text of an SVG file."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from stichwerk.envs.render import colours
from stichwerk.envs.render.shapes import SIGNS, Box, Shape, Suit, Words, by_suits

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
PLAIN = "\ufe0e"  # after a symbol: draw it in ink, not as a coloured emoji


def to_svg(shapes: Iterable[Shape], wide: int, high: int, title: str) -> str:
    """One element that needs nothing from outside."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="{FONT}" role="img">'
    )
    lines = [head, f"<title>{escape(title)}</title>", definitions(), *map(element, shapes), "</svg>"]
    return "\n".join(lines) + "\n"


def definitions() -> str:
    """The signs of the suits, which elements refer to."""
    return f"<defs>{''.join(map(_sign, SIGNS))}</defs>"


def _sign(suit: str) -> str:
    return f'<g id="stichwerk-{suit}">{"".join(map(_polygon, SIGNS[suit]))}</g>'


def _polygon(points: list[tuple[float, float]]) -> str:
    return f'<polygon points="{" ".join(f"{x:.3g},{y:.3g}" for x, y in points)}"/>'


def element(shape: Shape) -> str:
    """A shape as an element of SVG."""
    match shape:
        case Box():
            corners = f' rx="{_(shape.radius)}"' if shape.radius else ""
            edge = f' stroke="{shape.edge}"' if shape.edge else ""
            place = f'x="{_(shape.x)}" y="{_(shape.y)}" width="{_(shape.width)}" height="{_(shape.height)}"'
            return f'<rect {place}{corners} fill="{shape.fill}"{edge}/>'
        case Suit():
            place = f"translate({_(shape.x)} {_(shape.y)}) scale({_(shape.size)})"
            return f'<use href="#stichwerk-{shape.suit}" transform="{place}" fill="{shape.fill}"/>'
        case Words():
            anchor = f' text-anchor="{shape.at}"' if shape.at != "start" else ""
            weight = ' font-weight="bold"' if shape.bold else ""
            place = f'x="{_(shape.x)}" y="{_(shape.y)}" font-size="{_(shape.size)}"{anchor}{weight}'
            return f'<text {place} fill="{shape.fill}">{"".join(map(_piece, by_suits(shape.text)))}</text>'


def _piece(piece: tuple[str, str | None]) -> str:
    text, suit = piece
    if suit is None:
        return escape(text)
    return f'<tspan fill="{colours.ON_DARK[suit]}">{text}{PLAIN}</tspan>'


def _(number: float) -> str:
    """A length to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")

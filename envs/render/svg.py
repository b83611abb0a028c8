"""Shapes as the text of an SVG file."""

from collections.abc import Iterable, Sequence
from functools import cache

from stichwerk.envs.render import colours
from stichwerk.envs.render.cards import HIGH, WIDE, card_parts
from stichwerk.envs.render.shapes import Box, Card, Face, Part, Path, Shape, Turned, Words, by_suits
from stichwerk.envs.render.signs import draw_sign
from stichwerk.support.escape import markup

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
PLAIN = "\ufe0e"  # after a symbol: draw it in ink, not as a coloured emoji


def to_svg(shapes: Sequence[Shape], wide: int, high: int, title: str) -> str:
    """One element that needs nothing from outside."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="{FONT}" role="img">'
    )
    lines = [head, f"<title>{markup(title)}</title>", definitions(shapes), *map(element, shapes), "</svg>"]
    return "\n".join(lines) + "\n"


def definitions(shapes: Iterable[Shape]) -> str:
    """The cards among these shapes, each once, which elements refer to."""
    cards = dict.fromkeys((each.name, each.face) for each in shapes if isinstance(each, Card))
    return "".join(["<defs>", *(f'<g id="{_id(*card)}">{card_svg(*card)}</g>' for card in cards), "</defs>"])


def _id(name: str, face: Face) -> str:
    return markup(f"stichwerk-{face}-{name or 'back'}")


@cache
def card_svg(name: str, face: Face) -> str:
    """A card by its name, or a back, as elements of SVG on 100 by 150 units."""
    return "".join(map(_of_card, card_parts(name, face)))


@cache
def sign_svg(suit: str, face: Face) -> str:
    """The sign of a suit as elements of SVG, 100 high and wide around (0, 0)."""
    return "".join(map(_part, draw_sign(suit, face, 0, 0, 100)))


def _of_card(part: Part | Turned) -> str:
    if isinstance(part, Turned):
        return f'<g transform="rotate(180 {WIDE // 2} {HIGH // 2})">{"".join(map(_part, part.parts))}</g>'
    return _part(part)


def element(shape: Shape) -> str:
    """A shape as an element of SVG."""
    if not isinstance(shape, Card):
        return _part(shape)
    place = f'transform="translate({_(shape.x)} {_(shape.y)}) scale({shape.wide / WIDE:.3g})"'
    card = f'<use href="#{_id(shape.name, shape.face)}" {place}/>'
    if not shape.marked:
        return card
    edge = f'x="-4" y="-4" width="{WIDE + 8}" height="{HIGH + 8}" rx="12"'
    return f'<rect {edge} fill="{colours.GOLD}" {place}/>{card}'


def _part(part: Part) -> str:
    match part:
        case Box():
            corners = f' rx="{_(part.radius)}"' if part.radius else ""
            edge = f' stroke="{part.edge}"' if part.edge else ""
            place = f'x="{_(part.x)}" y="{_(part.y)}" width="{_(part.width)}" height="{_(part.height)}"'
            return f'<rect {place}{corners} fill="{part.fill}"{edge}/>'
        case Path():
            place = "" if (part.x, part.y, part.size) == (0, 0, 1) else f' transform="{_placed(part)}"'
            line = (
                f' stroke="{part.line}" stroke-width="{part.width:g}" stroke-linecap="round"'
                if part.line
                else ""
            )
            return f'<path d="{part.path}" fill="{part.fill or "none"}"{line}{place}/>'
        case Words():
            anchor = f' text-anchor="{part.at}"' if part.at != "start" else ""
            weight = ' font-weight="bold"' if part.bold else ""
            place = f'x="{_(part.x)}" y="{_(part.y)}" font-size="{_(part.size)}"{anchor}{weight}'
            return f'<text {place} fill="{part.fill}">{"".join(map(_piece, by_suits(part.text)))}</text>'


def _placed(part: Path) -> str:
    return f"translate({_(part.x)} {_(part.y)}) scale({part.size:g})"


def _piece(piece: tuple[str, str | None]) -> str:
    text, suit = piece
    if suit is None:
        return markup(text)
    return f'<tspan fill="{colours.ON_DARK[suit]}">{text}{PLAIN}</tspan>'


def _(number: float) -> str:
    """A length to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")

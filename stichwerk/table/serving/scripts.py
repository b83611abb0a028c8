"""Modules of JavaScript for the page: the cards of all pictures (`envs/render/`), and the protocol."""

import json
from collections.abc import Iterable
from textwrap import fill
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.render.cards import RANKS
from stichwerk.envs.render.names import card_name, suit_names
from stichwerk.envs.render.shapes import FACES
from stichwerk.envs.render.signs import INK
from stichwerk.envs.render.svg import card_svg, sign_svg
from stichwerk.envs.spec.scene import BACK
from stichwerk.table import protocol


def drawings(names: Iterable[str]) -> str:
    """Write a module of JavaScript for cards.

    Args:
        names: of the cards

    Returns:
        The cards and the signs of the suits as SVG, by face. Also the colour of each suit, the signs
        of ranks that differ from their letters, and the names of suits and cards in the reader's language.
    """
    names = list(names)
    cards = {face: {name: card_svg(name, face) for name in (BACK, *names)} for face in FACES}
    signs = {face: {suit: sign_svg(suit, face) for suit in SUITS} for face in FACES}
    named = {"CARDS": cards, "SIGNS": signs, "INK": INK, "RANKS": RANKS}
    named["SUIT_NAMES"] = {face: suit_names(face) for face in FACES}
    named["CARD_NAMES"] = {face: {name: card_name(name, face) for name in names} for face in FACES}
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in named.items())


def protocol_script() -> str:
    """Write the protocol as a module of JavaScript: its types as JSDoc, the codes, and the texts."""
    requests, data = protocol.REQUESTS.values(), filter(is_typeddict, vars(protocol).values())
    types = {each.__name__: f"type: {json.dumps(each.kind)}, {_fields(each)}" for each in requests}
    types |= {each.__name__: _fields(each) for each in data}
    unions = {"Request": requests, "Message": get_args(protocol.Message)}
    unions["DoorMessage"] = get_args(protocol.DoorMessage)
    names = ("NO_SEAT", "TOO_MANY_PAGES", "SAME", "MEANING", "TOO_LARGE")
    help_texts = {each.kind: each.help() for each in requests}
    lines = [
        "// The protocol as `stichwerk/table/protocol.py` has it: written by `docs/generate.py`.",
        "",
        *(_typedef(name, f"{{ {body.rstrip(', ')} }}") for name, body in types.items()),
        *(_typedef(name, " | ".join(each.__name__ for each in union)) for name, union in unions.items()),
        "",
        *(f"export const {name} = {json.dumps(getattr(protocol, name))};" for name in names),
        f"export const HELP = {json.dumps(help_texts, indent=2)};",
    ]
    return "".join(f"{line}\n" for line in lines)


def _typedef(name: str, body: str) -> str:
    """A type in JSDoc, in lines that fit the page's files."""
    return fill(f"/** @typedef {{{body}}} {name} */", 140, subsequent_indent=" *   ")


def _fields(kind: type) -> str:
    """The fields of a class in JSDoc; those that may be left out have a question mark."""
    hints = {
        name: hint
        for name, hint in get_type_hints(kind, include_extras=True).items()
        if get_origin(hint) is not ClassVar
    }
    left_out = {name for name in hints if hasattr(kind, name)} | getattr(kind, "__optional_keys__", set())
    return ", ".join(f"{name}{'?' * (name in left_out)}: {_type(hint)}" for name, hint in hints.items())


TYPES = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def _type(hint: Any) -> str:
    """A type in JSDoc."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type(inside[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_type, inside))
    if origin is Literal:
        return " | ".join(map(json.dumps, inside))
    if origin is list:
        return f"Array<{_type(inside[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(_type, inside))}]"
    if origin is dict:
        return "Object"
    return TYPES.get(hint) or hint.__name__

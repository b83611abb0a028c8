"""The names of suits and cards with each face."""

import re
from dataclasses import replace

from stichwerk.envs.core.cards import SUIT_SYMBOLS
from stichwerk.envs.core.text import FRENCH_SUITS
from stichwerk.envs.render.cards import RANKS
from stichwerk.envs.render.shapes import SUIT_OF, Face
from stichwerk.envs.spec.scene import Scene

GERMAN = {"s": "leaves", "h": "hearts", "d": "bells", "c": "acorns"}
SUIT_NAMES: dict[Face, dict[str, str]] = {"french": FRENCH_SUITS, "german": GERMAN, "hungarian": GERMAN}

_SYMBOLS = "".join(SUIT_SYMBOLS.values())
_CARD = re.compile(rf"([{_SYMBOLS}])(\w)?(?!\w)( (?=[{_SYMBOLS}]\w))?")
_SUIT = re.compile(rf"[{_SYMBOLS}](?!\w)")
_NAME = re.compile(rf"\b({'|'.join(FRENCH_SUITS.values())})\b")
_TWICE = re.compile(rf"\b({'|'.join(GERMAN.values())}) \1\b")


def in_face(text: str, face: Face, cards: bool = True) -> str:
    """A text whose suits are called as a face has them.

    Args:
        text: with French symbols and names
        face: of the cards; texts of French ones stay as they are
        cards: whether to name cards too, such as ♠Q; else suits that stand alone

    Returns:
        The text with names in place of symbols, such as leaves O.
    """
    if face == "french":
        return text
    names = SUIT_NAMES[face]

    def named(found: re.Match) -> str:
        symbol, rank, another = found.groups()
        words = names[SUIT_OF[symbol]] + (f" {RANKS[face].get(rank, rank)}" if rank else "")
        return words + (", " if another and rank else another or "")

    text = _CARD.sub(named, text) if cards else _SUIT.sub(lambda found: names[SUIT_OF[found[0]]], text)
    text = _NAME.sub(lambda found: names[found[0][0]], text)
    return _TWICE.sub(r"\1", text)


def scene_in_face(scene: Scene, face: Face) -> Scene:
    """Put all words of a scene into those of a face. Where a scene has no hands, cards in its words stay as
    they are, since they are drawn."""
    if face == "french":
        return scene
    return replace(
        scene,
        lines=tuple(line.saying(in_face(line.words, face, cards=bool(scene.hands))) for line in scene.lines),
        hands=tuple(
            replace(hand, notes=tuple(in_face(note, face) for note in hand.notes)) for hand in scene.hands
        ),
        piles=tuple(replace(pile, label=in_face(pile.label, face)) for pile in scene.piles),
        sheet=tuple(tuple(in_face(cell, face) for cell in row) for row in scene.sheet),
    )

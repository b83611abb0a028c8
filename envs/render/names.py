"""The names of suits and cards with each face."""

import re
from dataclasses import replace

from stichwerk.envs.core.cards import SUIT_SYMBOLS
from stichwerk.envs.core.text import FRENCH_SUITS
from stichwerk.envs.render.cards import RANKS
from stichwerk.envs.render.shapes import SUIT_OF, Face
from stichwerk.envs.spec.scene import Scene
from stichwerk.support.language import spoken, tr, trc

GERMAN = {"s": "leaves", "h": "hearts", "d": "bells", "c": "acorns"}

_SYMBOLS = "".join(SUIT_SYMBOLS.values())
_CARD = re.compile(rf"([{_SYMBOLS}])(\w)?(?!\w)( (?=[{_SYMBOLS}]\w))?")
_SUIT = re.compile(rf"[{_SYMBOLS}](?!\w)")
_NAME = re.compile(rf"\b({'|'.join(FRENCH_SUITS.values())})\b")


def suit_names(face: Face) -> dict[str, str]:
    """The names of the suits as readers call them with a face, by their letters."""
    if face == "french":
        french = {"s": trc("French pack", "spades"), "h": trc("French pack", "hearts")}
        return french | {"d": trc("French pack", "diamonds"), "c": trc("French pack", "clubs")}
    german = {"s": trc("German pack", "leaves"), "h": trc("German pack", "hearts")}
    return german | {"d": trc("German pack", "bells"), "c": trc("German pack", "acorns")}


def rank_names(face: Face) -> dict[str, str]:
    """The names of the ranks as readers call them with a face, by their letters."""
    numbers = {"T": tr("ten"), "9": tr("nine"), "8": tr("eight"), "7": tr("seven")}
    if face == "french":
        courts = trc("French pack", "ace"), tr("king"), tr("queen"), tr("jack")
    elif face == "german":
        courts = (
            trc("German pack", "ace"),
            tr("king"),
            trc("German pack", "Ober"),
            trc("German pack", "Unter"),
        )
    else:
        courts = (
            trc("Hungarian pack", "ace"),
            tr("king"),
            trc("Hungarian pack", "Ober"),
            trc("Hungarian pack", "Unter"),
        )
    return dict(zip("AKQJ", courts, strict=True)) | numbers


def card_name(card: str, face: Face) -> str:
    """A card by its name, as it is read aloud."""
    suit, rank = suit_names(face)[card[0]], rank_names(face).get(card[1], card[1])
    return tr("{rank} of {suit}", rank=rank, suit=suit)


def in_face(text: str, face: Face, cards: bool = True) -> str:
    """A text whose suits are called as a face has them.

    Args:
        text: with French symbols and names
        face: of the cards; texts of French ones keep their symbols
        cards: whether to name cards too, such as ♠Q; else suits that stand alone

    Returns:
        The text with names in place of symbols, such as leaves O.
    """
    names = suit_names(face)
    if face == "french":
        return _NAME.sub(lambda found: names[found[0][0]], text)

    def named(found: re.Match) -> str:
        symbol, rank, another = found.groups()
        words = names[SUIT_OF[symbol]] + (f" {RANKS[face].get(rank, rank)}" if rank else "")
        return words + (", " if another and rank else another or "")

    text = _CARD.sub(named, text) if cards else _SUIT.sub(lambda found: names[SUIT_OF[found[0]]], text)
    text = _NAME.sub(lambda found: names[found[0][0]], text)
    return re.sub(rf"\b({'|'.join(names.values())}) \1\b", r"\1", text)


def scene_in_face(scene: Scene, face: Face) -> Scene:
    """Put all words of a scene into those of a face. Where a scene has no hands, cards in its words are
    unchanged, since they are drawn."""
    if face == "french" and spoken().code == "en":
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

"""Serbian in Cyrillic letters, from the same text in Latin ones."""

import re

LETTERS = {
    **dict(zip("abvgdđežzijklmnoprstćufhcčš", "абвгдђежзијклмнопрстћуфхцчш", strict=True)),
    **{"lj": "љ", "nj": "њ", "dž": "џ"},
}
APART = ("injek", "konjug", "konjunk", "nadživ", "odžal", "podžanr")
"""Beginnings of words in which such a pair is two letters: each is written for itself."""
KEPT = (
    r"\{\w*\}",  # values
    r"`[^`]*`",  # what is typed
    r"[♠♥♦♣][AKQJT]\b",
    r"\b[AKQJ](?: [AKQJ])+",
    r"\bp(?= pušta)",  # a key
    *("Ge-elfen", "Andere Alte", "Höher hat", "Auf Dissle", "Schnapsen"),
    *("Stichwerk", "JavaScript", "Enter", "Home", "End", r"Page (?:Up|Down)"),
)
"""Parts of a text that keep their Latin letters."""
PIECE = re.compile(rf"({'|'.join(KEPT)})|(?i:({'|'.join(APART)})|lj|nj|dž|[a-pr-vzčćđšž])")


def _told(found: re.Match) -> str:
    piece, kept, apart = found[0], found[1], found[2]
    if kept:
        return piece
    written = "".join(LETTERS[letter.lower()] for letter in ([*piece] if apart else [piece]))
    if not piece[0].isupper():
        return written
    return written.upper() if apart and piece.isupper() else written[0].upper() + written[1:]


def in_cyrillic(text: str) -> str:
    """A Serbian text in Cyrillic letters; names of values, keys and foreign words stay as they are."""
    return PIECE.sub(_told, text)

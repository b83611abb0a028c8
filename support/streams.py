"""Text for streams that cannot hold every character, such as a pipe on Windows. Letters replace the symbols
of suits, and other plain characters whatever else is missing."""

import codecs
import sys
import unicodedata
from typing import Any

PLAINLY = "stichwerk.plainly"  # the name under which Python's codecs know `_plainly`
PLAIN = {
    "♠": "s",
    "♥": "h",
    "♦": "d",
    "♣": "c",
    "±": "+/-",
    "–": "-",
    "…": "...",
    "∩": "n",
    "△": "^",
    "×": "x",
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ß": "ss",
}


def legible(text: str, stream: Any = None) -> str:
    """A text as a stream, by default stdout, can hold it: `♠A` is `sA`, the card's name, where need be."""
    encoding = getattr(stream or sys.stdout, "encoding", None)
    return text.encode(encoding, PLAINLY).decode(encoding) if encoding else text


def write_legibly(*streams: Any) -> None:
    """Let streams write whatever they are given, as `legible` has it; UTF-8 holds everything."""
    for stream in streams:
        encoding, reconfigure = getattr(stream, "encoding", None), getattr(stream, "reconfigure", None)
        if encoding and reconfigure and not codecs.lookup(encoding).name.startswith("utf"):
            reconfigure(errors=PLAINLY)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """The error handler of codecs that stands behind both."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(map(_plain, missing)), error.end


def _plain(character: str) -> str:
    """ASCII for a character."""
    if character in PLAIN:
        return PLAIN[character]
    words = unicodedata.name(character, "").split()
    if words[:2] == ["BOX", "DRAWINGS"]:
        return "+" if "AND" in words else "-" if "HORIZONTAL" in words else "|"
    letter = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return letter or character.encode("ascii", "backslashreplace").decode()


codecs.register_error(PLAINLY, _plainly)

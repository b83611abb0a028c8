"""Text for streams that cannot hold every character, such as a pipe on Windows. Letters replace the symbols
of suits, and other plain characters whatever else is missing. Streams that are for messages alone."""

import codecs
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from stichwerk.support.errors import InputError

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


class Wire(NamedTuple):
    """Stdin and stdout of a program that speaks in messages. Anything else that prints goes to stderr, and
    anything else that reads gets nothing."""

    messages: BinaryIO
    out: BinaryIO

    @classmethod
    def taken(cls) -> "Wire":
        """From here on; InputError if one of the streams is closed."""
        if sys.stdin is None or sys.stdout is None:
            raise InputError(f"{'stdin' if sys.stdin is None else 'stdout'}: got it closed; expected a host")
        wire = cls(os.fdopen(os.dup(sys.stdin.fileno()), "rb"), os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
        _divert()
        return wire

    @contextmanager
    def given_back(self) -> Iterator[None]:
        """Leave them to the block, which takes them itself."""
        sys.stdout.flush()
        os.dup2(self.messages.fileno(), sys.stdin.fileno())
        os.dup2(self.out.fileno(), sys.stdout.fileno())
        try:
            yield
        finally:
            _divert()


def _divert() -> None:
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


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

"""Errors of what a caller gives. Every message names the value and says what was expected, in one line of
readable length."""

import reprlib
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from stichwerk.support.escape import plain

LONGEST, LONGEST_VALUE = 2_000, 200  # characters of a message, and of a value in it


class InputError(ValueError):
    """Something given to the suite is wrong; the commands print the message and exit with status 2."""

    def __init__(self, message: object = ""):
        super().__init__(one_line(str(message)))


class RulesError(InputError):
    """An unknown preset, field or value of a rule option."""


class SetupError(InputError):
    """An impossible deck, dealer, match state or action in a set deal."""


class IllegalAction(InputError):  # noqa: N818 - the name is part of the public interface
    """An action that the seat to act may not play; the message names action, seat and legal actions."""


def one_line(text: str) -> str:
    """A text without line breaks and other characters that cannot be read, and without the middle of a very
    long one."""
    return plain(_cut(text, LONGEST, " … "))


def _cut(text: str, longest: int, gap: str) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]}{gap}{text[-longest // 2 :]}"


class _Short(reprlib.Repr):
    """`repr` without what makes a value long: never more than a few entries are looked at."""

    def __init__(self):
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = 8
        self.maxstring = self.maxother = LONGEST_VALUE
        self.maxlong = 60

    def repr_int(self, number: int, level: int) -> str:
        """Python writes no number of more than some thousand digits."""
        try:
            return super().repr_int(number, level)
        except ValueError:
            return f"<a whole number of {number.bit_length()} bits>"


def quoted(value: Any) -> str:
    """A value for a message, as `repr` writes it unless that is long: it may come from anywhere."""
    return _cut(_SHORT.repr(value), LONGEST_VALUE, "...")


_SHORT = _Short()


def closest(word: str, words: Iterable[str]) -> str:
    """A question after the word that was perhaps meant, whatever its case and marks; empty if none is."""
    plain = {"".join(filter(str.isalnum, each)).lower(): each for each in words}
    near = get_close_matches("".join(filter(str.isalnum, word)).lower(), plain, 1, 0.7)
    return f"do you mean {plain[near[0]]}? " if near else ""


def why_not_loaded(error: BaseException) -> str:
    """The reason why a module was not loaded: it is missing, it refuses, or it crashes."""
    return str(error) if isinstance(error, (ImportError, InputError)) else error_line(error)


def error_line(error: BaseException) -> str:
    """An error in a line: its kind, what it says, and the line of code that raised it."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    try:
        says = str(error)
    except Exception:  # of an error's own __str__
        says = ""
    kind = f"{type(error).__name__}: {says}" if says else type(error).__name__
    return f"{kind} ({Path(place.filename).name}:{place.lineno})"

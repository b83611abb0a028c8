"""Reading an answer in free text as one of the legal actions.

These forms are tried in this order, and the first one that the text has decides:

1. JSON with an action, `{"action": "play hA"}`; of several the last one, of nested ones the outer one
2. a line `ACTION: play hA`; of several the last one
3. the whole text, or else its last line
4. the last legal action that the text names in full

In the first three an action may stand as its number in the list, or as its name in any case. The beginning of
one legal name alone will do, and so will the card, suit or number of one legal action alone. Suits may be
symbols. In the first two, other words may stand around a name.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from stichwerk.envs.core.cards import SUIT_SYMBOLS
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import tr

LONGEST = 20_000  # characters that are read, at the end of an answer
MARKED = re.compile(r"^[^\w\n]*(?:final )?(?:action|answer)[^\w\n:=]*[:=](.*)$", re.IGNORECASE | re.MULTILINE)
NUMBER = re.compile(r"(?:(?:action|number|option) )?(\d{1,9})", re.IGNORECASE)
NUMBERED = re.compile(r"(\d{1,9})[.):]? (.+)")
AROUND = " \t\r\n.,;:!?\"'`*_()[]{}<>#$"
"""Characters allowed around an action: ends of sentences, quotation marks, brackets and Markdown."""
LETTERS = str.maketrans({"\ufe0f": "", **{symbol: letter for letter, symbol in SUIT_SYMBOLS.items()}})
"""Symbols of suits, perhaps as pictures (U+FE0F), and their letters."""


class AnswerError(InputError):
    """An answer that is no legal action, or may be several; the message says what was expected."""


def read_answer(text: str | int, legal: Sequence[str]) -> str:
    """Read an answer as a legal action.

    Args:
        text: the answer; a number alone may be one
        legal: the names of the legal actions, in the order in which they were numbered, from 1

    Returns:
        The name of the action.

    Raises:
        AnswerError: the text names no legal action, or does not say which.
    """
    if type(text) is int:
        return _stated(str(text), legal)
    if not isinstance(text, str):
        raise AnswerError(f"answer: got {quoted(text)}; expected text, or a number")
    text = text[-LONGEST:]
    if (stated := _in_json(text)) is not None:
        return _stated(str(stated), legal)
    if marked := [line for line in MARKED.findall(text) if line.strip(AROUND)]:
        return _stated(marked[-1], legal)
    lines = [line for line in text.splitlines() if line.strip(AROUND)]
    for part in (text, *lines[-1:]):
        if _fitting(part, legal):
            return _stated(part, legal)
    if named := _named(text, legal):
        return named[-1]
    return _stated(lines[-1] if lines else "", legal)


def _in_json(text: str) -> Any:
    """The action of the last JSON object that has one; None if there is none."""
    stated: list[str | int] = []

    def keep(pairs: list[tuple[str, Any]]) -> None:
        actions = [value for key, value in pairs if key == "action"]
        if len(actions) > 1:
            raise AnswerError(f"action: got it {len(actions)} times in one object; expected once")
        stated.extend(value for value in actions if isinstance(value, (str, int)))

    decoder = json.JSONDecoder(object_pairs_hook=keep)  # which calls it for inner objects first
    start = text.find("{")
    while start >= 0:
        try:
            _, end = decoder.raw_decode(text, start)
        except AnswerError:
            raise
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return stated[-1] if stated else None


def _stated(text: str, legal: Sequence[str]) -> str:
    """The only action that a text states; AnswerError if there is not one."""
    fitting = _fitting(text, legal) or [*dict.fromkeys(_named(text, legal))]
    if len(fitting) == 1:
        return fitting[0]
    given = quoted(text.strip()) if text.strip() else tr("nothing")
    if fitting:
        either = tr("got {given}, which may be {actions}; expected one of them")
        raise AnswerError(either.format(given=given, actions=tr(" or ").join(fitting)))
    told = tr("got {given}; expected a number from 1 to {most}, or one of {actions}")
    raise AnswerError(told.format(given=given, most=len(legal), actions=", ".join(legal)))


def _fitting(text: str, legal: Sequence[str]) -> Sequence[str]:
    """The legal actions that a short text may mean."""
    short = " ".join(text.translate(LETTERS).strip(AROUND).split())
    if number := NUMBER.fullmatch(short):
        return _at(number[1], legal)
    if line := NUMBERED.fullmatch(short):  # as the list has it
        by_number, by_name = _at(line[1], legal), _by_name(line[2].strip(AROUND), legal)
        both = [name for name in by_number if name in by_name]
        return both or [*by_number, *by_name]
    return _by_name(short, legal) if short else []


def _at(number: str, legal: Sequence[str]) -> Sequence[str]:
    """The action of a number, if there is one."""
    return [name for place, name in enumerate(legal, start=1) if place == int(number)]


def _by_name(short: str, legal: Sequence[str]) -> Sequence[str]:
    """The actions of a name, of the beginning of a name, or of its last word."""
    for case in (str, str.lower):
        wanted, names = case(short), {name: case(name) for name in legal}
        for fits in (
            [name for name in legal if names[name] == wanted],
            [name for name in legal if names[name].startswith(wanted)],
            [name for name in legal if names[name].endswith(f" {wanted}")],
        ):
            if fits:
                return fits
    return []


def _named(text: str, legal: Sequence[str]) -> list[str]:
    """The legal actions that a text names in full, in its order."""
    longest_first = sorted(legal, key=len, reverse=True)
    names = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first)
    found = re.findall(rf"(?<!\w)({names})(?!\w)", text.translate(LETTERS), re.IGNORECASE)
    by_name = {name.lower(): name for name in legal}
    return [by_name[" ".join(each.split()).lower()] for each in found]

"""Records, lines and snapshots as other programs hand them on.

Mail quotes and wraps lines; chat and office programs put in other blanks, quotes and dashes. What is a record
as it stands is read so, and only what is none is restored.
"""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import read_events, read_records
from stichwerk.envs.records.notation import BETWEEN, TAGS, read_deals
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import read_json

Found = TypeVar("Found")
LONGEST = 1_000_000  # characters that are restored
FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
QUOTED = re.compile(r"\s*(?:>\s?)+")
ESCAPED = re.compile(r"\\([_\[\](){}*|#.+~>!`-])")  # in Markdown; JSON escapes none of these
BEGINS = re.compile(r"\[game |\{ ?\"")
AFTER = "\"'`() <>.,;:!"  # what may stand behind a text within another one
TAG = "|".join(TAGS)
LINES = re.compile(rf" (?=\[(?:{TAG}) |; (?!player_\d [a-z])|\d+\. player_\d)")  # before each line of a text


class _Plain(dict[int, str]):
    """Each character as records have it: one kind of quotes and dashes, and nothing without a width."""

    def __missing__(self, number: int) -> str:
        each = chr(number)
        kind = unicodedata.category(each)
        # Joiners, marks of order, soft hyphens, and the signs that make an emoji of a suit.
        self[number] = (
            "" if kind in ("Cf", "Mn") else "-" if kind == "Pd" or each == "\N{MINUS SIGN}" else each
        )
        return self[number]


PLAIN = _Plain({ord(each): '"' for each in "“”„‟«»″"} | {ord(each): "'" for each in "‘’‚‛′"})


def restored(text: str) -> str:
    """A text as it was before other programs had it, in one line, from its beginning on. Blanks and line ends
    count as one blank each. InputError for one that is too long."""
    if len(text) > LONGEST:
        raise InputError(f"got {len(text):,} characters; expected at most {LONGEST:,}")
    lines = html.unescape(text).splitlines()
    parts = [QUOTED.sub("", line, count=1) for line in lines if not FENCE.fullmatch(line)]
    plain = unicodedata.normalize("NFKC", " ".join(parts)).translate(PLAIN)
    one = ESCAPED.sub(r"\1", " ".join(plain.split()))
    begin = BEGINS.search(one)
    return one[begin.start() if begin else 0 :].rstrip(AFTER)


def deals_in(text: str) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a text with their games, in either form of a record, or of one line. Only the form is
    checked.

    Raises:
        InputError: the text is no record, naming the line.
    """
    yield from restored_where_needed(lambda: as_it_stands(text), lambda: from_restored(restored(text)))


def as_it_stands(text: str) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a text in which nothing was changed."""
    return read_records(text.splitlines()) if text.lstrip().startswith("{") else read_deals(text)


def from_restored(one: str) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a text in one line."""
    if one.startswith("{"):
        return read_events(_values(one))
    return read_deals(LINES.sub("\n", one.replace(BETWEEN, "\n")))


def _values(text: str) -> Iterator[Any]:
    """The values of JSON, one after another."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON: {error}") from None
        yield read_json(text[place:end])
        place = end + (text[end : end + 1] == " ")


def restored_where_needed(
    read: Callable[[], Iterator[Found]], again: Callable[[], Iterator[Found]]
) -> Iterator[Found]:
    """The content of a text unchanged or, where that is no record, repaired.

    Args:
        read: reads the text as it stands
        again: reads it restored

    Raises:
        InputError: it is no record; the message tells of the text as it stands.
    """
    number = 0
    try:
        for found in read():
            number += 1
            yield found
        return
    except InputError as error:
        fault = error
    try:
        rest = list(islice(again(), number, None))
    except InputError:
        raise fault from None
    yield from rest

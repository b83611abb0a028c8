"""Files of records, in either form."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.foreign import deals_in, from_restored, restored, restored_where_needed
from stichwerk.envs.records.jsonl import LONGEST_LINE, read_records
from stichwerk.envs.records.notation import read_deals
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import BEGIN, STDIN, encoding_of, read_text


def read_deal(path: Path, number: int) -> tuple[Game, DealRecord]:
    """The deal of this number in a file, from 1; InputError if there is none, and as for `read_file`."""
    for found in islice(read_file(path), number - 1, number):
        return found
    raise InputError(f"{path}: got no deal {number}; expected a record that holds some")


def read_file(path: Path) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a file with their games: JSON Lines, or the text for people.

    Quotes, blanks and dashes that mail and office programs have changed are restored.

    Where that is neither, it is read as other programs may have changed it. Only the form is checked here;
    `RecordReplay.check` checks the play.

    Args:
        path: of the file; `-`: the standard input

    Raises:
        InputError: the file holds no record, naming the file and the line.
        OSError: it cannot be read.
    """
    try:
        if str(path) == STDIN or (path.exists() and not path.is_file()):  # it can be read once
            yield from deals_in(read_text(path))
        else:
            yield from restored_where_needed(
                lambda: _as_it_stands(path), lambda: from_restored(restored(read_text(path)))
            )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _as_it_stands(path: Path) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a file in which nothing was changed, however long it is."""
    try:
        with open(path, "rb") as file:
            encoding = encoding_of(file.read(BEGIN))
        with open(path, encoding=encoding) as lines:
            if lines.read(LONGEST_LINE).lstrip().startswith("{"):
                lines.seek(0)
                yield from read_records(iter(lambda: lines.readline(LONGEST_LINE + 1), ""))
                return
        yield from read_deals(read_text(path))
    except UnicodeDecodeError:
        raise InputError("got no text; expected a record") from None

"""Convert recorded deals between the notations: JSON Lines, text, JSON, diagrams and PPN.

stichwerk export records deals.jsonl match.ppn
stichwerk export records match.ppn deals.jsonl --rules serbian_club
stichwerk export records deals.jsonl deals.json
stichwerk export records column.diagram deals.jsonl
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from stichwerk.cli import Positional, parse
from stichwerk.envs.bridges.diagrams import read_diagrams, write_diagrams
from stichwerk.envs.bridges.ppn import read_ppn, write_ppn
from stichwerk.envs.core.text import counted
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import write_deal
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.struct import from_struct, to_struct
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import new_file, write_whole
from stichwerk.support.parsing import parse_yaml, read_json, read_text

Found = tuple[Game, DealRecord]
PPN, JSON, DIAGRAM = ".ppn", ".json", ".diagram"


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """Write recorded deals in the notation that the second file's ending names: .jsonl, .txt, .json, .ppn or
    .diagram. Every deal is replayed and checked. Differences between a PPN file and the rules are printed."""

    file: Positional[Path]
    """The record to read: JSON Lines or text, .json, .ppn or .diagram."""
    out: Positional[str]
    """The file to write."""
    rules: str = ""
    """The rules of a .ppn or .diagram file that names none: a preset such as serbian_club, or options."""
    force: bool = False
    """Replace an existing file."""


def main(arguments: Sequence[str]) -> None:
    options = parse(ConvertOptions, arguments)
    out = new_file(options.out, options.force)
    if out.suffix not in WRITERS:
        raise InputError(f"out: got {quoted(options.out)}; expected a file that ends in {', '.join(WRITERS)}")
    if options.rules and options.file.suffix not in (PPN, DIAGRAM):
        raise InputError("rules: got some for a record; expected none, as records name their own")
    deals = [*_read(options)]
    if not deals:
        raise InputError(f"{options.file}: got no deals; expected a record that holds some")
    write_whole(out, WRITERS[out.suffix](deals))
    print(f"wrote {out}: {counted(len(deals), 'deal')}")


def _read(options: ConvertOptions) -> Iterator[Found]:
    path = options.file
    try:
        if path.suffix == PPN:
            for number, deal in enumerate(read_ppn(read_text(path), parse_yaml(options.rules)), start=1):
                for difference in deal.differences:
                    print(f"deal {number}: {difference}")
                yield deal.game, deal.record
        elif path.suffix == DIAGRAM:
            yield from map(_with_all_cards, read_diagrams(read_text(path), parse_yaml(options.rules)))
        elif path.suffix == JSON:
            structs = read_json(read_text(path))
            yield from map(from_struct, structs if isinstance(structs, list) else [structs])
        else:
            for game, record in map(_with_all_cards, read_file(path)):
                RecordReplay(game).check(record)
                yield game, record
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith(str(path)) else f"{path}: {message}") from None


def _with_all_cards(found: Found) -> Found:
    """The same deal; InputError for one that a seat knows in part."""
    if found[1].seat is not None:
        raise InputError("got the record of a seat; expected records of all cards")
    return found


def _by_game(write: Callable[[Game, Iterable[DealRecord]], str]) -> Callable[[Sequence[Found]], str]:
    """A writer of deals of several games, by one of deals of one game."""

    def write_all(deals: Sequence[Found]) -> str:
        parts = groupby(deals, key=lambda each: each[0])
        return "".join(write(game, [record for _, record in some]) for game, some in parts)

    return write_all


def _text(game: Game, records: Iterable[DealRecord]) -> str:
    return "\n".join(write_deal(game, record) for record in records)


def _json(deals: Sequence[Found]) -> str:
    return (
        json.dumps([to_struct(game, record) for game, record in deals], ensure_ascii=False, indent=1) + "\n"
    )


WRITERS: dict[str, Callable[[Sequence[Found]], str]] = {
    ".jsonl": _by_game(write_records),
    ".txt": _by_game(_text),
    JSON: _json,
    PPN: _by_game(write_ppn),
    DIAGRAM: _by_game(write_diagrams),
}

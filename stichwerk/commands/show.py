"""Show recorded deals: in the terminal, as a page to step through, or as a picture.

stichwerk show deals.jsonl --deal 3 --step 5
stichwerk show deals.jsonl --html deals.html
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from stichwerk.cli import Positional, check_bounds, check_source, parse, seat_of
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_deal, read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.shown import ShownDeal
from stichwerk.envs.render.film import to_page
from stichwerk.envs.render.shapes import Face
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_whole

MOST = 200  # deals in a page, of about 10 MB


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Print recorded deals, or write them as a page or a picture. Every deal is replayed and checked."""

    file: Positional[Path]
    """The record to show: JSON Lines, or the text that this command prints."""
    deal: int | None = None
    """Show the deal with this number in the file, from 1. The default is all deals."""
    step: int | None = None
    """Show the table after this number of moves. The default is the whole deal."""
    seat: str = ""
    """Show what this seat knows, such as player_0 or 0. The default is all that the record holds."""
    html: Path | None = None
    """Write a page to this file, to step through the deals with keys."""
    svg: Path | None = None
    """Write a picture to this file: of one step, or without --step an animation."""
    face: Face = "french"
    """The style of cards on pages and pictures."""
    jsonl: Path | None = None
    """Write the deals to this file as JSON Lines, with --seat as this seat knows them."""

    def __post_init__(self):
        check_bounds(self, {"deal": (1, 10**9), "step": (0, 10**6)})
        for whole in ("html", "jsonl"):
            check_source(self, whole, beside=("step",))
        if self.face != "french" and not (self.html or self.svg):
            raise InputError(f"face: got {self.face} without a page or picture; expected --html or --svg too")
        paths = [os.path.realpath(path) for path in (self.html, self.svg, self.jsonl) if path]
        if len({*paths}) < len(paths):
            raise InputError(
                "got one file for two of --html, --svg and --jsonl; expected a different file for each"
            )


def main(arguments: Sequence[str]) -> None:
    options = parse(ShowOptions, arguments)
    deals = list(_chosen(options))
    if not deals:
        raise InputError(f"{options.file}: got no deals; expected a record that holds some")
    files: dict[Path, str] = {}
    if options.html:
        _check_number(deals, "html", MOST)
        files[options.html] = to_page(
            f"Stichwerk: {options.file.name}", [deal.film(options.face) for deal in deals]
        )
    if options.svg:
        _check_number(deals, "svg", 1)
        files[options.svg] = deals[0].picture(options.step, options.face)
    if options.jsonl:
        games = groupby(deals, key=lambda deal: deal.game)
        parts = (write_records(game, [deal.record for deal in some]) for game, some in games)
        files[options.jsonl] = "".join(parts)
    for path, content in files.items():
        write_whole(path, content)
        print(f"wrote {path}")
    if not files:
        print("\n".join(deal.text(options.step) for deal in deals), end="")


def _check_number(deals: Sequence[ShownDeal], what: str, most: int) -> None:
    if len(deals) > most:
        raise InputError(f"{what}: got {len(deals)} deals; expected at most {most}: choose one with --deal")


def _chosen(options: ShowOptions) -> Iterator[ShownDeal]:
    """The deals that are asked for, as the seat knows them that is asked for."""
    found = [read_deal(options.file, options.deal)] if options.deal else read_file(options.file)
    for number, (game, record) in enumerate(found, start=options.deal or 1):
        replay = RecordReplay(game)
        try:
            known = _as_known(replay, record, options.seat) if options.seat else record
            yield ShownDeal(number, game, known, replay.seen(known))
        except InputError as error:
            raise InputError(f"{options.file}: deal {number}: {error}") from None


def _as_known(replay: RecordReplay, record: DealRecord, seat: str) -> DealRecord:
    """The record as a seat knows it; InputError if it is another one's."""
    number = seat_of(replay.game, seat, "seat")
    if record.seat not in (None, number):
        raise InputError(f"seat: got {seat}; expected player_{record.seat}, whose record this is")
    return replay.for_seat(record, number)

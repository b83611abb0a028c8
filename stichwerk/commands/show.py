"""Show recorded deals: in the terminal, as a page to step through, or as a picture.

stichwerk show deals.jsonl --deal 3 --step 5
stichwerk show deals.jsonl --html deals.html
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from stichwerk.cli import Positional, check_bounds, parse
from stichwerk.envs.engine.set_deal import parse_seat
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import write_deal
from stichwerk.envs.records.replay import Player
from stichwerk.envs.render import Picture
from stichwerk.envs.render.film import Film, Frame, to_moving_svg, to_page
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_whole

MOST = 200  # deals in a page, of about 10 MB


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Print recorded deals, or write them as a page or a picture. Every deal is played again and checked."""

    file: Positional[Path]
    """The record to show: JSON Lines, or the text that this command prints."""
    deal: int | None = None
    """Show the deal of this number in the file, from 1. Without it all deals are shown."""
    step: int | None = None
    """Show the table after this number of moves. Without it the whole deal is shown."""
    seat: str = ""
    """Show what this seat knows, such as player_0 or 0. Without it all that the record holds is shown."""
    html: Path | None = None
    """Write a page to this file, to step through the deals with keys."""
    svg: Path | None = None
    """Write a picture to this file: of one step, or without --step one that moves."""
    jsonl: Path | None = None
    """Write the deals to this file as JSON Lines, with --seat as this seat knows them."""

    def __post_init__(self):
        if self.deal is not None:
            check_bounds(self, {"deal": (1, 10**9)})
        if self.step is not None:
            check_bounds(self, {"step": (0, 10**6)})


def main(arguments: Sequence[str]) -> None:
    options = parse(ShowOptions, arguments)
    deals = list(_chosen(options))
    if not deals:
        wanted = f"deal {options.deal}" if options.deal else "deals"
        raise InputError(f"{options.file}: got no {wanted}; expected a record that holds some")
    written = [path for path in (options.html, options.svg, options.jsonl) if path]
    if options.html:
        _check_number(deals, "html", MOST)
        films = [_film(game, deal, number) for number, (game, deal) in enumerate(deals, start=1)]
        write_whole(options.html, to_page(f"Stichwerk: {options.file.name}", films))
    if options.svg:
        _check_number(deals, "svg", 1)
        write_whole(options.svg, _picture(*deals[0], options.step))
    if options.jsonl:
        write_whole(options.jsonl, "".join(write_records(game, [deal]) for game, deal in deals))
    for path in written:
        print(f"wrote {path}")
    if not written:
        print("\n".join(_in_words(game, deal, options.step) for game, deal in deals), end="")


def _check_number(deals: Sequence, what: str, most: int) -> None:
    if len(deals) > most:
        raise InputError(f"{what}: got {len(deals)} deals; expected at most {most}: choose one with --deal")


def _chosen(options: ShowOptions) -> Iterator[tuple[Game, DealRecord]]:
    """The deals that are asked for, checked, and as the seat knows them that is asked for."""
    first = options.deal - 1 if options.deal else 0
    last = options.deal or None
    for number, (game, deal) in enumerate(islice(read_file(options.file), first, last), start=first + 1):
        try:
            yield game, _as_known(game, deal, options.seat)
        except InputError as error:
            raise InputError(f"{options.file}: deal {number}: {error}") from None


def _as_known(game: Game, deal: DealRecord, seat: str) -> DealRecord:
    player = Player(game)
    if not seat:
        player.check(deal)
        return deal
    number = parse_seat(game, int(seat) if seat.isdecimal() and len(seat) < 3 else seat, "seat")
    if deal.seat not in (None, number):
        raise InputError(f"seat: got {seat}; expected player_{deal.seat}, whose record this is")
    return player.for_seat(deal, number)


def _states(game: Game, deal: DealRecord) -> Iterator[tuple[np.ndarray, int]]:
    """After dealing and after each move: what is shown, and the seat that it is shown to or SPECTATOR."""
    player = Player(game)
    for states in player.states(deal):
        yield (states, SPECTATOR) if deal.seat is None else (player.view(states, deal.seat), deal.seat)


def _state_at(game: Game, deal: DealRecord, step: int) -> tuple[np.ndarray, int]:
    if step > len(deal.moves):
        raise InputError(f"step: got {step}; expected at most {len(deal.moves)}, the moves of the deal")
    return next(islice(_states(game, deal), step, None))


def _in_words(game: Game, deal: DealRecord, step: int | None) -> str:
    return write_deal(game, deal) if step is None else f"{game.text(*_state_at(game, deal, step))}\n"


def _picture(game: Game, deal: DealRecord, step: int | None) -> str:
    if step is None:
        return to_moving_svg(game.spec.title, _film(game, deal, 1))
    return Picture(game.spec.title, game.scene(*_state_at(game, deal, step))).svg()


def _film(game: Game, deal: DealRecord, number: int) -> Film:
    hidden = set() if deal.seat is None else Player(game).hidden(deal, deal.seat)
    moves = [
        f"player_{move.seat} {'?' if number in hidden else move.action}"
        for number, move in enumerate(deal.moves)
    ]
    frames = [
        Frame(words, game.scene(*shown))
        for words, shown in zip(["dealt", *moves], _states(game, deal), strict=True)
    ]
    players = f": {', '.join(deal.players)}" if deal.players else ""
    return Film(f"{number}. {game.spec.title}{players}", frames)

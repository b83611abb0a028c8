"""Play a game against agents: in the terminal.

stichwerk play schnapsen --terminal
stichwerk play preferans --terminal --against rules --match
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stichwerk.cli import Positional, parse, seat_of
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_whole
from stichwerk.support.parsing import parse_yaml
from stichwerk.table.opponents import default_opponent
from stichwerk.table.table import Table
from stichwerk.table.terminal import Terminal, ask_on_terminal


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """Play a game against agents, one deal after another."""

    env: Positional[str] = field(default="schnapsen_v0", metadata={"aliases": ("game",)})
    """The game, by its environment id or the beginning of that, such as schnapsen. MODULE:ID imports a module
    first."""
    preset: str = ""
    """The preset of its rules. Without it the game has its default preset."""
    rules: str = ""
    """Options of its rules, such as '{players: 3}'."""
    against: tuple[str, ...] = ()
    """The agents in the other seats: one for all of them, or one for each. Without it the game's shipped
    network plays, or the rule-based player."""
    seat: str = "0"
    """The seat to play in, such as 0 or player_1."""
    match: bool = False
    """Play matches. Without it each deal begins with a fresh score."""
    seed: int | None = None
    """The seed of the deals. Without it nobody knows the deals beforehand."""
    terminal: bool = False
    """Play in the terminal, in lines of text."""
    record: Path | None = None
    """Write the record of all deals to this new file."""

    def game(self) -> Game:
        rules = parse_yaml(self.rules) or {}
        if self.preset and not isinstance(rules, dict):
            raise InputError(f"rules: got {self.rules} with --preset; expected a mapping of options")
        return make_game(self.env, {"preset": self.preset, **rules} if self.preset else rules or None)


def main(arguments: Sequence[str]) -> None:
    options = parse(PlayOptions, arguments)
    if options.record and options.record.exists():
        raise InputError(f"record: got {options.record}, which is there already; expected a new file")
    if options.seed is not None and options.seed < 0:
        raise InputError(f"seed: got {options.seed}; expected a whole number of at least 0")
    game = options.game()
    table = Table(game, seats(game, options), "match" if options.match else "deal", options.seed)
    try:
        in_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        Terminal(table, ask_on_terminal, in_colour).run()
    finally:
        if options.record:
            write_whole(options.record, table.record())


def seats(game: Game, options: PlayOptions) -> list[str | None]:
    """For each seat the text of its agent; None for the person."""
    own = seat_of(game, options.seat, "seat")
    agents = options.against or (default_opponent(game),)
    if len(agents) == 1:
        agents *= game.seats - 1
    if len(agents) != game.seats - 1:
        raise InputError(
            f"against: got {len(agents)} agents; expected 1, or {game.seats - 1} for the other seats"
        )
    others = iter(agents)
    return [None if seat == own else next(others) for seat in range(game.seats)]

"""Files of records that grow deal by deal: whatever ends the process, the deals that are over can be read."""

import json
from collections.abc import Iterable
from pathlib import Path

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import deal_lines, game_line
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import GrowingFile


class GrowingRecord(GrowingFile):
    """A file of JSON Lines that grows deal by deal.

    Attributes:
        game_line: that of the last deal; empty without one

    Args:
        path, kept: as `GrowingFile` has them
        game: that of the last deal which is kept; None: there is none
    """

    def __init__(self, path: Path, kept: int | None = None, game: Game | None = None):
        super().__init__(path, kept)
        self.game_line = game_line(game) if game else ""

    def add_deals(self, game: Game, deals: Iterable[DealRecord]) -> None:
        """Add deals of one game, each in one step; OSError names the file."""
        line = game_line(game)
        for deal in deals:
            head = () if line == self.game_line else (line,)
            self.add("".join(f"{each}\n" for each in (*head, *deal_lines(deal))))
            self.game_line = line


def end_of(path: Path, games: int, match: bool) -> int:
    """The end of the first deals or matches in a file of JSON Lines, in bytes.

    Args:
        path: the file
        games: how many deals or matches
        match: whether they are matches, of which each begins with a deal of the number 0

    Raises:
        InputError: the file has fewer of them, or ends within one.
        OSError: it cannot be read.
    """
    found = end = 0
    line = b""
    with open(path, "rb") as lines:
        for line in lines:
            if line.startswith(b'{"event": "deal"') and (not match or json.loads(line)["number"] == 0):
                if found == games:
                    return end
                found += 1
            end += len(line)
    if found == games and line.endswith(b"\n"):
        return end
    what = "matches" if match else "deals"
    raise InputError(f"{path}: got {found:,} whole {what}; expected {games:,}, which were finished before")

"""Keeps the deals and matches of an evaluation as records: all of them, and the costliest of each agent."""

import heapq
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from stichwerk.agents.evaluation.matches import Points
from stichwerk.agents.evaluation.played import Played
from stichwerk.agents.evaluation.tallies import Seating
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import deal_lines, game_line, write_records
from stichwerk.envs.spec.game import Game
from stichwerk.support.files import part_of, write_whole


class Costly(NamedTuple):
    """A deal or a match by what it cost an agent in the mean over its seats.

    A heap has the cheapest first, and of equal ones the latest.
    """

    loss: float
    earliness: int  # its place in the comparison, with the sign turned
    games: Sequence[Played]  # one for each seating


class Keeper:
    """Takes the deals of comparisons one after the other, and writes them into files of JSON Lines.

    A comparison counts when `finish` is called behind it: what an unfinished one has brought is dropped. A
    `with` block that ends without `close` leaves no file.

    Args:
        game: of the deals
        everything: the file for all deals, which is written beside its place until `close`; None: none
        worst: how many of the costliest deals, or matches, of each agent are kept; 0: none
        worst_file: the file for these
    """

    def __init__(self, game: Game, everything: Path | None, worst: int = 0, worst_file: Path | None = None):
        self._game, self._everything = game, everything
        self._worst, self._worst_file = worst, worst_file
        self._finished: list[DealRecord] = []
        self._costly: dict[str, list[Costly]] = {}
        self._taken = 0  # of the present comparison
        self._file: TextIOWrapper | None = None
        self._end = 0  # of the file, behind the last comparison that counts
        if everything:
            self._file = open(part_of(everything), "w+", encoding="utf-8")  # noqa: SIM115 - until `close`
            self._write([game_line(game)])
            self._end = self._file.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file and self._everything and not self._file.closed:
            self._file.close()
            part_of(self._everything).unlink()

    def add(self, agents: Sequence[str], seatings: Sequence[Seating], points: Points) -> None:
        """Take deals in all their seatings."""
        if self._file:
            games = (played for games in points.played for played in games)
            deals = (deal for played in games for deal in played.records(self._game))
            self._write(line for deal in deals for line in deal_lines(deal))
        for number, name in enumerate(agents):
            own = np.array(seatings) == number
            own[own.all(axis=1)] = False  # an agent among itself gains nothing
            if self._worst and own.any():
                gains = points.rewards[:, own].mean(axis=1)
                self._keep_costliest(self._costly.setdefault(name, []), gains, points.played)
        self._taken += len(points.rewards)

    def _keep_costliest(
        self, heap: list[Costly], gains: np.ndarray, played: Sequence[Sequence[Played]]
    ) -> None:
        for place, (gain, games) in enumerate(zip(gains.tolist(), played, strict=True), self._taken):
            entry = Costly(-gain, -place, games)  # of equal ones the first stay
            if len(heap) < self._worst:
                heapq.heappush(heap, entry)
            elif entry[:2] > heap[0][:2]:
                heapq.heapreplace(heap, entry)

    def finish(self) -> None:
        """Let the comparison that has come to its end count."""
        for heap in self._costly.values():
            for _, _, games in sorted(heap, key=lambda each: each[:2], reverse=True):
                self._finished += [deal for played in games for deal in played.records(self._game)]
        self._costly, self._taken = {}, 0
        if self._file:
            self._end = self._file.tell()

    def close(self) -> None:
        """Put the files into their places."""
        if self._file and self._everything:
            self._file.truncate(self._end)
            self._file.close()
            part_of(self._everything).replace(self._everything)
        if self._worst_file:
            write_whole(self._worst_file, write_records(self._game, self._finished))

    def _write(self, lines: Iterable[str]) -> None:
        assert self._file is not None
        self._file.writelines(f"{line}\n" for line in lines)

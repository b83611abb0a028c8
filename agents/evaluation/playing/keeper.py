"""Keeps the deals and matches of an evaluation as records: all of them, and the costliest of each agent."""

import heapq
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from stichwerk.agents.evaluation.playing.matches import Points
from stichwerk.agents.evaluation.playing.played import Played
from stichwerk.agents.evaluation.statistics.tallies import Seating
from stichwerk.envs.records.growing import GrowingRecord, end_of
from stichwerk.envs.spec.game import Game
from stichwerk.support.files import part_of


class Costly(NamedTuple):
    """A deal or a match by what it cost an agent, averaged over its seats.

    A heap has the cheapest first, and of equal ones the latest.
    """

    loss: float
    earliness: int  # its place in the comparison, with the sign turned
    games: Sequence[Played]  # one for each seating


class Finished(NamedTuple):
    """The finished part of an evaluation that is resumed.

    Attributes:
        games: deals, or matches, in all their seatings
        worst: of them those that are kept as the costliest
        match: whether they are matches
    """

    games: int
    worst: int
    match: bool


class Keeper:
    """Takes the deals of comparisons one after the other, and writes them into files of JSON Lines, each as
    soon as it comes. The costliest of a comparison are known at its end, when `finish` is called.

    A `with` block that fails leaves the files with the deals that it has taken, and none without deals.

    Args:
        game: of the deals
        everything: the file for all deals; None: none
        worst: how many of the costliest deals, or matches, of each agent are kept; 0: none
        worst_file: the file for these
        finished: of the files what stays; None: all is new
        replaces: whether files that are there stay until the first comparison has come to its end. Until then
            the new ones lie beside their places.

    Raises:
        InputError: a file does not hold what was finished.
    """

    def __init__(
        self,
        game: Game,
        everything: Path | None,
        worst: int = 0,
        worst_file: Path | None = None,
        finished: Finished | None = None,
        replaces: bool = False,
    ):
        self._game, self._worst = game, worst
        self._costly: dict[str, list[Costly]] = {}
        self._taken = 0  # of the present comparison
        self._places: dict[GrowingRecord, Path] = {}  # of files that lie beside them
        before = finished or Finished(0, 0, match=False)

        def begun(path: Path | None, games: int) -> GrowingRecord | None:
            if path is None:
                return None
            kept = end_of(path, games, before.match) if games else 0
            beside = replaces and path.exists()
            file = GrowingRecord(part_of(path) if beside else path, kept, game if kept else None)
            if beside:
                self._places[file] = path
            return file

        self._all = begun(everything, before.games)
        self._dearest = begun(worst_file, before.worst)

    @property
    def files(self) -> list[GrowingRecord]:
        return [file for file in (self._all, self._dearest) if file]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self.files:
            file.close()
            if not file.end or file in self._places:
                file.path.unlink()

    def add(self, agents: Sequence[str], seatings: Sequence[Seating], points: Points) -> None:
        """Take deals in all their seatings."""
        if self._all:
            games = (played for games in points.played for played in games)
            self._all.add_deals(self._game, (deal for played in games for deal in played.records(self._game)))
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
        """Write the costs of a finished comparison, and move the files into place."""
        for heap in self._costly.values():
            for _, _, games in sorted(heap, key=lambda each: each[:2], reverse=True):
                if self._dearest:
                    deals = (deal for played in games for deal in played.records(self._game))
                    self._dearest.add_deals(self._game, deals)
        self._costly, self._taken = {}, 0
        for file in self.files:
            file.sync()
            if file in self._places:
                file.move(self._places.pop(file))

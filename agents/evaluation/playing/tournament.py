"""Tournaments: the tables at which agents meet, and the points that each deal gives them.

A table is a line-up that plays the same deals in several seatings. It has two agents in every seating, or a
seat for each of several agents, which take every seat in turn. All tables play deals 0 … of one seed, so
their results are paired. How many deals a table plays is settled before the first: intervals would be too
narrow if results decided it.

Deals are played in blocks. The results depend on the settings, not on where the blocks are played nor in how
many pieces.
"""

import io
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations, permutations
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile

import numpy as np

from stichwerk.agents.evaluation.playing.matches import Block, Series, play_block, seatings
from stichwerk.agents.evaluation.playing.workers import LineUp, made
from stichwerk.agents.evaluation.statistics.ratings import Evidence, Ratings, rank_of, rate
from stichwerk.agents.evaluation.statistics.tallies import check_finite
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_whole
from stichwerk.support.machine.cluster import in_order

Pairing = Literal["all", "gauntlet", "mixed"]
MOST_UNITS = 2_000  # of a table's deals, which are added up in units
LEAST_BLOCKS = 4  # of a table, so that several processes can play it
TABLES_EACH = 4  # mixed tables for each agent, at least


@dataclass(frozen=True)
class Table:
    """Agents that meet, by their numbers in the field, and for each seating the place of each seat's agent in
    that list."""

    agents: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]


def pair_table(game: Game, a: int, b: int) -> Table:
    """Agent `a` takes every side once, agent `b` all others."""
    return Table((a, b), tuple(map(tuple, seatings(game))))


def pair_of(game: Game, table: Table) -> tuple[int, int] | None:
    """The agents of a pair table, in its order; between two sides the smaller number first. None for others,
    such as one at which both agents have a partner on each side."""
    taken = _taken(table)
    pairs = permutations(sorted(table.agents), 2) if len(table.agents) == 2 else ()
    return next(((a, b) for a, b in pairs if _taken(pair_table(game, a, b)) == taken), None)


def _taken(table: Table) -> list[tuple[int, ...]]:
    """The agents in each seat, by their numbers in the field, for all seatings in order."""
    return sorted(tuple(table.agents[place] for place in seating) for seating in table.seatings)


def pair_tables(game: Game, agents: int, pairing: Pairing) -> list[Table]:
    """Everybody against everybody, or the first agent against each; between more than two sides both ways."""
    ways = combinations if game.side_count == 2 else permutations
    pairs = [pair for pair in ways(range(agents), 2) if pairing != "gauntlet" or 0 in pair]
    return [pair_table(game, a, b) for a, b in pairs]


def mixed_tables(game: Game, agents: int, seed: int) -> list[Table]:
    """Tables at which the agents of all seats are drawn, also the partners of one side; each plays every
    rotation of the seats. All agents are drawn equally often, or once more than others. Tables are drawn
    until they compare all agents: partners that always sit together would have one rating."""
    random = np.random.default_rng([seed, agents, game.seats])
    count = -(-TABLES_EACH * agents // min(agents, game.seats))
    line: list[int] = []
    tables: list[Table] = []
    normal = np.zeros((agents, agents))
    while len(tables) < count or rank_of(normal) < agents - 1:
        drawn: list[int] = []
        while len(drawn) < game.seats:
            line = line or random.permutation(agents).tolist()
            fresh = [agent for agent in line if agent not in drawn or len(set(drawn)) == agents]
            if not fresh:  # the rest of this line sits here already
                line += random.permutation(agents).tolist()
                continue
            line.remove(fresh[0])
            drawn.append(fresh[0])
        own = tuple(dict.fromkeys(drawn))
        places = [own.index(agent) for agent in drawn]
        turned = [tuple(places[-turn:] + places[:-turn]) for turn in range(game.seats)]
        tables.append(Table(own, tuple(dict.fromkeys(turned))))
        shares, weights = expected(game, tables[-1], agents)
        normal += (shares.T * weights) @ shares
    return tables


def expected(game: Game, table: Table, agents: int) -> tuple[np.ndarray, np.ndarray]:
    """The expected points of each agent at a table: the mean rating of its side less that of the other seats.

    Returns:
        Two arrays. The share of each rating in it, float64[agents of the table, agents]. The share of the
        seats that each has, float64[agents of the table].
    """
    shares, seats = np.zeros((len(table.agents), agents)), np.zeros(len(table.agents))
    sides = np.array(game.sides)
    for seating in table.seatings:
        taken = np.eye(agents)[[table.agents[place] for place in seating]]
        for seat, place in enumerate(seating):
            with_it = sides == sides[seat]
            shares[place] += taken[with_it].mean(axis=0) - taken[~with_it].mean(axis=0)
            seats[place] += 1
    return shares / seats[:, None], seats / seats.sum()


@dataclass
class Results:
    """The results of a table's deals, in units of consecutive deals.

    Attributes:
        sums: of each agent's points, averaged over its seats, float64[units, agents of the table]
        deals: in each unit, int64[units]
    """

    unit: int
    sums: np.ndarray
    deals: np.ndarray

    @classmethod
    def none(cls, table: Table, unit: int) -> "Results":
        return cls(unit, np.zeros((0, len(table.agents))), np.zeros(0, np.int64))

    @property
    def count(self) -> int:
        return int(self.deals.sum())

    def add(self, points: np.ndarray) -> None:
        """Add the next deals in a row: float64[deals, agents of the table], all finite."""
        check_finite(points)
        units = (self.count + np.arange(len(points))) // self.unit
        more = units[-1] + 1 - len(self.deals)
        self.sums = np.pad(self.sums, ((0, more), (0, 0)))
        self.deals = np.pad(self.deals, (0, more))
        np.add.at(self.sums, units, points)
        np.add.at(self.deals, units, 1)


def evidence_of(game: Game, table: Table, agents: int, results: Results) -> Evidence:
    """The evidence from a table's results in a field of agents."""
    shares, weights = expected(game, table, agents)
    return Evidence(table.agents, shares, weights, results.sums, results.deals, pair_of(game, table))


@dataclass
class Tournament:
    """A field of agents, its tables, and their points so far.

    Attributes:
        line_up: the game and the agents
        game: of the line-up
        deals: for each table
        block: deals that are played in a row, after which agents from outside begin afresh
        tables: those that are played; empty: those of the pairing
    """

    line_up: LineUp
    game: Game
    pairing: Pairing
    deals: int
    seed: int
    block: int
    start_states: bool = False
    tables: Sequence[Table] = ()
    results: list[Results] = field(default_factory=list)

    def __post_init__(self):
        count = len(self.names)
        self.tables = self.tables or (
            mixed_tables(self.game, count, self.seed)
            if self.pairing == "mixed"
            else pair_tables(self.game, count, self.pairing)
        )
        unit = -(-self.deals // MOST_UNITS)
        self.block = -(-min(self.block, -(-self.deals // LEAST_BLOCKS)) // unit) * unit  # whole units
        self.results = [Results.none(table, unit) for table in self.tables]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.line_up.agents]

    @property
    def games(self) -> int:
        """The total number of games to play."""
        return sum(self.deals * len(table.seatings) for table in self.tables)

    @property
    def games_played(self) -> int:
        tables = zip(self.tables, self.results, strict=True)
        return sum(results.count * len(table.seatings) for table, results in tables)

    def ratings(self) -> Ratings:
        """The ratings by all that has been played."""
        evidence = [
            evidence_of(self.game, table, len(self.names), results)
            for table, results in zip(self.tables, self.results, strict=True)
            if results.count
        ]
        return rate(self.names, evidence)

    def play(
        self,
        cluster: str = "",
        workers: int = 1,
        on_progress: Callable[[int], None] = lambda games: None,
        on_block: Callable[[], None] = lambda: None,
    ) -> None:
        """Play what is missing.

        Args:
            cluster: plays the blocks, as `stichwerk.support.machine.cluster` has it; empty: none
            workers: processes of this machine that play them
            on_progress: is told how many games have been finished
            on_block: is called after each block, when the results may be saved
        """
        parts = [
            (part, number) for number in range(len(self.tables)) for part in self.parts(number, self.deals)
        ]
        with closing(in_order(play_part, [part for part, _ in parts], cluster, workers)) as played:
            for points, (_, number) in zip(played, parts, strict=True):
                self.results[number].add(points)
                on_progress(len(points) * len(self.tables[number].seatings))
                on_block()

    def parts(self, number: int, end: int) -> list["Part"]:
        """The blocks of a table that are missing before a deal."""
        table, start = self.tables[number], self.results[number].count
        series = Series(max(end, 2), self.seed, start_states=self.start_states, seatings=table.seatings)
        blocks = [(first, min(first + self.block, end)) for first in range(start, end, self.block)]
        return [(self.line_up, table.agents, series, block) for block in blocks]

    # On disk

    def save(self, path: Path) -> None:
        """Write the results as NPZ: for each table `sums_N`, `deals_N`."""
        arrays = {f"sums_{n}": results.sums for n, results in enumerate(self.results)}
        arrays |= {f"deals_{n}": results.deals for n, results in enumerate(self.results)}
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        write_whole(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Go on from results that `save` has written; InputError if they are damaged."""
        try:
            with np.load(path) as arrays:
                for number, results in enumerate(self.results):
                    sums, deals = arrays[f"sums_{number}"], arrays[f"deals_{number}"]
                    if sums.shape != (len(deals), results.sums.shape[1]) or not np.isfinite(sums).all():
                        raise ValueError(f"table {number} has other agents")
                    results.sums, results.deals = sums.astype(float), deals.astype(np.int64)
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            raise InputError(f"damaged results {path}: {error!r}; delete the file to play again") from None


Part = tuple[LineUp, tuple[int, ...], Series, Block]


def play_part(part: Part) -> np.ndarray:
    """Play a block of deals at a table: each agent's points, averaged over its seats, float64[deals,
    agents]."""
    line_up, places, series, block = part
    game, agents = made(line_up)
    own = [np.array(series.seatings) == place for place in range(len(places))]
    played = play_block(game, [agents[place] for place in places], series, block)
    return np.concatenate(
        [np.stack([points.rewards[:, seats].mean(axis=1) for seats in own], axis=1) for points in played]
    )

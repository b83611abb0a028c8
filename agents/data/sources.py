"""The games of a data set: those that agents play, and recorded ones."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from stichwerk.agents.core.agent import Agent
from stichwerk.agents.data.rows import (
    Rows,
    games_played,
    games_recorded,
    in_pieces,
    lanes_for,
    rows_of,
    together,
)
from stichwerk.agents.evaluation.playing.matches import DEALS_AT_ONCE, Series, play_block
from stichwerk.agents.evaluation.statistics.tallies import Seating
from stichwerk.envs.core.random import Use
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, one_line

UNNAMED = "unknown"  # who played, where a record does not say so


def line_ups(game: Game, agents: int) -> list[Seating]:
    """The agent of each seat by its number, in each line-up: as many as agents, and each takes each side
    once. One agent takes all seats."""
    return [[(first + side) % agents for side in game.sides] for first in range(agents)]


@dataclass(frozen=True)
class PlayedSource:
    """Deals 0 … deals - 1 of a seed, each played once by each line-up.

    Attributes:
        game: under its rules
        agents: the players
        deals: their number
        seed: of the cards, and of the agents' chance
        start_states: whether deals begin in start states that the game draws
        shard: the deals of a shard, after which agents from outside begin afresh
    """

    game: Game
    agents: Sequence[Agent]
    deals: int
    seed: int
    start_states: bool
    shard: int

    @property
    def shards(self) -> int:
        return -(-self.deals // self.shard)

    def rows(self, observation: str, first: int) -> Iterator[Rows]:
        """The rows of each shard from a number on."""
        seatings = line_ups(self.game, len(self.agents))
        series = Series(
            max(self.deals, 2),
            self.seed,
            Use.DATA,
            start_states=self.start_states,
            records=True,
            seatings=seatings,
        )
        most = min(self.shard, DEALS_AT_ONCE)
        lanes = lanes_for(self.game, observation, self.start_states, most)
        for shard in range(first, self.shards):
            block = shard * self.shard, min((shard + 1) * self.shard, self.deals)
            parts = []
            for points in play_block(self.game, self.agents, series, block):
                for place in in_pieces(len(points.played), len(lanes)):
                    for line_up, seating in enumerate(seatings):
                        played = [each[line_up] for each in points.played[place]]
                        rewards = points.rewards[place, line_up]
                        parts.append(rows_of(lanes, games_played(lanes, played, rewards, line_up, seating)))
            yield together(parts)


@dataclass(frozen=True)
class RecordedSource:
    """The deals of a file of records, all of one game, which are over.

    Attributes:
        path: of the file
        game: of its first deal, under its rules
        names: of all players
        deals: their number
        shard: the deals of a shard
    """

    path: Path
    game: Game
    names: tuple[str, ...]
    deals: int
    shard: int

    @classmethod
    def of(cls, path: Path, shard: int) -> "RecordedSource":
        """Look through a file; each deal is checked by replay.

        Raises:
            InputError: the file holds no deals, deals of several games, or one that goes on or is impossible.
        """
        game, names, number, replay = None, dict[str, None](), 0, None
        for each, record in read_file(path):
            number += 1
            if game is None or replay is None:
                game, replay = each, RecordReplay(each)
            if (each.env_id, each.rules) != (game.env_id, game.rules):
                raise InputError(
                    f"{path}: deal {number}: got another game, or other rules; expected one game"
                )
            if record.points is None:
                raise InputError(f"{path}: deal {number}: got an unfinished one; expected finished deals")
            try:
                replay.check(record)
            except InputError as error:
                raise InputError(f"{path}: deal {number}: {error}") from None
            names |= dict.fromkeys(_players(record))
        if game is None:
            raise InputError(f"{path}: got no deals; expected a record that holds some")
        return cls(path, game, tuple(names or {UNNAMED: None}), number, shard)

    @property
    def shards(self) -> int:
        return -(-self.deals // self.shard)

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def rows(self, observation: str, first: int) -> Iterator[Rows]:
        """The rows of each shard from a number on."""
        lanes = lanes_for(self.game, observation, False, min(self.shard, DEALS_AT_ONCE))
        replay, numbers = RecordReplay(self.game), {name: place for place, name in enumerate(self.names)}
        records = islice((record for _, record in read_file(self.path)), first * self.shard, None)
        for shard in range(first, self.shards):
            some = [*islice(records, self.shard)]
            parts = []
            for place in in_pieces(len(some), len(lanes)):
                own = some[place]
                policies = np.array([[numbers[name] for name in self._seats(each)] for each in own])
                start = shard * self.shard + place.start
                parts.append(rows_of(lanes, games_recorded(self.game, replay, own, start, policies)))
            yield together(parts)

    def _seats(self, record: DealRecord) -> tuple[str, ...]:
        return _players(record) or (UNNAMED,) * self.game.seats


def _players(record: DealRecord) -> tuple[str, ...]:
    return tuple(map(one_line, record.players))

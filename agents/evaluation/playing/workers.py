"""Play on a cluster: series of deals, block by block, and single turns of players that search. The
results are the same as in one process, on processors of one kind."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from stichwerk.agents import make_agents
from stichwerk.agents.core.agent import Agent, Turns, with_choice
from stichwerk.agents.evaluation.playing.matches import (
    Block,
    OnProgress,
    Play,
    Points,
    Series,
    blocks_of,
    play_block,
)
from stichwerk.agents.external.custom import CustomAgent
from stichwerk.agents.external.engine import EngineAgent
from stichwerk.agents.provenance import agents_hash
from stichwerk.agents.search.player import SearchPlayer
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.machine.cluster import FAILURES, ClusterError, connect, in_order, run_all
from stichwerk.support.parsing import parse_yaml

TURNS = 8  # of a task, which by itself costs a millisecond or two
KEPT = 8  # line-ups that a worker keeps in case they are asked for again


@dataclass(frozen=True)
class LineUp:
    """A game and agents as texts, of which each process makes its own.

    Attributes:
        rules: as YAML
        agents: for each its name and its text
        limit_ms: milliseconds that a decision may take; 0: any
        limited: how many agents have this limit, the first ones; 0: all
        agents_hash: of the networks, custom modules and engines among the agents, so that workers notice
            other ones in their places
    """

    env: str
    rules: str
    agents: tuple[tuple[str, str], ...]
    limit_ms: float = 0.0
    agents_hash: str = ""
    limited: int = 0

    def with_agents_hash(self) -> "LineUp":
        """The line-up with the hash of its agents as they are now."""
        return replace(self, agents_hash=agents_hash([text for _, text in self.agents]))

    def make(self) -> tuple[Game, list[Agent]]:
        game = make_game(self.env, parse_yaml(self.rules))
        agents = make_agents(self.agents, game)
        if self.limit_ms:
            number = self.limited or len(agents)
            agents[:number] = [limited(agent, game, self.limit_ms) for agent in agents[:number]]
        return game, agents


def limited(agent: Agent, game: Game, limit_ms: float) -> Agent:
    """An agent whose decisions may take no longer; an engine's own limit is replaced."""
    if isinstance(agent, EngineAgent):
        agent.ms = limit_ms
        return agent
    return CustomAgent(agent.name, agent, game, limit_ms)


@contextmanager
def workers(
    line_up: LineUp, agents: Sequence[Agent], groups: Sequence[Sequence[Agent]], series: Series, cluster: str
) -> Iterator[Play]:
    """A function that plays a series on a cluster with each group of the line-up's agents. Groups must be
    asked for in their order: all of them are begun at once."""
    asked_for = line_up.with_agents_hash()
    tasks = [
        (asked_for, tuple(agents.index(agent) for agent in group), series, block)
        for group in groups
        for block in blocks_of(series)
    ]
    with closing(in_order(_play, tasks, cluster)) as results:

        def play(
            game: Game, group: Sequence[Agent], asked: Series, on_progress: OnProgress
        ) -> Iterator[Points]:
            assert asked == series
            for _ in blocks_of(series):
                for points in next(results):
                    on_progress(len(points[0]) * len(series.seatings))
                    yield points

        yield play


def _play(task: tuple[LineUp, tuple[int, ...], Series, Block]) -> list[Points]:
    """Play a block of a series with some agents of a line-up, by their places in it."""
    line_up, places, series, block = task
    game, agents = made(line_up)
    return list(play_block(game, [agents[place] for place in places], series, block))


@lru_cache(maxsize=KEPT)
def made(line_up: LineUp) -> tuple[Game, list[Agent]]:
    """A worker makes the agents once for all that it does."""
    return line_up.make()


class SpreadPlayer(Agent):
    """A player that searches, whose turns are shared out among the cores of a cluster: the same actions as
    here. If workers die of some turns, the player itself thinks about them.

    Args:
        player: of the line-up's game, and its first agent

    Raises:
        ClusterError: where the cluster is not there.
    """

    def __init__(self, player: SearchPlayer, line_up: LineUp, cluster: str):
        super().__init__(player.name, player.game)
        connect(cluster)
        self.origin = player.origin
        self._player, self._line_up, self._cluster = player, line_up.with_agents_hash(), cluster

    def act(self, turns: Turns) -> np.ndarray:
        seeds = self.chance_in(turns).integers(1 << 62, size=len(turns))
        mask = turns.mask
        actions = mask.argmax(axis=1)
        open_yet = with_choice(mask)
        parts = [open_yet[start : start + TURNS] for start in range(0, len(open_yet), TURNS)]
        shown = [replace(turns, which=turns.which[part], written=None).apart() for part in parts]
        tasks = [(self._line_up, some, seeds[part]) for part, some in zip(parts, shown, strict=True)]
        for part, some, outcome in zip(parts, shown, run_all(_think, tasks, self._cluster), strict=True):
            if isinstance(outcome, ClusterError):
                outcome = self._player.think(some, seeds[part])
            elif isinstance(outcome, FAILURES):
                raise outcome
            actions[part] = outcome
        return actions


def _think(task: tuple[LineUp, Turns, np.ndarray]) -> np.ndarray:
    """The actions of a line-up's first agent."""
    line_up, turns, seeds = task
    _, (player,) = made(line_up)
    assert isinstance(player, SearchPlayer)
    return player.think(turns, seeds)

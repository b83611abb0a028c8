"""Series of deals played on a cluster, block by block: the same results as in one process."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache

from stichwerk.agents import make_agent_for
from stichwerk.agents.agent import Agent
from stichwerk.agents.arena import Block, Play, Points, Progress, Series, blocks_of, play_block
from stichwerk.agents.cluster import in_order
from stichwerk.agents.outside import game_from
from stichwerk.agents.own import OwnAgent
from stichwerk.envs.core.game import Game


@dataclass(frozen=True)
class LineUp:
    """A game and agents as texts, of which each process makes its own.

    rules: as YAML; agents: for each its name and its text
    limit_ms: milliseconds that a decision may take; 0: any
    """

    env: str
    rules: str
    agents: tuple[tuple[str, str], ...]
    limit_ms: float = 0.0

    def make(self) -> tuple[Game, list[Agent]]:
        game = game_from(self.env, self.rules)
        agents = [make_agent_for(text, game, name) for name, text in self.agents]
        if self.limit_ms:
            agents = [OwnAgent(agent.name, agent, game, self.limit_ms) for agent in agents]
        return game, agents


@contextmanager
def workers(
    line_up: LineUp, agents: Sequence[Agent], groups: Sequence[Sequence[Agent]], series: Series, cluster: str
) -> Iterator[Play]:
    """What plays a series on a cluster with each group of the line-up's agents, which must be asked for in
    their order: all of them are begun at once."""
    tasks = [
        (line_up, tuple(agents.index(agent) for agent in group), series, block)
        for group in groups
        for block in blocks_of(series, group)
    ]
    with closing(in_order(_play, tasks, cluster)) as results:

        def play(
            game: Game, group: Sequence[Agent], asked: Series, on_progress: Progress
        ) -> Iterator[Points]:
            assert asked == series
            for _ in blocks_of(series, group):
                for points in next(results):
                    on_progress(len(points[0]) * len(series.rows))
                    yield points

        yield play


def _play(task: tuple[LineUp, tuple[int, ...], Series, Block]) -> list[Points]:
    """Play a block of a series with some agents of a line-up, by their places in it."""
    line_up, places, series, block = task
    game, agents = _made(line_up)
    return list(play_block(game, [agents[place] for place in places], series, block))


@cache
def _made(line_up: LineUp) -> tuple[Game, list[Agent]]:
    """A worker makes the agents once for all of its blocks."""
    return line_up.make()

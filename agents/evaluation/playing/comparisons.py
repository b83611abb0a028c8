"""Comparisons of agents over duplicate deals: which groups of them play, and each group's results in turn."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations

from rich.progress import Progress, TaskID

from stichwerk.agents.core.agent import Agent
from stichwerk.agents.evaluation.playing.advantages import judged_agent
from stichwerk.agents.evaluation.playing.keeper import Keeper
from stichwerk.agents.evaluation.playing.matches import (
    Play,
    Playing,
    Series,
    arrangements,
    games_in_pair,
    pair_seatings,
    play_pair,
    play_together,
)
from stichwerk.agents.evaluation.playing.workers import LineUp, workers
from stichwerk.agents.evaluation.statistics.sequential import StoppingRule, looks_every
from stichwerk.agents.evaluation.statistics.stopping import Stopped, Watch
from stichwerk.agents.evaluation.statistics.tallies import DealPoints, PairResult
from stichwerk.envs.spec.game import Game

Groups = list[tuple[Agent, ...]]  # the agents of each comparison


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The settings of a comparison.

    Attributes:
        series: the deals of each group; with a rule at most this number
        together: whether all agents play at one table, instead of in pairs
        rule: stops a pair early
        cluster: the address of a cluster that plays; empty: this process plays
        keep_points: whether the points of each deal are kept
    """

    series: Series
    together: bool = False
    rule: StoppingRule | None = None
    cluster: str = ""
    keep_points: bool = False

    @property
    def by_role(self) -> bool:
        """True if results are given by role too, for which pairs also play among themselves."""
        return self.series.episode == "deal"


@dataclass(frozen=True)
class Comparison:
    """Agents that have played with each other, and their results."""

    agents: tuple[str, ...]
    results: Sequence[PairResult]
    points: DealPoints | None = None
    stopped: Stopped | None = None


def pairs_of(game: Game, agents: Sequence[Agent]) -> Groups:
    """The pairs that play: each two agents once. With more than two sides each of the two plays alone among
    the other."""
    return list((combinations if game.side_count == 2 else permutations)(agents, 2))


def pairs_with_less_luck(game: Game, agents: Sequence[Agent]) -> Groups:
    """The pairs whose luck can be lessened."""
    return [pair for pair in pairs_of(game, agents) if judged_agent(game, pair) is not None]


def pairs_left(game: Game, agents: Sequence[Agent], finished: Sequence[Comparison]) -> Groups:
    """The pairs that have not met yet."""
    met = {comparison.agents for comparison in finished}
    return [pair for pair in pairs_of(game, agents) if tuple(agent.name for agent in pair) not in met]


def compare(
    line_up: LineUp,
    game: Game,
    agents: Sequence[Agent],
    groups: Groups,
    plan: Plan,
    bar: Progress,
    keeper: Keeper | None,
) -> Iterator[Comparison]:
    """Play the groups; pairs that may stop begin one after the other, as their ends are unknown."""
    compare_groups = compare_together if plan.together else compare_pairs
    for some in [[group] for group in groups] if plan.rule else [groups]:
        with cluster_play(line_up, game, agents, some, plan) as play:
            yield from compare_groups(game, some, plan, bar, play, keeper)


def cluster_play(
    line_up: LineUp, game: Game, agents: Sequence[Agent], groups: Groups, plan: Plan
) -> AbstractContextManager[Play | None]:
    """The function that plays series on the cluster's workers; None without a cluster: this process plays."""
    if not plan.cluster:
        return nullcontext()
    taken = arrangements(game) if plan.together else pair_seatings(game, plan.by_role)
    return workers(line_up, agents, groups, replace(plan.series, seatings=taken), plan.cluster)


def compare_pairs(
    game: Game, groups: Groups, plan: Plan, bar: Progress, play: Play | None, keeper: Keeper | None
) -> Iterator[Comparison]:
    rule, deals = plan.rule, plan.series.deals
    every = looks_every(deals, plan.series.block or 1)
    total = len(groups) * deals * games_in_pair(game, plan.by_role)
    task = bar.add_task("playing at most" if rule else "playing", total=total)
    for a, b in groups:
        points = DealPoints() if plan.keep_points else None
        watch = Watch(rule, every, deals, partial(tell, bar, task)) if rule else None
        playing = Playing(
            play=play, on_progress=partial(bar.advance, task), deal_points=points, keeper=keeper, stop=watch
        )
        result = play_pair(game, a, b, plan.series, plan.by_role, playing)
        stopped = None
        if watch:
            result, stopped = watch.ended(result)
            bar.update(task, visible=False)
        yield Comparison((a.name, b.name), [result], points, stopped)


def tell(bar: Progress, task: TaskID, note: str) -> None:
    """Show the state of a sequential test in the progress bar."""
    bar.update(task, note=note)


def compare_together(
    game: Game, groups: Groups, plan: Plan, bar: Progress, play: Play | None, keeper: Keeper | None
) -> Iterator[Comparison]:
    (agents,) = groups
    task = bar.add_task("playing", total=plan.series.deals * len(arrangements(game)))
    points = DealPoints() if plan.keep_points else None
    playing = Playing(play=play, on_progress=partial(bar.advance, task), deal_points=points, keeper=keeper)
    results = play_together(game, agents, plan.series, playing)
    yield Comparison(tuple(agent.name for agent in agents), results, points)

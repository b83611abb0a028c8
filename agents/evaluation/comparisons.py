"""Comparisons of agents over duplicate deals: which groups of them play, and each group's results in turn."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

from rich.progress import Progress, TaskID

from stichwerk.agents.base import Agent
from stichwerk.agents.evaluation.advantages import judged_agent
from stichwerk.agents.evaluation.keeper import Keeper
from stichwerk.agents.evaluation.matches import (
    Play,
    Series,
    arrangements,
    games_in_pair,
    pair_seatings,
    play_pair,
    play_together,
)
from stichwerk.agents.evaluation.sequential import StoppingRule, looks_every
from stichwerk.agents.evaluation.stopping import Stopped, Watch
from stichwerk.agents.evaluation.tallies import DealPoints, PairResult
from stichwerk.agents.evaluation.workers import LineUp, workers
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.spec.game import Game

Groups = list[tuple[Agent, ...]]  # the agents of each comparison


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How agents are compared.

    Attributes:
        deals: Duplicate deals, or matches, of a group; with a rule the most.
        seed: Of the deals and of the agents' random choices.
        episode: What is played and counted.
        start_states: Whether deals begin in start states of a match.
        together: Whether all agents play at one table, instead of in pairs.
        block: Deals after which the agents are seeded again; 0: never.
        rule: What may stop a pair early.
        less_luck: Worlds in which the gain of a decision is counted; 0: points are counted as they are.
        cluster: The address of a cluster that plays; empty: this process plays.
        keep_points: Whether the points of each deal are kept.
        records: Whether deals are kept as records.
    """

    deals: int
    seed: int
    episode: Episode
    start_states: bool = False
    together: bool = False
    block: int = 0
    rule: StoppingRule | None = None
    less_luck: int = 0
    cluster: str = ""
    keep_points: bool = False
    records: bool = False


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
    """Play the groups; pairs that may stop are begun one after the other, as nobody knows where each ends."""
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
    series = Series(
        arrangements(game) if plan.together else pair_seatings(game, by_role=plan.episode == "deal"),
        plan.deals,
        plan.seed,
        episode=plan.episode,
        start_states=plan.start_states,
        block=plan.block,
        records=plan.records,
        less_luck=plan.less_luck,
    )
    return workers(line_up, agents, groups, series, plan.cluster)


def compare_pairs(
    game: Game, groups: Groups, plan: Plan, bar: Progress, play: Play | None, keeper: Keeper | None
) -> Iterator[Comparison]:
    by_role = plan.episode == "deal"
    total = len(groups) * plan.deals * games_in_pair(game, by_role)
    rule, every = plan.rule, looks_every(plan.deals, plan.block or 1)
    task = bar.add_task("playing at most" if rule else "playing", total=total)
    for a, b in groups:
        points = DealPoints() if plan.keep_points else None
        watch = Watch(rule, every, plan.deals, partial(tell, bar, task)) if rule else None
        result = play_pair(
            game,
            a,
            b,
            plan.deals,
            plan.seed,
            by_role=by_role,
            start_states=plan.start_states,
            episode=plan.episode,
            deal_points=points,
            on_progress=partial(bar.advance, task),
            block=plan.block,
            play=play,
            keeper=keeper,
            stop=watch,
            less_luck=plan.less_luck,
        )
        stopped = None
        if watch:
            result, stopped = watch.ended(result)
            bar.update(task, visible=False)
        yield Comparison((a.name, b.name), [result], points, stopped)


def tell(bar: Progress, task: TaskID, note: str) -> None:
    """Show the state of a sequential test beside the progress."""
    bar.update(task, note=note)


def compare_together(
    game: Game, groups: Groups, plan: Plan, bar: Progress, play: Play | None, keeper: Keeper | None
) -> Iterator[Comparison]:
    (agents,) = groups
    task = bar.add_task("playing", total=plan.deals * len(arrangements(game)))
    points = DealPoints() if plan.keep_points else None
    results = play_together(
        game,
        agents,
        plan.deals,
        plan.seed,
        start_states=plan.start_states,
        episode=plan.episode,
        deal_points=points,
        on_progress=partial(bar.advance, task),
        block=plan.block,
        play=play,
        keeper=keeper,
    )
    yield Comparison(tuple(agent.name for agent in agents), results, points)

"""Measure the regret of a player: what another action would have gained, by kind of decision.

stichwerk inspect regret rules --env schnapsen_v0 --deals 200 --out results/regret
stichwerk inspect regret --record worst.jsonl --out judged.jsonl
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from rich.table import Table

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.evaluation.playing.regret import Regret, Regrets, judge_deal, measure_regret
from stichwerk.agents.evaluation.reports.statistics_files import (
    kind_of_decision,
    regrets_figure,
    write_regrets,
)
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.cli import DealOptions, Positional, check_bounds, check_source, parse
from stichwerk.envs.core.random import Use
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.support.errors import InputError, one_line
from stichwerk.support.files import REGRET, new_file, new_files, write_whole
from stichwerk.support.numbers import in_points, in_value
from stichwerk.support.terminal.progress import make_bar, print_table

PLAYED = "env", "rules", "start_states", "agent", "deals"  # what a record decides instead
BOUNDS = {"deals": DEALS, "seed": (0, 2**64 - 1), "worlds": (2, 1_000_000), "most": (1, 10**6)}


@dataclass(frozen=True, kw_only=True)
class RegretOptions(DealOptions):
    """Let a player play with itself. Print how often each kind of decision occurs, and what the apparently
    best action would have gained. Or judge each decision of recorded deals, and print the costliest."""

    agent: Positional[str] = "rules"
    """The player, such as rules or ppo:NAME."""
    deals: int = 200
    """The number of deals to play."""
    seed: int = 1
    """The seed of the deals, of the sampled worlds and of the player's random choices."""
    worlds: int = 100
    """The number of worlds to sample for a decision. Half of them choose the better action, the others
    measure its gain."""
    slip: float = 0.2
    """The probability that another seat departs from the rule-based player, by which worlds are weighted."""

    record: Path | None = None
    """A record of deals to judge, instead of deals that the player plays with itself."""
    most: int = 20
    """The number of decisions of the record to print, the costliest first."""
    out: Path | None = None
    """With --record the file for the record as JSON Lines, with the value of each action added to the moves,
    which `stichwerk show` prints. Without --record the folder for regret.csv and regret.svg."""
    force: bool = False
    """Replace existing files."""

    def __post_init__(self):
        check_source(self, "record", ("most",), PLAYED)
        check_bounds(self, BOUNDS)
        check_bounds(self, {"slip": (0.001, 1)}, "a number")


def main(arguments: Sequence[str]) -> None:
    options = parse(RegretOptions, arguments)
    if options.record:
        judge_record(options.record, options)
    else:
        judge_player(options)


def judge_record(path: Path, options: RegretOptions) -> None:
    """Print the costliest decisions of a record, and write it with its values."""
    out = new_file(str(options.out), options.force) if options.out else None
    deals = [*read_file(path)]
    if not deals:
        raise InputError(f"{path}: got no deals; expected a record that holds some")
    found, lines = list[tuple[float, Sequence[str]]](), list[str]()
    with make_bar() as bar:
        task = bar.add_task("judging", total=len(deals))
        for game, some in groupby(enumerate(deals, start=1), key=lambda each: each[1][0]):
            judge = RolloutPlayer("judge", game, worlds=options.worlds, slip=options.slip)
            judge.seed_for(options.seed, Use.AGENTS, Use.TEST, 1)
            judged = list[DealRecord]()
            for number, (_, deal) in some:
                try:
                    with_values, costly = judge_deal(game, deal, judge)
                except InputError as error:
                    raise InputError(f"{path}: deal {number}: {error}") from None
                judged.append(with_values)
                for move in costly:
                    player = one_line(deal.players[move.seat]) if deal.players else f"player_{move.seat}"
                    points = in_value(move.points, move.margin, move.of_match)
                    row = str(number), str(move.move), player, move.action, move.better, points
                    found.append((move.points, row))
                bar.advance(task)
            lines.append(write_records(game, judged))
    found.sort(key=lambda each: -each[0])
    print_costly([row for _, row in found[: options.most]], len(found), len(deals), path)
    if out:
        write_whole(out, "".join(lines))
        print(f"wrote {out}")


def print_costly(rows: Sequence[Sequence[str]], number: int, deals: int, path: Path) -> None:
    """A row for each of the costliest decisions."""
    grid = Table("deal", "move", "player", "action", "better")
    grid.add_column("points", justify="right")
    for row in rows:
        grid.add_row(*row)
    print_table(grid)
    print(f"{path}: {len(rows)} of {number:,} decisions that cost something, in {deals:,} deals")
    print(
        "points: what the better action gains, game points ± 95 %, or % of the probability of winning a match"
    )


def judge_player(options: RegretOptions) -> None:
    """Print the regret of a player that plays with itself."""
    game = options.game()
    game.check_start_states(options.start_states)
    files = new_files(str(options.out), "statistics", REGRET, options.force) if options.out else []
    player = make_agent_for(options.agent, game)
    judge = RolloutPlayer("judge", game, worlds=options.worlds, slip=options.slip)
    with make_bar() as bar:
        task = bar.add_task("judging", total=options.deals)
        regrets = measure_regret(
            game,
            player,
            judge,
            options.deals,
            options.seed,
            options.start_states,
            partial(bar.advance, task),
        )
    facts = f"{game.env_id}, {options.deals:,} deals, seed {options.seed}"
    print_regrets(regrets, options.agent, facts)
    if files:
        write_regrets(files[0], options.agent, [*regrets.by_kind, *regrets.by_choice])
        write_whole(files[1], regrets_figure(regrets.by_choice, f"{options.agent}: {facts}").svg())
        print(f"written: {', '.join(map(str, files))}")


def print_kinds(regrets: Sequence[Regret], caption: str) -> None:
    """A row for each kind of decision: its share and its regret, per deal and seat."""
    grid = Table("kind of decision", caption=caption)
    for column in ("decisions", "regret"):
        grid.add_column(column, justify="right")
    for each in regrets:
        grid.add_row(kind_of_decision(each), f"{each.share:.3f}", in_points(each.mean, each.mean - each.low))
    print_table(grid)


def print_regrets(regrets: Regrets, agent: str, facts: str) -> None:
    """The kinds of decisions that came up, then a row for each sort of them."""
    caption = f"{agent}: per deal and seat, game points ± 95 %; {facts}"
    print_kinds(regrets.by_kind, caption)
    grid = Table(
        "decision",
        "done",
        "better",
        caption=caption,
    )
    for column in ("decisions", "regret"):
        grid.add_column(column, justify="right")
    for regret in regrets.by_choice:
        interval = in_points(regret.mean, regret.mean - regret.low)
        grid.add_row(
            regret.phase.lower().replace("_", " "), regret.own, regret.better, f"{regret.share:.3f}", interval
        )
    print_table(grid)

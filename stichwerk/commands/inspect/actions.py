"""Count the actions of players: how often each chooses a kind of action, and with what points.

stichwerk inspect actions ppo:preferans3 rules --env preferans --against rules:0.1 --out results/actions
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rich.table import Table

from stichwerk.agents import make_agent_for, make_agents
from stichwerk.agents.core.spec import named
from stichwerk.agents.evaluation.playing.action_stats import (
    ActionStatistic,
    by_place,
    kind_in_words,
    measure_actions,
)
from stichwerk.agents.evaluation.playing.matches import DEALS, seatings
from stichwerk.agents.evaluation.reports.statistics_files import EVERYBODY, actions_figure, write_actions
from stichwerk.cli import DealOptions, Positional, check_bounds, parse
from stichwerk.envs import Game, InputError
from stichwerk.support.files import ACTIONS, new_files, write_whole
from stichwerk.support.terminal.progress import make_bar, print_table

BOUNDS = {"deals": DEALS, "seed": (0, 2**64 - 1)}


@dataclass(frozen=True, kw_only=True)
class ActionsOptions(DealOptions):
    """Print how often players choose each kind of action where they can, and their game points. Each player
    takes each side of the same deals against the same opponents. The figures are by role."""

    agents: Positional[tuple[str, ...]] = ("rules", "random")
    """The players, such as rules or ppo:NAME. NAME=AGENT gives one a name."""
    against: str = "rules:0.1"
    """The agent that plays the other seats."""
    deals: int = 2_000
    """The number of duplicate deals."""
    seed: int = 1
    """The seed of the deals and of the players' random choices."""
    out: str = ""
    """The folder for actions.csv and actions.svg. By default neither is written."""
    force: bool = False
    """Replace existing files in the folder."""

    def __post_init__(self):
        if not self.agents:
            raise InputError("agents: got none; expected one or more")
        check_bounds(self, BOUNDS)


def main(arguments: Sequence[str]) -> None:
    options = parse(ActionsOptions, arguments)
    game = options.game()
    game.check_start_states(options.start_states)
    files = new_files(options.out, "statistics", ACTIONS, options.force) if options.out else []
    statistics = statistics_of(options, game)
    print_statistics(statistics, options, game)
    if files:
        by_agent = dict(zip((name for name, _ in named(options.agents)), statistics, strict=True))
        title = f"{game.env_id}: {options.deals:,} duplicate deals, seed {options.seed}"
        write_actions(files[0], game, by_agent)
        write_whole(files[1], actions_figure(game, by_agent, title).svg())
        print(f"written: {', '.join(map(str, files))}")


def statistics_of(options: ActionsOptions, game: Game) -> list[list[ActionStatistic]]:
    """Of each of the options' agents, beside a progress bar."""
    players = make_agents(named(options.agents), game)
    others = make_agent_for(options.against, game)
    with make_bar() as bar:
        task = bar.add_task("watching", total=len(players) * options.deals * len(seatings(game)))
        return [
            measure_actions(
                game,
                player,
                others,
                options.deals,
                options.seed,
                options.start_states,
                partial(bar.advance, task),
            )
            for player in players
        ]


def print_statistics(
    statistics: Sequence[Sequence[ActionStatistic]], options: ActionsOptions, game: Game
) -> None:
    """A row for each role and kind of action, and for each player how often and what it brought."""
    grid = Table(
        "role",
        "action",
        caption="chosen, of how many choices a deal and seat; points of these deals ± 95 %; "
        f"against {options.against}, "
        f"{game.env_id}, {options.deals:,} duplicate deals, seed {options.seed}",
    )
    for name, _ in named(options.agents):
        grid.add_column(name, justify="right")
    last = None
    for (role, kind), each in by_place(statistics).items():
        if last not in (None, role):
            grid.add_section()
        cells = ("\n".join(in_words(statistic)) for statistic in each)
        words = kind_in_words(game, kind)
        grid.add_row((role or EVERYBODY) if role != last else "", words, *cells)
        last = role
    print_table(grid)


def in_words(statistic: ActionStatistic | None) -> list[str]:
    """The rate of an action and its points; empty if it was never offered."""
    if statistic is None:
        return []
    chosen = f"{100 * statistic.chosen:.1f} % of {statistic.offered:.2f}"
    if statistic.mean is None:
        return [chosen]
    margin = "–" if statistic.low is None else f"{statistic.mean - statistic.low:.2f}"
    return [chosen, f"{statistic.mean:+.2f} ± {margin}"]

"""Measure the regret of a player: what another action would have gained, by kind of decision.

stichwerk regret --env schnapsen_v0 --agent rules --deals 200
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rich.table import Table

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.matches import DEALS
from stichwerk.agents.evaluation.regret import Regret, measure_regret
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.cli import DealOptions, check_bounds, parse
from stichwerk.support.progress import make_bar, print_table

BOUNDS = {"deals": DEALS, "seed": (0, 2**64 - 1), "worlds": (2, 1_000_000)}


@dataclass(frozen=True, kw_only=True)
class RegretOptions(DealOptions):
    """Let a player play with itself; print, for each kind of decision, how often it comes up and what the
    action that looks best would have gained."""

    agent: str = "rules"
    """The player, such as rules or ppo:NAME."""
    deals: int = 200
    """The number of deals to play."""
    seed: int = 1
    """The seed of the deals, of the sampled worlds and of the player's random choices."""
    worlds: int = 100
    """The number of worlds to sample a decision. Half of them choose the better action, the others measure
    its gain."""
    slip: float = 0.2
    """The probability that another seat departs from the rule-based player, by which worlds are weighted."""

    def __post_init__(self):
        check_bounds(self, BOUNDS)
        check_bounds(self, {"slip": (0.001, 1)}, "a number")


def main(arguments: Sequence[str]) -> None:
    options = parse(RegretOptions, arguments)
    game = options.game()
    game.check_start_states(options.start_states)
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
    print_regrets(regrets, options.agent, options.deals)


def print_regrets(regrets: Sequence[Regret], agent: str, deals: int) -> None:
    """A row for each kind of decision that came up."""
    grid = Table(
        "decision",
        "done",
        "better",
        caption=f"{agent}: per deal and seat, game points ± 95 %, {deals:,} deals",
    )
    for column in ("decisions", "regret"):
        grid.add_column(column, justify="right")
    for regret in regrets:
        interval = f"{regret.mean:+z.3f} ± {regret.mean - regret.low:.3f}"
        grid.add_row(regret.phase.lower(), regret.own, regret.better, f"{regret.share:.3f}", interval)
    print_table(grid)

"""Solve a deal with all cards known: the exact value of every legal action.

stichwerk solve --env schnapsen_v0 --seed 3 --actions "play hT"
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from stichwerk.agents.solver import solve
from stichwerk.cli import GameOptions, check_bounds, parse
from stichwerk.envs.aec import CardGameEnv
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.progress import make_bar, print_table

MOST = 10**12  # nodes: days


@dataclass(frozen=True, kw_only=True)
class SolveOptions(GameOptions):
    """Print the game points of every legal action, for the side of the seat to act."""

    deck: tuple[str, ...] = ()
    """All cards in dealing order, such as hA sT. Without it the seed shuffles them."""
    dealer: int = 0
    """The seat that deals."""
    match: str = ""
    """The state of the match, such as '{score: [5, 6]}'. Without it the match is a fresh one."""
    actions: tuple[str, ...] = ()
    """The actions to play first, such as 'play hA' 'play hJ'."""
    seed: int = 1
    """The seed of the deal, if no deck is set."""
    nodes: int = 100_000_000
    """The greatest number of positions that the search may visit."""

    def __post_init__(self):
        check_bounds(self, {"nodes": (1, MOST)})


def main(arguments: Sequence[str]) -> None:
    options = parse(SolveOptions, arguments)
    env = CardGameEnv(options.env, parse_yaml(options.rules))
    env.reset(
        seed=options.seed,
        options={
            "deck": list(options.deck) or None,
            "dealer": options.dealer,
            "match": parse_yaml(options.match),
            "actions": list(options.actions),
        },
    )
    with make_bar(transient=True) as bar:
        bar.add_task("solving", total=None)
        values = solve(env.game, env.copy_state(), options.nodes)
    table = Table("action")
    table.add_column("game points", justify="right")
    for action, value in sorted(values.items(), key=lambda each: -each[1]):
        table.add_row(action, f"{value:+g}")
    print(f"{env.game.env_id}, {env.agent_selection} to act")
    print_table(table)

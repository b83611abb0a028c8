"""The time of a decision of an engine, with the messages to and from it: python benchmarks/engines.py

    python benchmarks/engines.py --engine "engine:node examples/engines/engine.mjs" --deals 10_000

Turns without a choice do not count; the host answers them.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import print_table

from stichwerk.agents import Agent, Turns, make_agent_for
from stichwerk.agents.core.agent import with_choice
from stichwerk.agents.evaluation.playing.matches import DEALS, Series, play_pair
from stichwerk.cli import check_bounds, parse, run
from stichwerk.envs import make_game
from stichwerk.support.numbers import in_points

JAVASCRIPT = Path(__file__).resolve().parents[1] / "examples" / "engines" / "engine.mjs"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Let an engine play against the rule-based player, and time its decisions."""

    engine: str = f"engine:node {JAVASCRIPT}"
    """The engine."""
    envs: tuple[str, ...] = ("schnapsen_v0", "snapszer_v0", "gaigel_v0", "preferans_v0")
    """Environment ids."""
    deals: int = 10_000
    """The number of duplicate deals of each."""

    def __post_init__(self):
        check_bounds(self, {"deals": DEALS})


class Timed(Agent):
    """Lets another agent play; counts its decisions and their seconds."""

    outside = False  # so one program plays all deals

    def __init__(self, player: Agent):
        self.player, self.decisions, self.seconds = player, 0, 0.0
        super().__init__(player.name)

    def act(self, turns: Turns) -> np.ndarray:
        begin = time.perf_counter()
        actions = self.player.act(turns)
        self.seconds += time.perf_counter() - begin
        self.decisions += len(with_choice(turns.mask))
        return actions


def main(arguments) -> None:
    options = parse(Options, arguments)
    rows = []
    for env_id in options.envs:
        game = make_game(env_id)
        for text in (options.engine, "rules"):
            player = Timed(make_agent_for(text, game))
            play_pair(
                game, player, make_agent_for("rules", game), Series(2, 1)
            )  # compiles, and starts the program
            player.decisions, player.seconds = 0, 0.0
            result = play_pair(game, player, make_agent_for("rules", game), Series(options.deals, 1))
            rows.append((env_id, text, player, result))
    print_table(
        ["environment", "agent", "decisions", "µs a decision", "game points a deal over rules"],
        [
            [
                env_id,
                text.split("/")[-1],
                f"{player.decisions:,}",
                f"{1e6 * player.seconds / player.decisions:,.1f}",
                in_points(result.mean, result.margin),
            ]
            for env_id, text, player, result in rows
        ],
    )


if __name__ == "__main__":
    run(main)

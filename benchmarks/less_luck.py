"""The deals and time that `eval --less-luck` saves: a table with a row for each agent.

python benchmarks/less_luck.py rules:0.1 ppo:schnapsen rollout:worlds=20 --deals 1000
python benchmarks/less_luck.py search:schnapsen,worlds=16 --opponent ppo:schnapsen --deals 200
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.advantages import Advantages
from stichwerk.agents.evaluation.playing.matches import DEALS, Series, pair_seatings, play_here
from stichwerk.cli import DealOptions, Positional, check_bounds, parse, run
from stichwerk.envs import Game, InputError
from stichwerk.support.errors import quoted
from stichwerk.support.numbers import in_points

SAMPLES = 2_000  # of the bootstrap
WARM_UP = 2  # deals, in which code is compiled


@dataclass(frozen=True, kw_only=True)
class Options(DealOptions):
    """Print a row for each agent: its points with and without less luck, and what is saved."""

    agents: Positional[tuple[str, ...]]
    """Agents, each of which plays against the opponent."""
    opponent: str = "rules"
    """A rule-based player, or a network that plays its likeliest actions."""
    deals: int = 1_000
    """Duplicate deals."""
    seed: int = 1
    """Of the deals."""
    less_luck: int = 64
    """The most worlds of a decision."""

    def __post_init__(self):
        check_bounds(self, {"deals": DEALS, "less_luck": (1, 10_000)})


def main(arguments: Sequence[str]) -> None:
    options = parse(Options, arguments)
    game = options.game()
    print("| agent | deals | points | with less luck | deals saved | play | less luck | time saved |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for text in options.agents:
        measure(game, text, WARM_UP, options)
        print(row(text, *measure(game, text, options.deals, options)), flush=True)


def measure(
    game: Game, text: str, deals: int, options: Options
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """The points of each deal as it went and with less luck, float64[deals], and the seconds for playing and
    for lessening the luck."""
    agents = make_agent_for(text, game), make_agent_for(options.opponent, game)
    seatings = pair_seatings(game, False)
    own = np.array(seatings) == 0
    advantages = Advantages.between(game, agents, options.less_luck, options.start_states)
    if advantages is None:
        allowed = "a rule-based player or a network, in a game without partners"
        raise InputError(f"opponent: got {quoted(options.opponent)} in {options.env}; expected {allowed}")
    series = Series(deals, options.seed, start_states=options.start_states, records=True, seatings=seatings)
    start = time.perf_counter()
    parts = list(play_here(game, agents, series, lambda games: None))
    played = time.perf_counter()
    less = [advantages.points(part.rewards, part.played, seatings) for part in parts]
    end = time.perf_counter()
    raw, fewer = (
        np.concatenate([each[:, own].mean(axis=1) for each in points])
        for points in ([part.rewards for part in parts], less)
    )
    return raw, fewer, played - start, end - played


def row(text: str, raw: np.ndarray, less: np.ndarray, play: float, lessen: float) -> str:
    """A row in Markdown. The factors are ratios of deals, and of time, for the same precision."""
    deals = len(raw)
    margins = [1.96 * each.std(ddof=1) / np.sqrt(deals) for each in (raw, less)]
    drawn = np.random.default_rng(0).integers(deals, size=(SAMPLES, deals))
    low, high = np.quantile(raw[drawn].var(axis=1) / less[drawn].var(axis=1), (0.025, 0.975))
    saved = raw.var() / less.var()
    cells = [
        f"`{text}`",
        f"{deals:,}",
        in_points(float(raw.mean()), margins[0]),
        in_points(float(less.mean()), margins[1]),
        f"{saved:.2f} ({low:.2f} to {high:.2f})",
        f"{1000 * play / deals:.1f} ms",
        f"{1000 * lessen / deals:.1f} ms",
        f"{saved * play / (play + lessen):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    run(main)

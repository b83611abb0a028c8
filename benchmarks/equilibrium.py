"""Time and gap of the equilibrium solver: python benchmarks/equilibrium.py [--positions 6]

The positions are the first ones of `stichwerk bench --suite equilibrium`. With --file it makes that suite's
file, or adds positions to one: --file agents/evaluation/bench/equilibrium.npz --positions 1000
"""

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from common import print_table

from stichwerk.agents.equilibrium.cfr import Solving, response_value
from stichwerk.agents.equilibrium.schnapsen import worlds_of
from stichwerk.agents.equilibrium.solve import GAP, solve_equilibrium
from stichwerk.agents.equilibrium.tree import TreeBuilder
from stichwerk.agents.evaluation.bench.equilibrium import Suite, make_file, summary
from stichwerk.agents.evaluation.playing.verdicts import LEAST, is_settled
from stichwerk.cli import check_bounds, parse, run
from stichwerk.support.numbers import in_points
from stichwerk.support.terminal.progress import make_bar

SMALLER = GAP / 5
LOOKS = 20, 40, 60  # iterations after which the gap is measured


@dataclass(frozen=True)
class Options:
    positions: int = 6
    """Positions to solve."""
    laid_open: tuple[str, ...] = ("3", "2", "0")
    """The cards left in each hand when those of a closed stock are laid open; 0: never."""
    verdicts: bool = False
    """Print how often a smaller gap changes on which side of the threshold of reviews a cost lies."""
    means: bool = False
    """Print the distance of the best means over all worlds, each played on with all cards known."""
    file: str = ""
    """The file to make."""


def main(options: Options) -> None:
    check_bounds(options, {"positions": (1, 100_000)})
    if options.file:
        with make_bar() as bar:
            task = bar.add_task("solving", total=options.positions)
            make_file(Path(options.file), options.positions, on_progress=partial(bar.advance, task))
        return
    suite, values, rows = Suite(), [], []
    if options.means:
        number = min(options.positions, len(suite))
        found = summary([suite.measure(None, position) for position in range(number)])
        print_table(["best means", "points"], [[name, in_points(*each)] for name, each in found.items()])
        return
    if options.verdicts:
        costs = np.concatenate([costs_of(suite, number) for number in range(options.positions)])
        apart, sides = np.abs(costs[:, 0] - costs[:, 1]), costs >= LEAST
        facts = {
            "costs of actions": f"{len(costs):,}",
            f"of them {LEAST} or more": f"{100 * sides[:, 1].mean():.1f} %",
            "with the larger gap on the other side": f"{100 * (sides[:, 0] != sides[:, 1]).mean():.2f} %",
            "change of a cost: mean": f"{apart.mean():.5f}",
            "95 % are below": f"{np.quantile(apart, 0.95):.5f}",
        }
        print_table([f"gap {GAP} beside {SMALLER}", ""], [[*each] for each in facts.items()])
        return
    for laid_open in map(int, options.laid_open):
        found = np.array([measure(suite, number, laid_open) for number in range(options.positions)])
        values.append(found[:, -1])
        apart = np.abs(values[-1] - values[0])
        rows.append(
            [
                laid_open,
                *(f"{each:,.2f}" for each in found[:, :2].mean(axis=0)),
                f"{found[:, 2].mean():,.0f}",
                *(f"{each:.5f}" for each in found[:, 3:-1].mean(axis=0)),
                f"{apart.mean():.4f}, at most {apart.max():.4f}",
            ]
        )
    gaps = [f"gap after {number}" for number in LOOKS]
    first = f"value apart from laid open at {options.laid_open[0]}"
    columns = ["laid open at", "s for the tree", f"s for {LOOKS[-1]} iterations", "edges", *gaps, first]
    print_table(columns, rows)


def measure(suite: Suite, number: int, laid_open: int) -> list[float]:
    """Processor seconds for the tree and the iterations, edges, the gaps, and the value."""
    state = suite[number].state
    worlds, builder = worlds_of(suite.game, state[0], 10**6), TreeBuilder(suite.game, laid_open)
    begun = time.process_time()
    tree = builder.build(state[0], worlds)
    built, spent = time.process_time(), 0.0
    solving, gaps = Solving(tree), []
    for iterations in LOOKS:
        begun_again = time.process_time()
        solving.run(iterations - solving.iterations)
        spent += time.process_time() - begun_again
        strategy = solving.average()
        best = [response_value(tree, strategy, seat) for seat in (0, 1)]
        gaps.append(sum(best))
    return [built - begun, spent, len(tree.ends), *gaps, (best[0] - best[1]) / 2]


def costs_of(suite: Suite, number: int) -> np.ndarray:
    """The cost of each action of the lead and the answer with every hand, float64[actions, 2]: solved to
    the usual gap and to a smaller one. Left out are decisions that reviews leave out."""
    state, found = suite[number].state, []
    solved = [[*solve_equilibrium(suite.game, state, gap).decisions(1)] for gap in (GAP, SMALLER)]
    for pair in zip(*solved, strict=True):
        if all(map(is_settled, pair)):
            found.append(np.stack([each.values.max() - each.values for each in pair], 1))
    return np.concatenate(found)


if __name__ == "__main__":
    run(lambda words: main(parse(Options, words)))

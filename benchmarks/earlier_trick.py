"""Distance to perfect play one trick earlier: python benchmarks/earlier_trick.py [--positions 5]

The positions are leads of Schnapsen with three cards face down, from the play of the agents of the suite
`equilibrium`, in turns. Each is solved together with all public states that may follow. Positions that are
in --out already are not solved again.
"""

import json
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from common import print_table, rows_of

from stichwerk.agents import make_agent_for
from stichwerk.agents.equilibrium.earlier import DOWN, EarlierTrick
from stichwerk.agents.equilibrium.solve import own_reach, slot_values
from stichwerk.agents.evaluation.bench.equilibrium import (
    ENV,
    KINDS,
    SOURCES,
    Distance,
    add_losses,
    best_of,
    known_values,
    play_of,
    public_states,
    summary,
)
from stichwerk.agents.evaluation.bench.equilibrium import rows_of as distances_of
from stichwerk.cli import check_bounds, parse, run
from stichwerk.envs import make_game
from stichwerk.support.files import own_folder, write_whole
from stichwerk.support.numbers import in_points
from stichwerk.support.terminal.progress import make_bar

MEANS = "best means"  # beside the agents: over all worlds, each played on with all cards known


@dataclass(frozen=True)
class Options:
    positions: int = 5
    seed: int = 58
    """Deals the positions."""
    iterations: int = 40
    laid_open: int = 3
    """The cards left in each hand when those of a closed stock are laid open; 0: never."""
    agents: tuple[str, ...] = ("ppo:schnapsen", "rules")
    """Agents that are asked in this trick too."""
    out: Path = Path("results/earlier_trick")
    """Folder of the measurements; another one for other options."""


def main(options: Options) -> None:
    check_bounds(options, {"positions": (2, 1_000), "iterations": (1, 10_000), "laid_open": (0, 5)})
    own_folder(str(options.out), "benchmark", "--out")
    file, game = options.out / "rows.jsonl", make_game(ENV)
    sources = [public_states(game, source, options.seed, DOWN) for source in SOURCES]
    for number in range(options.positions):
        state = next(sources[number % len(sources)])
        if len(rows_of(file)) <= number:
            row = measure(state, options)
            write_whole(file, "".join(json.dumps(each) + "\n" for each in [*rows_of(file), row]))
    rows = rows_of(file)[: options.positions]
    facts = "seconds", "worlds", "public states", "edges", "gap", "value"
    print_table(["position", *facts], [[place + 1, *map(row.get, facts)] for place, row in enumerate(rows)])
    columns = []
    for name in (MEANS, *options.agents):
        found = [Distance(row[name][: len(KINDS)], row[name][len(KINDS) :]) for row in rows]
        columns.append(summary(found))
    lines = [[name, *(in_points(*each[name], signed=False) for each in columns)] for name in columns[0]]
    print_table(["distance to the equilibrium", MEANS, *options.agents], lines)


def measure(state: np.ndarray, options: Options) -> dict:
    """Solve a position, and measure play in its first trick."""
    begun = time.process_time()
    with make_bar() as bar:
        solved = EarlierTrick(
            make_game(ENV), state, options.laid_open, partial(bar.advance, bar.add_task("trees", total=None))
        )
        task = bar.add_task("iterations", total=options.iterations)
        for _ in range(options.iterations):
            solved.run(1)
            bar.advance(task)
    strategies = solved.averages()
    trees = [each.tree for each in (solved.trick, *(rest.solving for rest in solved.rests))]
    best, leader = [solved.response_value(strategies, seat) for seat in (0, 1)], int(state[0]["seat"])
    value = (best[leader] - best[1 - leader]) / 2
    row = {
        "seconds": round(time.process_time() - begun),
        "worlds": 6 * len(solved.worlds.weights),
        "public states": len(solved.rests),
        "edges": sum(len(tree.ends) for tree in trees),
        "gap": round(sum(best), 5),
        "value": round(value, 4),
    }
    tree, infos = solved.trick.tree, np.arange(len(solved.trick.tree.owners))
    plays = {MEANS: best_of(tree, mean_values(solved))}
    for text in options.agents:
        agent = make_agent_for(text, solved.game)
        play = play_of(agent, solved.game, state, solved.worlds, tree, infos, options.seed)
        plays[text] = np.concatenate(play)
    for name, play in plays.items():
        (row[name],) = distances_of([distance(solved, strategies, play, leader, value)])
    return row


def mean_values(solved: EarlierTrick) -> np.ndarray:
    """The value of each action of the trick over all worlds, if all cards are known from it on."""
    tree, total = solved.trick.tree, 0.0
    known = [known_values(rest.solving.tree)[0] for rest in solved.rests]
    for order in range(6):
        values = tree.values.astype(float)
        for rest, worth in zip(solved.rests, known, strict=True):
            values[rest.edges] = worth[rest.starts[:, order % rest.starts.shape[1]]]
        total = total + known_values(tree._replace(values=values))[1]
    return total


def distance(
    solved: EarlierTrick, strategies: list[np.ndarray], play: np.ndarray, leader: int, value: float
) -> Distance:
    """The distance of play in the trick, after which the equilibrium plays on."""
    tree, strategy = solved.trick.tree, strategies[0]
    mine, values, shares = tree.owners == leader, np.zeros(len(play)), np.zeros(len(tree.owners))
    leads = np.repeat(mine, np.diff(tree.slots))
    for seat, slots, infos in ((leader, leads, mine), (1 - leader, ~leads, ~mine)):
        of_seat, _, reached = slot_values(solved.trick_values(strategies, seat), strategy, seat)
        values[slots], shares[infos] = of_seat[slots], reached[infos]
    reached = shares * np.where(mine, own_reach(tree, np.where(leads, play, strategy)), 1.0)
    losses = np.zeros(len(KINDS))
    add_losses(losses, tree, np.arange(len(mine)), mine, reached, values, strategy, play)
    answered = solved.response_value([np.where(leads, play, strategy), *strategies[1:]], 1 - leader)
    led = solved.response_value([np.where(leads, strategy, play), *strategies[1:]], leader)
    return Distance(losses, np.array([answered + value, led - value]))


if __name__ == "__main__":
    run(lambda words: main(parse(Options, words)))

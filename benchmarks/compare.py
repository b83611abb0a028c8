"""The step of this checkout against that of another one: python benchmarks/compare.py OTHER_CHECKOUT [--envs
schnapsen_v0 …]

A process for each checkout steps in turn, a short slice each. So the ratio of two neighbours holds on a
machine whose speed drifts. Both play the same random actions; the table says whether they saw the same, to
the bit.
"""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from common import print_table

from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.envs import InputError, make_game
from stichwerk.support.parsing import parse_yaml

HERE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Options:
    other: Positional[Path]
    """The path of the other checkout."""
    envs: tuple[str, ...] = ("schnapsen_v0",)
    """Environment ids."""
    rules: tuple[str, ...] = ("{}",)
    """Rules to play each of them by: '{players: 3}' '{players: 6}' …"""
    lanes: tuple[int, ...] = (1024, 8192)
    """Sizes of the vector environment."""
    observation: str = "summary"
    """The encoding."""
    threads: int = 1
    """Threads of the vector environment."""
    pairs: int = 6
    """The number of fresh process pairs: memory layout alone changes speed by some percent."""
    rounds: int = 20
    """Slices of each process."""
    decisions: int = 100_000
    """Decisions in a slice."""


class Worker:
    """A process that steps the environments of one checkout."""

    def __init__(self, checkout: Path, env_id: str, rules: str, lanes: int, options: Options):
        self.lanes, self.what = lanes, f"{env_id}, rules {rules}"
        program = [sys.executable, str(Path(__file__).with_name("step_worker.py")), str(checkout)]
        self.process = subprocess.Popen(
            [*program, env_id, rules, str(lanes), options.observation, str(options.threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(checkout)},
        )

    def run(self, decisions: int) -> tuple[float, int]:
        """Nanoseconds a decision in a slice, and the checksum of what has been seen."""
        steps = max(decisions // self.lanes, 1)
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            raise InputError(f"the worker for {self.what} has ended: what it says above is why")
        seconds, checksum = line.split()
        return 1e9 * float(seconds) / (steps * self.lanes), int(checksum)


@contextmanager
def workers(env_id: str, rules: str, lanes: int, options: Options):
    pair = [Worker(checkout, env_id, rules, lanes, options) for checkout in (HERE, options.other.resolve())]
    try:
        yield pair
    finally:
        for worker in pair:
            worker.process.stdin.close()
            worker.process.wait()


def play(env_id: str, rules: str, lanes: int, options: Options) -> list[list[tuple[float, int]]]:
    """The slices of one pair of workers: for each round what the worker here and the other one have to
    say."""
    with workers(env_id, rules, lanes, options) as pair:
        for worker in pair:  # compiles, and plays until the lanes are at different points of their deals
            worker.run(max(options.decisions, 50 * lanes))
        return [[worker.run(options.decisions) for worker in pair] for _ in range(options.rounds)]


def main(options: Options) -> None:
    if not (options.other / "envs").is_dir():
        raise InputError(f"checkout {options.other}: there is no envs/ in it")
    check_bounds(options, dict.fromkeys(("pairs", "rounds", "decisions", "threads"), (1, 10**9)))
    all_rules = [parse_yaml(text) for text in options.rules]
    for env_id, rules in product(options.envs, all_rules):
        make_game(env_id, rules)  # or what is wrong with them
    rows = []
    for env_id, rules, lanes in product(options.envs, map(json.dumps, all_rules), options.lanes):
        slices = [each for _ in range(options.pairs) for each in play(env_id, rules, lanes, options)]
        ours, others = np.array([[slice[0] for slice in both] for both in slices]).T
        low, middle, high = np.percentile(others / ours, (25, 50, 75))
        same = all(mine[1] == theirs[1] for mine, theirs in slices)
        rows.append(
            [
                f"{env_id}{' ' + rules if json.loads(rules) else ''}, {lanes} lanes",
                f"{np.median(ours):.1f}",
                f"{np.median(others):.1f}",
                f"{middle:.3f}",
                f"{low:.3f} … {high:.3f}",
                "yes" if same else "NO",
            ]
        )
    columns = ["environment", "ns a decision", "the other's", "faster by", "middle half", "saw the same"]
    print_table(columns, rows)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

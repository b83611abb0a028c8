"""The time that versions of the suite train until they beat others by a mark.

python benchmarks/time_to_strength.py --checkouts OLD . --decisions 9000000 16000000 [--seeds 1 2 3]
python benchmarks/time_to_strength.py --checkouts . --decisions 16000000 \
    --measured-against '{"ppo:schnapsen-0.1": 20000, "rollout:worlds=20": 200}'

Each checkout trains by its own code and config, seed by seed in turn. A mark is passed at the first
validation whose 95 % interval lies above it. Validations are against the rule-based player of version 0.1,
and the other opponents of the evaluations. What counts is the processor's time of learning, without
evaluations. If one of the checkouts does not write that down, the time by the clock counts. Run it on a quiet
machine; runs that are stopped go on where they were.

What others wrote is not read by the suite here, which would be that of one checkout.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common import print_table, rows_of, run_or_end

from stichwerk.cli import parse, run
from stichwerk.envs import InputError
from stichwerk.support.figure import curves as line_chart
from stichwerk.support.figure import stacked
from stichwerk.support.files import own_folder, write_whole


@dataclass(frozen=True)
class Options:
    checkouts: tuple[Path, ...]
    """Checkouts of the repository, the first of them the reference."""
    decisions: tuple[int, ...]
    """The number of decisions that each of them trains for."""
    marks: tuple[float, ...] = (0.1, 0.19)
    """Game points a deal."""
    seeds: tuple[int, ...] = (1, 2, 3)
    config: str = "configs/schnapsen.yaml"
    """Training config, of each checkout."""
    deals: int = 20_000
    """Duplicate deals of a validation."""
    measured_against: str = ""
    """Other opponents, as the config's field of this name has them: every checkout must know it. They meet
    once more at each run's end."""
    out: Path = Path("results/time_to_strength")
    """Folder of the runs and the picture."""


PROCESSOR, CLOCK = "of the processor", "by the clock"
MARK, BEFORE, WEAK = "rules:0.1", "rules", "random"  # the first is what version 0.1.0 called by the second

Curve = list[tuple[float, float, float, float]]  # minutes, mean, low, high


def main(options: Options) -> None:
    if len(options.decisions) != len(options.checkouts):
        given = f"{len(options.decisions)} --decisions for {len(options.checkouts)} --checkouts"
        raise InputError(f"got {given}; expected one for each")
    if not options.seeds:
        raise InputError("--seeds: got none; expected one or more")
    for checkout in options.checkouts:
        if not ((checkout / "train.py").is_file() and (checkout / ".git").exists()):
            raise InputError(f"checkout: got {checkout}; expected checkouts by git, with a train.py")
    own_folder(str(options.out), "benchmark", "--out")
    versions = [version_of(checkout) for checkout in options.checkouts]
    runs: dict[tuple[int, int], list[dict]] = {}
    for seed in options.seeds:
        for number, checkout in enumerate(options.checkouts):
            folder = options.out.resolve() / f"{versions[number]}-{seed}"
            train(checkout, options, options.decisions[number], seed, folder)
            runs[number, seed] = rows_of(folder / "metrics.jsonl")
    clock = clock_of(runs.values())
    curves = {key: curves_of(rows, clock) for key, rows in runs.items()}
    rows = []
    for (number, seed), by_opponent in curves.items():
        for opponent, points in by_opponent.items():
            passed = [next((at for at, _, low, _ in points if low >= mark), None) for mark in options.marks]
            minutes = ["–" if at is None else f"{at:.1f}" for at in passed]
            at, mean, low, _ = points[-1]
            end = f"{at:.1f}", f"{mean:+.3f} ± {mean - low:.3f}"
            rows.append([versions[number], seed, opponent, *minutes, *end])
    marks = [f"minutes to {mark:+g}" for mark in options.marks]
    print_table(["version", "seed", "over", *marks, "minutes in all", "at the end"], rows)
    print(f"minutes {clock}")
    draw(options, versions, curves, clock)


def version_of(checkout: Path) -> str:
    """Its commit, and what has been changed and added since: runs of other code have other folders."""
    commit, changes, added = (
        git(checkout, *words)
        for words in (
            ["rev-parse", "--short", "HEAD"],
            ["diff", "HEAD"],
            ["ls-files", "--others", "--exclude-standard", "-z"],
        )
    )
    for file in filter(None, added.decode().split("\0")):
        changes += file.encode() + (checkout / file).read_bytes()
    name = commit.decode().strip()
    return f"{name}-{hashlib.sha256(changes).hexdigest()[:8]}" if changes else name


def git(checkout: Path, *words: str) -> bytes:
    answer = subprocess.run(["git", "-C", checkout, *words], capture_output=True)
    if answer.returncode:
        raise InputError(f"checkout {checkout}: {answer.stderr.decode().strip().splitlines()[-1]}")
    return answer.stdout


def train(checkout: Path, options: Options, decisions: int, seed: int, folder: Path) -> None:
    words = {
        "decisions": decisions,
        "seed": seed,
        "run": folder,
        "evaluate_deals": options.deals,
        "final_deals": 2,
        **({"measured_against": options.measured_against} if options.measured_against else {}),
    }
    settings = [word for name, value in words.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "train.py", options.config, *settings, "--resume"]
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    run_or_end(command, cwd=checkout, env=environment)


def clock_of(runs: Iterable[list[dict]]) -> str:
    """The clock that all these runs, rows of metrics, have."""
    updates = [row for rows in runs for row in rows if row["kind"] == "update"]
    return PROCESSOR if all("processor_seconds" in row for row in updates) else CLOCK


def curves_of(rows: list[dict], clock: str) -> dict[str, Curve]:
    """The validations of a run by opponent, less the random player, and by minutes of learning."""
    seconds, before = 0.0, 0
    curves: dict[str, Curve] = {}
    for row in rows:
        if row["kind"] == "update":
            by_the_clock = (row["decisions"] - before) / row["decisions_per_second"]
            seconds += by_the_clock if clock == CLOCK else row["processor_seconds"]
            before = row["decisions"]
        elif row["kind"] == "evaluation":
            for name in (column.removesuffix("_mean") for column in row if column.endswith("_mean")):
                if name == WEAK:
                    continue
                called = MARK if name == BEFORE and f"{MARK}_mean" not in row else name
                point = seconds / 60, *(row[f"{name}_{end}"] for end in ("mean", "low", "high"))
                curves.setdefault(called, []).append(point)
    return curves


def draw(
    options: Options, versions: list[str], curves: dict[tuple[int, int], dict[str, Curve]], clock: str
) -> None:
    """A panel for each opponent."""
    opponents = dict.fromkeys(name for by_opponent in curves.values() for name in by_opponent)
    panels = []
    for opponent in opponents:
        found = [
            (versions[number], by_opponent[opponent])
            for (number, _), by_opponent in curves.items()
            if opponent in by_opponent
        ]
        unit = f"game points a deal over {opponent}"
        panels.append(line_chart(found, f"minutes of learning, {clock}", unit, marks=options.marks))
    write_whole(options.out / "curves.svg", stacked(panels).svg())


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

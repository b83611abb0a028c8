"""How long versions of the suite train until they beat the rule-based player by a mark.

python benchmarks/time_to_strength.py --checkouts OLD . --decisions 9000000 16000000 [--seeds 1 2 3]

Each checkout trains by its own code and config, seed by seed in turn. A mark is passed at the first
validation whose 95 % interval lies above it; what counts is the processor's time of learning, without
evaluations, or the time by the clock if one of the checkouts does not write the other down. Run it on a quiet
machine; runs that are stopped go on where they were.

Nothing of stichwerk is imported here: it would be that of one checkout, and is not to read what others wrote.
"""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import tyro
from common import print_table, refused, rows_of, run_or_end


@dataclass(frozen=True)
class Options:
    checkouts: tuple[Path, ...]
    """Checkouts of the repository, the first of them the reference."""
    decisions: tuple[int, ...]
    """How far each of them trains."""
    marks: tuple[float, ...] = (0.1, 0.19)
    """Game points a deal."""
    seeds: tuple[int, ...] = (1, 2, 3)
    config: str = "configs/schnapsen.yaml"
    """Training config, of each checkout."""
    deals: int = 20_000
    """Duplicate deals of a validation."""
    out: Path = Path("results/time_to_strength")
    """Folder of the runs and the picture."""


PROCESSOR, CLOCK = "of the processor", "by the clock"

Curve = list[tuple[float, float, float, float]]  # minutes, mean, low, high


def main(options: Options) -> None:
    if len(options.decisions) != len(options.checkouts):
        given = f"{len(options.decisions)} --decisions for {len(options.checkouts)} --checkouts"
        sys.exit(refused(f"{given}: allowed is one for each"))
    for checkout in options.checkouts:
        if not (checkout / "train.py").is_file():
            sys.exit(refused(f"checkout {checkout}: there is no train.py in it"))
    runs: dict[tuple[int, int], list[dict]] = {}
    for seed in options.seeds:
        for number, checkout in enumerate(options.checkouts):
            run = options.out.resolve() / f"{number}-{seed}"
            train(checkout, options, options.decisions[number], seed, run)
            runs[number, seed] = rows_of(run / "metrics.jsonl")
    clock = clock_of(runs.values())
    curves = {key: curve(rows, clock) for key, rows in runs.items()}
    rows = []
    for (number, seed), points in curves.items():
        passed = [next((at for at, _, low, _ in points if low >= mark), None) for mark in options.marks]
        minutes = ["–" if at is None else f"{at:.1f}" for at in passed]
        at, mean, low, _ = points[-1]
        name = str(options.checkouts[number])
        rows.append([name, seed, *minutes, f"{at:.1f}", f"{mean:+.3f} ± {mean - low:.3f}"])
    marks = [f"minutes to {mark:+g}" for mark in options.marks]
    print_table(["checkout", "seed", *marks, "minutes in all", "at the end"], rows)
    print(f"minutes {clock}")
    draw(options, curves, clock)


def train(checkout: Path, options: Options, decisions: int, seed: int, run: Path) -> None:
    words = {
        "decisions": decisions,
        "seed": seed,
        "run": run,
        "evaluate_deals": options.deals,
        "final_deals": 2,
    }
    settings = [word for name, value in words.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "train.py", options.config, *settings, "--resume"]
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    run_or_end(command, cwd=checkout, env=environment)


def clock_of(runs: Iterable[list[dict]]) -> str:
    """What all these runs, rows of metrics, can be timed by."""
    updates = [row for rows in runs for row in rows if row["kind"] == "update"]
    return PROCESSOR if all("processor_seconds" in row for row in updates) else CLOCK


def curve(rows: list[dict], clock: str) -> Curve:
    """The validations of a run against the rule-based player, by minutes of learning."""
    seconds, before, points = 0.0, 0, []
    for row in rows:
        if row["kind"] == "update":
            by_the_clock = (row["decisions"] - before) / row["decisions_per_second"]
            seconds += by_the_clock if clock == CLOCK else row["processor_seconds"]
            before = row["decisions"]
        elif row["kind"] == "evaluation":
            opponent = next(name for name in ("rules:0.1", "rules") if f"{name}_mean" in row)
            points.append((seconds / 60, *(row[f"{opponent}_{end}"] for end in ("mean", "low", "high"))))
    return points


def draw(options: Options, curves: dict[tuple[int, int], Curve], clock: str) -> None:
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for (number, seed), points in curves.items():
        minutes, means, lows, highs = zip(*points, strict=True)
        label = str(options.checkouts[number]) if seed == options.seeds[0] else None
        axes.plot(minutes, means, color=f"C{number}", label=label)
        axes.fill_between(minutes, lows, highs, color=f"C{number}", alpha=0.15)
    for mark in options.marks:
        axes.axhline(mark, color="grey", linewidth=0.8, linestyle="--")
    axes.set_xlabel(f"minutes of learning, {clock}")
    axes.set_ylabel("game points a deal over `rules:0.1`")
    axes.legend()
    figure.savefig(options.out / "curves.png", dpi=120)


if __name__ == "__main__":
    main(tyro.cli(Options))

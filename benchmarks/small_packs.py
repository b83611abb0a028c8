"""Learning against truth: the exact NashConv of trainings on a pack of eight cards.

python benchmarks/small_packs.py [--seeds 1 2 3] [--decisions 600000] [--only NAME ...]

NashConv is what best responses of both seats win together, in game points a deal: 0 in an equilibrium. It is
computed over all deals and all play. Trainings that are in --out already are not repeated; their rows name
the settings. The time is that of the processor without the measurements.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import print_table, rows_of

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.equilibrium.cfr import Solving
from stichwerk.agents.equilibrium.whole import nash_conv, whole_deals
from stichwerk.agents.evaluation.bench.equilibrium import chances_of, turns_at
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.cli import parse, run
from stichwerk.envs import InputError, make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.figure import curves, stacked
from stichwerk.support.files import own_folder, write_whole

RULES = {
    "pack": ["sA", "sT", "sK", "sQ", "hA", "hT", "hK", "hQ"],
    "hand_size": 2,
    "goal": 45,
    "schneider_max": 22,
    "claims": "auto",
}
SUIT = "s"  # of the turned-up cards: hearts and spades have the same ranks, and networks treat them alike
ALONE = {"opponents": {"latest": 1.0}}
TRAININGS = {
    "self-play": {},
    "no pool": ALONE,
    "entropy 0.01": {"entropy": 0.01},
    "entropy 0.2": {"entropy": 0.2},
    "entropy to 0": {"entropy_final_fraction": 0.0},
    "rollout targets": {"rollout_policy": "rules:0.1"},
    "magnet": {"magnet": 0.2, "magnet_every": 5},
    "magnet alone": {**ALONE, "entropy": 0.0, "magnet": 0.2, "magnet_every": 5},
}
PANELS = {
    "Pool and targets": ("self-play", "no pool", "rollout targets"),
    "Entropy": ("self-play", "entropy 0.01", "entropy 0.2", "entropy to 0"),
    "Magnet": ("self-play", "no pool", "magnet", "magnet alone"),
}
LOOKS = 5  # measurements of a training, at equal ratios of updates
ITERATIONS = 2, 5, 10, 20, 50, 100, 200, 500  # of CFR at its measurements
BASELINES = "random", "rules:0.1", "rules"
CFR = "CFR"


@dataclass(frozen=True)
class Options:
    seeds: tuple[int, ...] = (1, 2, 3)
    decisions: int = 600_000
    """The decisions of each training."""
    only: tuple[str, ...] = ()
    """Some of the trainings, by name."""
    out: Path = Path("results/small_packs")
    """Folder of the measurements and the picture; another one for other decisions."""


class Truth:
    """All deals of a game with a small pack, and the distance of agents from perfect play in them."""

    def __init__(self, game: Game, suits: str):
        self.game = game
        self.deals = [*whole_deals(game, suits)]
        self._asked = [np.flatnonzero(np.diff(tree.slots) > 1) for tree, _ in self.deals]

    def nash_conv(self, agent: Agent) -> float:
        """Of an agent that plays both seats."""
        found = []
        for (tree, states), asked in zip(self.deals, self._asked, strict=True):
            chances = chances_of(agent, turns_at(self.game, states[asked]))
            infos = np.repeat(np.arange(len(tree.owners)), np.diff(tree.slots))
            rows = np.searchsorted(asked, infos).clip(max=len(asked) - 1)
            strategy = np.where(asked[rows] == infos, chances[rows, tree.actions], 1.0)
            found.append(nash_conv(tree, strategy))
        return float(np.mean(found))


def main(options: Options) -> None:
    if unknown := {*options.only} - {*TRAININGS}:
        raise InputError(f"--only: got {min(unknown)}; expected some of {', '.join(TRAININGS)}")
    own_folder(str(options.out), "benchmark", "--out")
    file, truth = options.out / "rows.jsonl", Truth(make_game("schnapsen_v0", RULES), SUIT)
    if not any(row["name"] == CFR for row in rows_of(file)):
        keep(file, solve(truth))
    for seed in options.seeds:
        for name in options.only or TRAININGS:
            given = {"decisions": options.decisions, "seed": seed, **TRAININGS[name]}
            if not any(row["name"] == name and row["settings"] == given for row in rows_of(file)):
                keep(file, [{"name": name, "settings": given, **row} for row in train(truth, given)])
    rows = rows_of(file)
    baselines = [[name, f"{truth.nash_conv(make_agent_for(name, truth.game)):.4f}"] for name in BASELINES]
    print_table(["agent", "NashConv"], baselines)
    report(rows)
    write_whole(options.out / "small_packs.svg", picture(rows))


def keep(file: Path, rows: list[dict]) -> None:
    """Add the rows of a whole training to the file, at once."""
    write_whole(file, "".join(json.dumps(row) + "\n" for row in [*rows_of(file), *rows]))


def solve(truth: Truth) -> list[dict]:
    """Rows of CFR, which begins with the trees."""
    begun = time.process_time()
    solvers, rows = [Solving(tree) for tree, _ in whole_deals(truth.game, SUIT)], []
    spent = time.process_time() - begun
    for iterations in ITERATIONS:
        begun = time.process_time()
        for each in solvers:
            each.run(iterations - each.iterations)
        spent += time.process_time() - begun
        distance = float(np.mean([nash_conv(each.tree, each.average()) for each in solvers]))
        rows.append(
            {"name": CFR, "settings": {}, "minutes": spent / 60, "drawn": distance, "iterations": iterations}
        )
    return rows


def train(truth: Truth, settings: dict) -> list[dict]:
    """Rows of a training: minutes, and NashConv of the network as it draws and as it plays its likeliest
    action."""
    config = TrainConfig.of(rules=RULES, precision="float32", **settings)
    learner, rows = Learner(config, truth.game), list[dict]()
    updates = -(-config.ppo.decisions // learner.ppo.batch_size)
    looks = {*np.geomspace(4, updates, LOOKS).round().astype(int).tolist()}
    spent, begun = 0.0, time.process_time()

    def after_update(metrics: dict[str, float], last: bool) -> None:
        nonlocal spent, begun
        update = learner.ppo.decisions // learner.ppo.batch_size
        if learner.offers_snapshot(update):
            learner.take_snapshot()
        if update in looks:
            spent += time.process_time() - begun
            players = [learner.player("network", learner.network, greedy=greedy) for greedy in (False, True)]
            drawn, likeliest = map(truth.nash_conv, players)
            rows.append({"minutes": spent / 60, "drawn": drawn, "likeliest": likeliest, "update": update})
            begun = time.process_time()

    learner.ppo.learn(config.ppo.decisions, after_update)
    return rows


def ends(rows: list[dict], name: str) -> list[dict]:
    """The last row of each training of this name."""
    last = {json.dumps(row["settings"]): row for row in rows if row["name"] == name}
    return [*last.values()]


def report(rows: list[dict]) -> None:
    lines = []
    for name in dict.fromkeys(row["name"] for row in rows):
        last = ends(rows, name)
        drawn, likeliest = ([row.get(kind) for row in last] for kind in ("drawn", "likeliest"))
        minutes = np.mean([row["minutes"] for row in last])
        lines.append([name, f"{minutes:.2f}", *map(_spread, (drawn, likeliest))])
    print_table(["training", "minutes", "NashConv, drawn: mean (seeds)", "likeliest: mean (seeds)"], lines)


def _spread(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    return f"{np.mean(known):.4f} ({', '.join(f'{value:.3f}' for value in sorted(known))})"


def picture(rows: list[dict]) -> str:
    """Panels with a curve for each training, of the mean over seeds; the band reaches from the least to the
    largest."""
    panels = []
    for title, names in PANELS.items():
        found = [(name, points) for name in (*names, CFR) if (points := _points(rows, name))]
        panels.append(curves(found, "processor minutes", "NashConv, game points a deal", title, log=True))
    return stacked(panels).svg()


def _points(rows: list[dict], name: str) -> list[tuple[float, ...]]:
    by_look: dict[int, list[dict]] = {}
    for row in rows:
        if row["name"] == name:
            by_look.setdefault(row.get("update", row.get("iterations")), []).append(row)
    return [
        (float(np.mean([row["minutes"] for row in found])), float(np.mean(values)), min(values), max(values))
        for found in by_look.values()
        for values in [[row["drawn"] for row in found]]
    ]


if __name__ == "__main__":
    run(lambda words: main(parse(Options, words)))

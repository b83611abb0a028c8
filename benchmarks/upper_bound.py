"""The most that a best response could win from a network: python benchmarks/upper_bound.py [--deals 200]

A response that knows all cards plays each deal in both seats, without and with the penalty for what it should
not know. Deals that are in --out already are not played again. With a small pack, the best response is
computed too: --rules '{pack: [sA, sK, sQ, hA, hT, hJ], hand_size: 2, goal: 30}'.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import print_table, rows_of
from small_packs import Truth

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.bench.clairvoyant import ClairvoyantResponse, deals_of
from stichwerk.agents.evaluation.bench.suites import interval
from stichwerk.cli import GameOptions, check_bounds, parse, run
from stichwerk.support.files import own_folder, write_whole
from stichwerk.support.numbers import in_points
from stichwerk.support.terminal.progress import make_bar

SMALL = 8  # cards of a pack whose whole tree has room
AT_ONCE = {True: 250, False: 2}  # deals of small packs and others, of which the trees are in memory together


@dataclass(frozen=True, kw_only=True)
class Options(GameOptions):
    agent: str = "ppo:schnapsen"
    deals: int = 200
    seed: int = 2026
    """Deals the cards."""
    worlds: int = 32
    """The worlds that are sampled for a penalty."""
    out: Path = Path("results/upper_bound")
    """Folder of the measurements; another one for other options."""


def main(options: Options) -> None:
    check_bounds(options, {"deals": (2, 10**6), "seed": (0, 2**32 - 1), "worlds": (1, 10_000)})
    own_folder(str(options.out), "benchmark", "--out")
    file, game = options.out / "rows.jsonl", options.game()
    small = len(game.deck) <= SMALL
    agent = make_agent_for(options.agent, game)
    response = ClairvoyantResponse(game, agent, options.worlds, options.seed)
    with make_bar() as bar:
        task = bar.add_task("playing", total=options.deals, completed=len(rows_of(file)))
        while len(rows := rows_of(file)) < options.deals:
            numbers = range(len(rows), min(len(rows) + AT_ONCE[small], options.deals))
            found = [response.wins(deals_of(game, options.seed, numbers), seat) for seat in (0, 1)]
            means = [np.mean(each, axis=0).tolist() for each in zip(*found, strict=True)]
            rows += [dict(zip(found[0]._fields, each, strict=True)) for each in zip(*means, strict=True)]
            write_whole(file, "".join(json.dumps(row) + "\n" for row in rows))
            bar.update(task, completed=len(rows))
    rows = rows_of(file)[: options.deals]
    lines = [
        [name.replace("_", " "), in_points(*interval(np.array([row[name] for row in rows])))]
        for name in rows[0]
    ]
    gains = np.array([row["clairvoyant"] - row["penalised"] for row in rows])
    lines.append(["the penalty takes off", in_points(*interval(gains))])
    if small:
        lines.append(["best response", f"{Truth(game, '').nash_conv(agent) / 2:+.4f}"])
    print_table([f"against {options.agent}, {len(rows)} deals", "game points a deal"], lines)


if __name__ == "__main__":
    run(lambda words: main(parse(Options, words)))

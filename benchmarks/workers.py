"""The speed of a training with many workers, calculated from what one of them takes by itself.

python benchmarks/workers.py [--config configs/schnapsen.yaml] [--workers 2 4 16 64 256]

Worker 0 of N plays its part of the lanes and learns from it, without the others, round by round with each N
in turn. The least processor time of all rounds stands for the time on a core of its own. Each minibatch
adds up the gradients of all workers in a ring, as gloo does: each sends 2 (N - 1) pieces of a size of 1 /
N, and each piece takes the latency of the network besides. That workers wait for the slowest, and what else
they exchange, is left out.

With "lanes x N" each worker has the lanes of the whole config, so an update has N times the decisions; with
"minibatches x N" it also has N times the minibatches, of the size that they have in the config.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import print_table

from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.learner import Learner
from stichwerk.cli import check_bounds, parse, run


@dataclass(frozen=True)
class Options:
    config: str = "configs/schnapsen.yaml"
    """Training config."""
    workers: tuple[int, ...] = (2, 4, 16, 64, 256)
    """Numbers of workers, besides one."""
    rounds: int = 5
    """Rounds; each has an update with every number."""
    gigabytes: float = 1.25
    """Speed of the network between workers, in GB a second."""
    latency: float = 50.0
    """Time until a piece has arrived, in µs."""


def main(options: Options) -> None:
    bounds = {"rounds": (1, 1000), "gigabytes": (1e-3, 1e4), "latency": (0, 1e6)}
    check_bounds(options, bounds)
    config = load_config(Path(options.config))
    game = config.game.make()
    numbers = 1, *options.workers
    learners = [Learner(config.replace(workers=number), game) for number in numbers]
    seconds = np.array([[seconds_of(each) for each in learners] for _ in range(1 + options.rounds)])
    times = seconds[1:].min(axis=0)  # the first round warms, and other load makes some slower
    alone = times[0].sum()
    rows = []
    for workers, learner, (play, learn) in zip(numbers, learners, times, strict=True):
        exchange = exchange_seconds(config, learner, workers, options)
        total = play + learn + exchange
        with_lanes = workers * alone / (alone + exchange)
        with_minibatches = workers * alone / (times[0, 0] + workers * (learn + exchange))
        shown = [f"{1000 * part:.0f}" for part in (play, learn, exchange)]
        ratios = [f"{ratio:.1f}" for ratio in (alone / total, with_lanes, with_minibatches)]
        speed = f"{learner.ppo.batch_size / total:,.0f}"
        rows.append([workers, len(learner.env.lanes), *shown, speed, *ratios])
    columns = ["workers", "lanes each", "play, ms", "learn, ms", "exchange, ms", "decisions/s"]
    print_table([*columns, "times as fast", "lanes x N", "minibatches x N"], rows)


def seconds_of(learner: Learner) -> tuple[float, float]:
    """Play and learn from an update; the seconds of the processor that each of them takes."""
    before = time.process_time()
    learner.ppo.play()
    between = time.process_time()
    learner.ppo.update(left=1.0)
    return between - before, time.process_time() - between


def exchange_seconds(config: TrainConfig, learner: Learner, workers: int, options: Options) -> float:
    """The seconds in which the gradients of an update's minibatches are added up."""
    size = 4 * sum(parameter.numel() for parameter in learner.ppo.policy.parameters())
    pieces = 2 * (workers - 1)
    once = pieces * (options.latency / 1e6 + size / workers / (options.gigabytes * 1e9))
    return config.ppo.epochs * config.ppo.minibatches * once


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

"""The time of a network's logits, without torch and with it, side by side: python benchmarks/networks.py

The observations are those of self-play, as batches of turns. Each slice is timed by turns with the other
one's, so that the ratio holds on a machine whose speed drifts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from common import print_table

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns, with_choice
from stichwerk.agents.networks.network import PolicyNetwork, TorchLogits
from stichwerk.agents.networks.saved import game_of
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.cli import check_bounds, parse, run
from stichwerk.envs.engine.lanes import Lanes

TURNS = 4096  # in the largest batch
SLICE = 0.05  # seconds


@dataclass(frozen=True, kw_only=True)
class Options:
    """Time the pass forward of shipped networks in batches."""

    networks: tuple[str, ...] = SHIPPED
    """Names of shipped networks."""
    batches: tuple[int, ...] = (1, 64, TURNS)
    """Numbers of turns in a batch."""
    rounds: int = 10
    """The number of slices of each, of which the median counts."""

    def __post_init__(self):
        check_bounds(self, {"rounds": (1, 1_000)})


def main(arguments) -> None:
    options = parse(Options, arguments)
    rows = []
    for name in options.networks:
        game = game_of(SHIPPED_FOLDER / name)
        agent = make_agent_for(f"ppo:{name}", game)
        with_torch = TorchLogits(PolicyNetwork.of(agent.network), torch.device("cpu"))
        turns = self_play(agent, game)
        for batch in options.batches:
            ours, theirs = timed((agent.network, with_torch), turns[:batch], options.rounds)
            rows.append([name, batch, f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.1f}"])
    print_table(["network", "turns in a batch", "µs a turn", "with torch", "faster by"], rows)


def self_play(agent, game) -> np.ndarray:
    """Observations of turns with a choice, float32[TURNS, features], in canonical suits."""
    lanes, found = Lanes(game, TURNS), []
    lanes.seed(1)
    lanes.start()
    while sum(map(len, found)) < TURNS:
        for _ in range(7):  # at another place of the deal
            lanes.step(agent.act(Turns.of(lanes, lanes.all)))
        turns = Turns.of(lanes, with_choice(lanes.mask))
        observation = turns.observation(agent.sees, agent.observation)
        found.append(agent.symmetry.canonical(observation, turns.mask)[0])
    return np.concatenate(found)[:TURNS]


def timed(networks: tuple[Callable, Callable], observation: np.ndarray, rounds: int) -> list[float]:
    """Microseconds a turn of each, the medians over the slices."""
    slices: list[list[float]] = [[] for _ in networks]
    for _ in range(rounds + 1):  # the first one warms up
        for network, times in zip(networks, slices, strict=True):
            count, begin = 0, time.perf_counter()
            while (passed := time.perf_counter() - begin) < SLICE or not count:
                network(observation)
                count += 1
            times.append(1e6 * passed / count / len(observation))
    return [float(np.median(times[1:])) for times in slices]


if __name__ == "__main__":
    run(main)

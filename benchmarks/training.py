"""What self-play costs: MaskablePPO on the self-play environment against an environment of the same shapes
that does nothing.

python benchmarks/training.py [--config configs/schnapsen.yaml] [--rounds 5]

The two are trained in turn, round by round, so that the ratio holds when the machine's speed drifts.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from common import print_table
from sb3_contrib import MaskablePPO

from stichwerk.agents.cli import parse_yaml
from stichwerk.agents.selfplay import SelfPlayEnv
from stichwerk.agents.training.config import load_config
from stichwerk.agents.training.learner import Learner
from stichwerk.envs import make_game


class CostlessEnv(SelfPlayEnv):
    """Shows the same first positions for ever and ends no deal."""

    def reset(self) -> np.ndarray:
        self._first = super().reset()
        return self._first

    def step_async(self, actions: np.ndarray) -> None:
        self._results = self._fresh_results()

    def step_wait(self):
        return self._first, *self._results, self._infos


@dataclass(frozen=True)
class Options:
    config: str = "configs/schnapsen.yaml"
    """Training config; the learner plays against itself and its past as there."""
    rounds: int = 5
    """Rounds; each trains both for some updates."""
    updates: int = 4
    """Updates a round."""


def main(options: Options) -> None:
    config = load_config(Path(options.config))
    game = make_game(config.env, parse_yaml(config.rules))
    costless, real = Learner(config, game, CostlessEnv), Learner(config, game)
    decisions = config.lanes * config.steps * options.updates
    train(costless.model, decisions)  # warm both
    train(real.model, decisions)
    speeds = [(train(costless.model, decisions), train(real.model, decisions)) for _ in range(options.rounds)]
    assert real.env.games > 0, "no deal has ended"
    ratios = sorted(ours / ceiling for ceiling, ours in speeds)
    rows = [
        [f"{n}", f"{ceiling:,.0f}", f"{ours:,.0f}", f"{ours / ceiling:.1%}"]
        for n, (ceiling, ours) in enumerate(speeds, 1)
    ]
    rows.append(
        [
            "median",
            *(f"{np.median(column):,.0f}" for column in zip(*speeds, strict=True)),
            f"{np.median(ratios):.1%}",
        ]
    )
    print_table(["round", "decisions/s, costless", "decisions/s, self-play", "ratio"], rows)


def train(model: MaskablePPO, decisions: int) -> float:
    """Train for so many decisions; how many a second."""
    start = time.perf_counter()
    model.learn(decisions, reset_num_timesteps=False)
    return decisions / (time.perf_counter() - start)


if __name__ == "__main__":
    main(tyro.cli(Options))

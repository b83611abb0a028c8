"""Upper bounds: the points of a network that sees all cards in training and play.

python benchmarks/ceilings.py [schnapsen …] [--decisions 4_000_000]

An honest player cannot win as much from the same opponents, if such a network learns for long enough. Half of
its lanes are against `rules:0.1`, half against the game's shipped network. Targets are those of the config in
configs/strong, and fade.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch
from common import print_table
from strong import checked_names, strong_config

from stichwerk.agents import make_agent_for
from stichwerk.agents.envs.learning import LearningLanes
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.agents.evaluation.statistics.tallies import Ratio
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.ppo import PPO
from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.envs import Game
from stichwerk.envs.engine.loops import loops_for
from stichwerk.support.numbers import in_points

TEST_SEED = 2**32  # beyond those that a training may have


@dataclass(frozen=True)
class Options:
    names: Positional[tuple[str, ...]] = ()
    """Shipped players, whose games and rules are played; all of them by default."""
    decisions: int = 4_000_000
    """Decisions of a training."""
    deals: int = 60_000
    """Deals against each opponent, in seats that rotate."""
    seed: int = 1
    """Of the training."""


class AllCardsLanes(LearningLanes):
    """The learner sees the true state; its opponents see what they always do."""

    def __init__(self, game: Game, *args, **kwargs):
        super().__init__(game, *args, **kwargs)
        self.encoding = game.perfect
        self._rules, self._loops = game.rules_record, loops_for(game, "summary")

    def observed(self, which: np.ndarray) -> np.ndarray:
        rows = np.empty((len(which), self.encoding.size), np.float32)
        for row, lane in zip(rows, which, strict=True):
            self._loops.observe_perfect(self._rules, self.lanes.states, lane, self.lanes.seats[lane], row)
        return rows


def main(options: Options) -> None:
    check_bounds(options, {"decisions": (1, 10**10), "deals": (1, 10**7), "seed": (0, TEST_SEED - 1)})
    rows = []
    for name in checked_names(options.names):
        config = strong_config(name).replace(
            seed=options.seed,
            widths=(256, 256),
            learning_rate=0.003,
            entropy_final_fraction=0.1,
            rollout_weight=1.0,
            rollout_final_fraction=0.0,
        )
        game = config.game.make()
        opponents = "rules:0.1", f"ppo:{name}"
        begun = time.process_time()
        ppo = trained(config, game, opponents, options)
        minutes = (time.process_time() - begun) / 60
        won = [points_over(ppo, config, game, opponent, options.deals) for opponent in opponents]
        rows.append([name, f"{minutes:.1f}", *won])
    print_table(["sees all cards", "minutes", "over rules:0.1", "over ppo:NAME"], rows)


def lanes_against(config: TrainConfig, game: Game, opponents: tuple[str, ...], seed: int) -> AllCardsLanes:
    lanes = AllCardsLanes(
        game,
        config.ppo.lanes,
        [(make_agent_for(text, game), 1 / len(opponents)) for text in opponents],
        seed,
        reward_scale=config.ppo.reward_scale,
        reward_limit=config.ppo.reward_limit,
        start_states=config.game.start_states,
    )
    lanes.start()
    return lanes


def trained(config: TrainConfig, game: Game, opponents: tuple[str, ...], options: Options) -> PPO:
    ppo = PPO(
        lanes_against(config, game, opponents, options.seed),
        config,
        rollout_targets=RolloutTargets(config.rollout_targets.rollout_policy, game),
    )
    ppo.learn(options.decisions)
    return ppo


@torch.inference_mode()
def points_over(ppo: PPO, config: TrainConfig, game: Game, opponent: str, deals: int) -> str:
    """The points per deal of greedy play against an opponent in all other seats, over deals of their own."""
    lanes = lanes_against(config, game, (opponent,), TEST_SEED)
    points = Ratio()
    while points.deals < deals:
        turns = lanes.own_turns()
        logits, _ = ppo.evaluate(torch.from_numpy(turns.observations), torch.from_numpy(turns.masks).bool())
        learner = lanes.learner.copy()
        _, ended = lanes.move(turns, logits.argmax(dim=1).numpy())
        points.add(lanes.lanes.deal_points[ended, learner[ended]], np.ones(ended.sum(), np.int64))
    mean, low, _ = points.interval()
    return in_points(mean, mean - low)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

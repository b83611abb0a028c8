"""The training speed of PPO, compared with sb3-contrib's MaskablePPO with the same network, pool and passes.

python benchmarks/training.py [--config configs/schnapsen.yaml] [--rounds 5]

They are trained in turn, round by round, so that ratios hold when the machine's speed drifts. Counted are the
decisions with a choice that are learned from, a second of the processor. MaskablePPO computes the others too,
from which there is nothing to learn.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table
from sb3_contrib import MaskablePPO

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.networks.network import TorchLogits
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.ppo import PPO
from stichwerk.cli import check_bounds, parse, run


@dataclass(frozen=True)
class Options:
    config: str = "configs/schnapsen.yaml"
    """Training config."""
    rounds: int = 5
    """Rounds; each trains all for some updates."""
    updates: int = 4
    """Updates a round."""


def main(options: Options) -> None:
    check_bounds(options, {"rounds": (1, 1000), "updates": (1, 1000)})
    config = load_config(Path(options.config))
    # Each round would end the schedules, and MaskablePPO has neither imitation nor rollout targets.
    config = config.replace(
        lr_final_fraction=1.0, entropy_final_fraction=1.0, imitation_agent="", rollout_policy=""
    )
    ways: dict[str, PPO | MaskablePPO] = {"MaskablePPO": reference(config)}
    for precision in ("float32", "bfloat16"):
        learner = Learner(config.replace(precision=precision), config.game.make())
        ways[f"PPO, {precision}"] = learner.ppo
    for way in ways.values():  # warm all
        decisions_per_second(way, config, 1)
    speeds = np.array(
        [
            [decisions_per_second(way, config, options.updates) for way in ways.values()]
            for _ in range(options.rounds)
        ]
    )
    ratios = np.median(speeds / speeds[:, :1], axis=0)
    print_table(
        ["algorithm", *(f"round {n}" for n in range(1, options.rounds + 1)), "median", "ratio"],
        [
            [name, *(f"{speed:,.0f}" for speed in column), f"{np.median(column):,.0f}", f"{ratio:.2f}"]
            for name, column, ratio in zip(ways, speeds.T, ratios, strict=True)
        ],
    )


def reference(config: TrainConfig) -> MaskablePPO:
    """sb3-contrib's own algorithm in the environment for stable-baselines3, with the learner's opponents."""
    game = config.game.make()
    learner = Learner(config, game)  # for its pool
    network = learner.network
    logits = TorchLogits(network, learner.device)
    latest = NetworkAgent("latest", logits, game, config.game.observation)
    pool: list[tuple[Agent, float]] = [
        (agent, share / len(learner.agents.get(name, [latest])))
        for name, share in learner.config.pool.shares.items()
        for agent in learner.agents.get(name, [latest])
    ]
    partner = latest if game.side_count < game.seats else None
    env = SelfPlayEnv(
        game,
        config.ppo.lanes,
        pool,
        config.execution.seed,
        config.game.episode,
        config.game.observation,
        partner=partner,
        reward_scale=config.ppo.reward_scale,
        reward_limit=config.ppo.reward_limit,
        start_states=config.game.start_states,
    )
    model = learner.ppo.to_maskable_ppo(env)
    policy: Any = model.policy
    network.share(policy.features_extractor.layers, policy.action_net)
    return model


def decisions_per_second(way: PPO | MaskablePPO, config: TrainConfig, updates: int) -> float:
    """Train for some updates; the decisions learned from a second of the processor."""
    learned, start = 0, time.process_time()
    for _ in range(updates):
        if isinstance(way, PPO):
            way.learn(way.batch_size)
            learned += int(way.rollout.learned.sum())
        else:
            way.learn(config.ppo.lanes * config.ppo.steps, reset_num_timesteps=False)
            buffer: Any = way.rollout_buffer
            learned += int((buffer.action_masks.sum(axis=-1) > 1).sum())
    return learned / (time.process_time() - start)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

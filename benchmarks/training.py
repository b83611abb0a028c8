"""How fast the learner learns: its own loop against MaskablePPO's, with the same network, pool and passes.

python benchmarks/training.py [--config configs/schnapsen.yaml] [--rounds 5]

They are trained in turn, round by round, so that ratios hold when the machine's speed drifts. What counts
are the moves with a choice that are learned from, by processor time; from lone legal actions, of which
MaskablePPO computes all the same, there is nothing to learn.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table
from sb3_contrib import MaskablePPO

from stichwerk.agents.base import Agent
from stichwerk.agents.builtin.network import PPOAgent
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.training.config import TrainConfig, load_config
from stichwerk.agents.training.learner import Learner, Trunk
from stichwerk.agents.training.ppo import SelfPlayPPO
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
    # Each round would end the schedules, and MaskablePPO has no teacher and no adviser.
    config = replace(
        config, lr_final_fraction=1.0, entropy_final_fraction=1.0, imitation_agent="", rollout_policy=""
    )
    ways = {"MaskablePPO's loop": reference(config)}
    for precision in ("float32", "bfloat16"):
        learner = Learner(replace(config, precision=precision), config.game())
        ways[f"own loop, {precision}"] = learner.model
    for model in ways.values():  # warm all
        moves_per_second(model, config, 1)
    speeds = np.array(
        [
            [moves_per_second(model, config, options.updates) for model in ways.values()]
            for _ in range(options.rounds)
        ]
    )
    ratios = np.median(speeds / speeds[:, :1], axis=0)
    print_table(
        ["loop", *(f"round {n}" for n in range(1, options.rounds + 1)), "median", "ratio"],
        [
            [name, *(f"{speed:,.0f}" for speed in column), f"{np.median(column):,.0f}", f"{ratio:.2f}"]
            for name, column, ratio in zip(ways, speeds.T, ratios, strict=True)
        ],
    )


def reference(config: TrainConfig) -> MaskablePPO:
    """sb3-contrib's own algorithm in the environment for stable-baselines3, with the learner's opponents."""
    game = config.game()
    learner = Learner(config, game)  # for its pool
    network = learner.network
    latest = PPOAgent("latest", network, game, config.observation)
    pool: list[tuple[Agent, float]] = [
        (agent, share / len(learner.agents.get(name, [latest])))
        for name, share in learner.config.shares.items()
        for agent in learner.agents.get(name, [latest])
    ]
    partner = latest if game.side_count < game.seats else None
    env = SelfPlayEnv(
        game,
        config.lanes,
        pool,
        config.seed,
        config.episode,
        config.observation,
        partner=partner,
        reward_scale=config.reward_scale,
        reward_limit=config.reward_limit,
        start_states=config.start_states,
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=config.steps,
        batch_size=config.lanes * config.steps // config.minibatches,
        n_epochs=config.epochs,
        learning_rate=config.learning_rate,
        ent_coef=config.entropy,
        clip_range=config.clip,
        gae_lambda=config.gae_lambda,
        gamma=1.0,
        device="cpu",
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"widths": config.widths},
            "net_arch": [],
        },
    )
    network.share(model.policy.features_extractor.layers, model.policy.action_net)
    return model


def moves_per_second(model: MaskablePPO, config: TrainConfig, updates: int) -> float:
    """Train for some updates; how many moves a second of the processor were learned from."""
    moves, start = 0, time.process_time()
    for _ in range(updates):
        model.learn(config.lanes * config.steps, reset_num_timesteps=False)
        rollout: Any = model.rollout_buffer
        own_loop = isinstance(model, SelfPlayPPO)
        moves += int(rollout.learned.sum() if own_loop else (rollout.action_masks.sum(axis=-1) > 1).sum())
    return moves / (time.process_time() - start)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

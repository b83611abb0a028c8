"""The training speed of PPO, compared with sb3-contrib's MaskablePPO with the same network, pool and passes.

python benchmarks/training.py [--config configs/schnapsen.yaml] [--rounds 5]
python benchmarks/training.py --parts [--device cuda]

They are trained in turn, round by round, so that ratios hold when the machine's speed drifts. Counted are the
decisions with a choice that are learned from, a second of the processor. MaskablePPO computes the others too,
from which there is nothing to learn.

With --parts PPO alone is trained, as the config has it, and its time is told by parts. On a GPU that is time
by the clock, and the processor waits for the GPU after each part.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
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
    parts: bool = False
    """Print the time of each part of PPO."""
    device: str = "cpu"
    """The device of the parts: cpu or cuda."""
    precision: str = "auto"
    """The precision of the parts: float32, bfloat16 or auto."""


def main(options: Options) -> None:
    check_bounds(options, {"rounds": (1, 1000), "updates": (1, 1000)})
    config = load_config(Path(options.config))
    if options.parts:
        return print_parts(config.replace(device=options.device, precision=options.precision), options)
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


class Parts:
    """The seconds in calls of some functions, by part; of a call inside of another the inner part alone."""

    def __init__(self, clock: Callable[[], float]):
        self.seconds: dict[str, float] = defaultdict(float)
        self._clock, self._open = clock, ["elsewhere"]
        self._since = clock()

    @contextmanager
    def within(self, part: str) -> Iterator[None]:
        self._count()
        self._open.append(part)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def _count(self) -> None:
        now = self._clock()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def watch(self, part: str, owner: Any, *names: str) -> None:
        """Count what these functions of an object take to a part."""
        for name in names:
            setattr(owner, name, self.counted(part, getattr(owner, name)))

    def counted(self, part: str, function: Callable) -> Callable:
        def call(*arguments, **named):
            with self.within(part):
                return function(*arguments, **named)

        return call


def print_parts(config: TrainConfig, options: Options) -> None:
    learner = Learner(config, config.game.make())
    learner.ppo.learn(learner.ppo.batch_size)  # warms
    parts = Parts(synchronized if learner.device.type == "cuda" else time.process_time)
    updates = options.rounds * options.updates
    watch(learner, parts)
    learner.ppo.learn(updates * learner.ppo.batch_size)
    microseconds = {
        part: 1e6 * seconds / (updates * learner.ppo.batch_size) for part, seconds in parts.seconds.items()
    }
    whole = sum(microseconds.values())
    rows = [
        [part, f"{each:.2f}", f"{each / whole:.0%}", f"{1e6 / each:,.0f}"]
        for part, each in sorted([*microseconds.items(), ("together", whole)])
    ]
    title = f"{learner.device.type}, {learner.precision}"
    print_table([f"part ({title})", "µs a decision", "share", "decisions/s"], rows)


def watch(learner: Learner, parts: Parts) -> None:
    """Count the parts of play and of learning from now on."""
    ppo, env, rollout = learner.ppo, learner.env, learner.ppo.rollout
    parts.watch("play: the rest", ppo, "play")
    parts.watch("play: observations, masks, canonical suits", env, "own_turns")
    parts.watch("play: conversion, to the device", ppo, "_tensors")
    parts.watch("play: layers", ppo, "_evaluate_in_play")
    parts.watch("play: sampling", ppo, "_decide")
    parts.watch("play: rollout targets", ppo, "_action_values")
    parts.watch("play: into the buffers", rollout, "add_decisions", "add_results")
    parts.watch("play: advantages", rollout, "estimate_advantages")
    parts.watch("play: step", env.lanes, "step")
    for agent in env.opponents:
        parts.watch("play: the pool, but for layers", agent, "act")
        if isinstance(agent, NetworkAgent):
            parts.watch("play: the pool's layers", agent, "network")
    parts.watch("learn: the rest", ppo, "update")
    parts.watch("learn: out of the buffers", rollout, "batch")
    parts.watch("learn: layers and loss", ppo, "_loss")
    parts.watch("learn: backward", torch.Tensor, "backward")
    parts.watch("learn: clipping, Adam", torch.nn.utils, "clip_grad_norm_")
    parts.watch("learn: clipping, Adam", ppo.policy.optimizer, "step")


def synchronized() -> float:
    """The time by the clock, when the GPU has done what it was told."""
    torch.cuda.synchronize()
    return time.perf_counter()


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

"""Speed of the environments under random play: python benchmarks/environments.py [--seconds 2] [--envs
schnapsen_v0 …]"""

import time
from dataclasses import dataclass

import numpy as np
from common import Variant, fresh_seeds, pick_legal, print_table, variants

from stichwerk import envs
from stichwerk.cli import check_bounds, parse, run
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import wrap

LEAST_STEPS = 200  # in every lane: longer than any deal


@dataclass(frozen=True)
class Options:
    envs: tuple[str, ...] = tuple(envs.GAMES)
    """Environment ids."""
    seconds: float = 2.0
    """Time for each row."""
    lanes: tuple[int, ...] = (1024, 8192)
    """Sizes of the vector environment."""
    threads: tuple[int, ...] = (1, 2)
    """Threads of the vector environment."""


def main(options: Options) -> None:
    check_bounds(options, {"seconds": (0.1, 1e6)}, "a number")
    rows = []
    for variant in (variant for env_id in options.envs for variant in variants(env_id)):
        for threads in options.threads:
            for lanes in options.lanes:
                alone, choosing = vector_speed(variant, lanes, threads, options.seconds)
                rows.append(
                    [
                        variant,
                        f"vector, {lanes} lanes, {threads} threads",
                        f"{alone:,.0f}",
                        f"{choosing:,.0f}",
                    ]
                )
        rows.append(
            [
                variant,
                "raw AEC, last() each step",
                "",
                f"{aec_speed(CardGameEnv(*variant), options.seconds):,.0f}",
            ]
        )
        rows.append(
            [
                variant,
                "wrapped AEC, last() each step",
                "",
                f"{aec_speed(wrap(CardGameEnv(*variant)), options.seconds):,.0f}",
            ]
        )
    print_table(["environment", "", "decisions/s of step()", "with choosing random actions"], rows)


def vector_speed(variant: Variant, lanes: int, threads: int, seconds: float) -> tuple[float, float]:
    """Decisions a second of `step` alone, and with the choice of a random legal action in every lane."""
    vector = envs.make_vec(variant.env_id, lanes, variant.rules, threads=threads, copy=False)
    observation, _ = vector.reset(seed=1)
    actions, seeds = np.zeros(lanes, np.int64), fresh_seeds(lanes)
    steps, stepping, start = 0, 0.0, time.perf_counter()
    while (now := time.perf_counter()) - start < seconds or steps < LEAST_STEPS:
        if steps == 10:  # warm
            stepping, start = 0.0, now
        pick_legal(observation["action_mask"], actions, seeds)
        before_step = time.perf_counter()
        observation, *_ = vector.step(actions)
        stepping += time.perf_counter() - before_step
        steps += 1
    elapsed = time.perf_counter() - start
    assert vector.lanes.states["deal_number"].min() > 0, "a lane has not finished a deal"
    return (steps - 10) * lanes / stepping, (steps - 10) * lanes / elapsed


def aec_speed(env, seconds: float) -> float:
    """Steps a second of the usual AEC loop with random legal actions."""
    random = np.random.default_rng(1).random(10_000)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))  # compiles what was not compiled
    steps, deals, start = 0, 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.reset()
        deals += 1
        while True:
            observation, _, termination, _, _ = env.last()
            if termination:
                break
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(random[steps % 10_000] * len(legal))]))
            steps += 1
    assert steps > 4 * deals, "the deals are too short to be true"
    return steps / (time.perf_counter() - start)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

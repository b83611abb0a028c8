"""Stichwerk, Schnapsen: one AEC environment with PettingZoo's wrappers"""

import random

import numpy as np

from stichwerk.envs import schnapsen_v0

PACKAGE = "stichwerk"
env, rng = schnapsen_v0.env(), random.Random(1)


def play() -> int:
    decisions = 0
    env.reset(seed=rng.randrange(2**31))
    for _ in env.agent_iter():
        seen, _, ended, cut, _ = env.last()
        if ended or cut:
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
            decisions += 1
    return decisions

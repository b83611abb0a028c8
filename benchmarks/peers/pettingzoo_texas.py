"""PettingZoo classic, Texas Hold'em: one AEC environment with its wrappers (RLCard inside)"""

import random

import numpy as np
from pettingzoo.classic import texas_holdem_v4

PACKAGE = "pettingzoo"
env, rng = texas_holdem_v4.env(), random.Random(1)


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

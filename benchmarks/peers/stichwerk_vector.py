"""Stichwerk, Schnapsen: the vector environment, 1,024 lanes on one thread"""

import numpy as np
from numba import njit

from stichwerk.envs import make_vec

PACKAGE = "stichwerk"
vec = make_vec("schnapsen_v0", 1024, seed=1, copy=False)
seen, _ = vec.reset()
seeds = np.arange(1, 1025)


@njit
def pick(mask, seeds):
    actions = np.zeros(len(mask), np.int64)
    for lane in range(len(mask)):
        legal = np.flatnonzero(mask[lane])
        seeds[lane] = (seeds[lane] * 1103515245 + 12345) & 0x7FFFFFFF
        actions[lane] = legal[(seeds[lane] >> 8) % len(legal)]
    return actions


def play() -> int:
    global seen
    seen, *_ = vec.step(pick(seen["action_mask"], seeds))
    return vec.num_envs

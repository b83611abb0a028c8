"""colver, Belote contrée: one environment in Rust, with observations and masks"""

import random

import colver

PACKAGE = "colver"
rng = random.Random(1)


def play() -> int:
    env = colver.Env.deal(seed=rng.randrange(2**31))
    decisions = 0
    while not env.is_terminal():
        env.get_observation()
        env.legal_action_mask()
        env.step(rng.choice(env.legal_actions()))
        decisions += 1
    return decisions

"""RLCard, Dou Dizhu: `env.step`, with observations and legal actions"""

import random

import rlcard

PACKAGE = "rlcard"
env, rng = rlcard.make("doudizhu", config={"seed": 1}), random.Random(1)


def play() -> int:
    state, _ = env.reset()
    decisions = 0
    while not env.is_over():
        state, _ = env.step(rng.choice([*state["legal_actions"]]))
        decisions += 1
    return decisions

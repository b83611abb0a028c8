"""A set deal, and what each action in it is worth: sampled worlds, played out by the rule-based player.

python examples/analysis.py --worlds 500
"""

import numpy as np
import tyro

from stichwerk.agents import make_agent
from stichwerk.envs import schnapsen_v0

# The forehand's cards and the trump turned up. What the others hold does not matter: worlds are sampled.
HAND, TRUMP = ["sA", "sT", "hK", "hQ", "dJ"], "sJ"


def main(worlds: int = 200, seed: int = 1) -> None:
    env = schnapsen_v0.raw_env(render_mode="ansi")
    rest = [card for card in env.game.deck if card not in (*HAND, TRUMP)]
    deck = [*HAND[:3], *rest[:3], TRUMP, *HAND[3:], *rest[3:]]  # in dealing order
    env.reset(seed=1, options={"deck": deck, "dealer": 1})
    seat = env.agent_selection
    print(env.render())
    player, position = make_agent("rules:0.1", "schnapsen_v0"), env.copy_state()
    legal = np.flatnonzero(env.observe(seat)["action_mask"])
    points = np.zeros((worlds, len(legal)))
    for world in range(worlds):  # the same worlds for every action
        state = env.resample(seat, seed + world)
        for column, action in enumerate(legal):
            env.set_state(state)
            env.step(int(action))
            while not env.terminations[seat]:
                env.step(player.act_in(env))
            points[world, column] = env.rewards[seat]
        env.set_state(position)
    margin = 1.96 * points.std(axis=0) / np.sqrt(worlds)
    for column in points.mean(axis=0).argsort()[::-1]:
        name = env.action_names[legal[column]]
        print(f"{points[:, column].mean():+.3f} +/- {margin[column]:.3f}  {name}")


if __name__ == "__main__":
    tyro.cli(main)

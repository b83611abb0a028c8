"""Players of the suite against a bot of the VU Amsterdam's Schnapsen platform, in that platform's own games.

python examples/vu_schnapsen.py --agents rules ppo:schnapsen --deals 500

Both sides play each deal from both seats. Needs `pip install "stichwerk[train,vu]"`, best in an environment
of its own. Networks for ordinary Schnapsen play there by what they have learned under other rules.
"""

import argparse
from collections.abc import Sequence
from random import Random

import numpy as np
from schnapsen.bots import RdeepBot
from schnapsen.game import SchnapsenGamePlayEngine

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.evaluation.statistics.tallies import Interval, Ratio
from stichwerk.agents.external.vu_schnapsen import GAME, AgentBot, MakeBot
from stichwerk.envs import make_game


def play(agent: Agent, make_bot: MakeBot, deals: int, seed: int = 1) -> Interval:
    """The game points a deal of an agent against a bot, with the 95 % interval over deals."""
    engine, points = SchnapsenGamePlayEngine(), np.zeros(deals)
    for deal in range(deals):
        for leads in (True, False):
            chance = Random(f"{seed} {deal}")
            mine, other = AgentBot(agent), make_bot(Random(f"{seed} {deal} {leads}"))
            winner, won, _ = engine.play_game(*((mine, other) if leads else (other, mine)), chance)
            points[deal] += (won if winner is mine else -won) / 2
    ratio = Ratio()
    ratio.add(points, np.ones(deals, np.int64))
    return ratio.interval()


def main(agents: Sequence[str], deals: int, samples: int, depth: int) -> None:
    for text in agents:
        game = make_game("schnapsen_v0") if text.startswith(("ppo:", "search:")) else GAME
        mean, low, _ = play(
            make_agent_for(text, game), lambda chance: RdeepBot(samples, depth, chance), deals
        )
        print(f"{text:30} {mean:+.3f} ± {mean - low:.3f} game points a deal against RdeepBot")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--agents", nargs="+", default=["random", "rules", "ppo:schnapsen"])
    words.add_argument("--deals", type=int, default=500)
    words.add_argument("--samples", type=int, default=16)
    words.add_argument("--depth", type=int, default=4)
    main(**vars(words.parse_args()))

"""A custom agent in a tournament with those of the suite.

python examples/tournament.py
python examples/tournament.py --env gaigel_v0 --others ppo:gaigel4 random
stichwerk tournament mine=python:tournament:make_agent rules random      the same command, in examples/
"""

import numpy as np
import tyro

from stichwerk.commands import tournament


def make_agent(game):
    """Claims when it has the points that win, melds if it can, else plays its strongest card.

    Where there is none to play, as in an auction, it takes the first action.
    """

    def strength(number: int) -> int:
        return game.pack.ranks.index(game.actions[number].card[1])

    slices = game.encoding("summary").slices

    def act(observation: np.ndarray, mask: np.ndarray) -> int:
        legal = {game.actions[number]: number for number in np.flatnonzero(mask)}
        if "claim" in legal and observation[slices["points"]][0] >= 1:  # a share of the goal
            return legal["claim"]
        melds = [number for name, number in legal.items() if name.startswith("meld")]
        cards = [number for name, number in legal.items() if name.startswith("play")]
        return (melds or sorted(cards, key=strength) or list(legal.values()))[0]

    return act


def main(
    env: str = "schnapsen_v0",
    others: tuple[str, ...] = ("ppo:schnapsen", "rules:0.1", "random"),
    deals: int = 2_000,
) -> None:
    agents = "mine=python:tournament:make_agent", *others
    tournament.main([*agents, "--env", env, "--deals", str(deals)])


if __name__ == "__main__":
    tyro.cli(main)

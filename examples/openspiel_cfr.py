"""OpenSpiel's CFR+ on a small pack of Schnapsen: how much can still be won from its average strategy.

python examples/openspiel_cfr.py --iterations 300

α-rank then says which of the strategies met on the way would spread in a population that plays them.
"""

import time
from copy import copy

import numpy as np
import pyspiel
import tyro
from open_spiel.python.algorithms.cfr import CFRPlusSolver
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import exploitability
from open_spiel.python.egt import alpharank
from open_spiel.python.policy import UniformRandomPolicy

import stichwerk.envs.openspiel  # noqa: F401 - registers the games


def main(
    game: str = "schnapsen(dealer=0,goal=10,hand_size=1,pack=sA sT hA hT)", iterations: int = 300
) -> None:
    tree = pyspiel.load_game(game)
    solver, met, spent = CFRPlusSolver(tree), {"uniform": UniformRandomPolicy(tree)}, 0.0
    print(f"{len(solver.average_policy().state_lookup):,} information states")
    print(f"{'uniform':>8}  {exploitability(tree, met['uniform']):.5f}")
    for number in range(1, iterations + 1):
        begin = time.monotonic()
        solver.evaluate_and_update_policy()
        spent += time.monotonic() - begin
        if number == iterations or str(number).strip("0") == "1":
            met[str(number)] = copy(solver.average_policy())  # the solver goes on writing to its own
            print(f"{number:8}  {exploitability(tree, met[str(number)]):.5f}  {spent:.2f} s")

    root, strategies = tree.new_initial_state(), list(met.values())
    values = np.array([[policy_value(root, [one, two]) for two in strategies] for one in strategies])
    masses = alpharank.compute([values[..., 0], values[..., 1]], alpha=10)[2].reshape(2 * [len(met)])
    for (name, first), second in zip(
        zip(met, masses.sum(axis=1), strict=True), masses.sum(axis=0), strict=True
    ):
        print(f"{name:>8}  alpha-rank {first:z.2f} as player_0, {second:z.2f} as player_1")


if __name__ == "__main__":
    tyro.cli(main)

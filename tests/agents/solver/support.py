"""Positions late in a deal, and what every action is worth there by the game's own functions alone."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from stichwerk.agents.solver import find_kernel, solver_for
from stichwerk.agents.solver.generic import MOST_NODES, PositionTooLarge, generic_solver, generic_workspace
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.spec.game import Game
from tests.envs.support import choose, over, replay_options

SMALL = 4_000  # nodes: positions that take more by the generic solver are passed over


def late_positions(
    env: CardGameEnv, seed: int, nodes: int = SMALL, share: float = 0.5
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """From deals played at random, positions that the kernel knows, and the values that `legal` and
    `apply` give them."""
    game, rng = env.game, random.Random(seed)
    kernel, rules = find_kernel(game.env_id), game.rules_record[0]
    while True:
        env.reset(seed=rng.getrandbits(32))
        too_large = True
        while not over(env):
            state = env.copy_state()
            if kernel.knows(rules, state[0]) and (too_large or rng.random() < share):
                try:
                    yield state, solve_by_contract(game, state, kernel.sides(game, state[0]), nodes)
                    too_large = False
                except PositionTooLarge:
                    pass
            env.step(choose(env, rng))


def solve_by_contract(
    game: Game, state: np.ndarray, sides: Sequence[int], limit: int = MOST_NODES
) -> np.ndarray:
    """The game points of each legal action, float64[actions], NaN for all others: the mean of the seats on
    the side of the seat to act, if every side plays best.

    state: an array of one record, a true state within a deal
    sides: the side of each seat, numbered from 0

    Raises PositionTooLarge if that takes more than `limit` nodes.
    """
    values = np.empty(len(game.actions))
    solver = generic_solver(game.spec, max(sides) > 1)
    workspace = generic_workspace(game, sides, limit)
    if not solver.solve_actions(game.rules_record[0], state[0], workspace[0], values):
        raise PositionTooLarge(limit)
    return values


def assert_solved(game: Game, positions: Iterator[tuple[np.ndarray, np.ndarray]], number: int) -> None:
    """The kernel gives so many positions the values that they have."""
    rules, values = game.rules_record[0], np.empty(len(game.actions))
    solver = workspace = None
    for state, expected in islice(positions, number):
        if solver is None:
            solver, workspace = solver_for(game, state[0])
        assert solver.solve_actions(rules, state[0], workspace[0], values)
        deal = f"{game.rules.as_dict()} {replay_options(game, state)}"
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9, err_msg=deal)
        assert solver.solve_value(rules, state[0], workspace[0])[0] == np.nanmax(values), deal

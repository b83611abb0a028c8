"""Speed of the exact solver: python benchmarks/solver.py [--deals 200] [--envs schnapsen_v0 …]

Each deal is solved from the first position that can be. That is a whole deal of Schnapsen, or the play of
Preferans after an auction of the rule-based player. In Gaigel it is an ending with the stock exhausted.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from common import print_table, variants

from stichwerk.agents import make_agent_for
from stichwerk.agents.solver import find_kernel, solved_games, solver_for
from stichwerk.agents.solver.kernel import NODES
from stichwerk.cli import check_bounds, parse, run
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.cards import NONE
from stichwerk.support.errors import InputError, quoted


@dataclass(frozen=True)
class Options:
    envs: tuple[str, ...] = solved_games()
    """Environment ids."""
    deals: int = 200
    """Deals of each row."""


def main(options: Options) -> None:
    check_bounds(options, {"deals": (1, 1_000_000)})
    if unknown := [env_id for env_id in options.envs if env_id not in solved_games()]:
        raise InputError(f"no kernel for {quoted(unknown[0])}: there are {', '.join(solved_games())}")
    rows = []
    for env_id in options.envs:
        for variant in variants(env_id):
            env = CardGameEnv(*variant)
            milliseconds, nodes, all_actions = measure(env, options.deals)
            rows.append(
                [
                    variant,
                    f"{milliseconds.mean():.2f}",
                    f"{np.median(milliseconds):.2f}",
                    f"{np.quantile(milliseconds, 0.99):.1f}",
                    f"{all_actions.mean():.2f}",
                    f"{nodes.mean():,.0f}",
                    f"{nodes.sum() / milliseconds.sum() / 1e3:.1f}",
                ]
            )
    columns = ["ms for a deal", "mean", "median", "99 %", "every action: mean", "nodes", "million nodes/s"]
    print_table(columns, rows)


def measure(env: CardGameEnv, deals: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each deal the milliseconds and nodes to find its value, and the milliseconds for all actions."""
    rules, values = env.game.rules_record[0], np.empty(len(env.game.actions))
    alone, nodes, every = np.zeros(deals), np.zeros(deals), np.zeros(deals)
    for deal, state in zip(range(-1, deals), first_positions(env), strict=False):  # the first one compiles
        if deal < 0:
            solver, workspace = solver_for(env.game, state)
        start = time.perf_counter()
        solver.solve_value(rules, state, workspace[0])
        middle = time.perf_counter()
        nodes[deal] = workspace[0].counts[NODES]
        solver.solve_actions(rules, state, workspace[0], values)
        alone[deal], every[deal] = middle - start, time.perf_counter() - middle
    return alone * 1e3, nodes, every * 1e3


def first_positions(env: CardGameEnv) -> Iterator[np.record]:
    """The first position to be solved of each deal that comes to one, played by the rule-based player."""
    player = make_agent_for("rules", env.game)
    for seed in count(1):
        env.reset(seed=seed)
        while env.agents and not any(env.terminations.values()):
            state = env.copy_state()[0]
            if can_be_solved(env, state):
                yield state
                break
            env.step(player.act_in(env))


def can_be_solved(env: CardGameEnv, state: np.record) -> bool:
    """True if the kernel knows a position; Gaigel for three has none, and is solved from the last draw on."""
    if env.game.env_id == "gaigel_v0" and env.game.side_count == 3:
        return bool(state.indicator == NONE)
    kernel = find_kernel(env.game.env_id)
    return kernel is not None and kernel.knows(env.game.rules_record[0], state)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))

"""Every kernel against the plain search on a game's own functions, under every preset and any rules."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stichwerk.agents.solver import find_kernel, solved_games, solver_for
from stichwerk.agents.solver.kernel import FIRST, NODES, SOLVING
from stichwerk.agents.solver.table import SOLVINGS
from stichwerk.envs import make_game
from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import assert_solved, late_positions
from tests.envs.support import VARIANTS, model_of, python, thoroughly

SOLVED = [
    each for each in VARIANTS if (each.env_id, each.players) != ("gaigel_v0", 3)
]  # that has three sides
KERNELS = {find_kernel(env_id): env_id for env_id in reversed(solved_games())}


@pytest.mark.parametrize("variant", SOLVED, ids=str)
def test_presets(variant):
    assert_solved(variant.game, late_positions(variant.env(episode="match"), seed=1), 8)


@pytest.mark.parametrize(
    "env_id",
    [
        pytest.param(env_id, marks=pytest.mark.slow) if env_id in ("gaigel_v0", "snapszer_v0") else env_id
        for env_id in KERNELS.values()
    ],
)
@settings(thoroughly, max_examples=thoroughly.max_examples // 2)
@given(data=st.data(), seed=st.integers(0, 2**31))
def test_any_rules(env_id, data, seed):
    rules = data.draw(model_of(env_id).rules())
    assume((env_id, rules.get("players")) != ("gaigel_v0", 3))
    env = CardGameEnv(env_id, rules, episode="match")
    assert_solved(make_game(env_id, rules), late_positions(env, seed), 2)


@pytest.mark.slow
@pytest.mark.parametrize("variant", SOLVED, ids=str)
def test_many_positions(variant):
    assert_solved(variant.game, late_positions(variant.env(), seed=2, nodes=50_000), 10_000)


INTERPRETED = """
from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import assert_solved, late_positions
from tests.agents.solver.test_kernels import KERNELS
for env_id in KERNELS.values():
    env = CardGameEnv(env_id)
    assert_solved(env.game, late_positions(env, seed=1, nodes=60), 1)
"""


@pytest.mark.slow
def test_kernels_run_interpreted():
    python(INTERPRETED, NUMBA_DISABLE_JIT="1")


def test_the_table_is_cleared_before_its_numbers_repeat():
    env = CardGameEnv("schnapsen_v0")
    state, expected = next(late_positions(env, seed=3))
    rules, values = env.game.rules_record[0], np.empty(len(env.game.actions))
    solver, workspace = solver_for(env.game, state[0])
    for number in (FIRST, SOLVINGS - 1, FIRST):
        workspace["counts"][0, SOLVING] = number - 1
        assert solver.solve_actions(rules, state[0], workspace[0], values)
        np.testing.assert_array_equal(values, expected)
    workspace["table"][0, :, 0] = 1
    workspace["counts"][0, SOLVING] = SOLVINGS - 1
    assert solver.solve_actions(rules, state[0], workspace[0], values)
    assert workspace["counts"][0, SOLVING] == FIRST
    assert not workspace["table"][0, :, 0].all()


def test_a_limit_of_nodes_is_told():
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    state, values = env.copy_state(), np.empty(len(env.game.actions))
    solver, workspace = solver_for(env.game, state[0], nodes=10)
    assert not solver.solve_actions(env.game.rules_record[0], state[0], workspace[0], values)
    assert not solver.solve_value(env.game.rules_record[0], state[0], workspace[0])[1]
    assert workspace["counts"][0, NODES] == 11

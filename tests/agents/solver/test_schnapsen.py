"""Schnapsen and Sixty-six solved: against the game's own functions under all rules, and published positions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import assert_solved, late_positions
from tests.envs.schnapsen import model
from tests.envs.support import VARIANTS, thoroughly

VARIANTS = [variant for variant in VARIANTS if variant.env_id in ("schnapsen_v0", "sixty_six_v0")]
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@each_variant
def test_presets(variant):
    env = variant.env()
    assert_solved(env.game, late_positions(env, seed=1), 50)


@settings(thoroughly, max_examples=300)
@given(model.rules(), st.integers(0, 2**31))
def test_any_rules(rules, seed):
    env = CardGameEnv("schnapsen_v0", rules)
    assert_solved(env.game, late_positions(env, seed), 2)


@pytest.mark.slow
@each_variant
def test_many_positions(variant):
    env = variant.env()
    assert_solved(env.game, late_positions(env, seed=2, nodes=50_000), 10_000)

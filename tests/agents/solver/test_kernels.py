"""Every kernel against the plain search on a game's own functions, under every preset and any rules."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stichwerk.agents.search.solver import FAMILIES
from stichwerk.envs import make_game
from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import assert_solved, late_positions
from tests.envs.support import MODELS, VARIANTS, thoroughly

each_variant = pytest.mark.parametrize(
    "variant",
    [variant for variant in VARIANTS if (variant.env_id, variant.players) != ("gaigel_v0", 3)],  # three sides
    ids=str,
)
KERNELS = {family.kernel: env_id for env_id, family in reversed(FAMILIES.items())}


@each_variant
def test_presets(variant):
    assert_solved(variant.game, late_positions(variant.env(episode="match"), seed=1), 20)


@pytest.mark.parametrize("env_id", KERNELS.values())
@settings(thoroughly, max_examples=60)
@given(data=st.data(), seed=st.integers(0, 2**31))
def test_any_rules(env_id, data, seed):
    rules = data.draw(MODELS[env_id].rules())
    assume((env_id, rules.get("players")) != ("gaigel_v0", 3))
    env = CardGameEnv(env_id, rules, episode="match")
    assert_solved(make_game(env_id, rules), late_positions(env, seed), 2)


@pytest.mark.slow
@each_variant
def test_many_positions(variant):
    assert_solved(variant.game, late_positions(variant.env(), seed=2, nodes=50_000), 10_000)

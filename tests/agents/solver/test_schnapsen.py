"""Schnapsen and Sixty-six solved: against the game's own functions under all rules, and published positions."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.agents.search.solver import solve
from stichwerk.envs import make_game
from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import assert_solved, late_positions
from tests.envs.schnapsen import model
from tests.envs.schnapsen.model import FULL_PACK, mask
from tests.envs.support import VARIANTS, thoroughly

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text())["positions"]

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


@pytest.mark.parametrize("problem", PUBLISHED, ids=lambda problem: problem["name"])
def test_published_positions(problem):
    game = make_game("schnapsen_v0")
    values = solve(game, position_of(game, problem))
    assert {action: value for action, value in values.items() if action in problem["values"]} == problem["values"]
    plays = {action for action in values if action.startswith("play")}
    assert plays == set(problem["values"])


def position_of(game, problem: dict) -> np.ndarray:
    """The state of a published problem, as far as the rest of the deal depends on it."""
    state = game.spec.state.fresh.copy()
    number, led, closed = FULL_PACK.index, problem["led"], problem["closed"]
    stock = [number(card) for card in problem["stock"]] if not closed else [0]
    state["hand"] = [mask(hand) for hand in problem["hands"]]
    state["points"], state["tricks"] = problem["points"], problem["tricks"]
    state["trump"] = "shdc".index(problem["trump"])
    state["indicator"] = number(problem["indicator"]) if problem["indicator"] else -1
    state["top"] = len(game.deck) - len(stock)
    state["deck"][0, state["top"][0] : len(game.deck)] = stock
    state["seat"], state["leader"] = problem["to_move"], 1 - problem["to_move"] if led else problem["to_move"]
    if led:
        state["phase"], state["led"] = 2, number(led)
    if closed:
        state["closed_by"] = closed["by"]
        state["closed_points"][0, 0], state["closed_tricks"][0, 0] = closed["points_of_0"], closed["tricks_of_0"]
    return state


@pytest.mark.slow
@each_variant
def test_many_positions(variant):
    env = variant.env()
    assert_solved(env.game, late_positions(env, seed=2, nodes=50_000), 10_000)

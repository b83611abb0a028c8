"""Schnapsen solved: published positions."""

import json
from pathlib import Path

import numpy as np
import pytest

from stichwerk.agents.search.solver import solve
from stichwerk.envs import InputError, make_game
from tests.envs.schnapsen.model import FULL_PACK, mask

pytestmark = pytest.mark.xdist_group("search")  # which compiles in one process what others would again

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text())["positions"]


@pytest.mark.parametrize("problem", PUBLISHED, ids=lambda problem: problem["name"])
def test_published_positions(problem):
    game = make_game("schnapsen_v0")
    values = solve(game, position_of(game, problem))
    assert {action: value for action, value in values.items() if action in problem["values"]} == problem[
        "values"
    ]
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
        state["closed_points"][0, 0], state["closed_tricks"][0, 0] = (
            closed["points_of_0"],
            closed["tricks_of_0"],
        )
    return state


TEMPO = next(problem for problem in PUBLISHED if problem["name"] == "tempo")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hand", [mask(TEMPO["hands"][0]), mask(TEMPO["hands"][1][:-1])]),
        ("hand", [mask(TEMPO["hands"][0]), mask([*TEMPO["hands"][1][:-1], TEMPO["hands"][0][0]])]),
        ("hand", [mask(TEMPO["hands"][0]), 0]),
        ("hand", [0, 0]),
        ("hand", [mask(TEMPO["hands"][0]), mask([*TEMPO["hands"][1][:-1], "s9"])]),
        ("phase", [1]),
        ("phase", [2]),
        ("leader", [1]),
        ("top", [18]),
        ("top", [-1]),
        ("trump", [7]),
    ],
)
def test_cards_that_do_not_go_together(field, value):
    """What was set up by hand reaches compiled code only if it can be played to its end."""
    game = make_game("schnapsen_v0")
    state = position_of(game, TEMPO)
    state[field] = value
    with pytest.raises(InputError, match="no play leads to this state"):
        solve(game, state)

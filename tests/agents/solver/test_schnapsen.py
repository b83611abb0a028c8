"""Schnapsen solved: published positions."""

import json
from pathlib import Path

import numpy as np
import pytest

from stichwerk.agents.solver import best_line, solve
from stichwerk.envs import InputError, make_game
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.games.schnapsen.state import Phase
from tests.envs.games.schnapsen.model import FULL_PACK, mask

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


PROBLEMS = {problem["name"]: problem for problem in PUBLISHED}
ON_LEAD, TO_ANSWER, CLOSED = "tempo", "who laughs last", "forcing"
ACE_OF_HEARTS = FULL_PACK.index("hA")


def hands_of(name: str) -> list[list[str]]:
    return PROBLEMS[name]["hands"]


@pytest.mark.parametrize(
    ("problem", "field", "value"),
    [
        (ON_LEAD, "hand", [mask(hands_of(ON_LEAD)[0]), mask(hands_of(ON_LEAD)[1][:-1])]),
        (ON_LEAD, "hand", [mask(hands_of(ON_LEAD)[0]), mask([*hands_of(ON_LEAD)[1][:-1], "sJ"])]),
        (ON_LEAD, "hand", [mask(hands_of(ON_LEAD)[0]), 0]),
        (ON_LEAD, "hand", [0, 0]),
        (ON_LEAD, "hand", [mask(hands_of(ON_LEAD)[0]), mask([*hands_of(ON_LEAD)[1][:-1], "s9"])]),
        (ON_LEAD, "phase", [1]),
        (ON_LEAD, "phase", [2]),
        (ON_LEAD, "leader", [1]),
        (ON_LEAD, "top", [19]),
        (ON_LEAD, "top", [-1]),
        (ON_LEAD, "trump", [7]),
        (ON_LEAD, "points", [5120, 43]),
        (ON_LEAD, "points", [220, 43]),
        (ON_LEAD, "pending", [200, 0]),
        (ON_LEAD, "tricks", [3, 3]),
        (ON_LEAD, "tricks", [0, 0]),
        (ON_LEAD, "tricks", [5, 0]),
        (ON_LEAD, "pending", [20, 0]),
        (TO_ANSWER, "trump", [0]),
        (TO_ANSWER, "indicator", [-1]),
        (TO_ANSWER, "indicator", [ACE_OF_HEARTS + 1]),  # in a hand
        (TO_ANSWER, "led", [ACE_OF_HEARTS + 1]),
        (TO_ANSWER, "tricks", [1, 4]),
        (CLOSED, "indicator", [ACE_OF_HEARTS + 1]),
        (CLOSED, "indicator", [FULL_PACK.index("sA")]),
        (CLOSED, "closed_points", [30, 0]),
        (CLOSED, "closed_tricks", [0, 3]),
    ],
)
def test_what_does_not_go_together(problem, field, value):
    """What was set up by hand reaches compiled code only if it can be played to its end."""
    game = make_game("schnapsen_v0")
    state = position_of(game, PROBLEMS[problem])
    state[field] = value
    with pytest.raises(InputError, match="got one that no play leads to"):
        solve(game, state)


def test_the_best_line_of_a_position_set_up_by_hand():
    """It goes through claims after a trick, and pays what its first action is worth."""
    game = make_game("schnapsen_v0", {"claim_window": "after_trick"})
    state = position_of(game, PROBLEMS[TO_ANSWER])
    values = solve(game, state)
    after, engine, phases = state.copy(), engine_for(game.spec, False), set()
    for move in best_line(game, state, values):
        phases.add(Phase(after[0]["phase"]))
        assert after[0]["seat"] == move.seat
        ended = engine.apply(game.rules_record[0], after[0], game.action_index[move.action])
    assert ended
    assert phases > {Phase.LEAD, Phase.ANSWER}
    assert after[0]["deal_points"][state[0]["seat"]] == max(values.values())

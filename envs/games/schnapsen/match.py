"""The states of a match: how deals move it on, their numbers, and those in which training begins."""

from pathlib import Path

from stichwerk.envs.core.random import draw_scores
from stichwerk.envs.games.schnapsen.options import SchnapsenRules
from stichwerk.envs.games.schnapsen.scoring import finish
from stichwerk.envs.games.schnapsen.state import SEATS
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.match import MatchScoring


@compiled
def settle(rules, state):
    points = int(state.deal_points[0])
    if points < 0:
        finish(rules, state, 1, -points)
    else:
        finish(rules, state, 0, points)


@compiled
def place(rules, state):
    return (state.score[0] * rules.target + state.score[1]) * SEATS + state.dealer


def places(options: SchnapsenRules) -> int:
    return options.target**2 * SEATS


@compiled
def draw_start(rules, state):
    """Any score below the target. Source: docs/rules/schnapsen.md#start-states"""
    draw_scores(rules, state, SEATS)


SCORING = MatchScoring(settle, place, places, Path(__file__).with_name("results.json"))

"""The states of a match: how deals move it on, their numbers, and those in which training begins."""

from pathlib import Path

from stichwerk.envs.core.random import draw_scores
from stichwerk.envs.games.snapszer.options import CARRY, SnapszerRules
from stichwerk.envs.games.snapszer.scoring import close_deal
from stichwerk.envs.games.snapszer.state import SEATS
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.match import MatchScoring

CARRIES = 4  # that are told apart: more drawn deals in a row count as three


@compiled
def settle(rules, state):
    drawn = True
    for seat in range(SEATS):
        if state.deal_points[seat] > 0:
            drawn = False
            state.score[seat] += int(state.deal_points[seat]) + state.carry
    if not drawn:
        state.carry = 0
    elif rules.tie == CARRY:
        state.carry += 1
    close_deal(rules, state)


@compiled
def place(rules, state):
    number = min(state.carry, CARRIES - 1)
    for seat in range(SEATS):
        number = number * rules.target + state.score[seat]
    return number * SEATS + state.dealer


def places(options: SnapszerRules) -> int:
    carries = CARRIES if options.tie == "carry" else 1
    return carries * options.target**SEATS * SEATS


@compiled
def draw_start(rules, state):
    """Any scores below the target. Source: docs/rules/snapszer.md#start-states"""
    draw_scores(rules, state, SEATS)


SCORING = MatchScoring(settle, place, places, Path(__file__).with_name("results.json"))

"""The states of a match: how deals move it on, their numbers, and those in which training begins."""

from pathlib import Path

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.core.random import below, draw_scores, start_random
from stichwerk.envs.games.gaigel.cards.double import EMPTY
from stichwerk.envs.games.gaigel.options import TOKENS, GaigelRules, sides_among
from stichwerk.envs.games.gaigel.scoring import score_match
from stichwerk.envs.games.gaigel.state import side_of
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.match import MatchScoring


@compiled
def settle(rules, state):
    winners, won, most = EMPTY, 0, 0
    for side in range(rules.side_count):  # the first seats are one of each side
        if state.deal_points[side] > 0:
            winners |= bit(side)
            won += 1
            most = int(state.deal_points[side])
    end_deal(state)
    score_match(rules, state, winners, most // (rules.side_count - won) if won else 0)


@compiled
def place(rules, state):
    most = rules.pool + 1 if rules.score == TOKENS else rules.target
    number = 1 if state.returning else 0
    for side in range(rules.side_count):
        number = number * most + state.score[side]
    return number * rules.side_count + side_of(rules, state.dealer)


def places(options: GaigelRules) -> int:
    sides = sides_among(options.players)
    if options.score == "tokens":
        return 2 * (options.pool + 1) ** sides * sides
    return options.target**sides * sides


@compiled
def draw_start(rules, state):
    """Any score below the target; or tokens, taken from the pool or on their way back, as they lie before the
    match is decided.

    Source: docs/rules/gaigel.md#start-states
    """
    if rules.score != TOKENS:
        draw_scores(rules, state, rules.side_count)
        return
    start_random(state, state.seed, -1 - state.deal_number)
    state.pool = rules.pool
    state.returning = rules.pool >= rules.side_count and below(state, 2)
    if state.returning:
        for side in range(rules.side_count):
            state.score[side] = 1
        state.pool -= rules.side_count
    for _ in range(below(state, state.pool + (1 if state.returning else 0))):
        state.score[below(state, rules.side_count)] += 1
        state.pool -= 1


SCORING = MatchScoring(settle, place, places, Path(__file__).with_name("results.json"))

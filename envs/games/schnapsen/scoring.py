"""The end of a deal, by a claim or by itself, and the match. Source:
docs/rules/schnapsen.md#the-end-of-a-deal"""

from stichwerk.envs.core.claims import FREE
from stichwerk.envs.core.compiled import compiled
from stichwerk.envs.core.course import end_deal
from stichwerk.envs.games.family import base_points, penalty
from stichwerk.envs.games.schnapsen.options import (
    ALTERNATE,
    AT_CLOSE,
    BY_COUNTS,
    LAST_TEN,
    WINNER_DEALS,
    SchnapsenRules,
)
from stichwerk.envs.games.schnapsen.state import Phase, reached_goal

LAST_TRICK_TEN = 10


def stakes(options: SchnapsenRules) -> tuple[float, float]:
    """A deal is worth three game points at most."""
    return -3, 3


@compiled
def apply_claim(rules, state):
    claimer = state.seat
    opponent = 1 - claimer
    right = reached_goal(rules, state, claimer)
    if state.closed_by == claimer:
        finish_closed(rules, state)  # C, D
    elif state.closed_by == opponent:
        if right:
            finish(rules, state, claimer, penalty(deciding_tricks(rules, state, claimer)))  # D'
        else:
            finish(rules, state, opponent, penalty(deciding_tricks(rules, state, opponent)))  # F
    elif right:
        finish(rules, state, claimer, value_against(rules, state, opponent))  # A
    else:
        finish(rules, state, opponent, penalty(state.tricks[opponent]))  # E


@compiled
def finish_closed(rules, state):
    """The closer claims, or the hands are empty, which counts as if he claimed: cases C and D."""
    closer = state.closed_by
    opponent = 1 - closer
    tricks = deciding_tricks(rules, state, opponent)
    if reached_goal(rules, state, closer):
        points = state.closed_points[opponent] if rules.score_at == AT_CLOSE else state.points[opponent]
        finish(rules, state, closer, base_points(points, tricks, rules.schneider_max))
    else:
        finish(rules, state, opponent, penalty(tricks))


@compiled
def finish_exhausted(rules, state):
    """All cards are played from an exhausted stock: case B, or ten points and a last chance to claim."""
    winner = state.seat
    if rules.last_trick != LAST_TEN:
        finish(rules, state, winner, value_against(rules, state, 1 - winner))
        return
    state.points[winner] += LAST_TRICK_TEN
    state.phase = Phase.AFTER
    if rules.claims != FREE and not reached_goal(rules, state, winner):
        finish_unclaimed(rules, state)


@compiled
def finish_unclaimed(rules, state):
    if state.points[0] == state.points[1]:
        finish(rules, state, 0, 0)
        return
    winner = 0 if state.points[0] > state.points[1] else 1
    finish(
        rules, state, winner, value_against(rules, state, 1 - winner) if rules.unclaimed == BY_COUNTS else 1
    )


@compiled
def value_against(rules, state, loser):
    return base_points(state.points[loser], state.tricks[loser], rules.schneider_max)


@compiled
def deciding_tricks(rules, state, seat):
    return state.closed_tricks[seat] if rules.score_at == AT_CLOSE else state.tricks[seat]


@compiled
def finish(rules, state, winner, points):
    """End the deal: `points` to the winner; 0 is a draw. In a match, write the score and find the next
    dealer."""
    state.phase = Phase.DONE
    state.deal_points[winner] = points
    state.deal_points[1 - winner] = -points
    end_deal(state)
    if not state.match:
        return
    state.score[winner] += points
    if state.score[winner] >= rules.target:
        state.over = 1
        state.reward[winner] = 1
        state.reward[1 - winner] = -1
    elif points and rules.next_dealer == ALTERNATE:
        state.dealer = 1 - state.dealer
    elif points:
        state.dealer = winner if rules.next_dealer == WINNER_DEALS else 1 - winner

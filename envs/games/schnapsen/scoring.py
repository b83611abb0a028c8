"""The end of a deal, by a claim or by itself, and the match. Source:
docs/rules/schnapsen.md#the-end-of-a-deal"""

from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.games.claims import FREE
from stichwerk.envs.games.family import LAST_TRICK_TEN, base_points, penalty
from stichwerk.envs.games.schnapsen.options import (
    ALTERNATE,
    AT_CLOSE,
    BY_COUNTS,
    LAST_TEN,
    WINNER_DEALS,
    SchnapsenRules,
)
from stichwerk.envs.games.schnapsen.state import Phase, reached_goal
from stichwerk.envs.jit.compiled import compiled


def stakes(options: SchnapsenRules) -> tuple[float, float]:
    """A deal is worth three game points at most."""
    return -3, 3


# Who wins a deal as it stands, and how many game points: of a state, or of what a solver makes of it


@compiled
def claim_outcome(rules, state):
    """Of a claim of the seat to act."""
    claimer = state.seat
    opponent = 1 - claimer
    right = reached_goal(rules, state, claimer)
    if state.closed_by == claimer:
        return closed_outcome(rules, state)  # C, D
    if state.closed_by == opponent:
        winner = claimer if right else opponent
        return winner, penalty(deciding_tricks(rules, state, winner))  # D', F
    if right:
        return claimer, value_against(rules, state, opponent)  # A
    return opponent, penalty(state.tricks[opponent])  # E


@compiled
def closed_outcome(rules, state):
    """The closer claims, or the hands are empty, which counts as such a claim: cases C and D."""
    closer = state.closed_by
    opponent = 1 - closer
    if reached_goal(rules, state, closer):
        return closer, closed_value(rules, state)
    return opponent, penalty(deciding_tricks(rules, state, opponent))


@compiled
def unclaimed_outcome(rules, state):
    """Of an exhausted stock after which nobody claims; no points: a draw."""
    if state.points[0] == state.points[1]:
        return 0, 0
    winner = 0 if state.points[0] > state.points[1] else 1
    return winner, value_against(rules, state, 1 - winner) if rules.unclaimed == BY_COUNTS else 1


@compiled
def closed_value(rules, state):
    """The game points of a closer who succeeds."""
    opponent = 1 - state.closed_by
    counted = state.closed_points if rules.score_at == AT_CLOSE else state.points
    return base_points(counted[opponent], deciding_tricks(rules, state, opponent), rules.schneider_max)


@compiled
def value_against(rules, state, loser):
    return base_points(state.points[loser], state.tricks[loser], rules.schneider_max)


@compiled
def deciding_tricks(rules, state, seat):
    return state.closed_tricks[seat] if rules.score_at == AT_CLOSE else state.tricks[seat]


# The end


@compiled
def apply_claim(rules, state):
    finish(rules, state, *claim_outcome(rules, state))


@compiled
def finish_closed(rules, state):
    finish(rules, state, *closed_outcome(rules, state))


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
    finish(rules, state, *unclaimed_outcome(rules, state))


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

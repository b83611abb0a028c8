"""The end of a deal, by a claim or by itself, and the match.

Source: docs/rules/snapszer.md#the-end-of-a-deal
"""

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.games.family import base_points, penalty
from stichwerk.envs.games.snapszer.options import CARRY, LAST_TRICK, SnapszerRules
from stichwerk.envs.games.snapszer.state import (
    GOAL,
    SEATS,
    Phase,
    forehand,
    opponent_of,
    same_side,
    side_points,
    side_tricks,
)
from stichwerk.envs.jit.compiled import compiled


def stakes(options: SnapszerRules) -> tuple[float, float]:
    """The least and the most game points of a deal.

    It is worth three at most, times the multiplier of a lone forehand, who pays three seats.
    """
    most = 3 * options.solo_multiplier
    return -3 * most, most


# Whose side wins a deal as it stands, and how many game points: of a state, or of what a solver makes of it


@compiled
def claim_outcome(rules, state):
    """Of a claim of the seat to act."""
    claimer = state.seat
    opponent = opponent_of(state, claimer)
    if side_points(state, claimer) >= GOAL:
        return claimer, value_against(rules, state, opponent)
    return opponent, penalty(side_tricks(state, opponent))


@compiled
def unclaimed_outcome(rules, state):
    """Nobody claims after the last trick, whose winner is to act: the higher total wins. No points: a
    draw."""
    seat = state.seat
    opponent = opponent_of(state, seat)
    mine, theirs = side_points(state, seat), side_points(state, opponent)
    if mine == theirs and rules.tie != LAST_TRICK:
        return seat, 0
    if mine < theirs:
        seat, opponent = opponent, seat
    return seat, value_against(rules, state, opponent)


@compiled
def value_against(rules, state, loser):
    return base_points(side_points(state, loser), side_tricks(state, loser), rules.schneider_max)


# The end


@compiled
def apply_claim(rules, state):
    finish(rules, state, *claim_outcome(rules, state))


@compiled
def finish_unclaimed(rules, state):
    winner, points = unclaimed_outcome(rules, state)
    if points:
        finish(rules, state, winner, points)
    else:
        finish_drawn(rules, state)


@compiled
def finish(rules, state, winner, points):
    """End the deal for the side of `winner`: each member gets the points, the others share the loss."""
    if state.holder == forehand(state):
        points *= rules.solo_multiplier
    points += state.carry
    state.carry = 0
    winners = 0
    for seat in range(SEATS):
        winners += same_side(state, seat, winner)
    for seat in range(SEATS):
        if same_side(state, seat, winner):
            state.deal_points[seat] = points
            state.score[seat] += points
        else:
            state.deal_points[seat] = -points * winners / (SEATS - winners)
    close_deal(rules, state)


@compiled
def finish_drawn(rules, state):
    if rules.tie == CARRY:
        state.carry += 1
    state.deal_points[:] = 0
    close_deal(rules, state)


@compiled
def close_deal(rules, state):
    """Show the partnership, pay the episode if it is over, else pass the deal."""
    state.phase = Phase.DONE
    state.public = 1
    state.shown[state.holder] |= state.hand[state.holder] & bit(state.named)
    end_deal(state)
    if not state.match:
        return
    for seat in range(SEATS):
        if state.score[seat] >= rules.target:
            state.over = 1
    if state.over:
        for seat in range(SEATS):
            state.reward[seat] = 1 if state.score[seat] >= rules.target else -1
    else:
        state.dealer = (state.dealer + 1) % SEATS

"""The end of a deal of Gaigel, and the match: who pays whom, and how tokens or points are kept. Notes 6.7 and 6.8."""

from numba import njit

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.course import end_deal
from stichwerk.envs.games.gaigel.double import EMPTY
from stichwerk.envs.games.gaigel.rules import TOKENLESS_WINS, TOKENS
from stichwerk.envs.games.gaigel.state import Phase, side_of


@njit(cache=True)
def begin_match(rules, state):
    """The match score before the first deal."""
    state.score[:] = 0
    state.pool = rules.pool if rules.score == TOKENS else 0
    state.returning = 0


@njit(cache=True)
def other_sides(rules, side):
    return (bit(rules.sides) - 1) & ~bit(side)


@njit(cache=True)
def finish(rules, state, winners, value):
    """End the deal: each seat of a losing side pays `value` to each winning side. `winners` is a set of sides; none: nobody pays."""
    state.phase = Phase.DONE
    won, lost = 0, 0
    for side in range(rules.sides):
        if winners & bit(side):
            won += 1
        else:
            lost += 1
    state.deal_points[:] = 0
    for seat in range(rules.players):
        if winners & bit(side_of(rules, seat)):
            state.deal_points[seat] = value * lost
        else:
            state.deal_points[seat] = -value * won
    end_deal(state)
    if not state.match:
        return
    finished = EMPTY
    if winners and rules.score == TOKENS:
        finished = move_tokens(rules, state, winners, value)
    elif winners:
        finished = add_score(rules, state, winners, value)
    if finished:
        state.over = 1
        for seat in range(rules.players):
            state.reward[seat] = 1 if finished & bit(side_of(rules, seat)) else -1
    else:
        state.dealer = (state.dealer + 1) % rules.players


@njit(cache=True)
def add_score(rules, state, winners, value):
    """Count game points up; returns the sides that have reached the target."""
    finished = EMPTY
    for side in range(rules.sides):
        if winners & bit(side):
            state.score[side] += value
            if state.score[side] >= rules.target:
                finished |= bit(side)
    return finished


@njit(cache=True)
def move_tokens(rules, state, winners, value):
    """The losers take tokens from the pool or, once it is empty, the winners give theirs back; returns the sides that have won."""
    if not state.returning:
        take_tokens(rules, state, winners, value)
        return tokenless(rules, state) if state.returning and rules.tokenless == TOKENLESS_WINS else EMPTY
    finished = EMPTY
    for side in range(rules.sides):
        if winners & bit(side):
            given = min(value, state.score[side])
            state.score[side] -= given
            state.pool += given
            if state.score[side] == 0:
                finished |= bit(side)
    return finished


@njit(cache=True)
def take_tokens(rules, state, winners, value):
    """Short tokens go out one at a time, from the right of the winner."""
    first_winner = 0
    while not winners & bit(first_winner):
        first_winner += 1
    for _ in range(value):
        for place in range(1, rules.sides):
            side = (first_winner + place) % rules.sides
            if state.pool and not winners & bit(side):
                state.pool -= 1
                state.score[side] += 1
    if state.pool == 0:
        state.returning = 1


@njit(cache=True)
def tokenless(rules, state):
    sides = EMPTY
    for side in range(rules.sides):
        if state.score[side] == 0:
            sides |= bit(side)
    return sides

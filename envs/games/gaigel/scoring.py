"""The end of a deal, and the match: which seats pay, and how tokens or points are kept.

Source: docs/rules/gaigel.md#scoring and docs/rules/gaigel.md#the-match
"""

from stichwerk.envs.core.cards import bit, count, first
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.games.claims import FREE
from stichwerk.envs.games.gaigel.cards.double import EMPTY
from stichwerk.envs.games.gaigel.options import TOKENLESS_WINS, TOKENS, GaigelRules, sides_among
from stichwerk.envs.games.gaigel.state import GOAL, Phase, forehand, reached_goal, side_of
from stichwerk.envs.jit.compiled import compiled


@compiled
def begin_match(rules, state):
    """The tokens before the first deal."""
    if rules.score == TOKENS:
        state.pool = rules.pool


# The end of a deal


def stakes(options: GaigelRules) -> tuple[float, float]:
    """A deal is worth two game points at most, from or to each other side."""
    most = 2 * (sides_among(options.players) - 1)
    return -most, most


@compiled
def end_last_trick(rules, state):
    """All cards are played: a last chance to say Aus, where legal; the engine's comes with the node."""
    state.phase = Phase.AFTER
    if rules.claims != FREE and not reached_goal(rules, state, state.seat):
        finish_unclaimed(rules, state)


@compiled
def apply_aus(rules, state):
    side = side_of(rules, state.seat)
    if state.points[side] < GOAL:
        finish(rules, state, other_sides(rules, side), 2)
        return
    trickless, opponents = 0, rules.side_count - 1
    for other in range(rules.side_count):
        trickless += other != side and state.tricks[other] == 0
    gigackel = trickless > 0 if rules.any_opponent else trickless == opponents
    finish(rules, state, bit(side), 2 if gigackel else 1)


@compiled
def finish_unclaimed(rules, state):
    """The higher total wins one point; a shared one wins nothing, or for the side that won the last trick."""
    highest, winners = -1, EMPTY
    for side in range(rules.side_count):
        if state.points[side] > highest:
            highest, winners = state.points[side], EMPTY
        if state.points[side] == highest:
            winners |= bit(side)
    last = bit(side_of(rules, state.leader))
    if winners & (winners - 1):
        winners = winners & last if rules.last_trick_wins else EMPTY
    finish(rules, state, winners, 1)


@compiled
def other_sides(rules, side):
    return (bit(rules.side_count) - 1) & ~bit(side)


@compiled
def finish(rules, state, winners, value):
    """End the deal: each seat of a losing side pays `value` to each winning side.

    Args:
        winners: a set of sides; if it is empty, nobody pays
    """
    state.phase = Phase.DONE
    won = count(winners)
    lost = rules.side_count - won
    for seat in range(rules.players):
        if winners & bit(side_of(rules, seat)):
            state.deal_points[seat] = value * lost
        else:
            state.deal_points[seat] = -value * won
    end_deal(state)
    if state.match:
        score_match(rules, state, winners, value)


# The match


@compiled
def score_match(rules, state, winners, value):
    """Keep the score, and end the match or let the next seat deal."""
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
        state.dealer = forehand(rules, state)


@compiled
def add_score(rules, state, winners, value):
    """Count game points up; returns the sides that have reached the target."""
    finished = EMPTY
    for side in range(rules.side_count):
        if winners & bit(side):
            state.score[side] += value
            if state.score[side] >= rules.target:
                finished |= bit(side)
    return finished


@compiled
def move_tokens(rules, state, winners, value):
    """The losers take tokens from the pool or, once it is empty, the winners give theirs back.

    Returns the sides that have won the match.
    """
    if not state.returning:
        take_tokens(rules, state, winners, value)
        if state.returning and rules.tokenless == TOKENLESS_WINS:
            return tokenless(rules, state)
        return EMPTY
    finished = EMPTY
    for side in range(rules.side_count):
        if winners & bit(side):
            given = min(value, state.score[side])
            state.score[side] -= given
            state.pool += given
            if state.score[side] == 0:
                finished |= bit(side)
    return finished


@compiled
def take_tokens(rules, state, winners, value):
    """Short tokens go out one at a time, from the right of the winner."""
    for _ in range(value):
        for place in range(1, rules.side_count):
            side = (first(winners) + place) % rules.side_count
            if state.pool and not winners & bit(side):
                state.pool -= 1
                state.score[side] += 1
    if state.pool == 0:
        state.returning = 1


@compiled
def tokenless(rules, state):
    sides = EMPTY
    for side in range(rules.side_count):
        if state.score[side] == 0:
            sides |= bit(side)
    return sides

"""Schnapsen and Sixty-six once the stock is exhausted: both hands are known, and the play is searched to its
end."""

import numpy as np

from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT
from stichwerk.envs.games.schnapsen.flow import apply, legal
from stichwerk.envs.games.schnapsen.hidden import unseen
from stichwerk.envs.games.schnapsen.state import ACTIONS, CLAIM, MELD, STATE, reached_goal
from stichwerk.envs.jit.compiled import compiled

RECORD = STATE.dtype

EXACT_CARDS = 6  # search to the end from this many cards each
SEARCH_DEPTH = 2 * EXACT_CARDS + 8  # every card, and marriages, a claim and the last `continue`
WIN = 9  # more than any deal is worth


@compiled
def best_of_exhausted(rules, view, seat):
    """The best action when the opponent must hold all that is unseen: alpha-beta over all play to the end of
    the deal.

    Written with its own stack because Numba cannot load recursive functions from its cache.
    """
    stack = np.zeros(SEARCH_DEPTH, RECORD)
    masks = np.zeros((SEARCH_DEPTH, len(ACTIONS)), np.int8)
    tried = np.zeros(SEARCH_DEPTH, np.int64)  # the action under way
    low = np.full(SEARCH_DEPTH, -WIN)  # game points that `seat` is sure of …
    high = np.full(SEARCH_DEPTH, WIN)  # … and that the opponent allows at most
    stack[0] = view
    stack[0].match = 0  # the search ends with the deal
    stack[0].hand[1 - seat] = unseen(rules, view, seat) | view.shown[1 - seat]
    worth_trying(rules, stack[0], masks[0])
    best, depth, action = -1, 0, 0
    while True:
        state = stack[depth]
        while action < len(ACTIONS) and not masks[depth, action]:
            action += 1
        if not state.over and action < len(ACTIONS) and low[depth] < high[depth]:
            tried[depth] = action
            stack[depth + 1] = state
            apply(rules, stack[depth + 1], action)
            depth += 1
            low[depth], high[depth] = low[depth - 1], high[depth - 1]
            if not stack[depth].over:
                worth_trying(rules, stack[depth], masks[depth])
            action = 0
            continue
        if depth == 0:
            return best
        value = (
            np.int64(state.reward[seat]) if state.over else low[depth] if state.seat == seat else high[depth]
        )
        depth -= 1
        if stack[depth].seat != seat:
            high[depth] = min(high[depth], value)
        elif value > low[depth]:
            low[depth] = value
            if depth == 0:
                best = tried[0]
        action = tried[depth] + 1


@compiled
def worth_trying(rules, state, mask):
    """The legal actions less those that cannot be better than another.

    A right claim leaves no other action. Wrong claims go, and so does a lead from a marriage without
    declaring it.
    """
    mask[:] = 0
    legal(rules, state, mask)
    if mask[CLAIM]:
        if reached_goal(rules, state, state.seat):
            mask[:] = 0
            mask[CLAIM] = 1
        else:
            mask[CLAIM] = 0
    for suit in range(4):
        if mask[MELD + suit]:
            mask[suit * RANKS_PER_SUIT + KING] = 0
            if not rules.king_leads_marriage:
                mask[suit * RANKS_PER_SUIT + QUEEN] = 0

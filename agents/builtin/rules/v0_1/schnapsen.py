"""The rule-based player of Schnapsen and Sixty-six of version 0.1.

It counts: card points, trumps and what the opponent can still hold. It claims when it has the goal, exchanges
at once, leads from its marriages, and closes when the count says that the rest is enough. With the stock
exhausted it plays exactly, by searching all play to the end. Elsewhere it compares cards by the points they
win or lose now against what they are worth kept.
"""

import numpy as np

from stichwerk.agents.builtin.rules.schnapsen_closed import closing_count
from stichwerk.agents.builtin.rules.schnapsen_exhausted import EXACT_CARDS, best_of_exhausted
from stichwerk.agents.builtin.rules.schnapsen_odds import answer_value, lead_value
from stichwerk.envs.core.cards import NONE, count
from stichwerk.envs.games.schnapsen.flow import legal
from stichwerk.envs.games.schnapsen.state import (
    ACTIONS,
    CARDS,
    CLAIM,
    CLOSE,
    CONTINUE,
    EXCHANGE,
    MELD,
    Phase,
    drawable,
    reached_goal,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("schnapsen_v0", "sixty_six_v0")
SINCE = "0.1"


CLOSING_MARGIN = 0.0  # points beyond the goal that the count must promise before closing


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    if mask[CLAIM] and reached_goal(rules, view, seat):
        return CLAIM
    if mask[EXCHANGE]:
        return EXCHANGE
    if view.phase == Phase.AFTER:
        return CONTINUE
    exhausted = view.closed_by == NONE and not drawable(rules, view)
    if exhausted and count(view.hand[seat]) <= EXACT_CARDS:
        return best_of_exhausted(rules, view, seat)
    if mask[MELD + view.trump]:
        return MELD + view.trump
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    if mask[CLOSE] and closing_count(rules, view, seat) >= rules.goal + CLOSING_MARGIN:
        return CLOSE
    return best_card(rules, view, seat, mask)


# Single cards


@compiled
def best_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[card]:
            value = (
                answer_value(rules, view, seat, card)
                if view.phase == Phase.ANSWER
                else lead_value(rules, view, seat, card)
            )
            if value > best_value:
                best, best_value = card, value
    return best

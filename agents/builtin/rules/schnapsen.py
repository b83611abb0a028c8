"""A rule-based player of Schnapsen and Sixty-six.

Claims, the exchange, leads from an open stock and the search of an exhausted one are those of version 0.1. To
decide on closing, the rest of the deal is simulated against each hand that the opponent may hold, high cards
first. The stock is closed if that reaches the goal against enough of them. Once it is closed, the same
simulation chooses leads and the moment to show a marriage. An answer weighs the trick's points and the lead
against two costs: what the card is worth kept, and what the opponent comes near to. All of it is in game
points.
"""

import numpy as np

from stichwerk.agents.builtin.rules.schnapsen_closed import best_lead_of_closed, closes
from stichwerk.agents.builtin.rules.schnapsen_exhausted import EXACT_CARDS, best_of_exhausted
from stichwerk.agents.builtin.rules.schnapsen_odds import answer_value, lead_value
from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import RANKS_PER_SUIT, card_points, pair, suit_set
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
SINCE = "0.2"

# Answers, in game points, fitted to the outcomes of each card in many deals. The commit that added them
# (cd22931) has no script; docs/results/rule_players.md has its strength.
POINT = 0.068  # a point of the trick
# What a card is worth kept, by rank A T K Q J 9.
WORTH_PLAIN = np.array([0.15, -0.24, -0.43, -0.51, -0.62, -0.7])
WORTH_TRUMP = np.array([0.72, 0.4, 0.22, 0.1, 0.21, 0.0])
WORTH_PAIR, WORTH_TRUMP_PAIR = 0.34, 0.5  # more for king and queen both in hand
SHOWS, SHOWS_TRUMP = 0.38, 0.61  # the lead, with a marriage to show
REACHES = 0.4  # the trick reaches the goal
# What it costs to leave the opponent a trick that brings it so near to the goal, or out of schneider.
NEAR = ((10, 0.35), (20, 0.3), (40, 0.14))
OUT_OF_SCHNEIDER = 0.23


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
    if mask[CLOSE] and closes(rules, view, seat):
        return CLOSE
    if view.phase != Phase.ANSWER and view.closed_by != NONE:
        return best_lead_of_closed(rules, view, seat, mask)
    if mask[MELD + view.trump]:
        return MELD + view.trump
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    return best_card(rules, view, seat, mask)


@compiled
def best_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[card]:
            if view.phase != Phase.ANSWER:
                value = lead_value(rules, view, seat, card)
            elif drawable(rules, view):
                value = open_answer_value(rules, view, seat, card)
            else:
                value = answer_value(rules, view, seat, card)
            if value > best_value:
                best, best_value = card, value
    return best


# Answers while cards are drawn


@compiled
def open_answer_value(rules, view, seat, card):
    """The gain of the trick with this card, less the card's value kept, in game points."""
    stake = card_points(view.led) + card_points(card)
    value = -kept_worth(view, seat, card)
    if bit(card) & beaters(view.led, suit_set(view.led // RANKS_PER_SUIT), suit_set(view.trump)):
        value += POINT * stake + next_marriage(view, view.hand[seat] ^ bit(card))
        if view.points[seat] + view.pending[seat] + stake >= rules.goal:
            value += REACHES
        return value
    points = view.points[1 - seat] + view.pending[1 - seat]
    for distance, cost in NEAR:
        if points + stake + distance >= rules.goal:
            value -= cost
    if points <= rules.schneider_max < points + stake:
        value -= OUT_OF_SCHNEIDER
    return value


@compiled
def kept_worth(view, seat, card):
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps = suit == view.trump
    value = WORTH_TRUMP[rank] if trumps else WORTH_PLAIN[rank]
    if bit(card) & pair(suit) and view.hand[seat] & pair(suit) == pair(suit):
        value += WORTH_TRUMP_PAIR if trumps else WORTH_PAIR
    return value


@compiled
def next_marriage(view, hand):
    """The value of leading next from this hand, for the best marriage in it."""
    if hand & pair(view.trump) == pair(view.trump):
        return SHOWS_TRUMP
    for suit in range(4):
        if hand & pair(suit) == pair(suit):
            return SHOWS
    return 0.0

"""The rule-based player of Preferans of version 0.1.

It adds up what each card and each short suit of a hand says for a game, and what each card risks in betl. The
sums become the odds of making each game. It bids as far as the odds carry and discards for the best contract.
As a defender it comes when the tricks of its own hand are enough, and doubles when the count of the defence
says so. In play it weighs each card by the chance that its side wins the trick, against what the card is
worth kept. In betl the declarer plays low, and the defence keeps its low cards to play below the declarer.
"""

from typing import NamedTuple

import numpy as np

from stichwerk.agents.builtin.rules.preferans import DRAWING, WORTH, WORTH_TRUMP, betl_value, trick_odds
from stichwerk.agents.builtin.rules.preferans_bidding import (
    PASSING,
    REDOUBLES,
    best_value,
    defensive_tricks,
    game_value,
    made_odds,
)
from stichwerk.envs.core.cards import NONE, bit, count, first
from stichwerk.envs.games.preferans.flow import legal
from stichwerk.envs.games.preferans.flow.contract import least_igra
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.state import (
    ACCEPT,
    ACTION_OF,
    ACTIONS,
    AGREE,
    ALONE,
    BETL,
    BID,
    CARDS,
    CLUBS,
    COME,
    DECLARE,
    DISCARD,
    IGRA,
    IGRA_BETL,
    KONTRA,
    NO_OFFER,
    PASS,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    REFUSE,
    SANS,
    SPADES,
    STAY_OUT,
    Phase,
    hand_of,
    next_active,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("preferans_v0",)
SINCE = "0.1"

# All constants were settled by playing variants against each other.


class Estimate(NamedTuple):
    """Weights of a hand. The odds of making a game, as logarithms, add up; then they count in standing."""

    trump_card: np.ndarray  # float64[8], by rank A K Q J 10 9 8 7
    side_card: np.ndarray  # likewise, in a suit that is not trumps
    sans_card: np.ndarray
    side_shape: np.ndarray  # float64[9], by the length of a side suit
    sans_shape: np.ndarray
    suit_base: float
    sans_base: float
    betl_base: float
    suit_talon: tuple[float, float]  # base and scale by which ten cards before the talon foretell …
    sans_talon: tuple[float, float]  # … the odds with the best twelve
    betl_talon: tuple[float, float]
    success: float  # standing won and lost, for each game point
    failure: float
    betl_failure: float


# Fitted to the outcomes of many hands that this player has played out.
ESTIMATE = Estimate(
    trump_card=np.array([1.95, 1.13, 0.64, 0.44, 0.39, 0.21, 0.18, 0.07]),
    side_card=np.array([0.59, -0.23, -0.99, -1.23, -1.44, -1.55, -1.64, -1.63]),
    sans_card=np.array([0.83, 0.43, -0.42, -0.52, -0.62, -0.67, -0.7, -0.71]),
    side_shape=np.array([1.15, 1.09, 0.35, 0.0, 0.65, 1.3, 1.95, 2.6, 3.25]),
    sans_shape=np.array([-0.22, 0.25, 0.06, 0.0, 0.38, 0.76, 1.14, 1.52, 1.9]),
    suit_base=-0.31,
    sans_base=-0.24,
    betl_base=1.0,
    suit_talon=(1.51, 0.53),
    sans_talon=(0.65, 0.76),
    betl_talon=(-0.28, 0.49),
    success=6.7,
    failure=11.7,
    betl_failure=16.7,
)

# Defence: tricks.
COMES, COMES_SECOND, COMES_WITH = (
    1.75,
    1.7,
    1.8,
)  # own tricks enough to come: first, after one who stayed out, after one who came
DOUBLES, DOUBLES_WITH = 3.5, 2.9  # own tricks enough to double alone, or with the other one in


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    if view.phase == Phase.AUCTION:
        return choose_call(ESTIMATE, rules, view, seat, mask)
    if view.phase == Phase.DISCARD:
        return choose_discard(ESTIMATE, view, seat)
    if view.phase == Phase.DECLARE:
        return choose_game(ESTIMATE, view, seat, mask)
    if view.phase == Phase.COME:
        return COME if comes(rules, view, seat, COMES_WITH) else STAY_OUT
    if view.phase == Phase.JOIN:
        return ALONE  # every variant that took the other one along did worse
    if view.phase == Phase.KONTRA:
        return KONTRA if doubles(view, seat, DOUBLES_WITH) else ACCEPT
    if view.phase == Phase.OFFER:
        return NO_OFFER
    if view.phase == Phase.REPLY:
        return choose_reply(view, seat)
    return best_card(rules, view, seat, mask)


# The auction and the contract


@compiled
def choose_call(estimate, rules, view, seat, mask):
    hand, out = hand_of(view, seat), unseen(view, seat)
    best, value = PASS, PASSING if mask[PASS] else -np.inf
    for action in range(BID, DECLARE + PREFERANS - SPADES + 1):
        if mask[action]:
            worth = call_value(estimate, rules, view, hand, out, action)
            if worth > value:
                best, value = action, worth
    return best


@compiled
def call_value(estimate, rules, view, hand, out, action):
    """The value of a call if it wins the auction."""
    if action < IGRA:
        return best_value(estimate, hand, out, action - BID + SPADES, SANS, True, False)
    if action == IGRA:
        return best_value(estimate, hand, out, least_igra(rules, view), CLUBS, False, True)
    game = action - IGRA_BETL + BETL if action < DECLARE else action - DECLARE + SPADES
    return game_value(estimate, hand, out, game, False, True)


@compiled
def choose_discard(estimate, view, seat):
    """The card without which the best contract is worth most, with the best second discard to come."""
    hand, out = hand_of(view, seat), unseen(view, seat)
    best, value = NONE, -np.inf
    ones = hand
    while ones:
        one = first(ones)
        ones &= ones - 1
        if view.surplus == 1:
            worth = best_value(estimate, hand ^ bit(one), out, view.level, SANS, False, False)
            if worth > value:
                best, value = one, worth
            continue
        others = ones
        while others:
            rest = hand ^ bit(one) ^ bit(first(others))
            others &= others - 1
            worth = best_value(estimate, rest, out, view.level, SANS, False, False)
            if worth > value:
                best, value = one, worth
    return DISCARD + ACTION_OF[best]


@compiled
def choose_game(estimate, view, seat, mask):
    hand, out, igra = hand_of(view, seat), unseen(view, seat), view.igra != 0
    best, value = NONE, -np.inf
    for game in range(SPADES, PREFERANS + 1):
        if mask[DECLARE + game - SPADES]:
            worth = game_value(estimate, hand, out, game, False, igra)
            if worth > value:
                best, value = game, worth
    return DECLARE + best - SPADES


# The defence


@compiled
def comes(rules, view, seat, enough_with):
    """enough_with: own tricks enough to come after one who came"""
    tricks = defensive_tricks(view, seat)
    if seat == next_active(rules, view, view.declarer):
        return tricks >= COMES
    return tricks >= (enough_with if view.came else COMES_SECOND)


@compiled
def doubles(view, seat, enough_with):
    """enough_with: own tricks enough to double with the other defender in"""
    if view.game == BETL or view.game == PREFERANS:
        return False
    if seat == view.declarer:
        return made_odds(ESTIMATE, hand_of(view, seat), unseen(view, seat), view.game, False) >= REDOUBLES
    if view.doublings:
        return False
    return defensive_tricks(view, seat) >= (enough_with if count(view.came) == 2 else DOUBLES)


@compiled
def choose_reply(view, seat):
    """The declarer agrees to one trick, to two if the game is not safe, to more only if it is in danger."""
    odds = made_odds(ESTIMATE, hand_of(view, seat), unseen(view, seat), view.game, False)
    least = np.array([0.0, 0.0, 0.9, 0.75, 0.6, 0.0])
    return AGREE if view.offered < 2 or odds < least[view.offered] else REFUSE


# The cards


@compiled
def best_card(rules, view, seat, mask):
    best, value = NONE, -np.inf
    out = unseen(view, seat)
    for card in range(CARDS):
        action = PLAY + ACTION_OF[card]
        if mask[action]:
            if view.game == BETL:
                worth = betl_value(rules, view, seat, out, card)
            else:
                worth = card_value(rules, view, seat, out, card)
            if worth > value:
                best, value = action, worth
    return best


@compiled
def card_value(rules, view, seat, out, card):
    """The chance that the own side wins the trick, less what the card is worth kept."""
    declarers, _ = trick_odds(rules, view, seat, out, card)
    wins = declarers if seat == view.declarer else 1.0 - declarers
    suit, trumps = suit_set(card // RANKS_PER_SUIT), trump_set(view)
    higher = count(out & suit & (bit(card) - 1))
    worth = WORTH[higher] + (WORTH_TRUMP if suit == trumps else 0.0)
    value = wins - worth
    if view.led == NONE and seat == view.declarer and suit == trumps and out & trumps:
        value += DRAWING
    return value

"""Preferans before the cards: the auction, discards and the contract; whether defenders come and double."""

import math
from typing import NamedTuple

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.games.preferans.flow.contract import least_igra
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.state import (
    ACTION_OF,
    AGREE,
    BETL,
    BID,
    CLUBS,
    DECLARE,
    DISCARD,
    IGRA,
    IGRA_BETL,
    PASS,
    PREFERANS,
    RANKS_PER_SUIT,
    REFUSE,
    SANS,
    SPADES,
    TRUMP_SUIT,
    hand_of,
    next_active,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled


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


# Fitted to the outcomes of many hands that version 0.1 has played out; the declarer's redoubling and replies
# still go by it.
OLDER_ESTIMATE = Estimate(
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
# What hands promise, fitted to the outcomes of many that were declared whatever they were worth and then
# played out by this player. The commit that added the numbers (f0462be) has no script.
ESTIMATE = OLDER_ESTIMATE._replace(
    trump_card=np.array([2.54, 1.61, 1.06, 0.63, 0.59, 0.56, 0.54, 0.55]),
    side_card=np.array([0.5, -0.52, -1.25, -1.57, -1.69, -1.72, -1.71, -1.74]),
    sans_card=np.array([0.98, 0.25, -0.38, -0.66, -0.74, -0.77, -0.75, -0.77]),
    side_shape=np.array([1.01, 0.2, 0.68, 1.44, 1.84, 1.59, 1.28, 1.61, 3.13]),
    sans_shape=np.array([-0.54, -0.11, 0.16, 0.34, 0.66, 1.07, 1.29, 1.0, 1.75]),
    suit_base=-0.46,
    sans_base=0.31,
    betl_base=1.8,
    failure=19.7,
)
# In betl, what the lowest, second, third, … card of a suit costs, by how many lower ones too many are out.
BETL_RISK = np.array(
    [
        [0.0, 0.12, 0.8, 1.36, 2.34, 2.59, 2.6, 2.6],
        [0.0, 0.66, 1.07, 1.33, 1.4, 1.4, 1.4, 1.4],
        [0.0, 0.39, 0.64, 0.72, 0.72, 0.72, 0.72, 0.72],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
# All below was settled by playing variants of these numbers against each other.
PASSING = 0.0  # what a call must be worth, in points of standing

# Own tricks enough to come: first, after one who stayed out, after one who came.
COMES, COMES_SECOND, COMES_WITH = 1.75, 1.7, 1.5
DOUBLES, DOUBLES_WITH = 3.5, 2.4  # own tricks enough to double alone, or with the other one in
REDOUBLES = 0.97  # odds of the declarer


# Counting a hand


@compiled
def rank_sum(cards, weights):
    """The sum of the cards of a hand by their ranks."""
    total = 0.0
    while cards:
        total += weights[first(cards) % RANKS_PER_SUIT]
        cards &= cards - 1
    return total


@compiled
def suit_log_odds(estimate, hand, trump):
    """The odds of making a suit game, as a logarithm."""
    total = estimate.suit_base
    for suit in range(4):
        cards = hand & suit_set(suit)
        if suit == trump:
            total += rank_sum(cards, estimate.trump_card)
        else:
            total += rank_sum(cards, estimate.side_card) + estimate.side_shape[count(cards)]
    return total


@compiled
def sans_log_odds(estimate, hand):
    total = estimate.sans_base + rank_sum(hand, estimate.sans_card)
    for suit in range(4):
        total += estimate.sans_shape[count(hand & suit_set(suit))]
    return total


@compiled
def betl_log_odds(estimate, hand, out):
    """From the lowest card of each suit on, a card is safe if not too many lower ones are out."""
    total = estimate.betl_base
    for suit in range(4):
        mine, theirs, depth = hand & suit_set(suit), out & suit_set(suit), 0
        while mine:
            lowest = last(mine)
            lower = count(theirs & ~((bit(lowest) << 1) - 1))
            total -= BETL_RISK[min(depth, 3), max(0, lower - depth)]
            mine ^= bit(lowest)
            depth += 1
    return total


@compiled
def made_odds(estimate, hand, out, game, talon):
    """The odds of making a game with a hand, these cards being out; with `talon` two can be exchanged."""
    if game == PREFERANS:
        return 1.0 if is_preferans(hand, out) else 0.0
    if game == BETL:
        total, (base, scale) = betl_log_odds(estimate, hand, out), estimate.betl_talon
    elif game == SANS:
        total, (base, scale) = sans_log_odds(estimate, hand), estimate.sans_talon
    else:
        trump = TRUMP_SUIT[game - SPADES]
        total, (base, scale) = suit_log_odds(estimate, hand, trump), estimate.suit_talon
    if talon:
        total = base + scale * total
    return 1.0 / (1.0 + math.exp(-total))


@compiled
def is_preferans(hand, out):
    """True if each card of the hand is higher than all that are out of its suit."""
    for suit in range(4):
        mine, theirs = hand & suit_set(suit), out & suit_set(suit)
        if mine and theirs and last(mine) > first(theirs):
            return False
    return True


@compiled
def game_value(estimate, hand, out, game, talon, igra):
    """The value of declaring a game, in points of standing."""
    odds = made_odds(estimate, hand, out, game, talon)
    failure = estimate.betl_failure if game in (BETL, PREFERANS) else estimate.failure
    return (2.0 * game + (2.0 if igra else 0.0)) * (estimate.success * odds - failure * (1.0 - odds))


@compiled
def best_value(estimate, hand, out, low, high, talon, igra):
    """The value of the best game from `low` to `high`."""
    value = -np.inf
    for game in range(low, high + 1):
        value = max(value, game_value(estimate, hand, out, game, talon, igra))
    return value


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
def defensive_tricks(view, seat):
    """The tricks that a defender can expect from its own hand."""
    hand, trumps = hand_of(view, seat), trump_set(view)
    length = count(hand & trumps)
    tricks = 0.0
    for suit in range(4):
        cards = hand & suit_set(suit)
        size = count(cards)
        ace, king, queen = (
            (cards >> (suit * RANKS_PER_SUIT)) & 1,
            (cards >> (suit * RANKS_PER_SUIT + 1)) & 1,
            (cards >> (suit * RANKS_PER_SUIT + 2)) & 1,
        )
        if suit_set(suit) == trumps:
            tricks += ace + king * (0.75 if size > 1 else 0.2) + queen * (0.6 if size > 2 else 0.15)
            tricks += 0.6 * max(0, size - 3)
        elif trumps:
            tricks += ace * (0.9 if size < 5 else 0.75) + king * (
                (0.6 if size < 5 else 0.45) if size > 1 else 0.15
            )
            tricks += queen * (0.25 if size > 2 and size < 6 else 0.0)
            if size < 2 and length > size:
                tricks += 0.35 * min(length, 2 - size)
        else:
            tricks += ace + king * (0.75 if size > 1 else 0.2) + queen * (0.5 if size > 2 else 0.1)
            tricks += 0.4 * max(0, size - 4)
    return tricks


@compiled
def comes(rules, view, seat, enough_with):
    """True if a defender comes; `enough_with` are own tricks enough after one who came."""
    tricks = defensive_tricks(view, seat)
    if seat == next_active(rules, view, view.declarer):
        return tricks >= COMES
    return tricks >= (enough_with if view.came else COMES_SECOND)


@compiled
def doubles(view, seat, enough_with):
    """True if a seat doubles; `enough_with` are own tricks enough with the other defender in."""
    if view.game == BETL or view.game == PREFERANS:
        return False
    if seat == view.declarer:
        return (
            made_odds(OLDER_ESTIMATE, hand_of(view, seat), unseen(view, seat), view.game, False) >= REDOUBLES
        )
    if view.doublings:
        return False
    return defensive_tricks(view, seat) >= (enough_with if count(view.came) == 2 else DOUBLES)


@compiled
def choose_reply(view, seat):
    """The declarer agrees to one trick, to two if the game is not safe, to more only if it is in danger."""
    odds = made_odds(OLDER_ESTIMATE, hand_of(view, seat), unseen(view, seat), view.game, False)
    least = np.array([0.0, 0.0, 0.9, 0.75, 0.6, 0.0])
    return AGREE if view.offered < 2 or odds < least[view.offered] else REFUSE

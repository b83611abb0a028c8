"""The play of the cards in Preferans: who leads, what may be played, and when a hand is over. Source: notes 5."""

from numba import njit

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.course import NONE, allow_cards
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.preferans.rules import DECLARER_LEFT
from stichwerk.envs.games.preferans.scoring import DEFENCE_GOAL, score_hand
from stichwerk.envs.games.preferans.state import (
    BETL,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    SANS,
    Phase,
    active_seat,
    defence_tricks,
    in_action_order,
    left_of,
    next_active,
    plays,
    suit_set,
    trump_set,
)


@njit(cache=True)
def begin_play(rules, state):
    state.phase = Phase.PLAY
    state.leader = first_leader(rules, state)
    state.seat = state.leader


@njit(cache=True)
def first_leader(rules, state):
    """Forehand, or the next who plays; the declarer's left in sans and preferans, where the declarer never leads."""
    leader = active_seat(rules, state, 0)
    notrump = state.game == SANS or state.game == PREFERANS
    if notrump and rules.sans_lead == DECLARER_LEFT:
        leader = left_of(rules, state, state.declarer)
    while not plays(rules, state, leader) or (notrump and leader == state.declarer):
        leader = next_active(rules, state, leader)
    return leader


@njit(cache=True)
def legal_play(state, mask):
    """Any card on lead; else follow suit, else trump. Nobody has to beat a card."""
    hand = state.hand[state.seat]
    if state.led != NONE:
        hand = strict_set(hand, suit_set(state.led // RANKS_PER_SUIT), trump_set(state), 0)
    allow_cards(in_action_order(hand), mask, PLAY)


@njit(cache=True)
def apply_play(rules, state, card):
    seat, trumps = state.seat, trump_set(state)
    if state.led == NONE:
        state.led, state.best, state.winning = card, card, seat
    else:
        state.missing[seat] |= missing_set(card, suit_set(state.led // RANKS_PER_SUIT), trumps, 0)
        if bit(card) & beaters(state.best, suit_set(state.best // RANKS_PER_SUIT), trumps):
            state.best, state.winning = card, seat
    state.hand[seat] &= ~bit(card)
    state.played[seat] |= bit(card)
    state.table |= bit(card)

    following = next_active(rules, state, seat)
    while not plays(rules, state, following):
        following = next_active(rules, state, following)
    state.seat = following
    if following == state.leader:
        end_trick(rules, state)


@njit(cache=True)
def end_trick(rules, state):
    winner = state.winning
    state.tricks[winner] += 1
    state.table = 0
    state.led, state.best, state.winning = NONE, NONE, NONE
    state.seat, state.leader = winner, winner
    if is_decided(rules, state):
        score_hand(rules, state)


@njit(cache=True)
def is_decided(rules, state):
    """Whether the hand is over: betl with a trick of the declarer, preferans with one of the defence, all others with five."""
    if state.hand[state.seat] == 0:
        return True
    if state.game == BETL:
        return state.tricks[state.declarer] > 0
    return defence_tricks(rules, state) >= (1 if state.game == PREFERANS else DEFENCE_GOAL)

"""The course of a deal as far as it is the same in every game: its beginning, its log of actions, its end, its secrets."""

from numba import njit

from stichwerk.envs.core.cards import first
from stichwerk.envs.core.random import below, shuffle, start_random

NONE = -1  # no card, seat or suit


@njit(cache=True)
def begin_deal(state, players, cards):
    """Begin deal number `deal_number` of the lane: random numbers, dealer, an empty log, and a shuffled deck unless it is set.

    cards: int[…], the cards of a deck in any order
    """
    start_random(state, state.seed, state.deal_number)
    dealer = below(state, players)  # drawn in any case: the cards must not depend on whether a dealer is set
    if state.dealer == NONE:
        state.dealer = dealer
    if state.deck_is_set:
        state.deck_is_set = 0
    else:
        for position in range(len(cards)):
            state.deck[position] = cards[position]
        shuffle(state, state.deck, len(cards))
    state.log_size = 0
    state.log_seat[:] = 0
    state.log_action[:] = 0


@njit(cache=True)
def log_action(state, action):
    """Write an action of the seat to act into the log of the deal."""
    state.log_seat[state.log_size] = state.seat
    state.log_action[state.log_size] = action
    state.log_size += 1


@njit(cache=True)
def allow_cards(cards, mask, start):
    """Allow the actions of a set of cards, numbered from `start` on."""
    while cards:
        mask[start + first(cards)] = 1
        cards &= cards - 1


@njit(cache=True)
def end_deal(state):
    """Count a deal whose `deal_points` are written; they are the reward of an episode of one deal, which is then over."""
    state.deals_done += 1
    if not state.match:
        state.over = 1
        state.reward[:] = state.deal_points


@njit(cache=True)
def hide_chance(state):
    """Blank the random numbers and the deck, which no seat may know."""
    hide_seed(state)
    state.deck[:] = NONE


@njit(cache=True)
def hide_seed(state):
    """Blank the random numbers alone, where a seat may know a part of the deck."""
    state.seed = 0
    state.random = 0
    state.deck_is_set = 0


@njit(cache=True)
def renew_chance(view):
    """Give a resampled world a random future of its own."""
    view.seed = below(view, 1 << 31) << 31 | below(view, 1 << 31)

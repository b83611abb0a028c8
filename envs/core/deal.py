"""The beginning and the end of a deal, as far as they are the same in every game."""

from stichwerk.envs.core.cards import NONE, bit
from stichwerk.envs.core.random import below, shuffle, start_random
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers


@compiled
def begin_deal(rules, state):
    """Begin deal number `deal_number` of the lane: random numbers, the dealer, and a shuffled deck unless it
    is set."""
    start_random(state, state.seed, state.deal_number)
    # Drawn in any case: the cards must not depend on whether a dealer is set.
    dealer = below(state, rules.players)
    if state.dealer == NONE:
        state.dealer = dealer
    if state.deck_is_set:
        state.deck_is_set = 0
        return
    for position in range(rules.deck_size):
        state.deck[position] = rules.deck[position]
    shuffle(state, state.deck, rules.deck_size)


@compiled
def deal_card(state, seat, position):
    """Give a seat the card at a position of the deck, in a game whose owners know their cards in the deck;
    returns the card."""
    card = state.deck[position]
    state.hand[seat] |= bit(card)
    state.deck_owner[position] = seat
    state.deck_time[position] = state.log_size
    return card


@compiled
def turn_up(state, position):
    """Show all seats the card at a position of the deck, in such a game; returns the card."""
    state.deck_open |= bit(position)
    return state.deck[position]


@compiled
def hide_deck(state, seat):
    """Blank, in place, the cards of the deck that a seat has not got and that do not lie face up."""
    for position in range(len(state.deck)):
        if state.deck_owner[position] != seat and not state.deck_open >> position & 1:
            state.deck[position] = NONE


@compiled
def end_deal(state):
    """Count a deal whose `deal_points` are written; they are the reward of an episode of one deal, which is
    then over."""
    state.deals_done += 1
    if not state.match:
        state.over = 1
        copy_numbers(state.reward, state.deal_points)


@compiled
def renew_chance(view):
    """Give a resampled world a random future of its own, after the number of deals that the seat has seen."""
    view.deal_number = view.deals_done
    view.seed = below(view, 1 << 31) << 31 | below(view, 1 << 31)

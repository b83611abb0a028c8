"""Hands: their cards, how these came there from the deck, and what all seats know of them."""

import numpy as np

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.seats import turns_after
from stichwerk.envs.games.gaigel.cards.double import KINDS, add, copies, of_kinds, remove, size
from stichwerk.envs.games.gaigel.options import FIRST_PACKET, IN_HAND
from stichwerk.envs.games.gaigel.state import MAX_DRAWS, SEATS, SEVENS, forehand
from stichwerk.envs.jit.compiled import compiled

SECOND_PACKET = IN_HAND - FIRST_PACKET
ALL_SEVENS = 5  # this number at the same time wins


# The deck. Whose a card is follows from the dealer and from who drew first in each round.


@compiled
def cards_dealt(rules):
    """The number of cards dealt, with the indicator; then comes the talon."""
    return rules.players * IN_HAND + 1


@compiled
def places_in_deck(rules, state, seat):
    """The positions, as a set, of the cards that a seat has got so far: first those dealt in two packets,
    then those drawn."""
    turn = turns_after(rules, forehand(rules, state), seat)
    second = rules.players * FIRST_PACKET + turn * SECOND_PACKET
    second += second >= rules.indicator_at
    places = (bit(FIRST_PACKET) - 1) << turn * FIRST_PACKET | (bit(SECOND_PACKET) - 1) << second
    start, drawn = cards_dealt(rules), 0
    while start < state.top:
        places |= bit(start + turns_after(rules, state.drew_first[drawn], seat))
        start, drawn = start + rules.players, drawn + 1
    return places & (bit(state.top) - 1)  # somebody draws the indicator; the fifth seven stops a round


@compiled
def draw_card(state, seat):
    """Give the top card to a seat."""
    take_in_hand(state, seat, state.deck[state.top])
    state.top += 1


# Hands


@compiled
def take_in_hand(state, seat, card):
    state.hand[seat] = add(state.hand[seat], card)
    state.held[seat] += 1


@compiled
def take_openly(state, seat, card):
    take_in_hand(state, seat, card)
    state.shown[seat] = add(state.shown[seat], card)


@compiled
def lay_face_down(state, seat, card):
    state.hand[seat] = remove(state.hand[seat], card)
    state.held[seat] -= 1


@compiled
def leave_hand(state, seat, card):
    """A card leaves a hand for all to see: a declared copy first, then one that is known to be there."""
    state.hand[seat] = remove(state.hand[seat], card)
    state.held[seat] -= 1
    if copies(state.shown[seat], card):
        state.shown[seat] = remove(state.shown[seat], card)
    else:
        prove(state, seat, card)
    if copies(state.declared[seat], card):
        state.declared[seat] = remove(state.declared[seat], card)


@compiled
def show_copies(state, seat, card, number):
    """Let all know that a hand holds this number of copies of a card."""
    while copies(state.shown[seat], card) < number:
        prove(state, seat, card)
        state.shown[seat] = add(state.shown[seat], card)


@compiled
def show_hand(state, seat):
    for card in range(KINDS):
        show_copies(state, seat, card, copies(state.hand[seat], card))


@compiled
def holds_five_sevens(state, seat):
    return size(of_kinds(state.hand[seat], SEVENS)) >= ALL_SEVENS


# Proofs: all have seen a card of a hand which they did not know to be there. It came from the deck by then.


@compiled
def prove(state, seat, card):
    state.proof[state.proofs] = card * SEATS + seat
    state.proofs += 1
    state.seen = add(state.seen, card)


@compiled
def proven_card(state, number):
    return np.int64(state.proof[number]) // SEATS


@compiled
def proven_seat(state, number):
    return np.int64(state.proof[number]) % SEATS


@compiled
def proven_before(rules, state, number):
    """The value of `top` when the card was seen: it was dealt or drawn before."""
    rounds = 0
    while rounds < MAX_DRAWS and state.proofs_before[rounds] <= number:
        rounds += 1
    return min(cards_dealt(rules) + rounds * rules.players, state.top)

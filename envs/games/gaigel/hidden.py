"""Hidden information: what a seat cannot tell, and the worlds it holds possible.

The state keeps what everybody can prove as public knowledge. `shown` and `missing` tell of the hands as they
are. The proofs say by when a card had come from the deck into a hand. A face-down card of the first trick is
known to its owner alone.

Source: docs/rules/gaigel.md#who-knows-what
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit
from stichwerk.envs.core.log import logged_action, logged_seat, write_log
from stichwerk.envs.core.random import random_card, shuffle
from stichwerk.envs.core.seats import turns_after, wrapped
from stichwerk.envs.core.worlds import deal_unseen
from stichwerk.envs.games.family import suit_set
from stichwerk.envs.games.gaigel.cards.double import (
    EMPTY,
    KINDS,
    WHOLE_PACK,
    add,
    copies,
    join,
    kinds,
    less,
    size,
)
from stichwerk.envs.games.gaigel.cards.hands import places_in_deck, proven_before, proven_card, proven_seat
from stichwerk.envs.games.gaigel.cards.trick import (
    first_answers,
    lies_face_down,
    opening_cards,
    plays_face_down,
)
from stichwerk.envs.games.gaigel.flow import apply, deal, legal
from stichwerk.envs.games.gaigel.options import SIGNALS_TO_PARTNERS
from stichwerk.envs.games.gaigel.state import ACTIONS, CARDS, PLAY, SIGNAL, STATE, side_of
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers

FRESH = STATE.fresh
TRIES = 100_000  # only positions made by hand need so many


@compiled
def redact(rules, state, seat):
    """Blank, in place, what others know: their part of the deck, the chain, face-down cards, signals."""
    hide_deck(rules, state, seat)
    if state.asker != seat:
        state.asker = NONE
        state.answers = 0
    if plays_face_down(rules, state):
        hide_face_down(rules, state, seat)
    if rules.signals == SIGNALS_TO_PARTNERS:
        hide_signals(rules, state, seat)


@compiled
def hide_deck(rules, state, seat):
    """Of the deck a seat keeps the cards that it was dealt and drew."""
    own = places_in_deck(rules, state, seat)
    for position in range(CARDS):
        state.deck[position] = state.deck[position] if own >> position & 1 else NONE


@compiled
def hide_face_down(rules, state, seat):
    for other in range(rules.players):
        if other != seat:
            state.table[other] = NONE
    for entry in range(1, state.log_size):
        if logged_seat(state, entry) != seat:
            write_log(state, entry, logged_seat(state, entry), NONE)


@compiled
def hide_signals(rules, state, seat):
    """Leave out, without a gap, that and what opponents have signalled."""
    for other in range(rules.players):
        if side_of(rules, other) != side_of(rules, seat):
            state.signal[other] = NONE
            state.signalled &= ~bit(other)
    kept = 0
    for entry in range(state.log_size):
        if not leaves_out(rules, seat, logged_seat(state, entry), logged_action(state, entry)):
            state.log[kept] = state.log[entry]
            kept += 1
    state.log[kept:] = 0
    state.log_size = kept


@compiled
def leaves_out(rules, seat, actor, action):
    """True if a seat does not even see that this was done."""
    hidden = rules.signals == SIGNALS_TO_PARTNERS and action >= SIGNAL
    return hidden and side_of(rules, actor) != side_of(rules, seat)


@compiled
def unseen(rules, view, seat):
    """The cards, a double set, whose place this seat does not know."""
    known = join(view.seen, less(view.hand[seat], view.shown[seat]))
    if plays_face_down(rules, view):
        for owner in range(rules.players):
            if view.table[owner] != NONE:
                known = add(known, view.table[owner])
    return less(WHOLE_PACK, known)


# Possible worlds


@compiled
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely, copies of a card taken apart; a face-down card is any that its
    owner may play. How others chose their cards is not weighed. The caller sets `view.random` to a seed of
    its own first.

    The cards are dealt to where they may be; then the deal is played as logged. That finds the few worlds
    that cannot be. In these forehand had no card for the opening (at least one deal in nine has one), or five
    sevens would have ended the deal. Or this seat would have found otherwise whether its partner can return
    the card taken for a 7.
    """
    again = FRESH.copy()
    owners = owners_in_deck(rules, view)
    for _ in range(TRIES):
        deal_world(rules, view, seat, owners)
        again[0] = FRESH[0]
        if leads_here(rules, view, seat, again[0]):
            break
    else:
        raise ValueError("a position that no deal leads to has no worlds")
    view.asker = again[0].asker
    view.answers = again[0].answers


@compiled
def owners_in_deck(rules, view):
    """For each position of the deck the seat that got this card, or NONE."""
    owners = np.full(CARDS, NONE)
    for owner in range(rules.players):
        places = places_in_deck(rules, view, owner)
        for position in range(CARDS):
            if places >> position & 1:
                owners[position] = owner
    return owners


@compiled
def deal_world(rules, view, seat, owners):
    """Deal all unseen cards to hands, table and talon, and write the deck that was dealt."""
    view.deck[owners != seat] = NONE
    room, missing = np.zeros(rules.players - 1, np.int64), np.zeros(rules.players - 1, np.int64)
    for i in range(rules.players - 1):
        other = wrapped(rules, seat + 1 + i)
        room[i] = view.held[other] - size(view.shown[other])
        missing[i] = view.missing[other]
        if lies_face_down(rules, view, other):
            view.table[other] = NONE
            room[i] += 1
    cards = spread_out(unseen(rules, view, seat))
    places = deal_unseen(view, cards, room, missing)

    put_proven(rules, view, seat, owners)
    for i in range(rules.players - 1):
        other = wrapped(rules, seat + 1 + i)
        hidden = EMPTY
        for k in range(len(cards)):
            if places[k] == i:
                hidden = add(hidden, cards[k])
                put_in_deck(view, owners, other, cards[k], view.top)
        view.hand[other] = join(view.shown[other], hidden)
        if lies_face_down(rules, view, other):
            choose_face_down(rules, view, other)
    put_talon(view, cards[places == rules.players - 1])
    view.deck[rules.indicator_at] = view.turned_up


@compiled
def spread_out(cards):
    """A double set as an array of cards, one of which both copies are in it twice."""
    numbers = np.empty(size(cards), np.int64)
    i = 0
    for card in range(KINDS):
        for _ in range(copies(cards, card)):
            numbers[i] = card
            i += 1
    return numbers


@compiled
def put_proven(rules, view, seat, owners):
    """Find places in the deck for the cards that the others have shown.

    Each was there before a certain moment. Placing the cards in the order of those moments, each in a random
    free place, makes all pasts that agree equally likely.
    """
    for k in range(view.proofs):
        owner = proven_seat(view, k)
        if owner != seat:
            put_in_deck(view, owners, owner, proven_card(view, k), proven_before(rules, view, k))


@compiled
def put_in_deck(view, owners, owner, card, end):
    """Write a card to a random free place before `end` of those that went to this owner."""
    free = np.int64(0)
    for position in range(end):
        if owners[position] == owner and view.deck[position] == NONE:
            free |= bit(position)
    view.deck[random_card(view, free)] = card


@compiled
def choose_face_down(rules, view, owner):
    """Move a random card from the hand face down to the table.

    It is one that its owner may play in the first trick, or any if the owner could not open with one.
    """
    hand, trumps = kinds(view.hand[owner]), suit_set(view.trump)
    leads = owner == view.leader
    choice = opening_cards(view.opening, hand, trumps) if leads else first_answers(hand, trumps)
    card = random_card(view, choice if choice else hand)
    view.hand[owner] = less(view.hand[owner], bit(card))
    view.table[owner] = card
    write_log(view, 1 + turns_after(rules, view.leader, owner), owner, PLAY + card)


@compiled
def put_talon(view, cards):
    shuffle(view, cards, len(cards))
    for i in range(len(cards)):
        view.deck[view.top + i] = cards[i]


@compiled
def leads_here(rules, view, seat, again):
    """True if the deal of a world can be played as logged and leaves this seat knowing what it knows.

    Args:
        again: a fresh state to play it in
    """
    copy_numbers(again.deck, view.deck)
    again.dealer = view.dealer
    deal(rules, again)
    mask = np.zeros(len(ACTIONS), np.int8)
    for entry in range(view.log_size):
        action = logged_action(view, entry)
        mask[:] = 0
        legal(rules, again, mask)
        if again.seat != logged_seat(view, entry) or not mask[action]:
            return False
        apply(rules, again, action)
    if again.phase != view.phase or (again.asker == seat) != (view.asker == seat):
        return False
    return again.asker != seat or again.answers == view.answers

"""Hidden information: what a seat cannot tell, and the worlds it holds possible.

The state keeps everything a careful player can prove as public knowledge. `shown` has cards seen in a hand
through a marriage, an exchange or the last draw. `missing` has cards that strict following has ruled out.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, first
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.core.worlds import random_free_place
from stichwerk.envs.games.family import RANKS_PER_SUIT, pair, suit_set
from stichwerk.envs.games.schnapsen.options import DEALER, INDICATOR, STOCK
from stichwerk.envs.games.schnapsen.state import CARDS, MELD, drawable, exchange_card
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers


@compiled
def unseen(rules, view, seat):
    """The cards whose place this seat does not know: somewhere in the face-down stock or the other hand."""
    other = 1 - seat
    known = view.hand[seat] | view.shown[other] | view.taken[0] | view.taken[1]
    if view.led != NONE:
        known |= bit(view.led)
    if view.indicator != NONE:
        known |= bit(view.indicator)
    return rules.all_cards & ~known


@compiled
def cards_held(view, seat, owner):
    """The number of cards in `owner`'s hand, as `seat` can tell: equal for both except within a trick."""
    held = count(view.hand[seat])
    if owner != seat and view.led != NONE:
        held += 1 if view.leader == seat else -1
    return held


# Possible worlds


@compiled
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely; how the opponent chose cards is not weighed. The caller sets
    `view.random` to a seed of its own first.
    """
    other = 1 - seat
    while True:
        hand = view.shown[other]
        candidates = unseen(rules, view, seat) & ~view.missing[other]
        for _ in range(cards_held(view, seat, other) - count(hand)):
            card = random_card(view, candidates)
            candidates ^= bit(card)
            hand |= bit(card)
        view.hand[other] = hand
        slots, winners = resample_past(rules, view, seat)
        if not holds(slots[: view.lacking[other]], exchange_card(rules, view)):
            break

    stock = unseen(rules, view, seat) & ~hand
    for position in range(view.top, rules.deck_size):
        view.deck[position] = random_card(view, stock)
        stock ^= bit(view.deck[position])
    copy_numbers(view.drawn[other, : view.draws], slots[rules.hand_size :])
    view.dealt[other] = 0
    for card in slots[: rules.hand_size]:
        view.dealt[other] |= bit(card)
    lay_out_deck(rules, view, winners)


@compiled
def resample_past(rules, view, seat):
    """Spread the cards the other seat has held over its dealt hand and its draws; returns these slots, and
    who won the tricks.

    A card was there before it was played, shown, exchanged, or proven to be there to exchange. Placing the
    cards in the order of those moments, each in a random free slot, makes all pasts that agree equally
    likely.
    """
    other = 1 - seat
    slots = np.full(rules.hand_size + view.draws, NONE)  # the dealt cards, then one slot a draw
    winners = np.zeros(view.draws, np.int64)
    elsewhere = np.int64(0)  # cards that reached the other hand, but not through an open slot
    if view.exchanged_by == other:
        elsewhere |= bit(view.turned_up)
    if view.draws and not drawable(rules, view) and view.closed_by == NONE:
        last_card = exchange_card(rules, view) if view.exchanged_by != NONE else view.turned_up
        if view.drawn[seat, view.draws - 1] != last_card:
            slots[len(slots) - 1] = last_card
            elsewhere |= bit(last_card)

    lowest, latest = exchange_card(rules, view), view.holding[other]
    if view.exchanged_by == other:
        latest = min(latest, rules.hand_size + view.exchanged_after)
    tricks, led = 0, NONE
    for i in range(view.log_size):
        actor, action = logged_seat(view, i), logged_action(view, i)
        open_slots = rules.hand_size + min(tricks, view.draws)
        if open_slots >= latest:
            put_in_slot(view, slots[:latest], lowest)
            elsewhere |= bit(lowest)
            latest = CARDS
        if actor == other and MELD <= action < MELD + 4:
            elsewhere |= put_all(view, slots[:open_slots], pair(action - MELD) & ~elsewhere)
        elif action < CARDS:
            if actor == other:
                elsewhere |= put_all(view, slots[:open_slots], bit(action) & ~elsewhere)
            if led == NONE:
                led = action
                continue
            beats = bit(action) & beaters(led, suit_set(led // RANKS_PER_SUIT), suit_set(view.trump))
            if tricks < view.draws:
                winners[tricks] = actor if beats else 1 - actor
            tricks, led = tricks + 1, NONE
    put_all(view, slots, view.hand[other] & ~elsewhere)
    return slots, winners


@compiled
def holds(slots, card):
    """True if a card is in one of these slots."""
    found = False
    for each in slots:
        found |= each == card
    return found


@compiled
def put_all(view, slots, cards):
    """Put each of these cards into a random free slot; returns the cards."""
    left = cards
    while left:
        put_in_slot(view, slots, first(left))
        left &= left - 1
    return cards


@compiled
def put_in_slot(view, slots, card):
    slots[random_free_place(view, slots)] = card


@compiled
def lay_out_deck(rules, view, winners):
    """Write the deck that was dealt: both first hands, the card turned up, and the cards drawn so far."""
    hands = view.dealt.copy()
    for position in range(rules.deck_size):
        place = rules.layout[position]
        if place == INDICATOR:
            view.deck[position] = view.turned_up
        elif place != STOCK:
            owner = view.dealer if place == DEALER else 1 - view.dealer
            view.deck[position] = first(hands[owner])
            hands[owner] &= hands[owner] - 1
    for i in range(view.draws):
        position = 2 * rules.hand_size + 1 + 2 * i
        view.deck[position] = view.drawn[winners[i], i]
        if position + 1 < rules.deck_size:
            view.deck[position + 1] = view.drawn[1 - winners[i], i]

"""Who knows what: what a seat may not see, the worlds it holds possible, and the observations.

Everything a careful player can prove is public knowledge kept in the state: `shown` (cards seen in a hand through a marriage,
an exchange or the last draw) and `missing` (cards that strict following has ruled out).
"""

from dataclasses import replace

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import bit, count, first
from stichwerk.envs.core.course import NONE, hide_chance, renew_chance
from stichwerk.envs.core.encoding import Encoding, Feature, offsets, put_set
from stichwerk.envs.core.random import below, random_card
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import RANKS_PER_SUIT, pair, suit_set
from stichwerk.envs.games.schnapsen.play import (
    ACTIONS,
    CARDS,
    EXCHANGE,
    MAX_DRAWS,
    MAX_LOG,
    MELD,
    Phase,
    drawable,
    exchange_card,
    face_down,
)
from stichwerk.envs.games.schnapsen.rules import TABLE


@njit(cache=True)
def redact(rules, state, seat):
    """Blank, in place, all that this seat may not know."""
    hide_chance(state)
    state.hand[1 - seat] = 0
    state.dealt[1 - seat] = 0
    state.drawn[1 - seat, :] = NONE


@njit(cache=True)
def unseen(rules, view, seat):
    """The cards whose place this seat does not know: somewhere in the face-down stock or the other hand."""
    other = 1 - seat
    known = view.hand[seat] | view.shown[other] | view.taken[0] | view.taken[1]
    if view.led != NONE:
        known |= bit(view.led)
    if view.indicator != NONE:
        known |= bit(view.indicator)
    return rules.pack & ~known


@njit(cache=True)
def cards_held(view, seat, owner):
    """How many cards `owner` holds, as `seat` can tell: both hold the same number except within a trick."""
    held = count(view.hand[seat])
    if owner != seat and view.led != NONE:
        held += 1 if view.leader == seat else -1
    return held


# Possible worlds


@njit(cache=True)
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely; how the opponent chose his cards is not weighed. The caller sets `view.random`
    to a seed of his own first.
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
        if not (slots[: view.lacking[other]] == exchange_card(rules, view)).any():
            break

    stock = unseen(rules, view, seat) & ~hand
    for position in range(view.top, rules.pack_size):
        view.deck[position] = random_card(view, stock)
        stock ^= bit(view.deck[position])
    view.drawn[other, : view.draws] = slots[rules.hand_size :]
    view.dealt[other] = 0
    for card in slots[: rules.hand_size]:
        view.dealt[other] |= bit(card)
    lay_out_deck(rules, view, winners)
    renew_chance(view)


@njit(cache=True)
def resample_past(rules, view, seat):
    """Spread the cards the other seat has held over its dealt hand and its draws; returns these slots, and who won the tricks.

    A card was there before it was played, shown or exchanged. Placing the cards in the order of those moments, each in a
    random free slot, makes all pasts that agree equally likely.
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

    tricks, led = 0, NONE
    for i in range(view.log_size):
        actor, action = np.int64(view.log_seat[i]), np.int64(view.log_action[i])
        open_slots = rules.hand_size + min(tricks, view.draws)
        if actor == other and action == EXCHANGE:
            elsewhere &= ~bit(exchange_card(rules, view))
            put_in_slot(view, slots[: rules.hand_size + view.exchanged_after], exchange_card(rules, view))
            elsewhere |= bit(exchange_card(rules, view))
        elif actor == other and MELD <= action < MELD + 4:
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


@njit(cache=True)
def put_all(view, slots, cards):
    """Put each of these cards into a random free slot; returns the cards."""
    left = cards
    while left:
        put_in_slot(view, slots, first(left))
        left &= left - 1
    return cards


@njit(cache=True)
def put_in_slot(view, slots, card):
    free = 0
    for slot in range(len(slots)):
        free += slots[slot] == NONE
    skip = below(view, free)
    for slot in range(len(slots)):
        if slots[slot] == NONE:
            if skip == 0:
                slots[slot] = card
                return
            skip -= 1


@njit(cache=True)
def lay_out_deck(rules, view, winners):
    """Write the deck that was dealt: both first hands, the card turned up, and the cards drawn so far."""
    hands = view.dealt.copy()
    for position in range(rules.pack_size):
        place = rules.layout[position]
        if place == 2:
            view.deck[position] = view.turned_up
        elif place < 2:
            owner = view.dealer if place == 1 else 1 - view.dealer
            view.deck[position] = first(hands[owner])
            hands[owner] &= hands[owner] - 1
    for i in range(view.draws):
        position = 2 * rules.hand_size + 1 + 2 * i
        view.deck[position] = view.drawn[winners[i], i]
        if position + 1 < rules.pack_size:
            view.deck[position + 1] = view.drawn[1 - winners[i], i]


# Observations

SUMMARY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("shown", CARDS, "cards that the opponent is publicly known to hold", "card"),
    Feature("possible", CARDS, "cards not seen yet that the opponent may hold; blank with `memory=table`", "card"),
    Feature("taken", CARDS, "cards in the own tricks; blank with `memory=table`", "card"),
    Feature("lost", CARDS, "cards in the opponent's tricks; blank with `memory=table`", "card"),
    Feature("led", CARDS, "the card on the table", "card"),
    Feature("indicator", CARDS, "the card turned up or exchanged, also after closing, until it is drawn", "card"),
    Feature("trump", 4, "trump suit", "suit"),
    Feature("melded", 4, "suit of the marriage shown with the present lead", "suit"),
    Feature("own_marriages", 4, "suits of the own marriages so far", "suit"),
    Feature("other_marriages", 4, "suits of the opponent's marriages so far", "suit"),
    Feature("phase", len(Phase), "decision node: lead, melded, answer, after, done"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("on_lead", 1, "this seat leads, or led, the present trick"),
    Feature("dealer", 1, "this seat dealt"),
    Feature("drawable", 1, "cards are drawn after the tricks"),
    Feature("face_down", 1, "face-down cards of the stock / 12"),
    Feature("closed", 2, "this seat, the opponent closed the stock"),
    Feature("exchanged", 2, "this seat, the opponent exchanged the lowest trump"),
    Feature("tricks", 2, "tricks of this seat, the opponent / 12"),
    Feature("no_tricks", 2, "this seat, the opponent has no trick"),
    Feature("points", 2, "credited points of this seat, the opponent / goal; blank with `memory=table`"),
    Feature("near_goal", 12, "own, then the opponent's credited points reach goal - 50, - 40, … goal; blank with `memory=table`"),
    Feature("schneider", 2, "this seat, the opponent has points for schneider only; blank with `memory=table`"),
    Feature("pending", 2, "points that wait for a trick of this seat, the opponent / goal"),
    Feature("at_close", 2, "the non-closer's counts at closing: schneider only, no trick; blank with `memory=table`"),
    Feature("score", 2, "game points won in the match by this seat, the opponent / target"),
)  # fmt: skip
SUMMARY_AT = offsets(SUMMARY_FEATURES)


@njit(cache=True)
def observe_summary(rules, view, seat, out):
    """What a careful player has on the table and in the head; `memory=table` leaves out what taken cards would tell."""
    other = 1 - seat
    at = SUMMARY_AT
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.shown, view.shown[other], CARDS)
    if view.led != NONE:
        out[at.led + view.led] = 1
    if view.indicator != NONE:
        out[at.indicator + view.indicator] = 1

    out[at.trump + view.trump] = 1
    if view.melded != NONE:
        out[at.melded + view.melded] = 1
    put_set(out, at.own_marriages, view.marriages[seat], 4)
    put_set(out, at.other_marriages, view.marriages[other], 4)
    out[at.phase + view.phase] = 1
    out[at.to_act] = view.seat == seat and not view.over
    out[at.on_lead] = view.leader == seat
    out[at.dealer] = view.dealer == seat
    out[at.drawable] = drawable(rules, view)
    out[at.face_down] = face_down(rules, view) / 12
    out[at.closed] = view.closed_by == seat
    out[at.closed + 1] = view.closed_by == other
    out[at.exchanged] = view.exchanged_by == seat
    out[at.exchanged + 1] = view.exchanged_by == other
    out[at.tricks] = view.tricks[seat] / 12
    out[at.tricks + 1] = view.tricks[other] / 12
    out[at.no_tricks] = view.tricks[seat] == 0
    out[at.no_tricks + 1] = view.tricks[other] == 0
    out[at.pending] = view.pending[seat] / rules.goal
    out[at.pending + 1] = view.pending[other] / rules.goal
    out[at.score] = view.score[seat] / rules.target
    out[at.score + 1] = view.score[other] / rules.target
    if rules.memory != TABLE:
        observe_memory(rules, view, seat, out)


@njit(cache=True)
def observe_memory(rules, view, seat, out):
    """The part of the summary that needs the taken cards to be remembered."""
    other = 1 - seat
    at = SUMMARY_AT
    put_set(out, at.possible, unseen(rules, view, seat) & ~view.missing[other], CARDS)
    put_set(out, at.taken, view.taken[seat], CARDS)
    put_set(out, at.lost, view.taken[other], CARDS)
    out[at.points] = view.points[seat] / rules.goal
    out[at.points + 1] = view.points[other] / rules.goal
    for step in range(6):
        out[at.near_goal + step] = view.points[seat] >= rules.goal - 50 + 10 * step
        out[at.near_goal + 6 + step] = view.points[other] >= rules.goal - 50 + 10 * step
    out[at.schneider] = view.points[seat] <= rules.schneider_max
    out[at.schneider + 1] = view.points[other] <= rules.schneider_max
    if view.closed_by != NONE:
        out[at.at_close] = view.closed_points[1 - view.closed_by] <= rules.schneider_max
        out[at.at_close + 1] = view.closed_tricks[1 - view.closed_by] == 0


HISTORY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("dealt", CARDS, "the own first hand", "card"),
    Feature("drawn", MAX_DRAWS * CARDS, "the cards this seat drew, one row of cards a draw", "card"),
    Feature("turned_up", CARDS, "the card turned up in the deal", "card"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("dealer", 1, "this seat dealt"),
    Feature("score", 2, "game points won in the match by this seat, the opponent / target"),
    Feature("own_actions", MAX_LOG, "whether this seat took the first, second, … action of the deal"),
    Feature("actions", MAX_LOG * len(ACTIONS), "the actions of the deal in order, one row of actions each", "action"),
)
HISTORY_AT = offsets(HISTORY_FEATURES)


@njit(cache=True)
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the full public sequence of actions, whatever `memory` says."""
    at = HISTORY_AT
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.dealt, view.dealt[seat], CARDS)
    for i in range(view.draws):
        out[at.drawn + i * CARDS + np.int64(view.drawn[seat, i])] = 1
    out[at.turned_up + view.turned_up] = 1
    out[at.to_act] = view.seat == seat and not view.over
    out[at.dealer] = view.dealer == seat
    out[at.score] = view.score[seat] / rules.target
    out[at.score + 1] = view.score[1 - seat] / rules.target
    for i in range(view.log_size):
        out[at.own_actions + i] = view.log_seat[i] == seat
        out[at.actions + i * len(ACTIONS) + np.int64(view.log_action[i])] = 1


PERFECT_FEATURES = (
    *(replace(feature, meaning=feature.meaning.replace("; blank with `memory=table`", "")) for feature in SUMMARY_FEATURES),
    Feature("other_hand", CARDS, "cards in the opponent's hand", "card"),
    Feature("stock", 2 * MAX_DRAWS * CARDS, "the face-down cards from the top, one row of cards each", "card"),
)
PERFECT_AT = offsets(PERFECT_FEATURES)


@njit(cache=True)
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side: its summary with full memory, the other hand and the stock. Not for players."""
    at = PERFECT_AT
    observe_summary(rules, state, seat, out)
    observe_memory(rules, state, seat, out)
    put_set(out, at.other_hand, state.hand[1 - seat], CARDS)
    for i in range(state.top, rules.pack_size):
        out[at.stock + (i - state.top) * CARDS + np.int64(state.deck[i])] = 1


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)
HISTORY = Encoding("history", HISTORY_FEATURES, observe_history)
PERFECT = Encoding("perfect", PERFECT_FEATURES, observe_all)

"""Who knows what in Snapszer: what a seat may not see, the worlds it holds possible, and the observations.

The partnership is as secret as the place of the named card: its holder knows it, the others do once it has been seen. A marriage
that a partner's trick has credited (or that no partner's trick has saved) would tell, so it waits, for those who cannot know.
"""

from dataclasses import replace

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import bit, count, first
from stichwerk.envs.core.course import NONE, hide_chance, renew_chance
from stichwerk.envs.core.encoding import Encoding, Feature, offsets, put_set
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.worlds import deal_unseen_set
from stichwerk.envs.games.family import RANKS_PER_SUIT
from stichwerk.envs.games.snapszer.play import (
    ACTIONS,
    CARDS,
    FIRST_PACKET,
    GOAL,
    IN_HAND,
    MAX_LOG,
    SEATS,
    Phase,
    forehand,
    knows_sides,
    opponent_of,
    provable_points,
    same_side,
    side_points,
)
from stichwerk.envs.games.snapszer.rules import AUTO, TEAM, THAT_TRICK

OTHERS = SEATS - 1


@njit(cache=True)
def redact(rules, state, seat):
    """Blank, in place, all that this seat may not know."""
    hide_chance(state)
    for other in range(SEATS):
        if other != seat:
            state.hand[other] = 0
            state.dealt[other] = 0
    if not knows_sides(state, seat):
        state.holder = NONE
        if rules.pending_marriage_owner == TEAM:
            for declarer in range(SEATS):
                state.points[declarer] -= state.by_partner[declarer]
                state.pending[declarer] += state.by_partner[declarer] + state.voided[declarer]
            state.by_partner[:] = 0
            state.voided[:] = 0


@njit(cache=True)
def unseen(view, seat):
    """The cards whose place this seat does not know."""
    known = view.hand[seat]
    for other in range(SEATS):
        known |= view.shown[other] | view.played[other]
    return ((1 << CARDS) - 1) & ~known


@njit(cache=True)
def cards_held(view, owner):
    """How many cards a seat holds, as everybody can tell."""
    dealt = FIRST_PACKET if view.phase == Phase.NAME else IN_HAND
    return dealt - count(view.played[owner])


# Possible worlds


@njit(cache=True)
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely: one in which forehand was dealt the named card needs it among his last three, and
    so counts for the splits of his hand that have it there. How others chose their cards is not weighed. The caller sets
    `view.random` to a seed of his own first.
    """
    room, missing = np.zeros(OTHERS, np.int64), np.zeros(OTHERS, np.int64)
    for i in range(OTHERS):
        other = (seat + 1 + i) % SEATS
        room[i] = cards_held(view, other) - count(view.shown[other])
        missing[i] = view.missing[other]
    points, pending = view.points.copy(), view.pending.copy()
    while True:
        dealt = deal_unseen_set(view, unseen(view, seat), room, missing)
        for i in range(OTHERS):
            other = (seat + 1 + i) % SEATS
            view.hand[other] = dealt[i] | view.shown[other]
            view.dealt[other] = random_subset(view, view.hand[other] | view.played[other], FIRST_PACKET)
        find_holder(rules, view)
        if could_come_this_far(rules, view):
            break
        view.points[:], view.pending[:] = points, pending
        view.by_partner[:], view.voided[:] = 0, 0
    lay_out_deck(view, dealt[OTHERS])
    renew_chance(view)


@njit(cache=True)
def could_come_this_far(rules, view):
    """Whether forehand could name his card, and the engine had no reason to claim: a side reaches the goal when it is to lead."""
    if view.named != NONE and view.dealt[forehand(view)] & bit(view.named) and not rules.allow_call_own:
        return False
    if rules.claims != AUTO or rules.claim_needs_reveal or view.phase == Phase.DONE:
        return True
    caller = forehand(view)
    return side_points(view, caller) < GOAL and side_points(view, opponent_of(view, caller)) < GOAL


@njit(cache=True)
def random_subset(view, cards, size):
    chosen = cards & 0
    for _ in range(size):
        card = random_card(view, cards & ~chosen)
        chosen |= bit(card)
    return chosen


@njit(cache=True)
def find_holder(rules, view):
    """The partnership of the sampled world, and what it means for a marriage that waits for a partner's trick."""
    if view.named == NONE:
        return
    for seat in range(SEATS):
        if (view.hand[seat] | view.played[seat]) & bit(view.named):
            view.holder = seat
    if rules.pending_marriage_owner != TEAM or view.first_winner == NONE:
        return
    for declarer in range(SEATS):
        value = view.pending[declarer]
        if value == 0:
            continue
        saved = same_side(view, view.first_winner, declarer)
        if rules.first_marriage_counts != THAT_TRICK:
            saved = False
            for seat in range(SEATS):
                saved = saved or (view.tricks[seat] > 0 and same_side(view, seat, declarer))
        if saved:
            view.by_partner[declarer] = value
            view.points[declarer] += value
        elif rules.first_marriage_counts == THAT_TRICK:
            view.voided[declarer] = value
        if saved or rules.first_marriage_counts == THAT_TRICK:
            view.pending[declarer] = 0


@njit(cache=True)
def lay_out_deck(view, undealt):
    """Write the deck that was dealt: each seat's first packet, then its second, or what has not been dealt yet."""
    for place in range(SEATS):
        seat = (forehand(view) + place) % SEATS
        put_packet(view, place, view.dealt[seat])
        if view.phase != Phase.NAME:
            put_packet(view, SEATS + place, (view.hand[seat] | view.played[seat]) & ~view.dealt[seat])
    if view.phase == Phase.NAME:
        for position in range(SEATS * FIRST_PACKET, CARDS):
            view.deck[position] = random_card(view, undealt)
            undealt ^= bit(view.deck[position])


@njit(cache=True)
def put_packet(view, number, cards):
    for i in range(FIRST_PACKET):
        view.deck[number * FIRST_PACKET + i] = first(cards)
        cards &= cards - 1


# Observations; "the others" are the next three seats in order of play, "all seats" begin with this one

SUMMARY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("named", CARDS, "the named card", "card"),
    Feature("possible", 3 * CARDS, "cards not seen yet that each of the others may hold", "card"),
    Feature("shown", 3 * CARDS, "cards that each of the others is publicly known to hold", "card"),
    Feature("played", 4 * CARDS, "cards that all seats have played", "card"),
    Feature("table", 4 * CARDS, "the cards of all seats on the table", "card"),
    Feature("trump", 4, "trump suit", "suit"),
    Feature("melded", 4, "suit of the marriage shown with the present lead", "suit"),
    Feature("marriages", 4 * 4, "suits of the marriages of all seats so far", "suit"),
    Feature("phase", len(Phase), "decision node: name, lead, melded, answer, after, done"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("forehand", 4, "which of all seats is forehand"),
    Feature("leader", 4, "which of all seats leads, or led, the present trick"),
    Feature("winning", 4, "whose card is winning the trick"),
    Feature("partners", 3, "which of the others are known to be on this side"),
    Feature("opponents", 3, "which of the others are known to be on the other side"),
    Feature("holds_named", 1, "this seat was dealt the named card"),
    Feature("public", 1, "the named card has been seen by all"),
    Feature("alone", 1, "this seat knows that forehand plays alone"),
    Feature("tricks", 4, "tricks of all seats / 6"),
    Feature("points", 4, "credited points of all seats / 66, as far as this seat can know"),
    Feature("pending", 4, "points of all seats that wait for a trick / 66, as far as this seat can know"),
    Feature("sure_points", 1, "points that this seat can be sure of having on its side / 66"),
    Feature("near_goal", 6, "they reach 16, 26, 36, 46, 56, 66"),
    Feature("score", 4, "game points won in the match by all seats / target"),
    Feature("carry", 1, "deals without winners that wait for the next"),
)
SUMMARY_AT = offsets(SUMMARY_FEATURES)


@njit(cache=True)
def observe_summary(rules, view, seat, out):
    """What a careful player has on the table and in the head."""
    at = SUMMARY_AT
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    if view.named != NONE:
        out[at.named + view.named] = 1
        out[at.trump + view.named // RANKS_PER_SUIT] = 1
    if view.melded != NONE:
        out[at.melded + view.melded] = 1
    out[at.phase + view.phase] = 1
    out[at.to_act] = view.seat == seat and not view.over
    out[at.public] = view.public
    out[at.holds_named] = view.holder == seat
    out[at.alone] = view.holder == forehand(view)
    sure = provable_points(view, seat)
    out[at.sure_points] = sure / GOAL
    for step in range(6):
        out[at.near_goal + step] = sure >= GOAL - 50 + 10 * step
    out[at.carry] = view.carry

    hidden = unseen(view, seat)
    for i in range(SEATS):
        other = (seat + i) % SEATS
        put_set(out, at.played + i * CARDS, view.played[other], CARDS)
        if view.table[other] != NONE:
            out[at.table + i * CARDS + view.table[other]] = 1
        put_set(out, at.marriages + i * 4, view.marriages[other], 4)
        out[at.forehand + i] = other == forehand(view)
        out[at.leader + i] = other == view.leader
        out[at.winning + i] = other == view.winning
        out[at.tricks + i] = view.tricks[other] / 6
        out[at.points + i] = view.points[other] / GOAL
        out[at.pending + i] = view.pending[other] / GOAL
        out[at.score + i] = view.score[other] / rules.target
        if i > 0:
            put_set(out, at.possible + (i - 1) * CARDS, hidden & ~view.missing[other], CARDS)
            put_set(out, at.shown + (i - 1) * CARDS, view.shown[other], CARDS)
            if view.holder != NONE:
                out[at.partners + i - 1] = same_side(view, seat, other)
                out[at.opponents + i - 1] = not same_side(view, seat, other)


HISTORY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("dealt", CARDS, "the own first three cards", "card"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("forehand", 4, "which of all seats is forehand"),
    Feature("score", 4, "game points won in the match by all seats / target"),
    Feature("carry", 1, "deals without winners that wait for the next"),
    Feature("actors", MAX_LOG * 4, "which of all seats took the first, second, … action of the deal"),
    Feature("actions", MAX_LOG * len(ACTIONS), "the actions of the deal in order, one row of actions each", "action"),
)
HISTORY_AT = offsets(HISTORY_FEATURES)


@njit(cache=True)
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the full public sequence of actions."""
    at = HISTORY_AT
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.dealt, view.dealt[seat], CARDS)
    out[at.to_act] = view.seat == seat and not view.over
    out[at.carry] = view.carry
    for i in range(SEATS):
        other = (seat + i) % SEATS
        out[at.forehand + i] = other == forehand(view)
        out[at.score + i] = view.score[other] / rules.target
    for i in range(view.log_size):
        out[at.actors + i * SEATS + (np.int64(view.log_seat[i]) - seat) % SEATS] = 1
        out[at.actions + i * len(ACTIONS) + np.int64(view.log_action[i])] = 1


PERFECT_FEATURES = (
    *(replace(feature, meaning=feature.meaning.replace(", as far as this seat can know", "")) for feature in SUMMARY_FEATURES),
    Feature("other_hands", 3 * CARDS, "cards in the hands of the others", "card"),
    Feature("coming", 4 * CARDS, "while forehand names a card, the cards that all seats will get", "card"),
)
PERFECT_AT = offsets(PERFECT_FEATURES)


@njit(cache=True)
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side. Not for players."""
    at = PERFECT_AT
    observe_summary(rules, state, seat, out)
    for i in range(1, SEATS):
        put_set(out, at.other_hands + (i - 1) * CARDS, state.hand[(seat + i) % SEATS], CARDS)
    if state.phase == Phase.NAME:
        for position in range(SEATS * FIRST_PACKET, CARDS):
            owner = (forehand(state) + (position - SEATS * FIRST_PACKET) // FIRST_PACKET) % SEATS
            out[at.coming + (owner - seat) % SEATS * CARDS + np.int64(state.deck[position])] = 1


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)
HISTORY = Encoding("history", HISTORY_FEATURES, observe_history)
PERFECT = Encoding("perfect", PERFECT_FEATURES, observe_all)

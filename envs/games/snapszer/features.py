"""Observations: what a seat sees, as numbers. Each encoding is a list of features and what writes them.

"The others" are the next three seats in order of play, "all seats" begin with this one.
"""

from dataclasses import replace

from stichwerk.envs.core.cards import NONE, bit, bit_of, only_if, set_from
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.games.snapszer.hidden import unseen
from stichwerk.envs.games.snapszer.state import (
    ACTIONS,
    ALL_SEATS,
    CARDS,
    GOAL,
    LONGEST_DEAL,
    PACKET,
    SEATS,
    Phase,
    forehand,
    provable_points,
    seat_after,
    side_of,
    trump,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets, put_set, put_steps, share

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
FLAGS = SUMMARY_AT.tricks - SUMMARY_AT.trump


@compiled
def observe_summary(rules, view, seat, out):
    """The facts that a careful player sees on the table and remembers."""
    at = SUMMARY_AT
    hidden = unseen(view, seat)
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.named, bit_of(view.named), CARDS)
    for i in range(SEATS):
        other = seat_after(seat, i)
        if i > 0:
            put_set(out, at.possible + (i - 1) * CARDS, hidden & ~view.missing[other], CARDS)
            put_set(out, at.shown + (i - 1) * CARDS, view.shown[other], CARDS)
        put_set(out, at.played + i * CARDS, view.played[other], CARDS)
        put_set(out, at.table + i * CARDS, bit_of(view.table[other]), CARDS)
        out[at.tricks + i] = share(view.tricks[other], 6)
        out[at.points + i] = share(view.points[other], GOAL)
        out[at.pending + i] = share(view.pending[other], GOAL)
        out[at.score + i] = share(view.score[other], rules.target)
    put_set(out, at.trump, flags(view, seat), FLAGS)
    sure = provable_points(view, seat)
    out[at.sure_points] = share(sure, GOAL)
    put_steps(out, at.near_goal, sure - GOAL + 50, 10, 6)
    out[at.carry] = view.carry


@compiled
def flags(view, seat):
    """The features from `trump` to `alone`, which are zeros and ones, as a set."""
    at, start = SUMMARY_AT, SUMMARY_AT.trump
    marks = bit_of(trump(view)) | bit_of(view.melded) << (at.melded - start)
    for i in range(SEATS):
        marks |= view.marriages[seat_after(seat, i)] << (at.marriages - start + i * 4)
    marks |= bit(at.phase - start + view.phase)
    marks |= only_if(view.seat == seat and not view.over, at.to_act - start)
    marks |= bit(at.forehand - start + seat_after(forehand(view), -seat))
    marks |= bit(at.leader - start + seat_after(view.leader, -seat))
    marks |= set_from(bit_of(view.winning), seat, SEATS) << (at.winning - start)
    if view.holder != NONE:
        side = set_from(side_of(view, seat), seat, SEATS)
        marks |= (side >> 1) << (at.partners - start)
        marks |= ((ALL_SEATS & ~side) >> 1) << (at.opponents - start)
    marks |= only_if(view.holder == seat, at.holds_named - start)
    marks |= only_if(view.public != 0, at.public - start)
    return marks | only_if(view.holder == forehand(view), at.alone - start)


HISTORY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("dealt", CARDS, "the own first three cards", "card"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("forehand", 4, "which of all seats is forehand"),
    Feature("score", 4, "game points won in the match by all seats / target"),
    Feature("carry", 1, "deals without winners that wait for the next"),
    Feature("actors", LONGEST_DEAL * 4, "which of all seats took the first, second, … action of the deal"),
    Feature(
        "actions",
        LONGEST_DEAL * len(ACTIONS),
        "the actions of the deal in order, one row of actions each",
        "action",
    ),
)
HISTORY_AT = offsets(HISTORY_FEATURES)


@compiled
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the full public sequence of actions."""
    at = HISTORY_AT
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.dealt, view.dealt[seat], CARDS)
    out[at.to_act] = view.seat == seat and not view.over
    out[at.carry] = view.carry
    for i in range(SEATS):
        other = seat_after(seat, i)
        out[at.forehand + i] = other == forehand(view)
        out[at.score + i] = share(view.score[other], rules.target)
    for i in range(view.log_size):
        out[at.actors + i * SEATS + seat_after(logged_seat(view, i), -seat)] = 1
        out[at.actions + i * len(ACTIONS) + logged_action(view, i)] = 1


PERFECT_FEATURES = (
    *(
        replace(feature, meaning=feature.meaning.replace(", as far as this seat can know", ""))
        for feature in SUMMARY_FEATURES
    ),
    Feature("other_hands", 3 * CARDS, "cards in the hands of the others", "card"),
    Feature("coming", 4 * CARDS, "while forehand names a card, the cards that all seats will get", "card"),
)
PERFECT_AT = offsets(PERFECT_FEATURES)


@compiled
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side. Not for players."""
    at = PERFECT_AT
    observe_summary(rules, state, seat, out)
    for i in range(1, SEATS):
        put_set(out, at.other_hands + (i - 1) * CARDS, state.hand[seat_after(seat, i)], CARDS)
    if state.phase == Phase.NAME:
        for position in range(SEATS * PACKET, CARDS):
            owner = (forehand(state) + (position - SEATS * PACKET) // PACKET) % SEATS
            out[at.coming + (owner - seat) % SEATS * CARDS + state.deck[position]] = 1


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)
HISTORY = Encoding("history", HISTORY_FEATURES, observe_history)
PERFECT = Encoding("perfect", PERFECT_FEATURES, observe_all)

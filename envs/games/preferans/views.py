"""Who knows what in Preferans: what a seat may not see, the worlds it holds possible, and the observations.

Everybody sees the calls, the played cards, and the talon when it is taken. The discards are the declarer's secret; the talon of a hand
game, or of a deal that all have passed, is seen by nobody, and neither is a hand that was laid aside.
"""

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import bit, first
from stichwerk.envs.core.course import NONE, hide_chance, renew_chance
from stichwerk.envs.core.encoding import Encoding, Feature, offset_table, put_set
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.worlds import deal_unseen_set
from stichwerk.envs.games.preferans.scoring import game_points, is_last_hand, may_write_refa, own_total, supe_balance
from stichwerk.envs.games.preferans.state import (
    ACTION_OF,
    ACTIONS,
    ACTIVE,
    CARDS,
    DISCARD,
    IN_HAND,
    MAX_LOG,
    NUMBERS,
    OFFERS,
    PACKET,
    RANGES,
    RANKS_PER_SUIT,
    SPADES,
    TALON,
    TALON_AT,
    TRUMP_SUIT,
    Phase,
    active_seat,
    cards_held,
    defence_tricks,
    suit_set,
    wrapped,
)

FEWEST = min(RANGES)  # players


@njit(cache=True)
def redact(rules, state, seat):
    """Blank, in place, all that this seat may not know."""
    hide_chance(state)
    for other in range(len(state.hand)):
        if other != seat:
            state.hand[other] = 0
            state.dealt[other] = 0
    if state.talon and seat != state.declarer:
        state.discards = 0
        for i in discard_entries(state):
            state.log_action[i] = NONE


@njit(cache=True)
def discard_entries(state):
    """The places of the discards in the log, which follow the auction."""
    start = 0
    while start < state.log_size and not is_discard(state.log_action[start]):
        start += 1
    return range(start, min(state.log_size, start + TALON - state.surplus))


@njit(cache=True)
def is_discard(action):
    """Whether an action of a log is a discard, if only a hidden one."""
    return action == NONE or DISCARD <= action < DISCARD + CARDS


@njit(cache=True)
def unseen(view, seat):
    """The cards whose place this seat does not know."""
    known = view.hand[seat] | (view.discards if seat == view.declarer else 0)
    for played in view.played:
        known |= played
    return ((1 << CARDS) - 1) & ~known


# Possible worlds


@njit(cache=True)
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees, with every discard that does, is equally likely; how others bid, discarded and played, beyond what the
    rules forced them to, is not weighed. The caller sets `view.random` to a seed of his own first.
    """
    owners = np.zeros(ACTIVE, np.int64)
    room, missing = np.zeros(ACTIVE, np.int64), np.zeros(ACTIVE, np.int64)
    others = 0
    for place in range(ACTIVE):
        owner = active_seat(rules, view, place)
        if owner != seat:
            owners[others], room[others], missing[others] = owner, cards_held(view, owner), view.missing[owner]
            others += 1
    dealt = deal_unseen_set(view, unseen(view, seat), room[:others], missing[:others])
    for i in range(others):
        view.hand[owners[i]] = dealt[i]

    talon, rest = view.talon, dealt[others]
    if talon == 0:
        talon = rest
    elif seat != view.declarer:
        lay_discards(view, rest)
    for owner in owners[:others]:
        view.dealt[owner] = view.hand[owner] | view.played[owner]
        if owner == view.declarer and view.talon:
            view.dealt[owner] = (view.dealt[owner] | view.discards) & ~talon
    lay_out_deck(rules, view, talon)
    renew_chance(view)


@njit(cache=True)
def lay_discards(view, cards):
    """Write the declarer's discards, and in which order he discarded them."""
    view.discards = cards
    for i in discard_entries(view):
        card = random_card(view, cards)
        cards ^= bit(card)
        view.log_action[i] = DISCARD + ACTION_OF[card]


@njit(cache=True)
def lay_out_deck(rules, view, talon):
    """Write a deck that deals these hands and this talon."""
    for place in range(ACTIVE):
        cards = view.dealt[active_seat(rules, view, place)]
        for packet in range(2):
            start = packet * (TALON_AT + TALON) + place * PACKET
            cards = lay_cards(view, start, PACKET, cards)
    lay_cards(view, TALON_AT, TALON, talon)


@njit(cache=True)
def lay_cards(view, start, size, cards):
    """Write so many of the cards into the deck; returns those left over."""
    for position in range(start, start + size):
        view.deck[position] = first(cards)
        cards &= cards - 1
    return cards


# Observations; "the others" are the next seats in order of play, "all seats" begin with this one


def summary_features(players: int) -> tuple[Feature, ...]:
    others = players - 1
    return (
        Feature("hand", CARDS, "cards in the own hand", "card"),
        Feature("talon", CARDS, "the talon, once it has been turned up", "card"),
        Feature("discards", CARDS, "the own discards", "card"),
        Feature("unseen", CARDS, "cards whose place this seat does not know", "card"),
        Feature("played", players * CARDS, "cards that all seats have played", "card"),
        Feature("table", CARDS, "cards on the table", "card"),
        Feature("void", others * 4, "suits that each of the others has proven not to hold", "suit"),
        Feature("phase", len(Phase), "decision node: auction, discard, declare, come, join, kontra, offer, reply, play, done"),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        Feature("passed", players, "which of all seats have passed"),
        Feature("numbered", players, "which of all seats have said a number"),
        Feature("callers", players, "which of all seats have said igra, of any kind"),
        Feature("level", len(NUMBERS), "last number said, 2 to 8"),
        Feature("level_seat", players, "which of all seats has said it"),
        Feature("named", len(NUMBERS), "best hand game named, 2 to 8"),
        Feature("named_seat", players, "which of all seats has named it"),
        Feature("declarer", players, "which of all seats is the declarer"),
        Feature("igra", 1, "it is a hand game"),
        Feature("surplus", TALON, "cards the declarer has still to discard: 1, 2"),
        Feature("game", len(NUMBERS), "the game declared, 2 to 8"),
        Feature("trump", 4, "trump suit", "suit"),
        Feature("came", players, "which of all seats defend"),
        Feature("taker", players, "to which of all seats all tricks of the defence count"),
        Feature("doubler", players, "which of all seats has doubled first"),
        Feature("doublings", 4, "kontra, rekontra, subkontra, mortkontra have been said"),
        Feature("offered", OFFERS, "tricks that the lone defender offers to settle for"),
        Feature("leader", players, "which of all seats leads, or led, the present trick"),
        Feature("led", 4, "suit led", "suit"),
        Feature("winning", players, "whose card is winning the trick"),
        Feature("tricks", players, "tricks of all seats / 10"),
        Feature("defence", 1, "tricks of the defence together / 5"),
        Feature("stake", 1, "game points of the contract / start"),
        Feature("last_hand", 1, "success in it would end the match"),
        *sheet_features(players),
    )


def sheet_features(players: int) -> tuple[Feature, ...]:
    return (
        Feature("own", players, "own columns of all seats above the hat / start"),
        Feature("hat", players, "own columns of all seats under the hat / start"),
        Feature("total", 1, "sum of the own columns / start"),
        Feature("gained", players, "points received less points given by all seats, where more received / 10 start"),
        Feature("lost", players, "points given less points received by all seats, where more given / 10 start"),
        Feature("refas", players, "refas of all seats"),
        Feature("refa_possible", 1, "a refa can be written now"),
        Feature("hands_left", 1, "share of the hands still to be played, if the match has a last one"),
    )


SUMMARY_AT = offset_table(summary_features(players) for players in RANGES)


@njit(cache=True)
def observe_summary(rules, view, seat, out):
    """What a careful player has on the table and in the head."""
    at = SUMMARY_AT[rules.players - FEWEST]
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.talon, view.talon, CARDS)
    if seat == view.declarer:
        put_set(out, at.discards, view.discards, CARDS)
    put_set(out, at.unseen, unseen(view, seat), CARDS)
    put_set(out, at.table, view.table, CARDS)
    out[at.phase + view.phase] = 1
    out[at.to_act] = view.seat == seat and not view.over
    if view.level >= SPADES:
        out[at.level + view.level - SPADES] = 1
    if view.named >= SPADES:
        out[at.named + view.named - SPADES] = 1
    out[at.igra] = view.igra
    if view.surplus:
        out[at.surplus + view.surplus - 1] = 1
    if view.game:
        observe_contract(rules, view, at, out)

    forehand = active_seat(rules, view, 0)
    for i in range(rules.players):
        other = wrapped(rules, seat + i)
        put_set(out, at.played + i * CARDS, view.played[other], CARDS)
        out[at.forehand + i] = other == forehand
        out[at.passed + i] = (view.passed >> other) & 1
        out[at.numbered + i] = (view.numbered >> other) & 1
        out[at.callers + i] = (view.callers >> other) & 1
        out[at.level_seat + i] = other == view.level_seat
        out[at.named_seat + i] = other == view.named_seat
        out[at.declarer + i] = other == view.declarer
        out[at.came + i] = (view.came >> other) & 1
        out[at.taker + i] = other == view.taker
        out[at.doubler + i] = other == view.doubler
        out[at.leader + i] = other == view.leader
        out[at.winning + i] = other == view.winning
        out[at.tricks + i] = view.tricks[other] / IN_HAND
        if i > 0 and view.missing[other]:
            for suit in range(4):
                out[at.void + (i - 1) * 4 + suit] = view.missing[other] & suit_set(suit) == suit_set(suit)
    observe_sheet(rules, view, seat, at, out)


@njit(cache=True)
def observe_contract(rules, view, at, out):
    out[at.game + view.game - SPADES] = 1
    if view.game - SPADES < len(TRUMP_SUIT):
        out[at.trump + TRUMP_SUIT[view.game - SPADES]] = 1
    for doubling in range(view.doublings):
        out[at.doublings + doubling] = 1
    if view.offered != NONE:
        out[at.offered + view.offered] = 1
    if view.led != NONE:
        out[at.led + view.led // RANKS_PER_SUIT] = 1
    out[at.defence] = defence_tricks(rules, view) / 5
    out[at.stake] = game_points(view) / rules.start
    out[at.last_hand] = is_last_hand(rules, view)


@njit(cache=True)
def observe_sheet(rules, view, seat, at, out):
    scale = 1 / rules.start
    for i in range(rules.players):
        other = wrapped(rules, seat + i)
        own, balance = scale * view.own[other], 0.1 * scale * supe_balance(rules, view, other)
        if own > 0:
            out[at.own + i] = own
        elif own < 0:
            out[at.hat + i] = -own
        if balance > 0:
            out[at.gained + i] = balance
        elif balance < 0:
            out[at.lost + i] = -balance
        out[at.refas + i] = view.refas[other]
    out[at.total] = scale * own_total(rules, view)
    out[at.refa_possible] = may_write_refa(rules, view)
    if rules.max_hands and view.match:
        out[at.hands_left] = (rules.max_hands - view.deals_done) / rules.max_hands


def history_features(players: int) -> tuple[Feature, ...]:
    return (
        Feature("hand", CARDS, "cards in the own hand", "card"),
        Feature("dealt", CARDS, "the own ten cards of the deal", "card"),
        Feature("talon", CARDS, "the talon, once it has been turned up", "card"),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        *sheet_features(players),
        Feature("actors", MAX_LOG * players, "which of all seats took the first, second, … action of the deal"),
        Feature("actions", MAX_LOG * len(ACTIONS), "the actions of the deal in order, one row of actions each, empty if hidden", "action"),
    )


HISTORY_AT = offset_table(history_features(players) for players in RANGES)


@njit(cache=True)
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the full public sequence of actions."""
    at = HISTORY_AT[rules.players - FEWEST]
    out[:] = 0
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.dealt, view.dealt[seat], CARDS)
    put_set(out, at.talon, view.talon, CARDS)
    out[at.to_act] = view.seat == seat and not view.over
    for i in range(rules.players):
        out[at.forehand + i] = wrapped(rules, seat + i) == active_seat(rules, view, 0)
    observe_sheet(rules, view, seat, at, out)
    for i in range(view.log_size):
        out[at.actors + i * rules.players + wrapped(rules, np.int64(view.log_seat[i]) - seat + rules.players)] = 1
        if view.log_action[i] != NONE:
            out[at.actions + i * len(ACTIONS) + np.int64(view.log_action[i])] = 1


def perfect_features(players: int) -> tuple[Feature, ...]:
    return (
        *summary_features(players),
        Feature("other_hands", (players - 1) * CARDS, "cards in the hands of the others", "card"),
        Feature("hidden_talon", CARDS, "the talon as it was dealt", "card"),
        Feature("all_discards", CARDS, "the discards", "card"),
    )


PERFECT_AT = offset_table(perfect_features(players) for players in RANGES)


@njit(cache=True)
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side. Not for players."""
    at = PERFECT_AT[rules.players - FEWEST]
    observe_summary(rules, state, seat, out)
    for i in range(1, rules.players):
        put_set(out, at.other_hands + (i - 1) * CARDS, state.hand[wrapped(rules, seat + i)], CARDS)
    put_set(out, at.all_discards, state.discards, CARDS)
    for position in range(TALON_AT, TALON_AT + TALON):
        out[at.hidden_talon + np.int64(state.deck[position])] = 1


SUMMARY = {players: Encoding("summary", summary_features(players), observe_summary) for players in RANGES}
HISTORY = {players: Encoding("history", history_features(players), observe_history) for players in RANGES}
PERFECT = {players: Encoding("perfect", perfect_features(players), observe_all) for players in RANGES}

"""Who knows what in Gaigel: what a seat may not see, the worlds it holds possible, and the observations.

What everybody can prove is public knowledge kept in the state: `shown` and `missing` for the hands as they are, and the proofs, which
say by when a card had come from the deck into a hand. A face-down card of the first trick is known to its owner alone.
"""

from dataclasses import replace

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.course import NONE, hide_seed, renew_chance
from stichwerk.envs.core.encoding import Encoding, Feature, offset_table, put_set
from stichwerk.envs.core.random import below, random_card, shuffle
from stichwerk.envs.core.worlds import deal_unseen
from stichwerk.envs.games.family import suit_set
from stichwerk.envs.games.gaigel.double import EMPTY, KINDS, WHOLE_PACK, add, copies, join, kinds, less, put_copies, size
from stichwerk.envs.games.gaigel.play import apply, deal, first_answers, legal, opening_cards, plays_face_down
from stichwerk.envs.games.gaigel.rules import PLAYERS, SHOW_ALL, SHOW_OWN, SIGNALS_TO_PARTNERS, THREE_TURN_TWO, TOKENS, sides_among
from stichwerk.envs.games.gaigel.state import (
    ACTIONS,
    CARDS,
    FIRST_PACKET,
    GOAL,
    IN_HAND,
    MAX_LOG,
    PLAY,
    SIGNAL,
    STATE,
    Opening,
    Phase,
    forehand,
    side_of,
)


@njit(cache=True)
def redact(rules, state, seat):
    """Blank, in place, all that this seat may not know. Of the deck it keeps the cards that it was dealt and drew."""
    hide_seed(state)
    for position in range(CARDS):
        if state.owner[position] != seat:
            state.deck[position] = NONE
    for other in range(rules.players):
        if other != seat:
            state.hand[other] = 0
    if state.asker != seat:
        state.asker = NONE
        state.answers = 0
    if plays_face_down(rules, state):
        hide_face_down(rules, state, seat)
    if rules.signals == SIGNALS_TO_PARTNERS:
        hide_signals(rules, state, seat)


@njit(cache=True)
def hide_face_down(rules, state, seat):
    for other in range(rules.players):
        if other != seat:
            state.table[other] = NONE
    for i in range(1, state.log_size):
        if state.log_seat[i] != seat:
            state.log_action[i] = NONE


@njit(cache=True)
def hide_signals(rules, state, seat):
    """Leave out, without a gap, that and what opponents have signalled."""
    for other in range(rules.players):
        if side_of(rules, other) != side_of(rules, seat):
            state.signal[other] = NONE
            state.signalled &= ~bit(other)
    kept = 0
    for i in range(state.log_size):
        if state.log_action[i] < SIGNAL or side_of(rules, np.int64(state.log_seat[i])) == side_of(rules, seat):
            state.log_seat[kept] = state.log_seat[i]
            state.log_action[kept] = state.log_action[i]
            kept += 1
    state.log_seat[kept:] = 0
    state.log_action[kept:] = 0
    state.log_size = kept


@njit(cache=True)
def unseen(rules, view, seat):
    """The cards, a double set, whose place this seat does not know."""
    known = join(view.hand[seat], view.gone)
    for other in range(rules.players):
        if other != seat:
            known = join(known, view.shown[other])
        if view.table[other] != NONE:
            known = add(known, np.int64(view.table[other]))
    if view.indicator != NONE:
        known = add(known, view.indicator)
    return less(WHOLE_PACK, known)


@njit(cache=True)
def lies_face_down(rules, view, owner):
    """Whether a seat has a face-down card on the table, as everybody can tell."""
    if not plays_face_down(rules, view) or view.phase != Phase.TURN:
        return False
    return (owner - view.leader) % rules.players < (view.seat - view.leader) % rules.players


# Possible worlds

TRIES = 100_000  # only positions made by hand need so many


@njit(cache=True)
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely, copies of a card taken apart; a face-down card is any that its owner may play. How others
    chose their cards is not weighed. The caller sets `view.random` to a seed of his own first.

    The cards are dealt to where they may be; then the deal is played as logged. That finds the few worlds that cannot be: in which
    forehand had no card for his opening (at least one deal in nine has one), five sevens would have ended the deal, or this seat would have
    found otherwise whether its partner can give back the card that he took.
    """
    again = np.zeros(1, STATE)
    for _ in range(TRIES):
        deal_world(rules, view, seat)
        if leads_here(rules, view, seat, again[0]):
            break
    else:
        raise ValueError("a position that no deal leads to has no worlds")
    view.asker = again[0].asker
    view.answers = again[0].answers
    renew_chance(view)


@njit(cache=True)
def deal_world(rules, view, seat):
    """Deal all unseen cards to the other hands, the face-down cards on the table and the talon, and write the deck that was dealt."""
    for position in range(CARDS):
        if view.owner[position] != seat:
            view.deck[position] = NONE
    room, missing = np.zeros(rules.players - 1, np.int64), np.zeros(rules.players - 1, np.int64)
    for i in range(rules.players - 1):
        other = (seat + 1 + i) % rules.players
        room[i] = view.held[other] - size(view.shown[other])
        missing[i] = view.missing[other]
        if lies_face_down(rules, view, other):
            view.table[other] = NONE
            room[i] += 1
    cards = spread_out(unseen(rules, view, seat))
    places = deal_unseen(view, cards, room, missing)

    put_proven(view, seat)
    for i in range(rules.players - 1):
        other = (seat + 1 + i) % rules.players
        hidden = EMPTY
        for k in range(len(cards)):
            if places[k] == i:
                hidden = add(hidden, cards[k])
                put_in_deck(view, other, cards[k], view.top)
        view.hand[other] = join(view.shown[other], hidden)
        if lies_face_down(rules, view, other):
            lay_face_down(rules, view, other)
    put_talon(view, cards[places == rules.players - 1])
    view.deck[rules.players * (FIRST_PACKET if rules.deal_order == THREE_TURN_TWO else IN_HAND)] = view.turned_up


@njit(cache=True)
def spread_out(cards):
    """A double set as an array of cards, one of which both copies are in it twice."""
    numbers = np.empty(size(cards), np.int64)
    i = 0
    for card in range(KINDS):
        for _ in range(copies(cards, card)):
            numbers[i] = card
            i += 1
    return numbers


@njit(cache=True)
def put_proven(view, seat):
    """Find places in the deck for the cards that the others have shown.

    Each was there before a certain moment. Placing the cards in the order of those moments, each in a random free place, makes all pasts
    that agree equally likely.
    """
    for k in range(view.proofs):
        if view.proof_seat[k] != seat:
            put_in_deck(view, np.int64(view.proof_seat[k]), np.int64(view.proof_card[k]), np.int64(view.proof_top[k]))


@njit(cache=True)
def put_in_deck(view, owner, card, end):
    """Write a card to a random free place before `end` of those that went to this owner."""
    free = 0
    for position in range(end):
        free += view.owner[position] == owner and view.deck[position] == NONE
    skip = below(view, free)
    for position in range(end):
        if view.owner[position] == owner and view.deck[position] == NONE:
            if skip == 0:
                view.deck[position] = card
                return
            skip -= 1


@njit(cache=True)
def lay_face_down(rules, view, owner):
    """Move a random card that its owner may play in the first trick from the hand to the table; any, if he could not open so."""
    hand, trumps = kinds(view.hand[owner]), suit_set(view.trump)
    choice = opening_cards(view.opening, hand, trumps) if owner == view.leader else first_answers(hand, trumps)
    card = random_card(view, choice if choice else hand)
    view.hand[owner] = less(view.hand[owner], bit(card))
    view.table[owner] = card
    view.log_action[1 + (owner - view.leader) % rules.players] = PLAY + card


@njit(cache=True)
def put_talon(view, cards):
    shuffle(view, cards, len(cards))
    for i in range(len(cards)):
        view.deck[view.top + i] = cards[i]


@njit(cache=True)
def leads_here(rules, view, seat, again):
    """Whether the deal of a world, played as logged, is legal all the way and ends with this seat knowing what it knows."""
    again.deck[:] = view.deck
    again.deck_is_set = 1
    again.dealer = view.dealer
    again.over = 0
    deal(rules, again)
    mask = np.zeros(len(ACTIONS), np.int8)
    for i in range(view.log_size):
        legal(rules, again, mask)
        if again.seat != view.log_seat[i] or not mask[view.log_action[i]]:
            return False
        apply(rules, again, np.int64(view.log_action[i]))
    knows = again.asker == seat
    return again.phase == view.phase and knows == (view.asker == seat) and (not knows or again.answers == view.answers)


# Observations; "the others" are the next seats in order of play, "all seats" begin with this one, "all sides" with this side

NEAR_GOAL = (51, 61, 71, 81, 91, 101)
DRAWS = {3: 11, 4: 7, 6: 3}  # of each seat, with the indicator
COPIES = "copies (0, 1 or 2)"
BY_SHOW_POINTS = ", where `show_points` lets them be seen"


def summary_features(players: int) -> tuple[Feature, ...]:
    others, sides = players - 1, sides_among(players)
    return (
        Feature("hand", KINDS, f"{COPIES} of the cards in the own hand", "card"),
        Feature("declared", KINDS, f"{COPIES} of them that have been declared in a pair", "card"),
        Feature("unseen", KINDS, f"{COPIES} of the cards not seen yet", "card"),
        Feature("gone", KINDS, f"{COPIES} of the cards in finished tricks", "card"),
        Feature("shown", others * KINDS, f"{COPIES} that each of the others is publicly known to hold", "card"),
        Feature("missing", others * KINDS, "cards that each of the others is publicly proven not to hold", "card"),
        Feature("table", players * KINDS, "the cards of all seats on the table, as far as they lie face up or are the own", "card"),
        Feature("indicator", KINDS, "the card turned up or exchanged, until it is drawn", "card"),
        Feature("trump", 4, "trump suit", "suit"),
        Feature("melded", 4, "suits declared in the present turn", "suit"),
        Feature("owed", 4, "suit of a pair declared on a partner's sure trick, to be played now", "suit"),
        Feature("signal", players * 4, "suit that all seats signalled last, as far as this seat may know", "suit"),
        Feature("opening", len(Opening), "the opening: geelfen, andere_alte, hoeher_hat, dissle, trump"),
        Feature("phase", len(Phase), "decision node: open, turn, after, done"),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        Feature("leader", players, "which of all seats leads, or led, the present trick"),
        Feature("winning", players, "whose card is winning the trick, as far as the cards lie face up"),
        Feature("face_down", players, "which of all seats have a face-down card on the table"),
        Feature("laid_by", players, "whose trump 7 is the indicator"),
        Feature("chained", 1, "the partner's chain has been used"),
        Feature("first_trick", 1, "this is the first trick"),
        Feature("talon", 1, "face-down cards of the talon / 32"),
        Feature("drawing", 1, "cards are drawn after the tricks"),
        Feature("tricks", sides, "tricks of all sides / 16"),
        Feature("no_tricks", sides, "which of all sides have no trick"),
        Feature("points", sides, f"points of all sides / 101{BY_SHOW_POINTS}"),
        Feature("near_goal", 6 * sides, f"points of all sides reach 51, 61, 71, 81, 91, 101{BY_SHOW_POINTS}"),
        Feature("score", sides, "tokens of all sides / tokens in the game, or game points won in the match / target"),
        Feature("stage", 2, "tokens are taken, are given back"),
    )


SUMMARY_AT = offset_table(summary_features(players) for players in PLAYERS)


@njit(cache=True)
def observe_summary(rules, view, seat, out):
    """What a careful player has on the table and in the head."""
    at = SUMMARY_AT[rules.table]
    out[:] = 0
    put_copies(out, at.hand, view.hand[seat])
    put_copies(out, at.declared, view.declared[seat])
    put_copies(out, at.unseen, unseen(rules, view, seat))
    put_copies(out, at.gone, view.gone)
    if view.indicator != NONE:
        out[at.indicator + view.indicator] = 1
    out[at.trump + view.trump] = 1
    put_set(out, at.melded, view.melded, 4)
    if view.owed != NONE:
        out[at.owed + view.owed] = 1
    if view.opening != NONE:
        out[at.opening + view.opening] = 1
    out[at.phase + view.phase] = 1
    out[at.to_act] = view.seat == seat and not view.over
    out[at.forehand + (forehand(rules, view) - seat) % rules.players] = 1
    out[at.leader + (view.leader - seat) % rules.players] = 1
    if view.winning != NONE:
        out[at.winning + (view.winning - seat) % rules.players] = 1
    if view.laid_by != NONE:
        out[at.laid_by + (view.laid_by - seat) % rules.players] = 1
    out[at.chained] = view.chained
    out[at.first_trick] = view.trick == 1
    out[at.talon] = (CARDS - view.top) / 32
    out[at.drawing] = view.indicator != NONE

    for i in range(rules.players):
        other = (seat + i) % rules.players
        if view.table[other] != NONE:
            out[at.table + i * KINDS + np.int64(view.table[other])] = 1
        if view.signal[other] != NONE:
            out[at.signal + i * 4 + np.int64(view.signal[other])] = 1
        out[at.face_down + i] = lies_face_down(rules, view, other)
        if i > 0 and view.shown[other]:
            put_copies(out, at.shown + (i - 1) * KINDS, view.shown[other])
        if i > 0 and view.missing[other]:
            put_set(out, at.missing + (i - 1) * KINDS, view.missing[other], KINDS)

    for i in range(rules.sides):
        side = (side_of(rules, seat) + i) % rules.sides
        out[at.tricks + i] = view.tricks[side] / 16
        out[at.no_tricks + i] = view.tricks[side] == 0
        if rules.show_points == SHOW_ALL or (rules.show_points == SHOW_OWN and i == 0):
            observe_points(view, side, i, at.points, at.near_goal, out)
    observe_match(rules, view, seat, at.score, at.stage, out)


@njit(cache=True)
def observe_points(view, side, place, points_at, near_goal_at, out):
    out[points_at + place] = view.points[side] / GOAL
    for step in range(len(NEAR_GOAL)):
        out[near_goal_at + place * len(NEAR_GOAL) + step] = view.points[side] >= NEAR_GOAL[step]


@njit(cache=True)
def observe_match(rules, view, seat, score_at, stage_at, out):
    whole = rules.pool if rules.score == TOKENS else rules.target
    for i in range(rules.sides):
        out[score_at + i] = view.score[(side_of(rules, seat) + i) % rules.sides] / whole
    if rules.score == TOKENS:
        out[stage_at + view.returning] = 1


def history_features(players: int) -> tuple[Feature, ...]:
    return (
        Feature("hand", KINDS, f"{COPIES} of the cards in the own hand", "card"),
        Feature("dealt", KINDS, f"{COPIES} of the cards in the own first hand", "card"),
        Feature("drawn", DRAWS[players] * KINDS, "the cards this seat drew from the talon, one row of cards a draw", "card"),
        Feature("turned_up", KINDS, "the card turned up in the deal", "card"),
        Feature("shown", (players - 1) * KINDS, f"{COPIES} that each of the others is publicly known to hold", "card"),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        Feature("score", sides_among(players), "tokens of all sides / tokens in the game, or game points won in the match / target"),
        Feature("stage", 2, "tokens are taken, are given back"),
        Feature("actors", MAX_LOG * players, "which of all seats took the first, second, … action of the deal that this seat may know of"),
        Feature("actions", MAX_LOG * len(ACTIONS), "these actions in order, one row of actions each, empty for a face-down card", "action"),
    )


HISTORY_AT = offset_table(history_features(players) for players in PLAYERS)


@njit(cache=True)
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the sequence of actions as this seat has seen it."""
    at = HISTORY_AT[rules.table]
    out[:] = 0
    put_copies(out, at.hand, view.hand[seat])
    dealt, drawn = EMPTY, 0
    for position in range(view.top):
        if view.owner[position] == seat:
            card = np.int64(view.deck[position])
            if position <= rules.players * IN_HAND:
                dealt = add(dealt, card)
            else:
                out[at.drawn + drawn * KINDS + card] = 1
                drawn += 1
    put_copies(out, at.dealt, dealt)
    out[at.turned_up + view.turned_up] = 1
    for i in range(1, rules.players):
        put_copies(out, at.shown + (i - 1) * KINDS, view.shown[(seat + i) % rules.players])
    out[at.to_act] = view.seat == seat and not view.over
    out[at.forehand + (forehand(rules, view) - seat) % rules.players] = 1
    observe_match(rules, view, seat, at.score, at.stage, out)
    for i in range(view.log_size):
        out[at.actors + i * rules.players + (np.int64(view.log_seat[i]) - seat) % rules.players] = 1
        if view.log_action[i] != NONE:
            out[at.actions + i * len(ACTIONS) + np.int64(view.log_action[i])] = 1


def perfect_features(players: int) -> tuple[Feature, ...]:
    face_up = (", as far as they lie face up or are the own", ", as far as this seat may know", BY_SHOW_POINTS)
    return (
        *(replace(feature, meaning=without(feature.meaning, face_up)) for feature in summary_features(players)),
        Feature("other_hands", (players - 1) * KINDS, f"{COPIES} of the cards in the hands of the others", "card"),
        Feature("coming", (CARDS - 1 - players * IN_HAND) * KINDS, "the face-down cards from the top, one row of cards each", "card"),
    )


def without(text: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text


PERFECT_AT = offset_table(perfect_features(players) for players in PLAYERS)


@njit(cache=True)
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side: its summary, all hands, and the talon. Not for players."""
    at = PERFECT_AT[rules.table]
    observe_summary(rules, state, seat, out)
    for i in range(rules.sides):
        observe_points(state, (side_of(rules, seat) + i) % rules.sides, i, at.points, at.near_goal, out)
    for i in range(1, rules.players):
        put_copies(out, at.other_hands + (i - 1) * KINDS, state.hand[(seat + i) % rules.players])
    for position in range(state.top, CARDS):
        out[at.coming + (position - state.top) * KINDS + np.int64(state.deck[position])] = 1


SUMMARY = {players: Encoding("summary", summary_features(players), observe_summary) for players in PLAYERS}
HISTORY = {players: Encoding("history", history_features(players), observe_history) for players in PLAYERS}
PERFECT = {players: Encoding("perfect", perfect_features(players), observe_all) for players in PLAYERS}

"""Observations: what a seat sees, as numbers. Each encoding lists its features beside the writing function.

In all of them "the others" are the next seats in order of play; "all seats" begin with this one, "all sides"
with this side.
"""

from dataclasses import replace

from stichwerk.envs.core.cards import NONE, bit_of, first
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.seats import turns_after, wrapped
from stichwerk.envs.games.gaigel.cards.double import EMPTY, KINDS, add, put_copies
from stichwerk.envs.games.gaigel.cards.hands import places_in_deck
from stichwerk.envs.games.gaigel.cards.trick import lies_face_down, plays_face_down
from stichwerk.envs.games.gaigel.hidden import unseen
from stichwerk.envs.games.gaigel.options import (
    IN_HAND,
    PLAYERS,
    SHOW_ALL,
    SHOW_OWN,
    SIGNALS_OFF,
    TOKENS,
    GaigelRules,
    sides_among,
)
from stichwerk.envs.games.gaigel.state import (
    ACTIONS,
    CARDS,
    GOAL,
    LONGEST_DEAL,
    Opening,
    Phase,
    forehand,
    next_side,
    side_of,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets_by_players, put_set, put_steps, share
from stichwerk.envs.spec.rule_inputs import with_rules

NEAR_GOAL = 6  # steps of ten points up to the goal
COPIES = "copies (0, 1 or 2)"
BY_SHOW_POINTS = ", where `show_points` lets them be seen"


def summary_features(players: int, sides: int) -> tuple[Feature, ...]:
    others = players - 1
    return (
        Feature("hand", KINDS, f"{COPIES} of the cards in the own hand", "card"),
        Feature("declared", KINDS, f"{COPIES} of them that have been declared in a pair", "card"),
        Feature("unseen", KINDS, f"{COPIES} of the cards not seen yet", "card"),
        Feature("gone", KINDS, f"{COPIES} of the cards in finished tricks", "card"),
        Feature(
            "shown", others * KINDS, f"{COPIES} that each of the others is publicly known to hold", "card"
        ),
        Feature(
            "missing", others * KINDS, "cards that each of the others is publicly proven not to hold", "card"
        ),
        Feature(
            "table",
            players * KINDS,
            "the cards of all seats on the table, as far as they lie face up or are the own",
            "card",
        ),
        Feature("indicator", KINDS, "the card turned up or exchanged, until it is drawn", "card"),
        Feature("trump", 4, "trump suit", "suit"),
        Feature("melded", 4, "suits declared in the present turn", "suit"),
        Feature("owed", 4, "suit of a pair declared on a partner's sure trick, to be played now", "suit"),
        Feature(
            "signal", players * 4, "suit that all seats signalled last, as far as this seat may know", "suit"
        ),
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
        Feature(
            "near_goal",
            NEAR_GOAL * sides,
            f"points of all sides reach 51, 61, 71, 81, 91, 101{BY_SHOW_POINTS}",
        ),
        Feature(
            "score",
            sides,
            "tokens of all sides / tokens in the game, or game points won in the match / target",
        ),
        Feature("stage", 2, "tokens are taken, are given back"),
    )


# The last ones have room for all numbers of players.
WIDEST = summary_features(max(PLAYERS), max(map(sides_among, PLAYERS)))
SUMMARY_AT = offsets_by_players(
    [*(summary_features(players, sides_among(players)) for players in PLAYERS), WIDEST]
)


@compiled
def observe_summary(rules, view, seat, out):
    """The facts that a careful player sees on the table and remembers."""
    write_summary(rules, view, seat, SUMMARY_AT[rules.seating], out)


@compiled
def observe_widest(rules, view, seat, out):
    """The same facts at places that do not depend on the number of players."""
    write_summary(rules, view, seat, SUMMARY_AT[len(PLAYERS)], out)


@compiled
def write_summary(rules, view, seat, at, out):
    """Write the summary at these offsets."""
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
    out[at.forehand + turns_after(rules, seat, forehand(rules, view))] = 1
    out[at.leader + turns_after(rules, seat, view.leader)] = 1
    if view.winning != NONE:
        out[at.winning + turns_after(rules, seat, view.winning)] = 1
    if view.laid_by != NONE:
        out[at.laid_by + turns_after(rules, seat, view.laid_by)] = 1
    out[at.chained] = view.chained
    out[at.first_trick] = view.trick == 1
    out[at.talon] = share(CARDS - view.top, 32)
    out[at.drawing] = view.indicator != NONE

    put_set(out, at.table, bit_of(view.table[seat]), KINDS)
    for i in range(rules.players - 1):
        other = wrapped(rules, seat + 1 + i)
        put_copies(out, at.shown + i * KINDS, view.shown[other])
        put_set(out, at.missing + i * KINDS, view.missing[other], KINDS)
        put_set(out, at.table + (i + 1) * KINDS, bit_of(view.table[other]), KINDS)
    if rules.signals != SIGNALS_OFF:
        observe_signals(rules, view, seat, at.signal, out)
    if plays_face_down(rules, view):
        for other in range(rules.players):
            place = turns_after(rules, seat, other)
            out[at.face_down + place] = lies_face_down(rules, view, other)

    side = side_of(rules, seat)
    for i in range(rules.side_count):
        out[at.tricks + i] = share(view.tricks[side], 16)
        out[at.no_tricks + i] = view.tricks[side] == 0
        if rules.show_points == SHOW_ALL or (rules.show_points == SHOW_OWN and i == 0):
            observe_points(view, side, i, at.points, at.near_goal, out)
        side = next_side(rules, side)
    observe_match(rules, view, seat, at.score, at.stage, out)


@compiled
def observe_signals(rules, view, seat, signal_at, out):
    for other in range(rules.players):
        put_set(out, signal_at + 4 * turns_after(rules, seat, other), bit_of(view.signal[other]), 4)


@compiled
def observe_points(view, side, place, points_at, near_goal_at, out):
    out[points_at + place] = share(view.points[side], GOAL)
    put_steps(out, near_goal_at + place * NEAR_GOAL, view.points[side] - GOAL + 50, 10, NEAR_GOAL)


@compiled
def observe_match(rules, view, seat, score_at, stage_at, out):
    whole = rules.pool if rules.score == TOKENS else rules.target
    side = side_of(rules, seat)
    for i in range(rules.side_count):
        out[score_at + i] = share(view.score[side], whole)
        side = next_side(rules, side)
    if rules.score == TOKENS:
        out[stage_at + view.returning] = 1


def history_features(players: int) -> tuple[Feature, ...]:
    return (
        Feature("hand", KINDS, f"{COPIES} of the cards in the own hand", "card"),
        Feature("dealt", KINDS, f"{COPIES} of the cards in the own first hand", "card"),
        Feature(
            "drawn",
            (CARDS // players - IN_HAND) * KINDS,
            "the cards this seat drew from the talon, one row of cards a draw",
            "card",
        ),
        Feature("turned_up", KINDS, "the card turned up in the deal", "card"),
        Feature(
            "shown",
            (players - 1) * KINDS,
            f"{COPIES} that each of the others is publicly known to hold",
            "card",
        ),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        Feature(
            "score",
            sides_among(players),
            "tokens of all sides / tokens in the game, or game points won in the match / target",
        ),
        Feature("stage", 2, "tokens are taken, are given back"),
        Feature(
            "actors",
            LONGEST_DEAL * players,
            "which of all seats took the first, second, … action of the deal that this seat may know of",
        ),
        Feature(
            "actions",
            LONGEST_DEAL * len(ACTIONS),
            "these actions in order, one row of actions each, empty for a face-down card",
            "action",
        ),
    )


HISTORY_AT = offsets_by_players(history_features(players) for players in PLAYERS)


@compiled
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the sequence of actions as this seat has seen it."""
    at = HISTORY_AT[rules.seating]
    put_copies(out, at.hand, view.hand[seat])
    dealt = EMPTY
    places, number = places_in_deck(rules, view, seat), 0
    while places:
        card = view.deck[first(places)]
        if number < IN_HAND:
            dealt = add(dealt, card)
        else:
            out[at.drawn + (number - IN_HAND) * KINDS + card] = 1
        places, number = places & (places - 1), number + 1
    put_copies(out, at.dealt, dealt)
    out[at.turned_up + view.turned_up] = 1
    for i in range(rules.players - 1):
        other = wrapped(rules, seat + 1 + i)
        put_copies(out, at.shown + i * KINDS, view.shown[other])
    out[at.to_act] = view.seat == seat and not view.over
    out[at.forehand + turns_after(rules, seat, forehand(rules, view))] = 1
    observe_match(rules, view, seat, at.score, at.stage, out)
    for i in range(view.log_size):
        out[at.actors + i * rules.players + turns_after(rules, seat, logged_seat(view, i))] = 1
        action = logged_action(view, i)
        if action != NONE:
            out[at.actions + i * len(ACTIONS) + action] = 1


def perfect_features(players: int) -> tuple[Feature, ...]:
    face_up = (
        ", as far as they lie face up or are the own",
        ", as far as this seat may know",
        BY_SHOW_POINTS,
    )
    return (
        *(
            replace(feature, meaning=without(feature.meaning, face_up))
            for feature in summary_features(players, sides_among(players))
        ),
        Feature(
            "other_hands", (players - 1) * KINDS, f"{COPIES} of the cards in the hands of the others", "card"
        ),
        Feature(
            "coming",
            (CARDS - 1 - players * IN_HAND) * KINDS,
            "the face-down cards from the top, one row of cards each",
            "card",
        ),
    )


def without(text: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text


PERFECT_AT = offsets_by_players(perfect_features(players) for players in PLAYERS)


@compiled
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side: its summary, all hands, and the talon. Not for players."""
    at = PERFECT_AT[rules.seating]
    observe_summary(rules, state, seat, out)
    side = side_of(rules, seat)
    for i in range(rules.side_count):
        observe_points(state, side, i, at.points, at.near_goal, out)
        side = next_side(rules, side)
    for i in range(rules.players - 1):
        other = wrapped(rules, seat + 1 + i)
        put_copies(out, at.other_hands + i * KINDS, state.hand[other])
    for position in range(state.top, CARDS):
        out[at.coming + (position - state.top) * KINDS + state.deck[position]] = 1


SUMMARY = {
    players: Encoding("summary", summary_features(players, sides_among(players)), observe_summary)
    for players in PLAYERS
}
RULES = with_rules(Encoding("summary", WIDEST, observe_widest), GaigelRules)
HISTORY = {players: Encoding("history", history_features(players), observe_history) for players in PLAYERS}
PERFECT = {players: Encoding("perfect", perfect_features(players), observe_all) for players in PLAYERS}

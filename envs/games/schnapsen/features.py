"""Observations: what a seat sees, as numbers. Each encoding is a list of features beside the function that
writes them."""

from dataclasses import replace

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.games.schnapsen.hidden import unseen
from stichwerk.envs.games.schnapsen.options import MEMORY_OF_TABLE, SchnapsenRules
from stichwerk.envs.games.schnapsen.state import (
    ACTIONS,
    CARDS,
    LONGEST_DEAL,
    MAX_DRAWS,
    Phase,
    drawable,
    face_down,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets, put_set, put_steps, share
from stichwerk.envs.spec.rule_inputs import rule_features, rule_writer

SUMMARY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("shown", CARDS, "cards that the opponent is publicly known to hold", "card"),
    Feature(
        "possible", CARDS, "cards not seen yet that the opponent may hold; blank with `memory=table`", "card"
    ),
    Feature("taken", CARDS, "cards in the own tricks; blank with `memory=table`", "card"),
    Feature("lost", CARDS, "cards in the opponent's tricks; blank with `memory=table`", "card"),
    Feature("led", CARDS, "the card on the table", "card"),
    Feature(
        "indicator", CARDS, "the card turned up or exchanged, also after closing, until it is drawn", "card"
    ),
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
    Feature(
        "near_goal",
        12,
        "own, then the opponent's credited points reach goal - 50, - 40, … goal; blank with `memory=table`",
    ),
    Feature(
        "schneider", 2, "this seat, the opponent has points for schneider only; blank with `memory=table`"
    ),
    Feature("pending", 2, "points that wait for a trick of this seat, the opponent / goal"),
    Feature(
        "at_close",
        2,
        "the non-closer's counts at closing: schneider only, no trick; blank with `memory=table`",
    ),
    Feature("score", 2, "game points won in the match by this seat, the opponent / target"),
)
SUMMARY_AT = offsets(SUMMARY_FEATURES)


@compiled
def observe_summary(rules, view, seat, out):
    """The facts that a careful player sees on the table and remembers; `memory=table` leaves out those that
    taken cards would tell."""
    other = 1 - seat
    at = SUMMARY_AT
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
    out[at.face_down] = share(face_down(rules, view), 12)
    out[at.closed] = view.closed_by == seat
    out[at.closed + 1] = view.closed_by == other
    out[at.exchanged] = view.exchanged_by == seat
    out[at.exchanged + 1] = view.exchanged_by == other
    out[at.tricks] = share(view.tricks[seat], 12)
    out[at.tricks + 1] = share(view.tricks[other], 12)
    out[at.no_tricks] = view.tricks[seat] == 0
    out[at.no_tricks + 1] = view.tricks[other] == 0
    out[at.pending] = share(view.pending[seat], rules.goal)
    out[at.pending + 1] = share(view.pending[other], rules.goal)
    out[at.score] = share(view.score[seat], rules.target)
    out[at.score + 1] = share(view.score[other], rules.target)
    if rules.memory != MEMORY_OF_TABLE:
        observe_memory(rules, view, seat, out)


@compiled
def observe_memory(rules, view, seat, out):
    """The part of the summary that needs the taken cards to be remembered."""
    other = 1 - seat
    at = SUMMARY_AT
    put_set(out, at.possible, unseen(rules, view, seat) & ~view.missing[other], CARDS)
    put_set(out, at.taken, view.taken[seat], CARDS)
    put_set(out, at.lost, view.taken[other], CARDS)
    out[at.points] = share(view.points[seat], rules.goal)
    out[at.points + 1] = share(view.points[other], rules.goal)
    put_steps(out, at.near_goal, view.points[seat] - rules.goal + 50, 10, 6)
    put_steps(out, at.near_goal + 6, view.points[other] - rules.goal + 50, 10, 6)
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
    Feature("own_actions", LONGEST_DEAL, "whether this seat took the first, second, … action of the deal"),
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
    """Perfect recall: the private cards and the full public sequence of actions, whatever `memory` says."""
    at = HISTORY_AT
    put_set(out, at.hand, view.hand[seat], CARDS)
    put_set(out, at.dealt, view.dealt[seat], CARDS)
    for i in range(view.draws):
        out[at.drawn + i * CARDS + view.drawn[seat, i]] = 1
    out[at.turned_up + view.turned_up] = 1
    out[at.to_act] = view.seat == seat and not view.over
    out[at.dealer] = view.dealer == seat
    out[at.score] = share(view.score[seat], rules.target)
    out[at.score + 1] = share(view.score[1 - seat], rules.target)
    for i in range(view.log_size):
        out[at.own_actions + i] = logged_seat(view, i) == seat
        out[at.actions + i * len(ACTIONS) + logged_action(view, i)] = 1


REMEMBERED = tuple(
    replace(feature, meaning=feature.meaning.replace("; blank with `memory=table`", ""))
    for feature in SUMMARY_FEATURES
)
PERFECT_FEATURES = (
    *REMEMBERED,
    Feature("other_hand", CARDS, "cards in the opponent's hand", "card"),
    Feature(
        "stock", 2 * MAX_DRAWS * CARDS, "the face-down cards from the top, one row of cards each", "card"
    ),
)
PERFECT_AT = offsets(PERFECT_FEATURES)


@compiled
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side: its summary with full memory, the other hand and the stock. Not for
    players."""
    at = PERFECT_AT
    observe_summary(rules, state, seat, out)
    observe_memory(rules, state, seat, out)
    put_set(out, at.other_hand, state.hand[1 - seat], CARDS)
    for i in range(state.top, rules.deck_size):
        out[at.stock + (i - state.top) * CARDS + state.deck[i]] = 1


NEEDS = 6
RULES_FEATURES = (
    *REMEMBERED,
    Feature("match", 1, "a match is played"),
    Feature(
        "needs",
        2 * NEEDS,
        "this seat, then the opponent needs 2, 3, … 7 game points or more to win the match; "
        "blank in a single deal",
    ),
    *rule_features(SchnapsenRules),
)
RULES_AT = offsets(RULES_FEATURES)
write_rules = rule_writer(SchnapsenRules, RULES_AT.needs + 2 * NEEDS)


@compiled
def observe_rules(rules, view, seat, out):
    """The summary with full memory, and the rules."""
    at = RULES_AT
    observe_summary(rules, view, seat, out)
    if rules.memory == MEMORY_OF_TABLE:
        observe_memory(rules, view, seat, out)
    if view.match:
        out[at.match] = 1
        put_steps(out, at.needs, rules.target - view.score[seat] - 2, 1, NEEDS)
        put_steps(out, at.needs + NEEDS, rules.target - view.score[1 - seat] - 2, 1, NEEDS)
    write_rules(rules, view.match, out)


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)
HISTORY = Encoding("history", HISTORY_FEATURES, observe_history)
RULES = Encoding("rules", RULES_FEATURES, observe_rules)
PERFECT = Encoding("perfect", PERFECT_FEATURES, observe_all)

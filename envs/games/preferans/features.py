"""Observations: what a seat sees, as numbers. Each encoding is a list of features beside the function that
writes them.

"The others" are the next seats in order of play, "all seats" begin with this one. How many features there are
depends on the number of players.
"""

from stichwerk.envs.core.cards import NONE, bit, bit_of, only_if, set_from
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.options import PreferansRules
from stichwerk.envs.games.preferans.scoring import (
    game_points,
    may_write_refa,
    own_total,
    supe_balance,
    would_end,
)
from stichwerk.envs.games.preferans.state import (
    ACTIONS,
    BETL,
    CARDS,
    IN_HAND,
    LONGEST_DEAL,
    NUMBERS,
    OFFERS,
    RANKS_PER_SUIT,
    SPADES,
    TALON,
    TALON_AT,
    TRUMP_SUIT,
    Phase,
    active_seat,
    dealt_to,
    defence_tricks,
    discards_of,
    hand_of,
    on_table,
    played_by,
    talon_of,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets_by_players, put_set, share
from stichwerk.envs.spec.rule_inputs import with_rules

PLAYERS = PreferansRules.values("players")
FEWEST, MOST = min(PLAYERS), max(PLAYERS)


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
        Feature(
            "phase",
            len(Phase),
            "decision node: auction, discard, declare, come, join, kontra, offer, reply, play, done",
        ),
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
        Feature(
            "gained",
            players,
            "points received less points given by all seats, where more received / 10 start",
        ),
        Feature(
            "lost", players, "points given less points received by all seats, where more given / 10 start"
        ),
        Feature("refas", players, "refas of all seats"),
        Feature("refa_possible", 1, "a refa can be written now"),
        Feature("hands_left", 1, "share of the hands still to be played, if the match has a last one"),
    )


SUMMARY_AT = offsets_by_players(summary_features(players) for players in PLAYERS)
AUCTION_FLAGS = int(SUMMARY_AT[-1].igra - SUMMARY_AT[-1].phase)  # how many, at most
CONTRACT_FLAGS = int(SUMMARY_AT[-1].tricks - SUMMARY_AT[-1].igra)


@compiled
def observe_summary(rules, view, seat, out):
    """The facts that a careful player sees on the table and remembers."""
    write_summary(rules, view, seat, SUMMARY_AT[rules.players - FEWEST], out)


@compiled
def observe_widest(rules, view, seat, out):
    """The same facts at places that do not depend on the number of players."""
    write_summary(rules, view, seat, SUMMARY_AT[MOST - FEWEST], out)


@compiled
def write_summary(rules, view, seat, at, out):
    """Write the summary at these offsets."""
    put_set(out, at.hand, hand_of(view, seat), CARDS)
    put_set(out, at.talon, talon_of(view), CARDS)
    if seat == view.declarer:
        put_set(out, at.discards, discards_of(view), CARDS)
    put_set(out, at.unseen, unseen(view, seat), CARDS)
    put_set(out, at.played, played_by(view, seat), CARDS)
    for i in range(1, rules.players):
        other = wrapped(rules, seat + i)
        put_set(out, at.played + i * CARDS, played_by(view, other), CARDS)
        put_set(out, at.void + (i - 1) * 4, view.void[other], 4)
    put_set(out, at.table, on_table(view), CARDS)
    # With three players these sets end in the features after them, which are written later.
    put_set(out, at.phase, auction_flags(rules, view, seat, at), AUCTION_FLAGS)
    put_set(out, at.igra, contract_flags(rules, view, seat, at), CONTRACT_FLAGS)
    for i in range(rules.players):
        out[at.tricks + i] = share(view.tricks[wrapped(rules, seat + i)], IN_HAND)
    total = own_total(view)
    if view.game:
        points = game_points(view)
        out[at.defence] = share(defence_tricks(view), 5)
        out[at.stake] = share(points, rules.start)
        out[at.last_hand] = would_end(rules, points, total)
    observe_sheet(rules, view, seat, total, at, out)


@compiled
def auction_flags(rules, view, seat, at):
    """The features from `phase` to `declarer`, which are zeros and ones, as a set."""
    start = at.phase
    flags = bit(view.phase) | only_if(view.seat == seat and not view.over, at.to_act - start)
    flags |= set_from(bit(active_seat(rules, view, 0)), seat, rules.players) << (at.forehand - start)
    flags |= set_from(view.passed, seat, rules.players) << (at.passed - start)
    flags |= set_from(view.numbered, seat, rules.players) << (at.numbered - start)
    flags |= set_from(view.callers, seat, rules.players) << (at.callers - start)
    flags |= game_flag(view.level) << (at.level - start)
    flags |= set_from(bit_of(view.level_seat), seat, rules.players) << (at.level_seat - start)
    flags |= game_flag(view.named) << (at.named - start)
    flags |= set_from(bit_of(view.named_seat), seat, rules.players) << (at.named_seat - start)
    return flags | set_from(bit_of(view.declarer), seat, rules.players) << (at.declarer - start)


@compiled
def contract_flags(rules, view, seat, at):
    """The features from `igra` to `winning`, which are zeros and ones, as a set."""
    start = at.igra
    flags = view.igra | bit(view.surplus) >> 1 << (at.surplus - start)
    flags |= game_flag(view.game) << (at.game - start)
    if SPADES <= view.game < BETL:
        flags |= bit(at.trump - start + TRUMP_SUIT[view.game - SPADES])
    flags |= set_from(view.came, seat, rules.players) << (at.came - start)
    flags |= set_from(bit_of(view.taker), seat, rules.players) << (at.taker - start)
    flags |= set_from(bit_of(view.doubler), seat, rules.players) << (at.doubler - start)
    flags |= (bit(view.doublings) - 1) << (at.doublings - start)
    flags |= bit_of(view.offered) << (at.offered - start)
    flags |= set_from(bit(view.leader), seat, rules.players) << (at.leader - start)
    flags |= bit_of(view.led // RANKS_PER_SUIT) << (at.led - start)
    return flags | set_from(bit_of(view.winning), seat, rules.players) << (at.winning - start)


@compiled
def game_flag(game):
    """A game as the set of its place among all; of none for 0."""
    return bit(game) >> SPADES


@compiled
def observe_sheet(rules, view, seat, total, at, out):
    """The score sheet; `total` is the sum of the own columns."""
    scale = 1 / rules.start
    for i in range(rules.players):
        other = wrapped(rules, seat + i)
        own, balance = scale * view.sheet[other, other], 0.1 * scale * supe_balance(view, other)
        if own > 0:
            out[at.own + i] = own
        elif own < 0:
            out[at.hat + i] = -own
        if balance > 0:
            out[at.gained + i] = balance
        elif balance < 0:
            out[at.lost + i] = -balance
        out[at.refas + i] = view.refas[other]
    out[at.total] = scale * total
    out[at.refa_possible] = may_write_refa(rules, view)
    if rules.max_hands and view.match:
        out[at.hands_left] = share(rules.max_hands - view.deals_done, rules.max_hands)


def history_features(players: int) -> tuple[Feature, ...]:
    return (
        Feature("hand", CARDS, "cards in the own hand", "card"),
        Feature("dealt", CARDS, "the own ten cards of the deal", "card"),
        Feature("talon", CARDS, "the talon, once it has been turned up", "card"),
        Feature("to_act", 1, "this seat is to act"),
        Feature("forehand", players, "which of all seats is forehand"),
        *sheet_features(players),
        Feature(
            "actors",
            LONGEST_DEAL * players,
            "which of all seats took the first, second, … action of the deal",
        ),
        Feature(
            "actions",
            LONGEST_DEAL * len(ACTIONS),
            "the actions of the deal in order, one row of actions each, empty if hidden",
            "action",
        ),
    )


HISTORY_AT = offsets_by_players(history_features(players) for players in PLAYERS)


@compiled
def observe_history(rules, view, seat, out):
    """Perfect recall: the private cards and the full public sequence of actions."""
    at = HISTORY_AT[rules.players - FEWEST]
    put_set(out, at.hand, hand_of(view, seat), CARDS)
    put_set(out, at.dealt, dealt_to(view, seat), CARDS)
    put_set(out, at.talon, talon_of(view), CARDS)
    out[at.to_act] = view.seat == seat and not view.over
    for i in range(rules.players):
        out[at.forehand + i] = wrapped(rules, seat + i) == active_seat(rules, view, 0)
    observe_sheet(rules, view, seat, own_total(view), at, out)
    for i in range(view.log_size):
        actor, action = wrapped(rules, logged_seat(view, i) - seat + rules.players), logged_action(view, i)
        out[at.actors + i * rules.players + actor] = 1
        if action != NONE:
            out[at.actions + i * len(ACTIONS) + action] = 1


def perfect_features(players: int) -> tuple[Feature, ...]:
    return (
        *summary_features(players),
        Feature("other_hands", (players - 1) * CARDS, "cards in the hands of the others", "card"),
        Feature("hidden_talon", CARDS, "the talon as it was dealt", "card"),
        Feature("all_discards", CARDS, "the discards", "card"),
    )


PERFECT_AT = offsets_by_players(perfect_features(players) for players in PLAYERS)


@compiled
def observe_all(rules, state, seat, out):
    """Everything, from a seat's side. Not for players."""
    at = PERFECT_AT[rules.players - FEWEST]
    observe_summary(rules, state, seat, out)
    for i in range(1, rules.players):
        put_set(out, at.other_hands + (i - 1) * CARDS, hand_of(state, wrapped(rules, seat + i)), CARDS)
    put_set(out, at.all_discards, discards_of(state), CARDS)
    for position in range(TALON_AT, TALON_AT + TALON):
        out[at.hidden_talon + state.deck[position]] = 1


SUMMARY = {players: Encoding("summary", summary_features(players), observe_summary) for players in PLAYERS}
RULES = with_rules(Encoding("summary", summary_features(MOST), observe_widest), PreferansRules)
HISTORY = {players: Encoding("history", history_features(players), observe_history) for players in PLAYERS}
PERFECT = {players: Encoding("perfect", perfect_features(players), observe_all) for players in PLAYERS}

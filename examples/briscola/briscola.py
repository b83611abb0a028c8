"""Briscola for two with 40 cards: a complete game for Stichwerk in one file, in the order in which all games
are written.

Three cards each, one turned up for trumps. Any card may answer; the higher card of the led suit wins, or a
trump. Both draw, the winner first, until the card turned up has been drawn. Who has more than half of the 120
points wins.

Source: https://www.pagat.com/aceten/briscola.html
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from stichwerk.envs.core.actions import card_actions
from stichwerk.envs.core.cards import NONE, Pack, allow_cards, bit, bit_of, pretty
from stichwerk.envs.core.deal import deal_card, end_deal, turn_up
from stichwerk.envs.core.text import (
    Line,
    cards_text,
    counted,
    deal_in_episode,
    last_action,
    results,
    suit_symbol,
    to_act,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.declared import history_encoding, perfect_encoding
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets, put_set
from stichwerk.envs.spec.fields import Field, card, card_set, count, seat, suit
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.spec.options import Options, option
from stichwerk.envs.spec.state import state_layout

# Options

PACK = Pack("A3KQJ76542")


@dataclass(frozen=True)
class BriscolaRules(Options):
    """The rules of one table."""

    PACK = PACK
    PRESETS = {"briscola": {}}

    target: int = option(3, "deals that win a match", "pagat.com", minimum=1)

    @property
    def sides(self) -> tuple[int, ...]:
        return 0, 1


# State

SEATS, CARDS, RANKS = 2, len(PACK), len(PACK.ranks)
POINTS = np.array([11, 10, 4, 3, 2, 0, 0, 0, 0, 0])  # by rank
ALL_POINTS = 120
IN_HAND = 3
TURNED_UP = SEATS * IN_HAND  # where the card turned up lies in a deck
TRICKS = CARDS // SEATS
ACTIONS = tuple(card_actions("play", PACK.names))


class Phase(IntEnum):
    """The decision nodes."""

    LEAD = 0
    ANSWER = 1
    DONE = 2


STATE = state_layout(
    [
        Field("score", count(10_000), SEATS, "deals won in the match", lasts="match", below="target"),
        Field("hand", card_set(CARDS), SEATS, "cards in hand", known="owner"),
        Field("got", card(CARDS), (SEATS, TRICKS), "cards dealt and drawn, in order", known="owner"),
        Field("held", count(IN_HAND), SEATS, "how many cards are in hand"),
        Field("taken", card_set(CARDS), SEATS, "cards in won tricks"),
        Field("points", count(ALL_POINTS), SEATS, "card points taken"),
        Field("turned_up", card(CARDS, always=True), (), "the card turned up, whose suit is trumps"),
        Field("trump", suit(always=True), (), "its suit"),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("led", card(CARDS), (), "the card that waits for an answer"),
        Field("trick", count(TRICKS), (), "tricks that are over"),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=CARDS,
    paid_in=np.int8,
    deck_known="owner",
)


# Flow


@compiled
def deal(rules, state):
    """Three cards to forehand, three to the dealer, one turned up."""
    for i in range(IN_HAND):
        take(state, 1 - state.dealer, i)
        take(state, state.dealer, IN_HAND + i)
    state.turned_up = turn_up(state, TURNED_UP)
    state.trump = state.turned_up // RANKS
    state.seat = state.leader = 1 - state.dealer


@compiled
def take(state, seat, position):
    """Give a seat a card of the deck: after each trick it has played one more."""
    state.got[seat, state.trick + state.held[seat]] = deal_card(state, seat, position)
    state.held[seat] += 1


@compiled
def legal(rules, state, mask):
    """Any card may be played."""
    allow_cards(state.hand[state.seat], mask, 0)


@compiled
def apply(rules, state, action):
    """Play a card; the second one ends the trick."""
    state.hand[state.seat] &= ~bit(action)
    state.held[state.seat] -= 1
    if state.phase == Phase.LEAD:
        state.led = action
        state.seat = 1 - state.seat
        state.phase = Phase.ANSWER
    else:
        end_trick(rules, state, action)


@compiled
def beats(answer, led, trump):
    """True if an answer wins the trick: of one suit the card of smaller number is the stronger one."""
    if answer // RANKS == led // RANKS:
        return answer < led
    return answer // RANKS == trump


@compiled
def end_trick(rules, state, answer):
    winner = state.seat if beats(answer, state.led, state.trump) else state.leader
    state.taken[winner] |= bit(state.led) | bit(answer)
    state.points[winner] += POINTS[state.led % RANKS] + POINTS[answer % RANKS]
    state.trick += 1
    top = TURNED_UP - 1 + 2 * state.trick  # of the stock, where the card turned up is the last one
    if top < CARDS:
        take(state, winner, top)
        take(state, 1 - winner, top + 1 if top + 1 < CARDS else TURNED_UP)
    state.seat = state.leader = winner
    state.led = NONE
    state.phase = Phase.LEAD
    if state.trick == TRICKS:
        finish(rules, state)


# Scoring


@compiled
def finish(rules, state):
    """More than half of the points wins; sixty each is a draw. In a match the dealers take turns."""
    state.phase = Phase.DONE
    for side in range(SEATS):
        state.deal_points[side] = np.sign(state.points[side] - state.points[1 - side])
        state.score[side] += state.deal_points[side] > 0
    end_deal(state)
    if state.match and state.score.max() >= rules.target:
        state.over = 1
        state.reward[:] = state.deal_points
    elif state.match:
        state.dealer = 1 - state.dealer


# Features

SUMMARY_FEATURES = (
    Feature("hand", CARDS, "cards in the own hand", "card"),
    Feature("led", CARDS, "the card that waits for an answer", "card"),
    Feature("turned_up", CARDS, "the card turned up", "card"),
    Feature("unseen", CARDS, "cards whose place this seat does not know", "card"),
    Feature("trump", 4, "trump suit", "suit"),
    Feature("to_act", 1, "this seat is to act"),
    Feature("points", 2, "points of this seat, the opponent / 120"),
    Feature("score", 2, "deals won in the match by this seat, the opponent / target"),
    Feature("left", 1, "tricks still to come / 20"),
)
AT = offsets(SUMMARY_FEATURES)


@compiled
def observe_summary(rules, view, seat, out):
    """The table and the memory of a careful player."""
    turned_up, led = bit(view.turned_up), bit_of(view.led)
    known = view.hand[seat] | view.taken[0] | view.taken[1] | turned_up | led
    put_set(out, AT.hand, view.hand[seat], CARDS)
    put_set(out, AT.led, led, CARDS)
    put_set(out, AT.turned_up, turned_up, CARDS)
    put_set(out, AT.unseen, (bit(CARDS) - 1) & ~known, CARDS)
    out[AT.trump + view.trump] = 1
    out[AT.to_act] = view.seat == seat and not view.over
    for i in range(SEATS):
        out[AT.points + i] = view.points[(seat + i) % SEATS] / ALL_POINTS
        out[AT.score + i] = view.score[(seat + i) % SEATS] / rules.target
    out[AT.left] = (TRICKS - view.trick) / TRICKS


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)
HISTORY = history_encoding(
    STATE,
    ACTIONS,
    got="the cards this seat was dealt and drew, one row of cards each",
    turned_up="the card turned up",
)
PERFECT = perfect_encoding(SUMMARY, STATE, hand="cards in the opponent's hand")


# Text


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The lines shown to one seat, from its redacted view."""
    other = 1 - seat
    score = " : ".join(map(str, view.score))
    hand, doing = cards_text(PACK, view.hand[seat], "no cards"), "answer" if view.led != NONE else "lead"
    return [
        f"deal {deal_in_episode(view)}, dealt by player_{view.dealer}, score {score}",
        Line(f"{suit_symbol(view.trump)}, {pretty(PACK.names[view.turned_up])} turned up", "trump"),
        Line(f"{counted(view.held[other], 'card')}, {view.points[other]} points", f"player_{other}"),
        Line("empty" if view.led == NONE else pretty(PACK.names[view.led]), "table"),
        Line(f"{hand}, {view.points[seat]} points", f"player_{seat}"),
        *last_action(view, ACTIONS),
        results(view.deal_points) if view.phase == Phase.DONE else to_act(view.seat, f"to {doing}"),
    ]


GAME = GameSpec(
    env_ids={"briscola_v0": "briscola"},
    title="Briscola",
    rules=BriscolaRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    encodings={"summary": SUMMARY, "history": HISTORY},
    perfect=PERFECT,
    text=text,
    stakes=lambda rules: (-1, 1),
    card_points="points",
)

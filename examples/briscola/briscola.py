"""Briscola for two with 40 cards: a complete game for Stichwerk in one file, in the order in which all games
are written.

Three cards each, one turned up for trumps. Any card may answer; the higher card of the led suit wins, or a
trump. Both draw, the winner first, until the card turned up has been drawn. Who has more than half of the 120
points wins.

Source: https://www.pagat.com/aceten/briscola.html
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from stichwerk.envs.core.actions import card_actions
from stichwerk.envs.core.cards import NONE, Pack, allow_cards, bit, count, pretty
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.text import cards_text, counted, deal_in_episode, last_action, results, suit_symbol
from stichwerk.envs.core.worlds import random_free_place
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.declared import history_encoding, perfect_encoding
from stichwerk.envs.spec.encoding import Encoding, Feature, offsets, put_set
from stichwerk.envs.spec.fields import Field, card, card_set, seat, suit
from stichwerk.envs.spec.fields import count as number
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.spec.options import Options, option
from stichwerk.envs.spec.state import state_layout

# Options

PACK = Pack("A3KQJ76542")


@dataclass(frozen=True)
class BriscolaRules(Options):
    """How one table plays."""

    PACK: ClassVar[Pack] = PACK
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"briscola": {}}

    target: int = option(3, "deals that win a match", "pagat.com", minimum=1)

    @property
    def sides(self) -> tuple[int, ...]:
        return 0, 1


# State

SEATS = 2
CARDS = len(PACK)
RANKS = len(PACK.ranks)
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
        Field("score", number(10_000), SEATS, "deals won in the match", lasts="match", below="target"),
        Field("hand", card_set(CARDS), SEATS, "cards in hand", known="owner"),
        Field(
            "got",
            card(CARDS),
            (SEATS, TRICKS),
            "the cards each seat was dealt and drew, in order",
            known="owner",
        ),
        Field("held", number(IN_HAND), SEATS, "how many cards are in hand"),
        Field("taken", card_set(CARDS), SEATS, "cards in won tricks"),
        Field("points", number(ALL_POINTS), SEATS, "card points taken"),
        Field("turned_up", card(CARDS, always=True), (), "the card turned up, whose suit is trumps"),
        Field("trump", suit(always=True), (), "its suit"),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("led", card(CARDS), (), "the card that waits for an answer"),
        Field("trick", number(TRICKS), (), "tricks that are over"),
        Field("winners", seat(SEATS), TRICKS, "who won them"),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=CARDS,
    paid_in=np.int8,
)


@compiled
def drawn(state):
    """How many cards each seat has got so far: three and one after each trick, as long as there are any."""
    return min(IN_HAND + state.trick, TRICKS)


# Flow


@compiled
def deal(rules, state):
    """Three cards to forehand, three to the dealer, one turned up."""
    for i in range(IN_HAND):
        take(state, 1 - state.dealer, i, state.deck[i])
        take(state, state.dealer, i, state.deck[IN_HAND + i])
    state.turned_up = state.deck[TURNED_UP]
    state.trump = state.turned_up // RANKS
    state.seat = state.leader = 1 - state.dealer


@compiled
def take(state, seat, place, card):
    state.hand[seat] |= bit(card)
    state.got[seat, place] = card
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
    """Whether an answer wins the trick: of one suit the card of smaller number is the stronger one."""
    if answer // RANKS == led // RANKS:
        return answer < led
    return answer // RANKS == trump


@compiled
def end_trick(rules, state, answer):
    winner = state.seat if beats(answer, state.led, state.trump) else state.leader
    state.taken[winner] |= bit(state.led) | bit(answer)
    state.points[winner] += POINTS[state.led % RANKS] + POINTS[answer % RANKS]
    if drawn(state) < TRICKS:
        top = TURNED_UP + 1 + 2 * state.trick
        last = top + 1 == CARDS
        take(state, winner, drawn(state), state.deck[top])
        take(state, 1 - winner, drawn(state), state.turned_up if last else state.deck[top + 1])
    state.winners[state.trick] = winner
    state.trick += 1
    state.seat = state.leader = winner
    state.led = NONE
    state.phase = Phase.LEAD
    if state.trick == TRICKS:
        finish(rules, state)


# Scoring


def stakes(options: BriscolaRules) -> tuple[float, float]:
    """A deal is worth one point."""
    return -1, 1


@compiled
def finish(rules, state):
    """More than half of the points wins; sixty each is a draw. In a match the dealers take turns."""
    state.phase = Phase.DONE
    for side in range(SEATS):
        state.deal_points[side] = np.sign(state.points[side] - state.points[1 - side])
        state.score[side] += state.deal_points[side] > 0
    end_deal(state)
    if not state.match:
        return
    if state.score.max() >= rules.target:
        state.over = 1
        state.reward[:] = state.deal_points
    else:
        state.dealer = 1 - state.dealer


# Hidden information: the other hand and the stock. What fields hide by their declaration needs no code.


@compiled
def unseen(view, seat):
    """The cards whose place this seat does not know."""
    known = view.hand[seat] | view.taken[0] | view.taken[1] | bit(view.turned_up)
    if view.led != NONE:
        known |= bit(view.led)
    return (bit(CARDS) - 1) & ~known


@compiled
def resample(rules, view, seat):
    """Deal the unseen cards anew, and give the other hand a past: which card came when. All pasts are equally
    likely."""
    other, places = 1 - seat, drawn(view)
    sure = NONE  # the card turned up is drawn last of all, by the loser of that trick
    if places == TRICKS and view.got[seat, TRICKS - 1] != view.turned_up:
        sure = view.turned_up
        view.got[other, TRICKS - 1] = sure
    for i in range(view.log_size):  # a card that was played had come before
        card = logged_action(view, i)
        if logged_seat(view, i) == other and card != sure:
            put_in_random_place(view, other, min(IN_HAND + i // SEATS, TRICKS), card)

    stock, hand = unseen(view, seat), np.int64(0)
    if sure != NONE and view.led != sure and not (view.taken[0] | view.taken[1]) & bit(sure):
        hand = bit(sure)
    while count(hand) < view.held[other]:
        card = random_card(view, stock)
        stock ^= bit(card)
        hand |= bit(card)
        put_in_random_place(view, other, places, card)
    view.hand[other] = hand
    lay_out_deck(view, places, stock)


@compiled
def lay_out_deck(view, places, stock):
    """Write the deck that was dealt, and drawn so far; below it lies the stock in random order."""
    for i in range(IN_HAND):
        view.deck[i] = view.got[1 - view.dealer, i]
        view.deck[IN_HAND + i] = view.got[view.dealer, i]
    view.deck[TURNED_UP] = view.turned_up
    for position in range(TURNED_UP + 1, CARDS):
        trick, second = divmod(position - TURNED_UP - 1, SEATS)
        if IN_HAND + trick < places:
            drawer = 1 - view.winners[trick] if second else view.winners[trick]
            view.deck[position] = view.got[drawer, IN_HAND + trick]
        else:
            view.deck[position] = random_card(view, stock)
            stock ^= bit(view.deck[position])


@compiled
def put_in_random_place(view, seat, places, card):
    """Put a card into one of the first places that are still free."""
    got = view.got[seat, :places]
    got[random_free_place(view, got)] = card


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
SUMMARY_AT = offsets(SUMMARY_FEATURES)


@compiled
def observe_summary(rules, view, seat, out):
    """What a careful player has on the table and in the head."""
    at = SUMMARY_AT
    put_set(out, at.hand, view.hand[seat], CARDS)
    if view.led != NONE:
        out[at.led + view.led] = 1
    out[at.turned_up + view.turned_up] = 1
    put_set(out, at.unseen, unseen(view, seat), CARDS)
    out[at.trump + view.trump] = 1
    out[at.to_act] = view.seat == seat and not view.over
    for i in range(SEATS):
        out[at.points + i] = view.points[(seat + i) % SEATS] / ALL_POINTS
        out[at.score + i] = view.score[(seat + i) % SEATS] / rules.target
    out[at.left] = (TRICKS - view.trick) / TRICKS


SUMMARY = Encoding("summary", SUMMARY_FEATURES, observe_summary)


# Text


def text(rules: np.record, view: np.record, seat: int) -> str:
    """What one seat sees, from its redacted view."""
    other = 1 - seat
    return "\n".join(
        [
            headline(view),
            f"trump     {suit_symbol(view.trump)}, {pretty(PACK.names[view.turned_up])} turned up",
            f"player_{other}  {counted(view.held[other], 'card')}, {view.points[other]} points",
            f"table     {'empty' if view.led == NONE else pretty(PACK.names[view.led])}",
            f"player_{seat}  {cards_text(PACK, view.hand[seat], 'no cards')}, {view.points[seat]} points",
            *last_action(view, ACTIONS),
            turn_line(view),
        ]
    )


def headline(view: np.record) -> str:
    score = " : ".join(map(str, view.score))
    return f"deal {deal_in_episode(view)}, dealt by player_{view.dealer}, score {score}"


def turn_line(view: np.record) -> str:
    if view.phase == Phase.DONE:
        return results(view.deal_points)
    return f"turn      player_{view.seat}, to {'answer' if view.phase == Phase.ANSWER else 'lead'}"


GAME = GameSpec(
    env_ids={"briscola_v0": "briscola"},
    title="Briscola",
    rules=BriscolaRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    resample=resample,
    encodings={
        "summary": SUMMARY,
        "history": history_encoding(
            STATE,
            ACTIONS,
            got="the cards this seat was dealt and drew, one row of cards each",
            turned_up="the card turned up",
        ),
    },
    perfect=perfect_encoding(SUMMARY, STATE, hand="cards in the opponent's hand"),
    text=text,
    stakes=stakes,
)

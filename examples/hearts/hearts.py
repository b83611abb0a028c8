"""Hearts for four with 52 cards in its simplest form: a complete game whose hooks are mostly left to their
defaults.

Thirteen cards each. Suit is followed; the highest card of the led suit wins the trick. Each heart in the own
tricks costs a point.

Source: https://www.pagat.com/reverse/hearts.html
"""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from stichwerk.envs.core.actions import Action, card_actions
from stichwerk.envs.core.cards import NONE, SUITS, Pack, allow_cards, bit
from stichwerk.envs.core.deal import deal_card, end_deal
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import Field, card, card_set, count, seat
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.spec.options import Options, option
from stichwerk.envs.spec.state import state_layout

PACK = Pack("AKQJT98765432")
SEATS, CARDS, RANKS = 4, len(PACK), len(PACK.ranks)
HEARTS = SUITS.index("h")
ACTIONS = tuple(card_actions("play", PACK.names))


@dataclass(frozen=True)
class HeartsRules(Options):
    """The rules of one table."""

    PACK = PACK
    PRESETS = {"hearts": {}}

    limit: int = option(50, "points of a seat that end a match", "pagat.com", minimum=1)
    hearts_at_once: bool = option(True, "hearts may go to the first trick", "pagat.com")

    @property
    def sides(self) -> tuple[int, ...]:
        return tuple(range(SEATS))


class Phase(IntEnum):
    """The decision nodes."""

    PLAY = 0
    DONE = 1


STATE = state_layout(
    [
        Field(
            "score", count(20_000), SEATS, "hearts in the match", by_seat=True, lasts="match", below="limit"
        ),
        Field("hand", card_set(CARDS), SEATS, "cards in hand", known="owner"),
        Field("table", card(CARDS), SEATS, "the card in the present trick", by_seat=True),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("taken", card_set(CARDS), (), "cards in tricks that are over"),
        Field("hearts", count(RANKS), SEATS, "hearts taken in this deal", by_seat=True),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=CARDS,
    paid_in=np.int32,
    deck_known="owner",
)


@compiled
def deal(rules, state):
    """All cards are dealt, one at a time, from forehand on; forehand leads."""
    for position in range(CARDS):
        deal_card(state, (state.dealer + 1 + position) % SEATS, position)
    state.seat = state.leader = (state.dealer + 1) % SEATS


@compiled
def legal(rules, state, mask):
    """Suit is followed; any card is led, or played by a hand without the led suit."""
    cards, led = state.hand[state.seat], state.table[state.leader]
    if led != NONE and cards & suit_set(led // RANKS):
        cards &= suit_set(led // RANKS)
    if not rules.hearts_at_once and not state.taken and cards & ~suit_set(HEARTS):
        cards &= ~suit_set(HEARTS)
    allow_cards(cards, mask, 0)


@compiled
def suit_set(suit):
    return (bit(RANKS) - 1) << suit * RANKS


@compiled
def apply(rules, state, action):
    """Play a card; the fourth one ends the trick."""
    state.hand[state.seat] &= ~bit(action)
    state.table[state.seat] = action
    state.seat = (state.seat + 1) % SEATS
    if state.seat == state.leader:
        end_trick(rules, state)


@compiled
def end_trick(rules, state):
    best, hearts = state.table[state.leader], 0
    for player in range(SEATS):
        card = state.table[player]
        if card // RANKS == best // RANKS and card <= best:  # the smaller number is the stronger card
            best, state.leader = card, player
        hearts += card // RANKS == HEARTS
        state.taken |= bit(card)
    state.hearts[state.leader] += hearts
    state.table[:] = NONE
    state.seat = state.leader
    if state.log_size == CARDS:
        finish(rules, state)


@compiled
def finish(rules, state):
    """Score each seat by the average hearts less its own, times four. A match ends at the limit."""
    state.phase = Phase.DONE
    for player in range(SEATS):
        state.deal_points[player] = RANKS - SEATS * state.hearts[player]
        state.score[player] += state.hearts[player]
    end_deal(state)
    if state.match and state.score.max() >= rules.limit:
        state.over = 1
        for player in range(SEATS):
            state.reward[player] = state.score.sum() - SEATS * state.score[player]
    elif state.match:
        state.dealer = (state.dealer + 1) % SEATS


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why a card of the hand may not be played."""
    led, hand = view.table[view.leader], PACK.cards(view.hand[seat])
    reason = why_not_follow(PACK, str(action.card), hand, PACK.names[led]) if led != NONE else ""
    return reason or "no heart goes to the first trick while you hold other cards"


GAME = GameSpec(
    env_ids={"hearts_v0": "hearts"},
    title="Hearts",
    rules=HeartsRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    stakes=lambda rules: (RANKS - SEATS * RANKS, RANKS),
    why_not=why_not,
    exercises=Path(__file__).with_name("exercises.yaml"),
)

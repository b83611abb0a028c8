"""The course of a hand: dealing, and the decision nodes with their legal actions and what follows from each.

Each decision node is a `Phase` with a pair `legal_…` / `apply_…`, found in this order:

    auction     who plays, with or without the talon
    contract    the talon, the game, who defends it, and for how much
    tricks      the play of the cards

Source: docs/rules/preferans.md#decision-nodes
"""

import numpy as np

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.random import below, start_random
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.preferans.flow.auction import apply_auction, legal_auction
from stichwerk.envs.games.preferans.flow.contract import (
    apply_come,
    apply_declare,
    apply_discard,
    apply_join,
    apply_kontra,
    apply_offer,
    apply_reply,
    legal_come,
    legal_declare,
    legal_discard,
    legal_join,
    legal_kontra,
    legal_offer,
    legal_reply,
)
from stichwerk.envs.games.preferans.flow.tricks import apply_play, legal_play
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    CARD_OF,
    DECLARE,
    DISCARD,
    PACKET,
    PLAY,
    SPADES,
    TALON,
    Phase,
    active_seat,
    set_hand,
)
from stichwerk.envs.jit.compiled import compiled


@compiled
def begin_match(rules, state):
    """The score sheet before the first hand."""
    for seat in range(rules.players):
        state.sheet[seat, seat] = rules.start


@compiled
def draw_start(rules, state):
    """A score sheet as it comes up in a match: all own columns have come down, some farther.

    Source: docs/rules/preferans.md#start-states
    """
    start_random(state, state.seed, -1 - state.deal_number)
    fall = 2 * below(state, (rules.start + 1) // 2)
    for seat in range(rules.players):
        state.sheet[seat, seat] = rules.start - fall
    for seat in range(rules.players):
        ahead, following = 2 * below(state, rules.start // 4 + 1), wrapped(rules, seat + 1)
        state.sheet[seat, seat] -= ahead
        state.sheet[following, following] += ahead
    state.refas_written = below(state, rules.refa_limit + 1)
    for seat in range(rules.players):
        state.refas[seat] = below(state, state.refas_written + 1)
        for other in range(rules.players):
            if other != seat:
                state.sheet[seat, other] = 2 * below(state, 2 * fall + 1)


@compiled
def deal(rules, state):
    """Five cards each from forehand on, two to the talon, five more each.

    Source: docs/rules/preferans.md#the-deal
    """
    for place in range(ACTIVE):
        cards = np.int64(0)
        for i in range(PACKET):
            first_packet = place * PACKET + i
            second_packet = ACTIVE * PACKET + TALON + first_packet
            cards |= bit(state.deck[first_packet]) | bit(state.deck[second_packet])
        set_hand(state, active_seat(rules, state, place), cards)
    state.leader = active_seat(rules, state, 0)
    state.seat = state.leader


@compiled
def legal(rules, state, mask):
    """Mark the legal actions of the seat to act."""
    if state.phase == Phase.PLAY:
        legal_play(state, mask)
    elif state.phase == Phase.AUCTION:
        legal_auction(rules, state, mask)
    elif state.phase == Phase.DISCARD:
        legal_discard(state, mask)
    elif state.phase == Phase.DECLARE:
        legal_declare(rules, state, mask)
    elif state.phase == Phase.COME:
        legal_come(mask)
    elif state.phase == Phase.JOIN:
        legal_join(mask)
    elif state.phase == Phase.KONTRA:
        legal_kontra(mask)
    elif state.phase == Phase.OFFER:
        legal_offer(mask)
    elif state.phase == Phase.REPLY:
        legal_reply(mask)


@compiled
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: the talon, scoring."""
    if state.phase == Phase.PLAY:
        apply_play(rules, state, CARD_OF[action - PLAY])
    elif state.phase == Phase.AUCTION:
        apply_auction(rules, state, action)
    elif state.phase == Phase.DISCARD:
        apply_discard(state, CARD_OF[action - DISCARD])
    elif state.phase == Phase.DECLARE:
        apply_declare(rules, state, action - DECLARE + SPADES)
    elif state.phase == Phase.COME:
        apply_come(rules, state, action)
    elif state.phase == Phase.JOIN:
        apply_join(rules, state, action)
    elif state.phase == Phase.KONTRA:
        apply_kontra(rules, state, action)
    elif state.phase == Phase.OFFER:
        apply_offer(rules, state, action)
    elif state.phase == Phase.REPLY:
        apply_reply(rules, state, action)

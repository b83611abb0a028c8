"""The course of a deal of Preferans, decision by decision."""

from numba import njit

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.course import NONE, begin_deal, log_action
from stichwerk.envs.core.random import below, start_random
from stichwerk.envs.games.preferans.auction import apply_auction, legal_auction
from stichwerk.envs.games.preferans.contract import (
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
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    CARD_OF,
    DECK,
    DECLARE,
    DISCARD,
    PACKET,
    PLAY,
    SPADES,
    TALON,
    Outcome,
    Phase,
    active_seat,
    wrapped,
)
from stichwerk.envs.games.preferans.tricks import apply_play, legal_play


@njit(cache=True)
def begin_match(rules, state):
    """The score sheet before the first hand."""
    state.own[:] = 0
    state.own[: rules.players] = rules.start
    state.received[:] = 0
    state.refas[:] = 0
    state.refas_written = 0


@njit(cache=True)
def begin_situation(rules, state):
    """A score sheet from the midst of a match, drawn from the lane's random numbers: all own columns have come down, some farther."""
    begin_match(rules, state)
    start_random(state, state.seed, -1 - state.deal_number)
    fall = 2 * below(state, (rules.start + 1) // 2)
    for seat in range(rules.players):
        ahead = 2 * below(state, rules.start // 4 + 1)
        state.own[seat] -= fall + ahead
        state.own[wrapped(rules, seat + 1)] += ahead
    state.refas_written = below(state, rules.refa_limit + 1)
    for seat in range(rules.players):
        state.refas[seat] = below(state, state.refas_written + 1)
        for other in range(rules.players):
            if other != seat:
                state.received[seat, other] = 2 * below(state, 2 * fall + 1)


@njit(cache=True)
def deal(rules, state):
    """Deal number `deal_number` of the lane: five cards each from forehand on, two to the talon, five more each."""
    begin_deal(state, rules.players, DECK)
    state.hand[:] = 0
    for place in range(ACTIVE):
        seat = active_seat(rules, state, place)
        for i in range(PACKET):
            first_packet = place * PACKET + i
            second_packet = ACTIVE * PACKET + TALON + first_packet
            state.hand[seat] |= bit(state.deck[first_packet]) | bit(state.deck[second_packet])
    state.dealt[:] = state.hand
    state.talon = 0
    state.surplus = 0
    state.discards = 0
    state.missing[:] = 0
    state.passed = 0
    state.numbered = 0
    state.callers = 0
    state.namers = 0
    state.level = 0
    state.level_seat = NONE
    state.named = 0
    state.named_seat = NONE
    state.declarer = NONE
    state.igra = 0
    state.game = 0
    state.came = 0
    state.taker = NONE
    state.doubler = NONE
    state.doublings = 0
    state.offered = NONE
    state.leader = active_seat(rules, state, 0)
    state.led = NONE
    state.best = NONE
    state.winning = NONE
    state.table = 0
    state.played[:] = 0
    state.tricks[:] = 0
    state.outcome = Outcome.NONE
    state.phase = Phase.AUCTION
    state.seat = state.leader


@njit(cache=True)
def legal(rules, state, mask):
    """Write the legal actions of the seat to act into `mask`, int8[actions]; all zero when the deal is over.

    Reads nothing that the seat to act may not know, so a redacted state gives the same answer.
    """
    mask[:] = 0
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


@njit(cache=True)
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: the talon, scoring, the next deal."""
    log_action(state, action)
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

    if state.phase == Phase.DONE and not state.over:
        state.deal_number += 1
        deal(rules, state)

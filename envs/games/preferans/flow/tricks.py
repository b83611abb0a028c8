"""The play of the cards in Preferans: who leads, what may be played, and when a hand is over.

Source: docs/rules/preferans.md#the-play
"""

from stichwerk.envs.core.cards import NONE, bit
from stichwerk.envs.core.tricks import beaters, strict_set
from stichwerk.envs.games.preferans.options import DECLARER_LEFT
from stichwerk.envs.games.preferans.scoring import DEFENCE_GOAL, score_hand
from stichwerk.envs.games.preferans.state import (
    BETL,
    CARDS,
    PLAY,
    PREFERANS,
    RANKS_PER_SUIT,
    SANS,
    SPADES,
    TRUMP_SUIT,
    Phase,
    active_seat,
    as_number,
    defence_tricks,
    hand_of,
    in_action_order,
    left_of,
    next_active,
    on_table,
    played_by,
    plays,
    set_hand,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.bitsets import put_set
from stichwerk.envs.jit.compiled import compiled


@compiled
def begin_play(rules, state):
    state.phase = Phase.PLAY
    state.leader = first_leader(rules, state)
    state.seat = state.leader


@compiled
def first_leader(rules, state):
    """Forehand, or the next who plays; in sans and preferans the declarer's left, and never the declarer.

    Source: docs/rules/preferans.md#the-first-lead
    """
    leader = active_seat(rules, state, 0)
    notrump = state.game == SANS or state.game == PREFERANS
    if notrump and rules.sans_lead == DECLARER_LEFT:
        leader = left_of(rules, state, state.declarer)
    while not plays(rules, state, leader) or (notrump and leader == state.declarer):
        leader = next_active(rules, state, leader)
    return leader


@compiled
def legal_play(state, mask):
    """Any card on lead; else follow suit, else trump. Nobody has to beat a card."""
    hand = hand_of(state, state.seat)
    if state.led != NONE:
        hand = strict_set(hand, suit_set(state.led // RANKS_PER_SUIT), trump_set(state), 0)
    put_set(mask, PLAY, in_action_order(hand), CARDS)


@compiled
def apply_play(rules, state, card):
    seat, trumps = state.seat, trump_set(state)
    if state.led == NONE:
        state.led, state.best, state.winning = card, card, seat
    else:
        note_voids(state, seat, card)
        if bit(card) & beaters(state.best, suit_set(state.best // RANKS_PER_SUIT), trumps):
            state.best, state.winning = card, seat
    lay_down(state, seat, card)

    following = next_active(rules, state, seat)
    while not plays(rules, state, following):
        following = next_active(rules, state, following)
    state.seat = following
    if following == state.leader:
        end_trick(rules, state)


@compiled
def lay_down(state, seat, card):
    """A card goes from a hand to the table."""
    set_hand(state, seat, hand_of(state, seat) & ~bit(card))
    state.played[seat] = as_number(played_by(state, seat) | bit(card))
    state.table = as_number(on_table(state) | bit(card))


@compiled
def note_voids(state, seat, card):
    """A seat that does not follow holds no card of the suit led; if it does not trump either, no trump."""
    suit, led = card // RANKS_PER_SUIT, state.led // RANKS_PER_SUIT
    if suit != led:
        state.void[seat] |= bit(led)
        if state.game < BETL and suit != TRUMP_SUIT[state.game - SPADES]:
            state.void[seat] |= bit(TRUMP_SUIT[state.game - SPADES])


@compiled
def end_trick(rules, state):
    winner = state.winning
    state.tricks[winner] += 1
    state.led, state.best, state.winning = NONE, NONE, NONE
    state.table = 0
    state.seat, state.leader = winner, winner
    if is_decided(state):
        score_hand(rules, state)


@compiled
def is_decided(state):
    """True if the hand is over: betl with the declarer's first trick, others with the defence's goal."""
    if hand_of(state, state.seat) == 0:
        return True
    if state.game == BETL:
        return state.tricks[state.declarer] > 0
    return defence_tricks(state) >= (1 if state.game == PREFERANS else DEFENCE_GOAL)

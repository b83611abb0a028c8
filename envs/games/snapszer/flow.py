"""The course of a deal: dealing, and the decision nodes with their legal actions and what follows from each.

Each decision node is a `Phase` with a pair `legal_…` / `apply_…`. Source: docs/rules/snapszer.md
"""

from stichwerk.envs.core.cards import NONE, NOTHING, bit, only_if
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.claims import AUTO, FREE, may_claim
from stichwerk.envs.games.family import (
    LAST_TRICK_TEN,
    RANKS_PER_SUIT,
    card_points,
    declare_marriage,
    pair,
    pairs_in,
    suit_set,
)
from stichwerk.envs.games.snapszer.options import TEAM, THAT_TRICK
from stichwerk.envs.games.snapszer.scoring import apply_claim, finish_unclaimed
from stichwerk.envs.games.snapszer.state import (
    ACTION_COUNT,
    ALL_CARDS,
    CLAIM,
    CONTINUE,
    GOAL,
    MELD,
    NAME,
    PACKET,
    PLAY,
    SEATS,
    Phase,
    forehand,
    provable_points,
    same_side,
    seat_after,
    side_points,
    trump,
)
from stichwerk.envs.jit.bitsets import put_set
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers

# Dealing


@compiled
def deal(rules, state):
    """Deal three cards each; forehand names."""
    deal_packet(state, 0)
    copy_numbers(state.dealt, state.hand)
    state.leader = forehand(state)
    state.seat = state.leader


@compiled
def deal_packet(state, number):
    """Three cards to each seat from forehand on: packet 0 before the naming, packet 1 after it."""
    for place in range(SEATS):
        cards = NOTHING
        for i in range(PACKET):
            cards |= bit(state.deck[(number * SEATS + place) * PACKET + i])
        state.hand[seat_after(forehand(state), place)] |= cards


# Legal actions


@compiled
def legal(rules, state, mask):
    """Mark the legal actions of the seat to act."""
    put_set(mask, 0, legal_actions(rules, state), ACTION_COUNT)


@compiled
def legal_actions(rules, state):
    """The set of the legal actions."""
    if state.phase == Phase.LEAD:
        actions = legal_lead(state)
    elif state.phase == Phase.ANSWER:
        actions = legal_answer(state)
    elif state.phase == Phase.NAME:
        actions = legal_name(rules, state)
    elif state.phase == Phase.MELDED:
        actions = pair(state.melded) << PLAY
    elif state.phase == Phase.AFTER:
        actions = bit(CONTINUE)
    else:
        actions = NOTHING
    if not claim_window_open(rules, state):
        return actions
    sure = provable_points(state, state.seat) >= GOAL
    return actions | only_if(may_claim(rules.claims, True, sure), CLAIM)


@compiled
def legal_name(rules, state):
    cards = ALL_CARDS if rules.allow_call_own else ALL_CARDS & ~state.hand[state.seat]
    return cards << NAME


@compiled
def legal_lead(state):
    hand = state.hand[state.seat]
    return hand << PLAY | pairs_in(hand) << MELD


@compiled
def legal_answer(state):
    hand = state.hand[state.seat]
    return strict_set(hand, led_suit(state), suit_set(trump(state)), beating(state)) << PLAY


@compiled
def led_suit(state):
    """All cards of the suit led."""
    return suit_set(state.table[state.leader] // RANKS_PER_SUIT)


@compiled
def beating(state):
    """The cards that beat the trick as it stands."""
    return beaters(state.best, suit_set(state.best // RANKS_PER_SUIT), suit_set(trump(state)))


@compiled
def claim_window_open(rules, state):
    """True if this node offers a claim to a player with a trick."""
    if state.phase not in (Phase.LEAD, Phase.MELDED, Phase.AFTER) or state.tricks[state.seat] == 0:
        return False
    return state.public != 0 or not rules.claim_needs_reveal


# Playing an action


@compiled
def apply(rules, state, action):
    """Play a legal action of the seat to act, and what follows by itself: dealing, engine claims, scoring."""
    if action == CLAIM:
        apply_claim(rules, state)
    elif action == CONTINUE:
        finish_unclaimed(rules, state)
    elif action >= MELD:
        apply_meld(state, action - MELD)
    elif action < PLAY:
        apply_name(state, action - NAME)
    else:
        apply_play(rules, state, action - PLAY)

    window_open = claim_window_open(rules, state)
    if window_open and rules.claims == AUTO and side_points(state, state.seat) >= GOAL:
        apply_claim(rules, state)


@compiled
def apply_name(state, card):
    state.named = card
    deal_packet(state, 1)
    for seat in range(SEATS):
        if state.hand[seat] & bit(card):
            state.holder = seat
    state.phase = Phase.LEAD


@compiled
def apply_meld(state, suit):
    declare_marriage(state, suit, trump(state), state.first_winner == NONE)
    if pair(suit) & bit(state.named):
        state.public = 1
    state.phase = Phase.MELDED


@compiled
def apply_play(rules, state, card):
    seat = state.seat
    if state.best == NONE:
        state.best, state.winning = card, seat
    else:
        better = beating(state)
        state.missing[seat] |= missing_set(card, led_suit(state), suit_set(trump(state)), better)
        if bit(card) & better:
            state.best, state.winning = card, seat
    state.hand[seat] &= ~bit(card)
    state.shown[seat] &= ~bit(card)
    state.played[seat] |= bit(card)
    state.table[seat] = card
    if card == state.named:
        state.public = 1

    following = seat_after(seat, 1)
    if following == state.leader:
        end_trick(rules, state)
    else:
        state.seat = following
        state.phase = Phase.ANSWER


@compiled
def end_trick(rules, state):
    winner = state.winning
    for seat in range(SEATS):
        state.points[winner] += card_points(state.table[seat])
    state.tricks[winner] += 1
    credit_pending(rules, state, winner)
    if state.first_winner == NONE:
        state.first_winner = winner

    state.table[:] = NONE
    state.best, state.winning, state.melded = NONE, NONE, NONE
    state.seat, state.leader = winner, winner
    if state.hand[winner]:
        state.phase = Phase.LEAD
        return
    state.points[winner] += LAST_TRICK_TEN
    state.phase = Phase.AFTER
    if rules.claims != FREE and side_points(state, winner) < GOAL:
        finish_unclaimed(rules, state)


@compiled
def credit_pending(rules, state, winner):
    """A marriage of the first lead is credited by its declarer's trick, or a partner's.

    Under `that_trick` that is trick 1, or never. Source: docs/rules/snapszer.md#the-first-marriage
    """
    if rules.first_marriage_counts != THAT_TRICK:
        state.by_partner[winner] = 0  # an own trick credits it in any case, as everybody can tell
    for declarer in range(SEATS):
        value = state.pending[declarer]
        if value == 0:
            continue
        if winner == declarer:
            state.points[declarer] += value
            state.pending[declarer] = 0
        elif rules.pending_marriage_owner == TEAM and same_side(state, winner, declarer):
            state.points[declarer] += value
            state.by_partner[declarer] = value
            state.pending[declarer] = 0
        elif rules.first_marriage_counts == THAT_TRICK:
            state.voided[declarer] = value
            state.pending[declarer] = 0

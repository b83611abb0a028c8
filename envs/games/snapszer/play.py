"""The course of a deal of Snapszer: naming the card, tricks, marriages, claims, scoring and the match.

Four seats; forehand, the seat after the dealer, names a card, and its holder is his partner. `holder` is where the named card
was dealt: one side is forehand and the holder, who may be forehand himself, alone against three.
"""

from enum import IntEnum

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import SUITS, bit
from stichwerk.envs.core.course import NONE, allow_cards, begin_deal, end_deal, log_action
from stichwerk.envs.core.state import shared_ranges, state_dtype
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.family import (
    KING,
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    base_points,
    card_points,
    pair,
    suit_set,
)
from stichwerk.envs.games.snapszer.rules import AUTO, CARRY, FREE, LAST_TRICK, PACK, SAFE, TEAM, THAT_TRICK

SEATS = 4
CARDS = len(PACK.names)
DECK = np.arange(CARDS)
IN_HAND = 6
FIRST_PACKET = 3
GOAL = 66
LAST_TRICK_TEN = 10

ACTIONS = (
    *(f"name {name}" for name in PACK.names),
    *(f"play {name}" for name in PACK.names),
    *(f"meld {suit}" for suit in SUITS),
    "claim",
    "continue",
)
NAME, PLAY, MELD, CLAIM, CONTINUE = 0, CARDS, 2 * CARDS, 2 * CARDS + 4, 2 * CARDS + 5
MAX_LOG = 1 + CARDS + 4 + 2  # the name, every card, every marriage, a claim and the last `continue`


class Phase(IntEnum):
    """The decision nodes."""

    NAME = 0  # forehand, with three cards, names one
    LEAD = 1
    MELDED = 2  # a marriage is shown, one of its cards must be led
    ANSWER = 3
    AFTER = 4  # the winner of the last trick
    DONE = 5  # no decision: the deal is over


STATE = state_dtype(
    players=SEATS,
    pack_size=CARDS,
    log_size=MAX_LOG,
    fields=[
        ("phase", np.int64),
        ("score", np.int64, (SEATS,)),  # game points won in the match
        ("carry", np.int64),  # deals without winners that wait for the next winners
        ("hand", np.int64, (SEATS,)),  # card sets
        ("dealt", np.int64, (SEATS,)),  # the first three cards; hidden from the other seats
        ("named", np.int64),  # card, or NONE before it is named
        ("holder", np.int64),  # seat to which it was dealt; hidden until it is public, except from that seat
        ("public", np.int64),  # the named card has been seen
        ("leader", np.int64),  # of the present trick
        ("table", np.int64, (SEATS,)),  # each seat's card on the table or NONE
        ("best", np.int64),  # card now winning the trick or NONE
        ("winning", np.int64),  # its seat
        ("melded", np.int64),  # suit of the marriage shown with the present lead or NONE
        ("played", np.int64, (SEATS,)),  # card sets, by the seat that played them
        ("points", np.int64, (SEATS,)),  # card points taken and marriages credited
        ("pending", np.int64, (SEATS,)),  # a first-trick marriage that waits for a trick
        ("by_partner", np.int64, (SEATS,)),  # of the points: a marriage that a partner's trick has credited
        ("voided", np.int64, (SEATS,)),  # a marriage lost because no partner won trick 1; as secret as the partnership
        ("first_winner", np.int64),  # seat that won trick 1 or NONE
        ("tricks", np.int64, (SEATS,)),
        ("marriages", np.int64, (SEATS,)),  # sets of suits declared
        ("shown", np.int64, (SEATS,)),  # cards publicly known to be in a hand
        ("missing", np.int64, (SEATS,)),  # cards publicly proven not to be in a hand
    ],
)


RANGES = {
    **shared_ranges(SEATS, CARDS, MAX_LOG, len(ACTIONS)),
    "phase": (Phase.NAME, Phase.DONE),
    "named": (NONE, CARDS - 1),
    "holder": (NONE, SEATS - 1),
    "leader": (0, SEATS - 1),
    "table": (NONE, CARDS - 1),
    "best": (NONE, CARDS - 1),
    "winning": (NONE, SEATS - 1),
    "melded": (NONE, 3),
    "first_winner": (NONE, SEATS - 1),
    **dict.fromkeys(("hand", "dealt", "played", "shown", "missing"), (0, (1 << CARDS) - 1)),
}


# Dealing and naming


@njit(cache=True)
def begin_match(rules, state):
    """The match score before the first deal."""
    state.score[:] = 0
    state.carry = 0


@njit(cache=True)
def deal(rules, state):
    """Deal number `deal_number` of the lane: shuffle, or take the set deck, and deal three cards each; forehand names."""
    begin_deal(state, SEATS, DECK)
    state.hand[:] = 0
    deal_packet(state, 0)
    state.dealt[:] = state.hand
    state.named = NONE
    state.holder = NONE
    state.public = 0
    state.table[:] = NONE
    state.best = NONE
    state.winning = NONE
    state.melded = NONE
    state.played[:] = 0
    state.points[:] = 0
    state.pending[:] = 0
    state.by_partner[:] = 0
    state.voided[:] = 0
    state.first_winner = NONE
    state.tricks[:] = 0
    state.marriages[:] = 0
    state.shown[:] = 0
    state.missing[:] = 0
    state.phase = Phase.NAME
    state.leader = forehand(state)
    state.seat = state.leader


@njit(cache=True)
def forehand(state):
    return (state.dealer + 1) % SEATS


@njit(cache=True)
def deal_packet(state, number):
    """Three cards to each seat from forehand on: packet 0 before the naming, packet 1 after it."""
    for place in range(SEATS):
        for i in range(FIRST_PACKET):
            position = (number * SEATS + place) * FIRST_PACKET + i
            state.hand[(forehand(state) + place) % SEATS] |= bit(state.deck[position])


# Sides


@njit(cache=True)
def with_forehand(state, seat):
    """Whether a seat plays on forehand's side; the truth only if `holder` is known."""
    return seat == forehand(state) or seat == state.holder


@njit(cache=True)
def same_side(state, seat, other):
    return with_forehand(state, seat) == with_forehand(state, other)


@njit(cache=True)
def knows_sides(state, seat):
    """Whether a seat can tell who plays with whom: the holder of the named card from the start, the others once it is seen."""
    return state.public != 0 or state.holder == seat


@njit(cache=True)
def side_total(state, seat, counts):
    """What a seat and its partners have together: `state.points` or `state.tricks`."""
    total = 0
    for other in range(SEATS):
        if same_side(state, seat, other):
            total += counts[other]
    return total


@njit(cache=True)
def side_points(state, seat):
    return side_total(state, seat, state.points)


@njit(cache=True)
def side_tricks(state, seat):
    return side_total(state, seat, state.tricks)


@njit(cache=True)
def provable_points(state, seat):
    """The points a seat can be sure of having on its side: without the partnership, its own that no partner credited."""
    if knows_sides(state, seat):
        return side_points(state, seat)
    return state.points[seat] - state.by_partner[seat]


# Legal actions


@njit(cache=True)
def legal(rules, state, mask):
    """Write the legal actions of the seat to act into `mask`, int8[actions]; all zero when the deal is over.

    Reads nothing that the seat to act may not know, so a redacted state gives the same answer.
    """
    mask[:] = 0
    if state.phase == Phase.NAME:
        legal_name(rules, state, mask)
    elif state.phase == Phase.LEAD:
        legal_lead(state, mask)
    elif state.phase == Phase.MELDED:
        mask[PLAY + state.melded * RANKS_PER_SUIT + KING] = 1
        mask[PLAY + state.melded * RANKS_PER_SUIT + QUEEN] = 1
    elif state.phase == Phase.ANSWER:
        legal_answer(state, mask)
    elif state.phase == Phase.AFTER:
        mask[CONTINUE] = 1
    if may_claim(rules, state):
        mask[CLAIM] = 1


@njit(cache=True)
def legal_name(rules, state, mask):
    for card in range(CARDS):
        mask[NAME + card] = rules.allow_call_own or not state.hand[state.seat] & bit(card)


@njit(cache=True)
def legal_lead(state, mask):
    hand = state.hand[state.seat]
    allow_cards(hand, mask, PLAY)
    for suit in range(4):
        mask[MELD + suit] = hand & pair(suit) == pair(suit)


@njit(cache=True)
def legal_answer(state, mask):
    suit, trumps = suit_set(state.table[state.leader] // RANKS_PER_SUIT), suit_set(trump(state))
    allow_cards(strict_set(state.hand[state.seat], suit, trumps, beating(state)), mask, PLAY)


@njit(cache=True)
def trump(state):
    """The trump suit: that of the named card."""
    return state.named // RANKS_PER_SUIT


@njit(cache=True)
def beating(state):
    """The cards that beat the trick as it stands."""
    return beaters(state.best, suit_set(state.best // RANKS_PER_SUIT), suit_set(trump(state)))


@njit(cache=True)
def claim_window_open(rules, state):
    """Whether this node offers a claim to a player with a trick."""
    if state.phase not in (Phase.LEAD, Phase.MELDED, Phase.AFTER) or state.tricks[state.seat] == 0:
        return False
    return state.public != 0 or not rules.claim_needs_reveal


@njit(cache=True)
def may_claim(rules, state):
    if rules.claims == AUTO or not claim_window_open(rules, state):
        return False
    return rules.claims != SAFE or provable_points(state, state.seat) >= GOAL


# Playing an action


@njit(cache=True)
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: dealing, engine claims, scoring, the next deal."""
    log_action(state, action)
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

    if rules.claims == AUTO and claim_window_open(rules, state) and side_points(state, state.seat) >= GOAL:
        apply_claim(rules, state)
    if state.phase == Phase.DONE and not state.over:
        state.deal_number += 1
        deal(rules, state)


@njit(cache=True)
def apply_name(state, card):
    state.named = card
    deal_packet(state, 1)
    for seat in range(SEATS):
        if state.hand[seat] & bit(card):
            state.holder = seat
    state.phase = Phase.LEAD


@njit(cache=True)
def apply_meld(state, suit):
    seat = state.seat
    value = TRUMP_MARRIAGE if suit == trump(state) else MARRIAGE
    if state.first_winner == NONE:
        state.pending[seat] += value
    else:
        state.points[seat] += value
    state.marriages[seat] |= bit(suit)
    state.shown[seat] |= pair(suit)
    if pair(suit) & bit(state.named):
        state.public = 1
    state.melded = suit
    state.phase = Phase.MELDED


@njit(cache=True)
def apply_play(rules, state, card):
    seat = state.seat
    if state.best == NONE:
        state.best, state.winning = card, seat
    else:
        suit, trumps = suit_set(state.table[state.leader] // RANKS_PER_SUIT), suit_set(trump(state))
        state.missing[seat] |= missing_set(card, suit, trumps, beating(state))
        if bit(card) & beating(state):
            state.best, state.winning = card, seat
    state.hand[seat] &= ~bit(card)
    state.shown[seat] &= ~bit(card)
    state.played[seat] |= bit(card)
    state.table[seat] = card
    if card == state.named:
        state.public = 1

    following = (seat + 1) % SEATS
    if following == state.leader:
        end_trick(rules, state)
    else:
        state.seat = following
        state.phase = Phase.ANSWER


@njit(cache=True)
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


@njit(cache=True)
def credit_pending(rules, state, winner):
    """A marriage of the first lead is credited by its declarer's trick, or a partner's; under `that_trick` by trick 1 or never."""
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


# The end of a deal: notes 3.3


@njit(cache=True)
def apply_claim(rules, state):
    claimer = state.seat
    opponent = opponent_of(state, claimer)
    if side_points(state, claimer) >= GOAL:
        finish(rules, state, claimer, value_against(rules, state, opponent))
    else:
        finish(rules, state, opponent, 3 if side_tricks(state, opponent) == 0 else 2)


@njit(cache=True)
def finish_unclaimed(rules, state):
    """Nobody has claimed after the last trick, whose winner is to act: the higher total wins."""
    seat = state.seat
    opponent = opponent_of(state, seat)
    mine, theirs = side_points(state, seat), side_points(state, opponent)
    if mine < theirs:
        seat, opponent = opponent, seat
    if mine != theirs or rules.tie == LAST_TRICK:
        finish(rules, state, seat, value_against(rules, state, opponent))
    else:
        finish_drawn(rules, state)


@njit(cache=True)
def opponent_of(state, seat):
    """One seat of the other side; there always is one."""
    for other in range(SEATS):
        if not same_side(state, seat, other):
            return other
    return seat


@njit(cache=True)
def value_against(rules, state, loser):
    return base_points(side_points(state, loser), side_tricks(state, loser), rules.schneider_max)


@njit(cache=True)
def finish(rules, state, winner, points):
    """End the deal for the side of `winner`: each of its members gets the points, the others share the loss equally."""
    if state.holder == forehand(state):
        points *= rules.solo_multiplier
    points += state.carry
    state.carry = 0
    winners = 0
    for seat in range(SEATS):
        winners += same_side(state, seat, winner)
    for seat in range(SEATS):
        if same_side(state, seat, winner):
            state.deal_points[seat] = points
            state.score[seat] += points
        else:
            state.deal_points[seat] = -points * winners / (SEATS - winners)
    close_deal(rules, state)


@njit(cache=True)
def finish_drawn(rules, state):
    if rules.tie == CARRY:
        state.carry += 1
    state.deal_points[:] = 0
    close_deal(rules, state)


@njit(cache=True)
def close_deal(rules, state):
    """Show the partnership, pay the episode if it is over, else pass the deal."""
    state.phase = Phase.DONE
    state.public = 1
    state.shown[state.holder] |= state.hand[state.holder] & bit(state.named)
    end_deal(state)
    if not state.match:
        return
    if state.score.max() >= rules.target:
        state.over = 1
        for seat in range(SEATS):
            state.reward[seat] = 1 if state.score[seat] >= rules.target else -1
    else:
        state.dealer = (state.dealer + 1) % SEATS

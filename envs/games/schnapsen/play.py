"""The course of a deal: state, dealing, the decision nodes with their legal actions, tricks, scoring and the match.

Written after the flow of one deal. Each decision node is a `Phase` with a pair `legal_…` / `apply_…`; node names and their
conditions are those of the docs page. Two seats; `1 - seat` is the opponent.
"""

from enum import IntEnum

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import SUITS, bit
from stichwerk.envs.core.course import NONE, allow_cards, begin_deal, end_deal, log_action
from stichwerk.envs.core.state import shared_ranges, state_dtype
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.family import (
    JACK,
    KING,
    MARRIAGE,
    NINE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    base_points,
    card_points,
    pair,
    suit_set,
)
from stichwerk.envs.games.schnapsen.rules import (
    AFTER_TRICK,
    ALTERNATE,
    ALWAYS,
    AT_CLOSE,
    AUTO,
    BY_TABLE,
    CLAIM_AFTER_TRICK,
    CLAIM_ANY_TURN,
    EITHER,
    FREE,
    FULL_PACK,
    LAST_TEN,
    NOT_AFTER_CLOSE,
    ON_LEAD,
    SAFE,
    THAT_TRICK,
    WINNER_DEALS,
)

CARDS = len(FULL_PACK)
ACTIONS = (
    *(f"play {name}" for name in FULL_PACK),
    *(f"meld {suit}" for suit in SUITS),
    "exchange",
    "close",
    "claim",
    "continue",
)
PLAY, MELD, EXCHANGE, CLOSE, CLAIM, CONTINUE = 0, CARDS, CARDS + 4, CARDS + 5, CARDS + 6, CARDS + 7

MAX_DRAWS = CARDS // 2 - 1  # each, with one card in hand
MAX_LOG = CARDS + 4 + 3 + MAX_DRAWS + 1  # every card and marriage, exchange, close and claim, a `continue` a draw and one at the end
LAST_TRICK_TEN = 10


class Phase(IntEnum):
    """The decision nodes."""

    LEAD = 0  # on lead
    MELDED = 1  # a marriage is shown, one of its cards must be led
    ANSWER = 2  # to follow
    AFTER = 3  # the trick's winner before the draw, or after the very last trick
    DONE = 4  # no decision: the deal is over


STATE = state_dtype(
    players=2,
    pack_size=CARDS,
    log_size=MAX_LOG,
    fields=[
        ("phase", np.int64),
        ("score", np.int64, (2,)),  # game points won in the match
        ("hand", np.int64, (2,)),  # card sets
        ("taken", np.int64, (2,)),
        ("dealt", np.int64, (2,)),  # the first hands; hidden from the other seat
        ("drawn", np.int8, (2, CARDS // 2)),  # the cards each seat drew, in order; hidden from the other seat
        ("draws", np.int64),  # how many draws there have been
        ("trump", np.int64),  # suit
        ("turned_up", np.int64),  # the card turned up in the deal
        ("indicator", np.int64),  # the card that now lies there, known also after closing; NONE once it is drawn
        ("top", np.int64),  # position in `deck` of the next face-down card
        ("closed_by", np.int64),  # seat or NONE
        ("closed_points", np.int64, (2,)),  # counts at the moment of closing
        ("closed_tricks", np.int64, (2,)),
        ("leader", np.int64),  # of the present trick
        ("led", np.int64),  # card on the table or NONE
        ("melded", np.int64),  # suit of the marriage shown with the present lead or NONE
        ("points", np.int64, (2,)),  # card points taken and marriages credited
        ("pending", np.int64, (2,)),  # a first-trick marriage that waits for a trick
        ("tricks", np.int64, (2,)),
        ("marriages", np.int64, (2,)),  # sets of suits declared
        ("exchanged_by", np.int64),  # seat or NONE
        ("exchanged_after", np.int64),  # how many draws there had been
        ("shown", np.int64, (2,)),  # cards publicly known to be in a hand
        ("missing", np.int64, (2,)),  # cards publicly proven not to be in a hand
        ("lacking", np.int64, (2,)),  # the exchange card was publicly not among the first so many cards a seat got
    ],
)


RANGES = {
    **shared_ranges(2, CARDS, MAX_LOG, len(ACTIONS)),
    "phase": (Phase.LEAD, Phase.DONE),
    "drawn": (NONE, CARDS - 1),
    "draws": (0, MAX_DRAWS),
    "trump": (0, 3),
    "turned_up": (0, CARDS - 1),
    "indicator": (NONE, CARDS - 1),
    "top": (0, CARDS),
    "closed_by": (NONE, 1),
    "leader": (0, 1),
    "led": (NONE, CARDS - 1),
    "melded": (NONE, 3),
    "exchanged_by": (NONE, 1),
    "exchanged_after": (0, MAX_DRAWS),
    "lacking": (0, CARDS),
    **dict.fromkeys(("hand", "dealt", "taken", "shown", "missing"), (0, (1 << CARDS) - 1)),
}


# Dealing


@njit(cache=True)
def begin_match(rules, state):
    """The match score before the first deal."""
    state.score[:] = 0


@njit(cache=True)
def deal(rules, state):
    """Deal number `deal_number` of the lane: shuffle, or take the set deck, and deal; forehand leads."""
    begin_deal(state, 2, rules.cards[: rules.pack_size])
    forehand = 1 - state.dealer
    state.hand[:] = 0
    for position in range(rules.pack_size):
        place = rules.layout[position]
        if place == 0:
            state.hand[forehand] |= bit(state.deck[position])
        elif place == 1:
            state.hand[state.dealer] |= bit(state.deck[position])
        elif place == 2:
            state.turned_up = state.deck[position]
    state.indicator = state.turned_up
    state.dealt[:] = state.hand
    state.trump = state.turned_up // RANKS_PER_SUIT
    state.top = 2 * rules.hand_size + 1

    state.taken[:] = 0
    state.drawn[:, :] = NONE
    state.draws = 0
    state.closed_by = NONE
    state.closed_points[:] = 0
    state.closed_tricks[:] = 0
    state.points[:] = 0
    state.pending[:] = 0
    state.tricks[:] = 0
    state.marriages[:] = 0
    state.exchanged_by = NONE
    state.exchanged_after = 0
    state.shown[:] = 0
    state.missing[:] = 0
    state.lacking[:] = 0
    go_to_lead(state, forehand)


@njit(cache=True)
def face_down(rules, state):
    """Face-down cards of the stock; the indicator is not counted."""
    return rules.pack_size - state.top


@njit(cache=True)
def drawable(rules, state):
    return state.closed_by == NONE and face_down(rules, state) >= 1


@njit(cache=True)
def before_first_trick(state):
    return state.tricks[0] + state.tricks[1] == 0


# Legal actions


@njit(cache=True)
def legal(rules, state, mask):
    """Write the legal actions of the seat to act into `mask`, int8[actions]; all zero when the deal is over.

    Reads nothing that the seat to act may not know, so a redacted state gives the same answer.
    """
    mask[:] = 0
    if state.phase == Phase.LEAD:
        legal_lead(rules, state, mask)
    elif state.phase == Phase.MELDED:
        legal_melded(rules, state, mask)
    elif state.phase == Phase.ANSWER:
        legal_answer(rules, state, mask)
    elif state.phase == Phase.AFTER:
        legal_after(rules, state, mask)
    if state.phase != Phase.DONE:
        mask[CLAIM] = may_claim(rules, state)


@njit(cache=True)
def legal_lead(rules, state, mask):
    hand = state.hand[state.seat]
    allow_cards(hand, mask, PLAY)
    if may_meld(rules, state):
        for suit in range(4):
            mask[MELD + suit] = hand & pair(suit) == pair(suit)
    mask[EXCHANGE] = may_exchange(rules, state, ON_LEAD)
    mask[CLOSE] = may_close(rules, state, ON_LEAD)


@njit(cache=True)
def legal_melded(rules, state, mask):
    mask[state.melded * RANKS_PER_SUIT + KING] = 1
    mask[state.melded * RANKS_PER_SUIT + QUEEN] = not rules.king_leads_marriage


@njit(cache=True)
def legal_answer(rules, state, mask):
    hand = state.hand[state.seat]
    if not drawable(rules, state):
        suit, trumps = suit_set(state.led // RANKS_PER_SUIT), suit_set(state.trump)
        hand = strict_set(hand, suit, trumps, must_beat(rules, state))
    allow_cards(hand, mask, PLAY)


@njit(cache=True)
def legal_after(rules, state, mask):
    mask[CONTINUE] = 1
    mask[EXCHANGE] = may_exchange(rules, state, AFTER_TRICK)
    mask[CLOSE] = may_close(rules, state, AFTER_TRICK)


@njit(cache=True)
def may_meld(rules, state):
    if before_first_trick(state) and not rules.first_lead_melds:
        return False
    if rules.meld_phase == ALWAYS:
        return True
    if rules.meld_phase == NOT_AFTER_CLOSE:
        return state.closed_by == NONE
    return drawable(rules, state)


@njit(cache=True)
def exchange_card(rules, state):
    return state.trump * RANKS_PER_SUIT + (NINE if rules.nines else JACK)


@njit(cache=True)
def may_exchange(rules, state, moment):
    return exchange_window_open(rules, state, moment) and state.hand[state.seat] & bit(exchange_card(rules, state)) != 0


@njit(cache=True)
def exchange_window_open(rules, state, moment):
    return (
        rules.exchange_window in (moment, EITHER)
        and drawable(rules, state)
        and face_down(rules, state) >= rules.min_stock
        and (rules.first_lead_melds or not before_first_trick(state))
    )


@njit(cache=True)
def may_close(rules, state, moment):
    return rules.close_window in (moment, EITHER) and drawable(rules, state) and face_down(rules, state) >= rules.min_stock


@njit(cache=True)
def may_claim(rules, state):
    if rules.claims == AUTO or not claim_window_open(rules, state):
        return False
    return rules.claims != SAFE or reached_goal(rules, state, state.seat)


@njit(cache=True)
def claim_window_open(rules, state):
    """Whether this node offers a claim to a player with a trick, under the table's `claim_window`."""
    if state.tricks[state.seat] == 0:
        return False
    if state.phase == Phase.LEAD:
        return rules.claim_window != CLAIM_AFTER_TRICK or not drawable(rules, state)
    if state.phase == Phase.ANSWER:
        return rules.claim_window == CLAIM_ANY_TURN
    if state.phase == Phase.AFTER:
        return rules.claim_window == CLAIM_AFTER_TRICK or not drawable(rules, state)
    return state.phase == Phase.MELDED


@njit(cache=True)
def reached_goal(rules, state, seat):
    return state.points[seat] >= rules.goal


@njit(cache=True)
def must_beat(rules, state):
    """The cards that the follower must play if he can: those that beat the led card."""
    suit, trumps = suit_set(state.led // RANKS_PER_SUIT), suit_set(state.trump)
    stronger = beaters(state.led, suit, trumps)
    return stronger if rules.must_head else stronger & ~suit


# Playing an action


@njit(cache=True)
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: draws, engine claims, scoring, the next deal."""
    log_action(state, action)
    if action == CLAIM:
        apply_claim(rules, state)
    elif action == EXCHANGE:
        apply_exchange(rules, state)
    elif action == CLOSE:
        apply_close(rules, state)
    elif action == CONTINUE:
        apply_continue(rules, state)
    elif action >= MELD:
        apply_meld(rules, state, action - MELD)
    elif state.phase == Phase.ANSWER:
        apply_answer(rules, state, action)
    else:
        apply_lead(state, action)

    if rules.claims == AUTO and claim_window_open(rules, state) and reached_goal(rules, state, state.seat):
        apply_claim(rules, state)
    if state.phase == Phase.DONE and not state.over:
        state.deal_number += 1
        deal(rules, state)


@njit(cache=True)
def apply_exchange(rules, state):
    seat = state.seat
    given = exchange_card(rules, state)
    state.hand[seat] ^= bit(given) | bit(state.indicator)
    state.shown[seat] = (state.shown[seat] | bit(state.indicator)) & ~bit(given)
    state.indicator = given
    state.exchanged_by = seat
    state.exchanged_after = state.draws
    if state.phase == Phase.AFTER:
        draw_unless_options(rules, state)


@njit(cache=True)
def apply_close(rules, state):
    state.closed_by = state.seat
    state.closed_points[:] = state.points
    state.closed_tricks[:] = state.tricks
    if state.hand[state.seat]:
        go_to_lead(state, state.seat)
    else:  # hands of one card, closed before the draw
        finish_closed(rules, state)


@njit(cache=True)
def apply_continue(rules, state):
    if drawable(rules, state):
        draw(rules, state)
    else:
        finish_unclaimed(rules, state)


@njit(cache=True)
def apply_meld(rules, state, suit):
    seat = state.seat
    value = TRUMP_MARRIAGE if suit == state.trump else MARRIAGE
    if before_first_trick(state):
        state.pending[seat] += value
    else:
        state.points[seat] += value
    state.marriages[seat] |= bit(suit)
    state.shown[seat] |= pair(suit)
    state.melded = suit
    state.phase = Phase.MELDED


@njit(cache=True)
def apply_lead(state, card):
    leave_hand(state, state.seat, card)
    state.led = card
    state.seat = 1 - state.seat
    state.phase = Phase.ANSWER


@njit(cache=True)
def apply_answer(rules, state, card):
    follower = state.seat
    suit, trumps = suit_set(state.led // RANKS_PER_SUIT), suit_set(state.trump)
    if not drawable(rules, state):
        state.missing[follower] |= missing_set(card, suit, trumps, must_beat(rules, state))
    leave_hand(state, follower, card)
    winner = follower if bit(card) & beaters(state.led, suit, trumps) else state.leader
    take_trick(rules, state, winner, card)

    state.seat = winner
    state.led = NONE
    state.melded = NONE
    if drawable(rules, state):
        state.phase = Phase.AFTER
        draw_unless_options(rules, state)
    elif state.hand[winner]:
        go_to_lead(state, winner)
    elif state.closed_by != NONE:
        finish_closed(rules, state)
    else:
        finish_exhausted(rules, state)


@njit(cache=True)
def leave_hand(state, seat, card):
    state.hand[seat] &= ~bit(card)
    state.shown[seat] &= ~bit(card)


@njit(cache=True)
def take_trick(rules, state, winner, card):
    """The winner takes both cards, and a marriage of the first lead is credited, waits on, or is void."""
    first_trick = before_first_trick(state)
    state.tricks[winner] += 1
    state.taken[winner] |= bit(state.led) | bit(card)
    state.points[winner] += card_points(state.led) + card_points(card) + state.pending[winner]
    state.pending[winner] = 0
    if first_trick and rules.first_marriage_counts == THAT_TRICK:
        state.pending[:] = 0


@njit(cache=True)
def draw_unless_options(rules, state):
    """Stay at AFTER if something besides `continue` can be done there, by the player or by the engine; else draw."""
    claim = claim_window_open(rules, state) and (rules.claims == FREE or reached_goal(rules, state, state.seat))
    if claim or may_close(rules, state, AFTER_TRICK):
        return
    # The node is there if the winner can exchange, so all can tell whether he holds that card.
    if may_exchange(rules, state, AFTER_TRICK):
        state.shown[state.seat] |= bit(exchange_card(rules, state))
        return
    seen = state.taken[0] | state.taken[1] | bit(state.indicator)
    if exchange_window_open(rules, state, AFTER_TRICK) and not seen & bit(exchange_card(rules, state)):
        state.lacking[state.seat] = rules.hand_size + state.draws
    draw(rules, state)


@njit(cache=True)
def draw(rules, state):
    """The winner of the trick draws the top card, then the loser; the last card of all is the indicator."""
    winner, loser = state.seat, 1 - state.seat
    draw_card(state, winner, state.deck[state.top])
    if state.top + 1 < rules.pack_size:
        draw_card(state, loser, state.deck[state.top + 1])
    else:
        draw_card(state, loser, state.indicator)
        state.shown[loser] |= bit(state.indicator)
        state.indicator = NONE
    state.top = min(state.top + 2, rules.pack_size)
    state.draws += 1
    go_to_lead(state, winner)


@njit(cache=True)
def draw_card(state, seat, card):
    state.hand[seat] |= bit(card)
    state.drawn[seat, state.draws] = card


@njit(cache=True)
def go_to_lead(state, seat):
    state.phase = Phase.LEAD
    state.seat = seat
    state.leader = seat
    state.led = NONE
    state.melded = NONE


# The end of a deal: notes 1.4, cases A to F, and 5.3 for the ten points


@njit(cache=True)
def apply_claim(rules, state):
    claimer = state.seat
    opponent = 1 - claimer
    right = reached_goal(rules, state, claimer)
    if state.closed_by == claimer:
        finish_closed(rules, state)  # C, D
    elif state.closed_by == opponent:
        if right:
            finish(rules, state, claimer, penalty(deciding_tricks(rules, state, claimer)))  # D'
        else:
            finish(rules, state, opponent, penalty(deciding_tricks(rules, state, opponent)))  # F
    elif right:
        finish(rules, state, claimer, value_against(rules, state, opponent))  # A
    else:
        finish(rules, state, opponent, penalty(state.tricks[opponent]))  # E


@njit(cache=True)
def finish_closed(rules, state):
    """The closer claims, or the hands are empty, which counts as if he claimed: cases C and D."""
    closer = state.closed_by
    opponent = 1 - closer
    tricks = deciding_tricks(rules, state, opponent)
    if reached_goal(rules, state, closer):
        points = state.closed_points[opponent] if rules.score_at == AT_CLOSE else state.points[opponent]
        finish(rules, state, closer, base_points(points, tricks, rules.schneider_max))
    else:
        finish(rules, state, opponent, penalty(tricks))


@njit(cache=True)
def finish_exhausted(rules, state):
    """All cards are played from an exhausted stock: case B, or ten points and a last chance to claim."""
    winner = state.seat
    if rules.last_trick != LAST_TEN:
        finish(rules, state, winner, value_against(rules, state, 1 - winner))
        return
    state.points[winner] += LAST_TRICK_TEN
    state.phase = Phase.AFTER
    if rules.claims != FREE and not reached_goal(rules, state, winner):
        finish_unclaimed(rules, state)


@njit(cache=True)
def finish_unclaimed(rules, state):
    if state.points[0] == state.points[1]:
        finish(rules, state, 0, 0)
        return
    winner = 0 if state.points[0] > state.points[1] else 1
    finish(rules, state, winner, value_against(rules, state, 1 - winner) if rules.unclaimed == BY_TABLE else 1)


@njit(cache=True)
def value_against(rules, state, loser):
    return base_points(state.points[loser], state.tricks[loser], rules.schneider_max)


@njit(cache=True)
def penalty(tricks):
    """What a wrong claim or a failed close pays to the other side."""
    return 3 if tricks == 0 else 2


@njit(cache=True)
def deciding_tricks(rules, state, seat):
    return state.closed_tricks[seat] if rules.score_at == AT_CLOSE else state.tricks[seat]


@njit(cache=True)
def finish(rules, state, winner, points):
    """End the deal: `points` to the winner; 0 is a draw. In a match, write the score and find the next dealer."""
    state.phase = Phase.DONE
    state.deal_points[winner] = points
    state.deal_points[1 - winner] = -points
    end_deal(state)
    if not state.match:
        return
    state.score[winner] += points
    if state.score[winner] >= rules.target:
        state.over = 1
        state.reward[winner] = 1
        state.reward[1 - winner] = -1
    elif points and rules.next_dealer == ALTERNATE:
        state.dealer = 1 - state.dealer
    elif points:
        state.dealer = winner if rules.next_dealer == WINNER_DEALS else 1 - winner

"""The course of a deal: dealing, and the decision nodes with their legal actions and what follows from each.

Each decision node is a `Phase` with a pair `legal_…` / `apply_…`. Source: docs/rules/schnapsen.md
"""

from stichwerk.envs.core.cards import NONE, NOTHING, bit, only_if
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.claims import AUTO, FREE, may_claim
from stichwerk.envs.games.family import (
    KING,
    RANKS_PER_SUIT,
    card_points,
    declare_marriage,
    pair,
    pairs_in,
    suit_set,
)
from stichwerk.envs.games.schnapsen.options import (
    AFTER_TRICK,
    ALWAYS,
    CLAIM_AFTER_TRICK,
    CLAIM_ANY_TURN,
    DEALER,
    EITHER,
    FOREHAND,
    NEXT_TRICK,
    NOT_AFTER_CLOSE,
    ON_LEAD,
    THAT_TRICK,
)
from stichwerk.envs.games.schnapsen.scoring import (
    apply_claim,
    finish_closed,
    finish_exhausted,
    finish_unclaimed,
)
from stichwerk.envs.games.schnapsen.state import (
    ACTION_COUNT,
    CLAIM,
    CLOSE,
    CONTINUE,
    EXCHANGE,
    MELD,
    Phase,
    before_first_trick,
    drawable,
    exchange_card,
    face_down,
    reached_goal,
)
from stichwerk.envs.jit.bitsets import put_set
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers

# Dealing


@compiled
def deal(rules, state):
    """Deal the deck; forehand leads."""
    forehand = 1 - state.dealer
    hand = other_hand = NOTHING
    for position in range(2 * rules.hand_size + 1):
        place = rules.layout[position]
        if place == FOREHAND:
            hand |= bit(state.deck[position])
        elif place == DEALER:
            other_hand |= bit(state.deck[position])
        else:
            state.turned_up = state.deck[position]
    state.hand[forehand] = state.dealt[forehand] = hand
    state.hand[state.dealer] = state.dealt[state.dealer] = other_hand
    state.indicator = state.turned_up
    state.trump = state.turned_up // RANKS_PER_SUIT
    state.top = 2 * rules.hand_size + 1
    go_to_lead(state, forehand)


# Legal actions


@compiled
def legal(rules, state, mask):
    """Mark the legal actions of the seat to act."""
    put_set(mask, 0, legal_actions(rules, state), ACTION_COUNT)


@compiled
def legal_actions(rules, state):
    """The set of the legal actions; playing a card has the number of the card."""
    if state.phase == Phase.LEAD:
        actions = legal_lead(rules, state)
    elif state.phase == Phase.ANSWER:
        actions = legal_answer(rules, state)
    elif state.phase == Phase.MELDED:
        actions = legal_melded(rules, state)
    elif state.phase == Phase.AFTER:
        actions = legal_after(rules, state)
    else:
        actions = NOTHING
    window_open = claim_window_open(rules, state)
    return actions | only_if(
        may_claim(rules.claims, window_open, reached_goal(rules, state, state.seat)), CLAIM
    )


@compiled
def legal_lead(rules, state):
    hand = state.hand[state.seat]
    actions = hand
    if may_meld(rules, state):
        actions |= pairs_in(hand) << MELD
    actions |= only_if(may_exchange(rules, state, ON_LEAD), EXCHANGE)
    return actions | only_if(may_close(rules, state, ON_LEAD), CLOSE)


@compiled
def legal_melded(rules, state):
    return bit(state.melded * RANKS_PER_SUIT + KING) if rules.king_leads_marriage else pair(state.melded)


@compiled
def legal_answer(rules, state):
    hand = state.hand[state.seat]
    if not drawable(rules, state):
        suit, trumps = suit_set(state.led // RANKS_PER_SUIT), suit_set(state.trump)
        hand = strict_set(hand, suit, trumps, must_beat(rules, state))
    return hand


@compiled
def legal_after(rules, state):
    actions = bit(CONTINUE) | only_if(may_exchange(rules, state, AFTER_TRICK), EXCHANGE)
    return actions | only_if(may_close(rules, state, AFTER_TRICK), CLOSE)


@compiled
def may_meld(rules, state):
    if before_first_trick(state) and not rules.first_lead_melds:
        return False
    if rules.meld_phase == ALWAYS:
        return True
    if rules.meld_phase == NOT_AFTER_CLOSE:
        return state.closed_by == NONE
    return drawable(rules, state)


@compiled
def may_exchange(rules, state, moment):
    return (
        exchange_window_open(rules, state, moment)
        and state.hand[state.seat] & bit(exchange_card(rules, state)) != 0
    )


@compiled
def exchange_window_open(rules, state, moment):
    return (
        rules.exchange_window in (moment, EITHER)
        and drawable(rules, state)
        and face_down(rules, state) >= rules.min_stock
        and (rules.first_lead_melds or not before_first_trick(state))
    )


@compiled
def may_close(rules, state, moment):
    return (
        rules.close_window in (moment, EITHER)
        and drawable(rules, state)
        and face_down(rules, state) >= rules.min_stock
    )


@compiled
def claim_window_open(rules, state):
    """True if this node offers a claim to a player with a trick, under the table's `claim_window`."""
    if state.tricks[state.seat] == 0:
        return False
    if state.phase == Phase.LEAD:
        return rules.claim_window != CLAIM_AFTER_TRICK or not drawable(rules, state)
    if state.phase == Phase.ANSWER:
        return rules.claim_window == CLAIM_ANY_TURN
    if state.phase == Phase.AFTER:
        return rules.claim_window == CLAIM_AFTER_TRICK or not drawable(rules, state)
    return state.phase == Phase.MELDED


@compiled
def must_beat(rules, state):
    """The cards that the follower must play if possible: those that beat the led card."""
    suit, trumps = suit_set(state.led // RANKS_PER_SUIT), suit_set(state.trump)
    stronger = beaters(state.led, suit, trumps)
    return stronger if rules.must_head else stronger & ~suit


# Playing an action


@compiled
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: draws, engine claims,
    scoring."""
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


@compiled
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


@compiled
def apply_close(rules, state):
    state.closed_by = state.seat
    copy_numbers(state.closed_points, state.points)
    copy_numbers(state.closed_tricks, state.tricks)
    if state.hand[state.seat]:
        go_to_lead(state, state.seat)
    else:  # hands of one card, closed before the draw
        finish_closed(rules, state)


@compiled
def apply_continue(rules, state):
    if drawable(rules, state):
        draw(rules, state)
    else:
        finish_unclaimed(rules, state)


@compiled
def apply_meld(rules, state, suit):
    waits = rules.marriages_count == NEXT_TRICK or before_first_trick(state)
    declare_marriage(state, suit, state.trump, waits)
    state.phase = Phase.MELDED


@compiled
def apply_lead(state, card):
    leave_hand(state, state.seat, card)
    state.led = card
    state.seat = 1 - state.seat
    state.phase = Phase.ANSWER


@compiled
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


@compiled
def leave_hand(state, seat, card):
    state.hand[seat] &= ~bit(card)
    state.shown[seat] &= ~bit(card)


@compiled
def take_trick(rules, state, winner, card):
    """The winner takes both cards, and a marriage that waits is credited, waits on, or is void."""
    first_trick = before_first_trick(state)
    state.tricks[winner] += 1
    state.taken[winner] |= bit(state.led) | bit(card)
    state.points[winner] += card_points(state.led) + card_points(card) + state.pending[winner]
    state.pending[winner] = 0
    if first_trick and rules.first_marriage_counts == THAT_TRICK:
        state.pending[:] = 0


@compiled
def draw_unless_options(rules, state):
    """Stay at AFTER if something besides `continue` can be done there, by the player or by the engine; else
    draw."""
    claim = claim_window_open(rules, state) and (
        rules.claims == FREE or reached_goal(rules, state, state.seat)
    )
    if claim or may_close(rules, state, AFTER_TRICK):
        return
    # The node is there if the winner can exchange, so all can tell whether that card is there.
    if may_exchange(rules, state, AFTER_TRICK):
        state.shown[state.seat] |= bit(exchange_card(rules, state))
        state.holding[state.seat] = min(state.holding[state.seat], rules.hand_size + state.draws)
        return
    seen = state.taken[0] | state.taken[1] | bit(state.indicator)
    if exchange_window_open(rules, state, AFTER_TRICK) and not seen & bit(exchange_card(rules, state)):
        state.lacking[state.seat] = rules.hand_size + state.draws
    draw(rules, state)


@compiled
def draw(rules, state):
    """The winner of the trick draws the top card, then the loser; the last card of all is the indicator."""
    winner, loser = state.seat, 1 - state.seat
    draw_card(state, winner, state.deck[state.top])
    if state.top + 1 < rules.deck_size:
        draw_card(state, loser, state.deck[state.top + 1])
    else:
        draw_card(state, loser, state.indicator)
        state.shown[loser] |= bit(state.indicator)
        state.indicator = NONE
    state.top = min(state.top + 2, rules.deck_size)
    state.draws += 1
    go_to_lead(state, winner)


@compiled
def draw_card(state, seat, card):
    state.hand[seat] |= bit(card)
    state.drawn[seat, state.draws] = card


@compiled
def go_to_lead(state, seat):
    state.phase = Phase.LEAD
    state.seat = seat
    state.leader = seat
    state.led = NONE
    state.melded = NONE

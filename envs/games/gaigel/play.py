"""The course of a deal of Gaigel: dealing, the opening, the first trick, pairs, exchange, draws, and Aus.

Written after the flow of one deal; section numbers are those of the notes the rules were settled in.
"""

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import bit
from stichwerk.envs.core.course import NONE, allow_cards, begin_deal, log_action
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.family import (
    ACE,
    KING,
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    pair,
    suit_set,
)
from stichwerk.envs.games.gaigel.double import ALL_KINDS, EMPTY, KINDS, add, copies, kinds, less, of_kinds, remove, size
from stichwerk.envs.games.gaigel.rules import (
    ANY_TURN,
    AUTO,
    FACE_DOWN,
    FOLLOW_ONLY,
    FREE,
    SAFE,
    SIGNALS_OFF,
    THREE_TURN_TWO,
)
from stichwerk.envs.games.gaigel.scoring import finish, other_sides
from stichwerk.envs.games.gaigel.state import (
    ACES,
    ALL_SEVENS,
    AUS,
    CARDS,
    CONTINUE,
    DECK,
    EXCHANGE,
    FIRST_PACKET,
    GOAL,
    IN_HAND,
    LAST_TRICK_TEN,
    MELD,
    OPEN,
    PLAY,
    SEVEN,
    SEVENS,
    SIGNAL,
    Opening,
    Phase,
    forehand,
    side_of,
)

# Dealing


@njit(cache=True)
def deal(rules, state):
    """Deal number `deal_number` of the lane: shuffle, or take the set deck. Five sevens in a hand end a deal at once; in a match the
    next one follows."""
    deal_cards(rules, state)
    while rules.five_sevens and won_by_sevens(rules, state) and not state.over:
        state.deal_number += 1
        deal_cards(rules, state)


@njit(cache=True)
def deal_cards(rules, state):
    begin_deal(state, rules.players, DECK)
    state.hand[:] = 0
    state.shown[:] = 0
    state.declared[:] = 0
    state.missing[:] = 0
    state.held[:] = 0
    state.table[:] = NONE
    state.signal[:] = NONE
    state.owner[:] = NONE
    state.points[:] = 0
    state.tricks[:] = 0
    state.gone = 0
    state.opening = NONE
    state.trick = 1
    state.best = NONE
    state.winning = NONE
    state.laid_by = NONE
    state.taken = NONE
    state.chained = 0
    state.asker = NONE
    state.answers = 0
    state.signalled = 0
    state.proofs = 0
    state.proof_card[:] = 0
    state.proof_seat[:] = 0
    state.proof_top[:] = 0

    state.top = 0
    deal_packet(rules, state, FIRST_PACKET)
    if rules.deal_order == THREE_TURN_TWO:
        turn_up_indicator(state)
    deal_packet(rules, state, IN_HAND - FIRST_PACKET)
    if rules.deal_order != THREE_TURN_TWO:
        turn_up_indicator(state)
    state.leader = forehand(rules, state)
    begin_turn(rules, state, state.leader)
    state.phase = Phase.OPEN


@njit(cache=True)
def deal_packet(rules, state, cards):
    for place in range(rules.players):
        for _ in range(cards):
            draw_card(state, (forehand(rules, state) + place) % rules.players)


@njit(cache=True)
def draw_card(state, seat):
    """Give the top card to a seat."""
    state.owner[state.top] = seat
    take_in_hand(state, seat, np.int64(state.deck[state.top]))
    state.top += 1


@njit(cache=True)
def turn_up_indicator(state):
    state.turned_up = state.deck[state.top]
    state.indicator = state.turned_up
    state.trump = state.turned_up // RANKS_PER_SUIT
    state.top += 1


@njit(cache=True)
def holds_five_sevens(state, seat):
    return size(of_kinds(state.hand[seat], SEVENS)) >= ALL_SEVENS


@njit(cache=True)
def won_by_sevens(rules, state):
    """Look for a dealt hand of five sevens, from forehand on; it wins one point."""
    for place in range(rules.players):
        seat = (forehand(rules, state) + place) % rules.players
        if holds_five_sevens(state, seat):
            show_hand(state, seat)
            finish(rules, state, bit(side_of(rules, seat)), 1)
            return True
    return False


# What is in a hand, and what all know of it


@njit(cache=True)
def take_in_hand(state, seat, card):
    state.hand[seat] = add(state.hand[seat], card)
    state.held[seat] += 1


@njit(cache=True)
def leave_hand(state, seat, card):
    """A card leaves a hand for all to see: a declared copy first, then one that is known to be there."""
    state.hand[seat] = remove(state.hand[seat], card)
    state.held[seat] -= 1
    if copies(state.shown[seat], card):
        state.shown[seat] = remove(state.shown[seat], card)
    else:
        prove(state, seat, card)
    if copies(state.declared[seat], card):
        state.declared[seat] = remove(state.declared[seat], card)


@njit(cache=True)
def prove(state, seat, card):
    """Note that all have seen a card of this hand which they did not know to be there: it came from the deck by now."""
    state.proof_card[state.proofs] = card
    state.proof_seat[state.proofs] = seat
    state.proof_top[state.proofs] = state.top
    state.proofs += 1


@njit(cache=True)
def show_copies(state, seat, card, number):
    """Let all know that a hand holds so many copies of a card."""
    while copies(state.shown[seat], card) < number:
        prove(state, seat, card)
        state.shown[seat] = add(state.shown[seat], card)


@njit(cache=True)
def show_hand(state, seat):
    for card in range(KINDS):
        show_copies(state, seat, card, copies(state.hand[seat], card))


# Legal actions


@njit(cache=True)
def legal(rules, state, mask):
    """Write the legal actions of the seat to act into `mask`, int8[actions]; all zero when the deal is over.

    Reads nothing that the seat to act may not know, so a redacted state gives the same answer.
    """
    mask[:] = 0
    if state.phase == Phase.OPEN:
        legal_open(rules, state, mask)
    elif state.phase == Phase.TURN:
        legal_turn(rules, state, mask)
    elif state.phase == Phase.AFTER:
        mask[CONTINUE] = 1
        mask[AUS] = may_say_aus(rules, state)


@njit(cache=True)
def legal_open(rules, state, mask):
    hand, trumps = kinds(state.hand[state.seat]), suit_set(state.trump)
    if not hand & ~trumps:
        mask[OPEN + Opening.TRUMP] = 1
        return
    for opening in range(Opening.TRUMP):
        mask[OPEN + opening] = opening_cards(opening, hand, trumps) != 0
    if not rules.dissle:
        mask[OPEN + Opening.DISSLE] = 0
    if rules.must_open_ace and mask[OPEN + Opening.GEELFEN]:
        mask[OPEN + Opening.HOEHER_HAT] = 0
        mask[OPEN + Opening.DISSLE] = 0


@njit(cache=True)
def opening_cards(opening, hand, trumps):
    """The kinds of a hand that may be led after an opening: notes 6.2."""
    plain = hand & ~trumps
    if opening == Opening.GEELFEN or opening == Opening.ANDERE_ALTE:
        return plain & ACES
    if opening == Opening.HOEHER_HAT:
        return plain & ~ACES
    return plain if opening == Opening.DISSLE else hand


@njit(cache=True)
def first_answers(hand, trumps):
    """The kinds of a hand that may answer in the first trick: no trumps, unless there is nothing else."""
    plain = hand & ~trumps
    return plain if plain else hand


@njit(cache=True)
def legal_turn(rules, state, mask):
    cards = playable(rules, state)
    allow_cards(cards & promised(rules, state), mask, PLAY)
    if state.owed != NONE:
        return
    for suit in range(4):
        mask[MELD + suit] = may_meld(rules, state, suit, cards)
    if state.trick > 1:
        mask[EXCHANGE] = may_exchange(rules, state)
        mask[AUS] = may_say_aus(rules, state)
        if rules.signals != SIGNALS_OFF and not state.signalled & bit(state.seat):
            mask[SIGNAL : SIGNAL + 4] = 1


@njit(cache=True)
def playable(rules, state):
    """The kinds that the seat to act may play now, before what a pair declared in this turn demands."""
    hand, trumps = kinds(state.hand[state.seat]), suit_set(state.trump)
    if state.trick == 1:
        return opening_cards(state.opening, hand, trumps) if state.seat == state.leader else first_answers(hand, trumps)
    if state.seat == state.leader or state.indicator != NONE:
        return hand
    suit = led_suit(state)
    if rules.post_talon == FOLLOW_ONLY:
        return hand & suit if hand & suit else hand
    return strict_set(hand, suit, trumps, beating(state))


@njit(cache=True)
def led_suit(state):
    return suit_set(np.int64(state.table[state.leader]) // RANKS_PER_SUIT)


@njit(cache=True)
def beating(state):
    """The kinds that beat the trick as it stands; of two equal cards the earlier ranks higher. In the first trick the opening says."""
    suit, trumps = suit_set(state.best // RANKS_PER_SUIT), suit_set(state.trump)
    if state.trick > 1 or state.opening == Opening.TRUMP:
        return beaters(state.best, suit, trumps)
    if state.opening == Opening.GEELFEN:
        return EMPTY
    if state.opening == Opening.ANDERE_ALTE:
        return bit(state.best)
    return suit & (bit(state.best) - 1)


@njit(cache=True)
def promised(rules, state):
    """The kinds that the pairs declared in this turn leave to be played."""
    if state.owed != NONE:
        return pair(state.owed)
    if not rules.meld_must_play or state.melded == 0:
        return np.int64(ALL_KINDS)
    cards = EMPTY
    for suit in range(4):
        if state.melded & bit(suit):
            cards |= pair(suit)
    return cards


@njit(cache=True)
def may_meld(rules, state, suit, cards):
    """Whether the seat to act may declare a pair; `cards` are those it may play."""
    seat = state.seat
    if kinds(less(state.hand[seat], state.declared[seat])) & pair(suit) != pair(suit):
        return False
    if state.tricks[side_of(rules, seat)] == 0:
        return cards & pair(suit) != 0 and sure_of_trick(rules, state)
    return cards & pair(suit) != 0 or not rules.meld_must_play


@njit(cache=True)
def sure_of_trick(rules, state):
    """Whether a partner's card on the table cannot be beaten any more: notes 6.5, cases (a) to (c)."""
    if state.winning == NONE or side_of(rules, state.winning) != side_of(rules, state.seat):
        return False
    if state.trick == 1 and state.opening == Opening.GEELFEN:
        return True
    if state.best == state.trump * RANKS_PER_SUIT + ACE:
        return True
    later = (state.seat + 1) % rules.players
    while later != state.leader:
        if side_of(rules, later) != side_of(rules, state.seat):
            return False
        later = (later + 1) % rules.players
    return True


@njit(cache=True)
def may_exchange(rules, state):
    """A trump 7 for the indicator, or, where a partner's 7 lies, for the card that he took: notes 6.6."""
    seat, seven = state.seat, trump_seven(state)
    if state.indicator == NONE or not copies(state.hand[seat], seven) or state.tricks[side_of(rules, seat)] == 0:
        return False
    return state.indicator != seven or (state.asker == seat and not state.chained and state.answers & 1 != 0)


@njit(cache=True)
def trump_seven(state):
    return state.trump * RANKS_PER_SUIT + SEVEN


@njit(cache=True)
def may_say_aus(rules, state):
    if rules.claims == AUTO or not aus_window_open(rules, state):
        return False
    return rules.claims != SAFE or reached_goal(rules, state, state.seat)


@njit(cache=True)
def aus_window_open(rules, state):
    """Whether this node offers Aus: to a side with a trick, on lead, after a pair of this turn, after the last trick."""
    if state.phase == Phase.AFTER:
        return True
    seat = state.seat
    if state.phase != Phase.TURN or state.trick == 1 or state.tricks[side_of(rules, seat)] == 0:
        return False
    return seat == state.leader or state.melded != 0 or rules.aus_window == ANY_TURN


@njit(cache=True)
def reached_goal(rules, state, seat):
    return state.points[side_of(rules, seat)] >= GOAL


# Playing an action


@njit(cache=True)
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows by itself: draws, Aus by the engine, scoring, the next deal."""
    log_action(state, action)
    if action < PLAY:
        apply_open(rules, state, action - OPEN)
    elif action < MELD:
        apply_play(rules, state, action - PLAY)
    elif action < EXCHANGE:
        apply_meld(rules, state, action - MELD)
    elif action == EXCHANGE:
        apply_exchange(state)
    elif action == AUS:
        apply_aus(rules, state)
    elif action == CONTINUE:
        finish_unclaimed(rules, state)
    else:
        state.signal[state.seat] = action - SIGNAL
        state.signalled |= bit(state.seat)

    if rules.claims == AUTO and aus_window_open(rules, state) and reached_goal(rules, state, state.seat):
        apply_aus(rules, state)
    if state.phase == Phase.DONE and not state.over:
        state.deal_number += 1
        deal(rules, state)


@njit(cache=True)
def apply_open(rules, state, opening):
    state.opening = opening
    trumps = suit_set(state.trump)
    if opening == Opening.TRUMP:
        state.missing[state.seat] |= ALL_KINDS & ~trumps
    elif rules.must_open_ace and opening in (Opening.HOEHER_HAT, Opening.DISSLE):
        state.missing[state.seat] |= ACES & ~trumps
    state.phase = Phase.TURN


@njit(cache=True)
def apply_meld(rules, state, suit):
    seat = state.seat
    side = side_of(rules, seat)
    if state.tricks[side] == 0:
        state.owed = suit
    if state.owed != NONE or rules.meld_must_play:
        king, queen = suit * RANKS_PER_SUIT + KING, suit * RANKS_PER_SUIT + QUEEN
        state.missing[seat] |= ruled_out(rules, state, king) & ruled_out(rules, state, queen)  # one of them may be played
    for rank in (KING, QUEEN):
        card = suit * RANKS_PER_SUIT + rank
        state.declared[seat] = add(state.declared[seat], card)
        show_copies(state, seat, card, copies(state.declared[seat], card))
    state.points[side] += TRUMP_MARRIAGE if suit == state.trump else MARRIAGE
    state.melded |= bit(suit)


@njit(cache=True)
def ruled_out(rules, state, card):
    """The kinds that the seat to act cannot hold if it may play this card now."""
    trumps = suit_set(state.trump)
    if state.trick == 1:
        return ALL_KINDS & ~trumps if bit(card) & trumps else EMPTY
    if state.seat == state.leader or state.indicator != NONE:
        return EMPTY
    suit = led_suit(state)
    if rules.post_talon == FOLLOW_ONLY:
        return EMPTY if bit(card) & suit else suit
    return missing_set(card, suit, trumps, beating(state))


@njit(cache=True)
def apply_exchange(state):
    """The 7 goes to the table. If another lies there, its owner takes it back and gives the card he had taken, with its mark."""
    seat, seven = state.seat, trump_seven(state)
    if state.indicator != seven:
        state.taken = state.indicator
        marked = False
    else:
        marked = copies(state.declared[state.laid_by], state.taken) != 0
        leave_hand(state, state.laid_by, state.taken)
        take_openly(state, state.laid_by, seven)
        state.chained = 1
        state.asker = NONE
        state.answers = 0
    leave_hand(state, seat, seven)
    take_openly(state, seat, state.taken)
    if marked:
        state.declared[seat] = add(state.declared[seat], state.taken)
    state.indicator = seven
    state.laid_by = seat


@njit(cache=True)
def take_openly(state, seat, card):
    take_in_hand(state, seat, card)
    state.shown[seat] = add(state.shown[seat], card)


@njit(cache=True)
def apply_play(rules, state, card):
    seat = state.seat
    state.table[seat] = card
    if plays_face_down(rules, state):
        state.hand[seat] = remove(state.hand[seat], card)
        state.held[seat] -= 1
    else:
        state.missing[seat] |= ruled_out(rules, state, card)
        leave_hand(state, seat, card)
        compare(state, seat)

    following = (seat + 1) % rules.players
    if following == state.leader:
        end_trick(rules, state)
    else:
        begin_turn(rules, state, following)


@njit(cache=True)
def plays_face_down(rules, state):
    """Whether the cards of the present trick lie face down until all have played."""
    if state.trick > 1:
        return False
    if state.opening == Opening.DISSLE:
        return rules.dissle_lead == FACE_DOWN
    return state.opening == Opening.ANDERE_ALTE or state.opening == Opening.HOEHER_HAT


@njit(cache=True)
def compare(state, seat):
    """See whether the card that a seat has played beats the trick; a trump in the first trick makes him show his hand."""
    card = np.int64(state.table[seat])
    if state.best == NONE or bit(card) & beating(state):
        state.best, state.winning = card, seat
    if state.trick == 1 and bit(card) & suit_set(state.trump):
        show_hand(state, seat)


@njit(cache=True)
def begin_turn(rules, state, seat):
    """The seat is to act. If he has the other trump 7, what he may do tells him whether the partner who laid his still holds the card
    that he took: "a card of that name"."""
    state.phase = Phase.TURN
    state.seat = seat
    state.melded = 0
    state.owed = NONE
    layer = state.laid_by
    if layer in (NONE, seat) or state.chained or state.indicator == NONE or side_of(rules, layer) != side_of(rules, seat):
        return
    if copies(state.hand[seat], trump_seven(state)):
        state.asker = seat
        state.answers = state.answers << 1 | (copies(state.hand[layer], state.taken) != 0)


@njit(cache=True)
def end_trick(rules, state):
    if plays_face_down(rules, state):
        turn_cards(rules, state)
    winner = state.winning
    side = side_of(rules, winner)
    for seat in range(rules.players):
        state.points[side] += card_points(np.int64(state.table[seat]))
        state.gone = add(state.gone, np.int64(state.table[seat]))
    state.tricks[side] += 1
    state.trick += 1
    state.table[:] = NONE
    state.best, state.winning = NONE, NONE
    state.leader, state.seat = winner, winner
    state.signalled = 0

    last = state.held[winner] == 0 and state.indicator == NONE
    if last and rules.last_trick_10:
        state.points[side] += LAST_TRICK_TEN
    if state.opening == Opening.DISSLE and winner == forehand(rules, state):
        finish(rules, state, other_sides(rules, side), rules.dissle_value)
    elif last:
        end_last_trick(rules, state)
    elif state.indicator == NONE or draw(rules, state):
        begin_turn(rules, state, winner)


@njit(cache=True)
def turn_cards(rules, state):
    """The face-down cards of the first trick are turned up, all at once."""
    for place in range(rules.players):
        seat = (state.leader + place) % rules.players
        prove(state, seat, np.int64(state.table[seat]))
        compare(state, seat)


@njit(cache=True)
def draw(rules, state):
    """Each draws a card, the winner of the trick first; the last of all takes the indicator. Returns whether the deal goes on: forehand
    wins Auf Dissle with his fifth seven."""
    state.missing[:] = 0
    for place in range(rules.players):
        seat = (state.leader + place) % rules.players
        if state.top < CARDS:
            draw_card(state, seat)
        else:
            take_openly(state, seat, state.indicator)
            state.indicator = NONE
        if state.opening == Opening.DISSLE and seat == forehand(rules, state) and holds_five_sevens(state, seat):
            show_hand(state, seat)
            finish(rules, state, bit(side_of(rules, seat)), rules.dissle_value)
            return False
    return True


# The end of a deal: notes 6.7


@njit(cache=True)
def end_last_trick(rules, state):
    """All cards are played: a last chance to say Aus, where that is legal; the engine's comes with the node."""
    state.phase = Phase.AFTER
    if rules.claims != FREE and not reached_goal(rules, state, state.seat):
        finish_unclaimed(rules, state)


@njit(cache=True)
def apply_aus(rules, state):
    side = side_of(rules, state.seat)
    if state.points[side] < GOAL:
        finish(rules, state, other_sides(rules, side), 2)
        return
    trickless, opponents = 0, rules.sides - 1
    for other in range(rules.sides):
        trickless += other != side and state.tricks[other] == 0
    gigackel = trickless > 0 if rules.any_opponent else trickless == opponents
    finish(rules, state, bit(side), 2 if gigackel else 1)


@njit(cache=True)
def finish_unclaimed(rules, state):
    """The higher total wins one point; a shared one wins nothing, or for the side that won the last trick."""
    highest = state.points[: rules.sides].max()
    winners = EMPTY
    for side in range(rules.sides):
        if state.points[side] == highest:
            winners |= bit(side)
    last = bit(side_of(rules, state.leader))
    if winners & (winners - 1):
        winners = winners & last if rules.last_trick_wins else EMPTY
    finish(rules, state, winners, 1)

"""Cards that may be played to a trick, and the one that wins it: openings, first trick, following suit."""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit
from stichwerk.envs.core.seats import turns_after, wrapped
from stichwerk.envs.core.tricks import beaters, missing_set, strict_set
from stichwerk.envs.games.family import ACE, RANKS_PER_SUIT, pair, suit_set
from stichwerk.envs.games.gaigel.cards.double import ALL_KINDS, EMPTY, kinds
from stichwerk.envs.games.gaigel.options import FACE_DOWN, FOLLOW_ONLY
from stichwerk.envs.games.gaigel.state import ACES, Opening, Phase, side_of
from stichwerk.envs.jit.compiled import compiled

# The first trick


@compiled
def opening_cards(opening, hand, trumps):
    """The kinds of a hand that may be led after an opening: docs/rules/gaigel.md#openings"""
    plain = hand & ~trumps
    if opening == Opening.GEELFEN or opening == Opening.ANDERE_ALTE:
        return plain & ACES
    if opening == Opening.HOEHER_HAT:
        return plain & ~ACES
    return plain if opening == Opening.DISSLE else hand


@compiled
def first_answers(hand, trumps):
    """The kinds of a hand that may answer in the first trick: no trumps, unless there is nothing else."""
    plain = hand & ~trumps
    return plain if plain else hand


@compiled
def plays_face_down(rules, state):
    """True if the cards of the present trick lie face down until all have played.

    Source: docs/rules/gaigel.md#the-first-trick
    """
    if state.trick > 1:
        return False
    if state.opening == Opening.DISSLE:
        return rules.dissle_lead == FACE_DOWN
    return state.opening == Opening.ANDERE_ALTE or state.opening == Opening.HOEHER_HAT


@compiled
def lies_face_down(rules, view, owner):
    """True if a seat has a face-down card on the table, as everybody can tell."""
    if not plays_face_down(rules, view) or view.phase != Phase.TURN:
        return False
    return turns_after(rules, view.leader, owner) < turns_after(rules, view.leader, view.seat)


# Any trick


@compiled
def playable(rules, state):
    """The kinds that the seat to act may play now, before what a pair declared in this turn demands."""
    hand, trumps = kinds(state.hand[state.seat]), suit_set(state.trump)
    if state.trick == 1:
        leads = state.seat == state.leader
        return opening_cards(state.opening, hand, trumps) if leads else first_answers(hand, trumps)
    if state.seat == state.leader or state.indicator != NONE:
        return hand
    suit = led_suit(state)
    if rules.post_talon == FOLLOW_ONLY:
        return hand & suit if hand & suit else hand
    return strict_set(hand, suit, trumps, beating(state))


@compiled
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


@compiled
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


@compiled
def led_suit(state):
    return suit_set(state.table[state.leader] // RANKS_PER_SUIT)


@compiled
def beating(state):
    """The kinds that beat the trick as it stands; in the first trick the opening says.

    Of two equal cards the earlier ranks higher.
    """
    suit, trumps = suit_set(state.best // RANKS_PER_SUIT), suit_set(state.trump)
    if state.trick > 1 or state.opening == Opening.TRUMP:
        return beaters(state.best, suit, trumps)
    if state.opening == Opening.GEELFEN:
        return EMPTY
    if state.opening == Opening.ANDERE_ALTE:
        return bit(state.best)
    return suit & (bit(state.best) - 1)


@compiled
def sure_of_trick(rules, state):
    """True if a partner's card on the table cannot be beaten any more.

    Source: docs/rules/gaigel.md#the-sure-winner, cases (a) to (c)
    """
    if state.winning == NONE or side_of(rules, state.winning) != side_of(rules, state.seat):
        return False
    if state.trick == 1 and state.opening == Opening.GEELFEN:
        return True
    if state.best == state.trump * RANKS_PER_SUIT + ACE:
        return True
    later = wrapped(rules, state.seat + 1)
    while later != state.leader:
        if side_of(rules, later) != side_of(rules, state.seat):
            return False
        later = wrapped(rules, later + 1)
    return True

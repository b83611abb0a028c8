"""The course of a deal of Gaigel: the opening, the first trick, melds, exchange, draws, Aus, scoring and the match.

Written after the flow of one deal; section numbers are those of the notes the rules were settled in. Arrays have room for six
seats and three sides; `rules.players` and `rules.sides` say how many there are. Hands are double sets (`double.py`).
"""

from enum import IntEnum

import numpy as np
from numba import njit

from envs.core.cards import SUITS, bit
from envs.core.course import NONE, allow_cards, begin_deal, end_deal, log_action
from envs.core.state import shared_ranges, state_dtype, whole_words
from envs.core.tricks import beaters, missing_set, strict_set
from envs.games.family import (
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
from envs.games.gaigel.double import ALL_KINDS, EMPTY, KINDS, WHOLE_PACK, add, copies, kinds, less, of_kinds, remove, size
from envs.games.gaigel.rules import (
    ANY_TURN,
    AUTO,
    FACE_DOWN,
    FOLLOW_ONLY,
    FREE,
    PACK,
    SAFE,
    SIGNALS_OFF,
    THREE_TURN_TWO,
    TOKENLESS_WINS,
    TOKENS,
)

SEATS, SIDES = 6, 3  # at most
CARDS = 2 * KINDS
DECK = np.repeat(np.arange(KINDS), 2)
IN_HAND, FIRST_PACKET = 5, 3
SEVEN = RANKS_PER_SUIT - 1
ACES = sum(1 << suit * RANKS_PER_SUIT + ACE for suit in range(4))
SEVENS = sum(1 << suit * RANKS_PER_SUIT + SEVEN for suit in range(4))
ALL_SEVENS = 5  # so many at the same time win
GOAL = 101
LAST_TRICK_TEN = 10


class Opening(IntEnum):
    """What forehand announces before the first trick."""

    GEELFEN = 0  # an ace, face up, which wins
    ANDERE_ALTE = 1  # an ace, face down; the other copy of it wins
    HOEHER_HAT = 2  # another card, face down; the highest of its suit wins
    DISSLE = 3  # to collect five sevens
    TRUMP = 4  # from five trumps


ACTIONS = (
    *(f"open {opening.name.lower()}" for opening in Opening),
    *(f"play {name}" for name in PACK.names),
    *(f"meld {suit}" for suit in SUITS),
    "exchange",
    "aus",
    "continue",
    *(f"signal {suit}" for suit in SUITS),
)
OPEN, PLAY, MELD = 0, len(Opening), len(Opening) + KINDS
EXCHANGE, AUS, CONTINUE, SIGNAL = MELD + 4, MELD + 5, MELD + 6, MELD + 7
MAX_SIGNALS = 15 * 3  # a trick and player, from trick 2 on, with three players
MAX_LOG = 1 + CARDS + 8 + 2 + MAX_SIGNALS + 1  # opening, cards, pairs, exchange and chain, signals, `aus` or `continue`


class Phase(IntEnum):
    """The decision nodes."""

    OPEN = 0  # forehand announces
    TURN = 1  # one action after another until a card is played
    AFTER = 2  # the winner of the last trick
    DONE = 3  # no decision: the deal is over


STATE = state_dtype(
    players=SEATS,
    pack_size=CARDS,
    log_size=MAX_LOG,
    fields=[
        ("phase", np.int64),
        ("score", np.int64, (SIDES,)),  # tokens held, or game points won in the match
        ("pool", np.int64),  # tokens left
        ("returning", np.int64),  # 0: the losers take tokens (stage 1 of a match); 1: the winners give them back (stage 2)
        ("owner", np.int8, (CARDS,)),  # for each position of `deck` the seat that was dealt it or drew it, or NONE
        ("top", np.int64),  # position in `deck` of the next face-down card
        ("trump", np.int64),  # suit
        ("turned_up", np.int64),  # the card turned up in the deal
        ("indicator", np.int64),  # the card that now lies there; NONE once it is drawn
        ("hand", np.int64, (SEATS,)),  # double sets
        ("shown", np.int64, (SEATS,)),  # cards publicly known to be in a hand
        ("declared", np.int64, (SEATS,)),  # those of them that have been declared in a pair
        ("missing", np.int64, (SEATS,)),  # kinds publicly proven not to be in a hand, until the next draw
        ("held", np.int8, (whole_words(SEATS),)),  # how many cards a hand has
        ("opening", np.int64),  # or NONE before it is announced
        ("trick", np.int64),  # number of the present trick, from 1
        ("leader", np.int64),  # of the present trick
        ("table", np.int8, (whole_words(SEATS),)),  # each seat's card on the table or NONE; hidden while it lies face down
        ("best", np.int64),  # card now winning the trick or NONE, as it is while cards lie face down
        ("winning", np.int64),  # its seat
        ("melded", np.int64),  # set of suits declared in the present turn
        ("owed", np.int64),  # suit of a pair declared on a partner's sure trick, one of which must be played, or NONE
        ("gone", np.int64),  # double set of the cards in finished tricks
        ("points", np.int64, (SIDES,)),  # card points taken and pairs
        ("tricks", np.int64, (SIDES,)),
        ("laid_by", np.int64),  # seat whose 7 is now the indicator, or NONE
        ("taken", np.int64),  # the card taken for it, or NONE
        ("chained", np.int64),  # the partner's chain has been used
        ("asker", np.int64),  # seat that can tell at its turns whether the chain is open, or NONE; known to that seat only
        ("answers", np.int64),  # what it has found, a bit each time, the latest lowest; known to that seat only
        ("signal", np.int8, (whole_words(SEATS),)),  # suit each seat signalled last or NONE; may be hidden from opponents
        ("signalled", np.int64),  # set of the seats that have signalled in the present trick; may be hidden from opponents
        ("proofs", np.int64),  # how many cards have been seen that came from the deck, without having been known in a hand …
        ("proof_card", np.int8, (CARDS,)),
        ("proof_seat", np.int8, (CARDS,)),  # … in whose hand …
        ("proof_top", np.int8, (CARDS,)),  # … and `top` at that moment: the card was dealt or drawn before
    ],
)


def ranges(players: int) -> dict[str, tuple[int, int]]:
    """See `Game.ranges`."""
    card, seat, suit = (NONE, KINDS - 1), (NONE, players - 1), (NONE, 3)
    return {
        **shared_ranges(players, KINDS, MAX_LOG, len(ACTIONS)),
        "phase": (Phase.OPEN, Phase.DONE),
        "returning": (0, 1),
        "top": (0, CARDS),
        "trump": (0, 3),
        "turned_up": (0, KINDS - 1),
        "opening": (NONE, Opening.TRUMP),
        "leader": (0, players - 1),
        "proofs": (0, CARDS),
        "proof_card": (0, KINDS - 1),
        "proof_seat": (0, players - 1),
        "proof_top": (0, CARDS),
        "held": (0, IN_HAND),
        "melded": (0, 0xF),
        **dict.fromkeys(("indicator", "table", "best", "taken"), card),
        **dict.fromkeys(("owner", "winning", "laid_by", "asker"), seat),
        **dict.fromkeys(("owed", "signal"), suit),
        **dict.fromkeys(("hand", "shown", "declared", "gone"), (0, WHOLE_PACK)),
        "missing": (0, ALL_KINDS),
    }


# Dealing


@njit(cache=True)
def begin_match(rules, state):
    """The match score before the first deal."""
    state.score[:] = 0
    state.pool = rules.pool if rules.score == TOKENS else 0
    state.returning = 0


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
def forehand(rules, state):
    return (state.dealer + 1) % rules.players


@njit(cache=True)
def side_of(rules, seat):
    """With partners, they sit in alternate seats."""
    return seat % rules.sides


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
    if layer == NONE or state.chained or state.indicator == NONE or layer == seat or side_of(rules, layer) != side_of(rules, seat):
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


@njit(cache=True)
def other_sides(rules, side):
    return (bit(rules.sides) - 1) & ~bit(side)


@njit(cache=True)
def finish(rules, state, winners, value):
    """End the deal: each seat of a losing side pays `value` to each winning side. `winners` is a set of sides; none: nobody pays."""
    state.phase = Phase.DONE
    won, lost = 0, 0
    for side in range(rules.sides):
        if winners & bit(side):
            won += 1
        else:
            lost += 1
    state.deal_points[:] = 0
    for seat in range(rules.players):
        if winners & bit(side_of(rules, seat)):
            state.deal_points[seat] = value * lost
        else:
            state.deal_points[seat] = -value * won
    end_deal(state)
    if not state.match:
        return
    finished = EMPTY
    if winners and rules.score == TOKENS:
        finished = move_tokens(rules, state, winners, value)
    elif winners:
        finished = add_score(rules, state, winners, value)
    if finished:
        state.over = 1
        for seat in range(rules.players):
            state.reward[seat] = 1 if finished & bit(side_of(rules, seat)) else -1
    else:
        state.dealer = (state.dealer + 1) % rules.players


@njit(cache=True)
def add_score(rules, state, winners, value):
    """Count game points up; returns the sides that have reached the target."""
    finished = EMPTY
    for side in range(rules.sides):
        if winners & bit(side):
            state.score[side] += value
            if state.score[side] >= rules.target:
                finished |= bit(side)
    return finished


@njit(cache=True)
def move_tokens(rules, state, winners, value):
    """The losers take tokens from the pool or, once it is empty, the winners give theirs back; returns the sides that have won."""
    if not state.returning:
        take_tokens(rules, state, winners, value)
        return tokenless(rules, state) if state.returning and rules.tokenless == TOKENLESS_WINS else EMPTY
    finished = EMPTY
    for side in range(rules.sides):
        if winners & bit(side):
            given = min(value, state.score[side])
            state.score[side] -= given
            state.pool += given
            if state.score[side] == 0:
                finished |= bit(side)
    return finished


@njit(cache=True)
def take_tokens(rules, state, winners, value):
    """Short tokens go out one at a time, from the right of the winner."""
    first_winner = 0
    while not winners & bit(first_winner):
        first_winner += 1
    for _ in range(value):
        for place in range(1, rules.sides):
            side = (first_winner + place) % rules.sides
            if state.pool and not winners & bit(side):
                state.pool -= 1
                state.score[side] += 1
    if state.pool == 0:
        state.returning = 1


@njit(cache=True)
def tokenless(rules, state):
    sides = EMPTY
    for side in range(rules.sides):
        if state.score[side] == 0:
            sides |= bit(side)
    return sides

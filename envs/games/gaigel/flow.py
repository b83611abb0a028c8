"""The course of a deal: dealing, and the decision nodes with their legal actions and what follows from each.

Each decision node is a `Phase` with a pair `legal_…` / `apply_…`. Source: docs/rules/gaigel.md
"""

from stichwerk.envs.core.cards import NONE, NOTHING, bit, first, only_if
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.claims import AUTO, may_claim
from stichwerk.envs.games.family import (
    KING,
    LAST_TRICK_TEN,
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    pair,
    pairs_in,
    suit_set,
)
from stichwerk.envs.games.gaigel.cards.double import ALL_KINDS, add, copies, kinds, less
from stichwerk.envs.games.gaigel.cards.hands import (
    cards_dealt,
    draw_card,
    holds_five_sevens,
    lay_face_down,
    leave_hand,
    places_in_deck,
    prove,
    show_copies,
    show_hand,
    take_in_hand,
    take_openly,
)
from stichwerk.envs.games.gaigel.cards.trick import (
    beating,
    opening_cards,
    playable,
    plays_face_down,
    promised,
    ruled_out,
    sure_of_trick,
)
from stichwerk.envs.games.gaigel.options import ANY_TURN, SIGNALS_OFF
from stichwerk.envs.games.gaigel.scoring import (
    apply_aus,
    end_last_trick,
    finish,
    finish_unclaimed,
    other_sides,
)
from stichwerk.envs.games.gaigel.state import (
    ACES,
    ACTION_COUNT,
    ALL_SUITS,
    AUS,
    CARDS,
    CONTINUE,
    EXCHANGE,
    MELD,
    OPEN,
    PLAY,
    SIGNAL,
    Opening,
    Phase,
    forehand,
    reached_goal,
    side_of,
    trump_seven,
)
from stichwerk.envs.jit.bitsets import put_set
from stichwerk.envs.jit.compiled import compiled

# Dealing


@compiled
def deal(rules, state):
    """Deal the deck; forehand opens. Five sevens in a hand end the deal at once."""
    state.top = cards_dealt(rules)
    for seat in range(rules.players):
        places = places_in_deck(rules, state, seat)
        while places:
            take_in_hand(state, seat, state.deck[first(places)])
            places &= places - 1
    state.turned_up = state.deck[rules.indicator_at]
    state.indicator = state.turned_up
    state.trump = state.turned_up // RANKS_PER_SUIT
    state.seen = bit(state.turned_up)
    state.leader = forehand(rules, state)
    state.seat = state.leader
    if rules.five_sevens:
        look_for_sevens(rules, state)


@compiled
def look_for_sevens(rules, state):
    """The first dealt hand of five sevens, from forehand on, wins one point."""
    for place in range(rules.players):
        seat = wrapped(rules, state.leader + place)
        if holds_five_sevens(state, seat):
            show_hand(state, seat)
            finish(rules, state, bit(side_of(rules, seat)), 1)
            return


# Legal actions


@compiled
def legal(rules, state, mask):
    """Mark the legal actions of the seat to act."""
    put_set(mask, 0, legal_actions(rules, state), ACTION_COUNT)


@compiled
def legal_actions(rules, state):
    """The set of the legal actions."""
    if state.phase == Phase.TURN:
        return legal_turn(rules, state)
    if state.phase == Phase.OPEN:
        return legal_open(rules, state)
    if state.phase == Phase.AFTER:
        return bit(CONTINUE) | only_if(may_say_aus(rules, state), AUS)
    return NOTHING


@compiled
def legal_open(rules, state):
    hand, trumps = kinds(state.hand[state.seat]), suit_set(state.trump)
    if not hand & ~trumps:
        return bit(OPEN + Opening.TRUMP)
    actions = NOTHING
    for opening in range(Opening.TRUMP):
        actions |= only_if(opening_cards(opening, hand, trumps) != 0, OPEN + opening)
    if not rules.dissle:
        actions &= ~bit(OPEN + Opening.DISSLE)
    if rules.must_open_ace and actions & bit(OPEN + Opening.GEELFEN):
        actions &= ~(bit(OPEN + Opening.HOEHER_HAT) | bit(OPEN + Opening.DISSLE))
    return actions


@compiled
def legal_turn(rules, state):
    cards = playable(rules, state)
    actions = (cards & promised(rules, state)) << PLAY
    if state.owed != NONE:
        return actions
    actions |= legal_melds(rules, state, cards) << MELD
    if state.trick > 1:
        actions |= only_if(may_exchange(rules, state), EXCHANGE) | only_if(may_say_aus(rules, state), AUS)
        if rules.signals != SIGNALS_OFF and not state.signalled & bit(state.seat):
            actions |= ALL_SUITS << SIGNAL
    return actions


@compiled
def legal_melds(rules, state, cards):
    """The suits, as a set, of the pairs that the seat to act may declare; `cards` are those it may play."""
    seat = state.seat
    suits = pairs_in(kinds(less(state.hand[seat], state.declared[seat])))
    if not suits:
        return NOTHING
    trickless = state.tricks[side_of(rules, seat)] == 0
    if trickless and not sure_of_trick(rules, state):
        return NOTHING
    if trickless or rules.meld_must_play:
        for suit in range(4):
            if not cards & pair(suit):
                suits &= ~bit(suit)
    return suits


@compiled
def may_exchange(rules, state):
    """A trump 7 for the indicator, or, where a partner's 7 lies, for the card that the partner took.

    Source: docs/rules/gaigel.md#the-exchange
    """
    seat, seven = state.seat, trump_seven(state)
    if (
        state.indicator == NONE
        or not copies(state.hand[seat], seven)
        or state.tricks[side_of(rules, seat)] == 0
    ):
        return False
    return state.indicator != seven or (state.asker == seat and not state.chained and state.answers & 1 != 0)


@compiled
def may_say_aus(rules, state):
    return may_claim(rules.claims, aus_window_open(rules, state), reached_goal(rules, state, state.seat))


@compiled
def aus_window_open(rules, state):
    """True if this node offers Aus: to a side with a trick, on lead, after a pair of this turn, at the end.

    Source: docs/rules/gaigel.md#aus
    """
    if state.phase == Phase.AFTER:
        return True
    seat = state.seat
    if state.phase != Phase.TURN or state.trick == 1 or state.tricks[side_of(rules, seat)] == 0:
        return False
    return seat == state.leader or state.melded != 0 or rules.aus_window == ANY_TURN


# Playing an action


@compiled
def apply(rules, state, action):
    """Play one legal action of the seat to act, with all that follows: draws, Aus by the engine, scoring."""
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


@compiled
def apply_open(rules, state, opening):
    state.opening = opening
    trumps = suit_set(state.trump)
    if opening == Opening.TRUMP:
        state.missing[state.seat] |= ALL_KINDS & ~trumps
    elif rules.must_open_ace and opening in (Opening.HOEHER_HAT, Opening.DISSLE):
        state.missing[state.seat] |= ACES & ~trumps
    state.phase = Phase.TURN


@compiled
def apply_meld(rules, state, suit):
    seat = state.seat
    side = side_of(rules, seat)
    if state.tricks[side] == 0:
        state.owed = suit
    if state.owed != NONE or rules.meld_must_play:  # so one of them may be played
        king, queen = suit * RANKS_PER_SUIT + KING, suit * RANKS_PER_SUIT + QUEEN
        state.missing[seat] |= ruled_out(rules, state, king) & ruled_out(rules, state, queen)
    for rank in (KING, QUEEN):
        card = suit * RANKS_PER_SUIT + rank
        state.declared[seat] = add(state.declared[seat], card)
        show_copies(state, seat, card, copies(state.declared[seat], card))
    state.points[side] += TRUMP_MARRIAGE if suit == state.trump else MARRIAGE
    state.melded |= bit(suit)


@compiled
def apply_exchange(state):
    """The 7 becomes the indicator.

    If another lies there, its owner takes it back and gives the card taken for it, with its mark.
    """
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


@compiled
def apply_play(rules, state, card):
    seat = state.seat
    state.table[seat] = card
    if plays_face_down(rules, state):
        lay_face_down(state, seat, card)
    else:
        state.missing[seat] |= ruled_out(rules, state, card)
        leave_hand(state, seat, card)
        compare(state, seat)

    following = wrapped(rules, seat + 1)
    if following == state.leader:
        end_trick(rules, state)
    else:
        begin_turn(rules, state, following)


@compiled
def compare(state, seat):
    """See whether a seat's card beats the trick; a trump in the first trick makes the seat show its hand."""
    card = state.table[seat]
    if state.best == NONE or bit(card) & beating(state):
        state.best, state.winning = card, seat
    if state.trick == 1 and bit(card) & suit_set(state.trump):
        show_hand(state, seat)


@compiled
def begin_turn(rules, state, seat):
    """The seat is to act; if it can tell whether the chain is open, it now does."""
    state.phase = Phase.TURN
    state.seat = seat
    state.melded = 0
    state.owed = NONE
    learn_of_chain(rules, state, seat)


@compiled
def learn_of_chain(rules, state, seat):
    """The legal actions of the seat with the other trump 7 tell it whether the chain is open.

    The chain is open if the partner who laid a 7 still holds a card of the name taken for it.

    Source: docs/rules/gaigel.md#the-chain
    """
    layer = state.laid_by
    if layer == NONE or state.chained or state.indicator == NONE:
        return
    mates = layer != seat and side_of(rules, layer) == side_of(rules, seat)
    if mates and copies(state.hand[seat], trump_seven(state)):
        state.asker = seat
        state.answers = state.answers << 1 | (copies(state.hand[layer], state.taken) != 0)


@compiled
def end_trick(rules, state):
    if plays_face_down(rules, state):
        turn_cards(rules, state)
    winner = state.winning
    side = side_of(rules, winner)
    take_trick(rules, state, side)
    state.leader, state.seat = winner, winner

    last = state.held[winner] == 0 and state.indicator == NONE
    if last and rules.last_trick_10:
        state.points[side] += LAST_TRICK_TEN
    if state.opening == Opening.DISSLE and winner == forehand(rules, state):
        finish(rules, state, other_sides(rules, side), rules.dissle_value)
    elif last:
        end_last_trick(rules, state)
    elif state.indicator == NONE or draw(rules, state):
        begin_turn(rules, state, winner)


@compiled
def turn_cards(rules, state):
    """The face-down cards of the first trick are turned up, all at once."""
    for place in range(rules.players):
        seat = wrapped(rules, state.leader + place)
        prove(state, seat, state.table[seat])
        compare(state, seat)


@compiled
def take_trick(rules, state, side):
    """A side takes the cards from the table."""
    for seat in range(rules.players):
        state.points[side] += card_points(state.table[seat])
        state.gone = add(state.gone, state.table[seat])
    state.table[:] = NONE
    state.best, state.winning = NONE, NONE
    state.tricks[side] += 1
    state.trick += 1
    state.signalled = 0


@compiled
def draw(rules, state):
    """Each draws a card, the winner of the trick first; the last of all takes the indicator.

    Returns whether the deal goes on: forehand wins Auf Dissle with a fifth seven.
    """
    rounds = state.trick - 2  # before this one
    state.drew_first[rounds] = state.leader
    state.proofs_before[rounds] = state.proofs
    state.missing[:] = 0
    for place in range(rules.players):
        seat = wrapped(rules, state.leader + place)
        if state.top < CARDS:
            draw_card(state, seat)
        else:
            take_openly(state, seat, state.indicator)
            state.indicator = NONE
        if (
            state.opening == Opening.DISSLE
            and seat == forehand(rules, state)
            and holds_five_sevens(state, seat)
        ):
            show_hand(state, seat)
            finish(rules, state, bit(side_of(rules, seat)), rules.dissle_value)
            return False
    return True

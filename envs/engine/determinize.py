"""The default of `resample`: random deals that agree with the log and with all that a seat knows.

With `deck_known="owner"` the state says who got each card of the deck, and when. A deck is drawn in three
steps. First each card that a seat has played gets a random place of those that the seat had got by then. Then
the other cards are dealt to hands and stock; a hand gets no card that its actions prove it not to hold. Last
the deal is played again as logged, and a deck that leads elsewhere is drawn again. So all decks that agree
are equally likely.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from stichwerk.envs.core.cards import NONE, NOTHING, bit
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.worlds import deal_unseen_set
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.spec.hooks import Legal, Resample

if TYPE_CHECKING:
    from stichwerk.envs.engine.engine import ApplyAction, DealCards, RedactTo

TRIES = 10_000


def resample_by_replay(
    spec: GameSpec, deal_again: "DealCards", legal: Legal, apply: "ApplyAction", redact: "RedactTo"
) -> Resample:
    """The default `resample` of a game.

    It supposes that an action with a card plays a card of the own hand, `hand` in the state. A card that
    forbids an action is supposed to do so in any hand.

    Args:
        spec: the game.
        deal_again, legal, apply, redact: of its engine.

    Returns:
        `resample(rules, view, seat)`, compiled. It raises ValueError for a view that no deal leads to.
    """
    fresh, start, end = spec.state.fresh, spec.state.deal_start, spec.state.dtype.itemsize
    card_of = np.array([NONE if a.card is None else spec.pack.index[a.card] for a in spec.actions])
    begin_again = _begin_again(deal_again, end)
    draw_deck = _draw_deck(card_of)
    find_missing = _find_missing(card_of, begin_again, legal, apply)
    play_again = _play_again(len(card_of), begin_again, legal, apply)

    @compiled
    def resample(rules, view, seat):
        again, seen, given = fresh.copy(), fresh.copy(), fresh.copy()
        given[0] = view
        missing = np.zeros(rules.players, np.int64)
        unseen = draw_deck(rules, view, missing)
        find_missing(rules, view, seat, unseen, again[0], missing)
        for _ in range(TRIES):
            view.deck[:] = given[0].deck
            draw_deck(rules, view, missing)
            if not play_again(rules, view, again[0]):
                continue
            redact(rules, again[0], seat, seen[0])
            if (seen.view(np.uint8)[start:] == given.view(np.uint8)[start:]).all():
                copy_bytes(view, again[0], start, end)
                return
        raise ValueError("a position that no deal leads to has no worlds")

    return resample


def _begin_again(deal_again: "DealCards", end: int) -> Any:
    @compiled
    def begin_again(rules, view, again):
        """Deal the deck of a view, in its match."""
        copy_bytes(again, view, 0, end)
        again.over = 0
        deal_again(rules, again)

    return begin_again


def _draw_deck(card_of: np.ndarray) -> Any:
    @compiled
    def place_played(rules, view):
        """Give each card that another seat has played a random place in the deck.

        The places are those of the cards that the seat had got by then. Returns the cards still unseen.
        """
        unseen = NOTHING
        for position in range(rules.deck_size):
            unseen |= bit(rules.deck[position])
        for position in range(rules.deck_size):
            if view.deck[position] != NONE:
                unseen &= ~bit(view.deck[position])
        for entry in range(view.log_size):
            action = logged_action(view, entry)
            card = card_of[action] if action != NONE else NONE
            if card == NONE or not unseen & bit(card):
                continue
            places = NOTHING
            for position in range(rules.deck_size):
                if (
                    view.deck_owner[position] == logged_seat(view, entry)
                    and view.deck_time[position] <= entry
                    and view.deck[position] == NONE
                ):
                    places |= bit(position)
            view.deck[random_card(view, places)] = card
            unseen ^= bit(card)
        return unseen

    @compiled
    def draw_deck(rules, view, missing):
        """Fill the blank places of the deck; returns the cards in them that nobody has played."""
        unseen = place_played(rules, view)
        room = np.zeros(rules.players, np.int64)
        for position in range(rules.deck_size):
            owner = view.deck_owner[position]
            if view.deck[position] == NONE and owner != NONE:
                room[owner] += 1
        dealt = deal_unseen_set(view, unseen, room, missing)
        for position in range(rules.deck_size):
            if view.deck[position] == NONE:
                card = random_card(view, dealt[view.deck_owner[position]])  # the last one is the stock's
                view.deck[position] = card
                dealt[view.deck_owner[position]] ^= bit(card)
        return unseen

    return draw_deck


def _find_missing(card_of: np.ndarray, begin_again: Any, legal: Legal, apply: "ApplyAction") -> Any:
    number_of_actions = len(card_of)

    @compiled
    def allows(rules, state, actor, action, hand, mask):
        """True if an action is legal with this hand, which is left in the state."""
        state.hand[actor] = hand
        legal(rules, state, mask)
        return mask[action] != 0

    @compiled
    def forbidding(rules, state, actor, action, unseen, mask):
        """The unseen cards beside which an action, legal without them, is not legal."""
        cards, hand, card = NOTHING, state.hand[actor], bit(card_of[action])
        if not allows(rules, state, actor, action, card | unseen, mask):
            left = unseen if allows(rules, state, actor, action, card, mask) else NOTHING
            while left:
                if not allows(rules, state, actor, action, card | left & -left, mask):
                    cards |= left & -left
                left &= left - 1
        state.hand[actor] = hand
        return cards

    @compiled
    def find_missing(rules, view, seat, unseen, again, missing):
        """Collect the cards that each hand is proven not to hold."""
        mask = np.zeros(number_of_actions, np.int8)
        latest = np.zeros(rules.players, np.int64)
        for position in range(rules.deck_size):
            if view.deck_owner[position] != NONE:
                owner = view.deck_owner[position]
                latest[owner] = max(latest[owner], view.deck_time[position])
        begin_again(rules, view, again)
        for entry in range(view.log_size):
            actor, action = logged_seat(view, entry), logged_action(view, entry)
            if actor != seat and action != NONE and card_of[action] != NONE and latest[actor] <= entry:
                missing[actor] |= forbidding(rules, again, actor, action, unseen, mask)
            apply(rules, again, action)

    return find_missing


def _play_again(number_of_actions: int, begin_again: Any, legal: Legal, apply: "ApplyAction") -> Any:
    @compiled
    def play_again(rules, view, again):
        """True if the deck of a view can be played as logged; `again` is the state that it leads to."""
        mask = np.zeros(number_of_actions, np.int8)
        begin_again(rules, view, again)
        for entry in range(view.log_size):
            action = logged_action(view, entry)
            if action == NONE or again.seat != logged_seat(view, entry):
                return False
            legal(rules, again, mask)
            if not mask[action]:
                return False
            apply(rules, again, action)
        return True

    return play_again

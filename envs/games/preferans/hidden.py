"""Hidden information: what a seat cannot tell, and the worlds it holds possible.

Everybody sees the calls, the played cards, and the talon when it is taken. The discards are the declarer's
secret. Nobody sees the talon of a hand game, or of a deal that all have passed, or a hand that was laid
aside.

Source: docs/rules/preferans.md#who-knows-what
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, lay_cards
from stichwerk.envs.core.log import logged_seat, write_log
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.worlds import deal_unseen_set
from stichwerk.envs.games.preferans.state import (
    ACTION_OF,
    ACTIVE,
    ALL_CARDS,
    DISCARD,
    PACKET,
    SEATS,
    TALON,
    TALON_AT,
    active_seat,
    cards_held,
    dealt_to,
    discard_entries,
    discards_of,
    hand_of,
    missing_from,
    played_by,
    set_hand,
    talon_of,
)
from stichwerk.envs.jit.compiled import compiled


@compiled
def redact(rules, state, seat):
    """The log hides the discards from all but the declarer."""
    if seat != state.declarer:
        for entry in discard_entries(state):
            write_log(state, entry, logged_seat(state, entry), NONE)


@compiled
def unseen(view, seat):
    """The cards whose place this seat does not know."""
    known = hand_of(view, seat)
    if seat == view.declarer:
        known |= discards_of(view)
    for other in range(SEATS):
        known |= played_by(view, other)
    return ALL_CARDS & ~known


# Possible worlds


@compiled
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees, with every discard that does, is equally likely. How others bid, discarded and
    played, beyond what the rules forced them to, is not weighed.
    """
    owners = np.zeros(ACTIVE, np.int64)
    room, missing = np.zeros(ACTIVE, np.int64), np.zeros(ACTIVE, np.int64)
    others = 0
    for place in range(ACTIVE):
        owner = active_seat(rules, view, place)
        if owner != seat:
            owners[others] = owner
            room[others] = cards_held(view, owner)
            missing[others] = missing_from(rules, view, owner)
            others += 1
    dealt = deal_unseen_set(view, unseen(view, seat), room[:others], missing[:others])
    for i in range(others):
        set_hand(view, owners[i], dealt[i])

    talon, rest = talon_of(view), dealt[others]
    if talon == 0:
        talon = rest
    elif seat != view.declarer:
        resample_discards(view, rest)
    lay_out_deck(rules, view, talon)


@compiled
def resample_discards(view, cards):
    """Write the declarer's discards into the log, in a random order."""
    for entry in discard_entries(view):
        card = random_card(view, cards)
        cards ^= bit(card)
        write_log(view, entry, view.declarer, DISCARD + ACTION_OF[card])


@compiled
def lay_out_deck(rules, view, talon):
    """Write a deck that deals these hands and this talon."""
    for place in range(ACTIVE):
        cards = dealt_to(view, active_seat(rules, view, place))
        for packet in range(2):
            start = packet * (TALON_AT + TALON) + place * PACKET
            cards = lay_cards(view.deck, start, PACKET, cards)
    lay_cards(view.deck, TALON_AT, TALON, talon)

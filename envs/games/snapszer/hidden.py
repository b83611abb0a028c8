"""Hidden information: what a seat may not see, and the worlds it holds possible.

The partnership is as secret as the place of the named card: its holder knows it, the others do once it has
been seen. A marriage that a partner's trick has credited (or that no partner's trick has saved) would tell,
so it waits, for those who cannot know.
Source: docs/rules/snapszer.md#what-each-player-knows
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, lay_cards
from stichwerk.envs.core.random import random_card
from stichwerk.envs.core.worlds import deal_unseen_set
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.snapszer.options import TEAM, THAT_TRICK
from stichwerk.envs.games.snapszer.state import (
    CARDS,
    GOAL,
    IN_HAND,
    PACKET,
    SEATS,
    Phase,
    forehand,
    knows_sides,
    opponent_of,
    same_side,
    side_points,
)
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_numbers

OTHERS = SEATS - 1


@compiled
def redact(rules, state, seat):
    """Blank, in place, the partnership, and what a marriage of the first lead would tell of it."""
    if knows_sides(state, seat):
        return
    state.holder = NONE
    if rules.pending_marriage_owner == TEAM:
        for declarer in range(SEATS):
            state.points[declarer] -= state.by_partner[declarer]
            state.pending[declarer] += state.by_partner[declarer] + state.voided[declarer]
        state.by_partner[:] = 0
        state.voided[:] = 0


@compiled
def unseen(view, seat):
    """The cards whose place this seat does not know."""
    known = view.hand[seat]
    for other in range(SEATS):
        known |= view.shown[other] | view.played[other]
    return ((1 << CARDS) - 1) & ~known


@compiled
def cards_held(view, owner):
    """The number of cards that a seat holds, as everybody can tell."""
    dealt = PACKET if view.phase == Phase.NAME else IN_HAND
    return dealt - count(view.played[owner])


# Possible worlds


@compiled
def resample(rules, view, seat):
    """Fill a redacted state, in place, with a random world that agrees with everything this seat knows.

    Every deal that agrees is equally likely. One in which forehand was dealt the named card needs it among
    forehand's last three cards. So it counts for the splits of that hand that have it there. How others chose
    their cards is not weighed. The caller sets `view.random` to a seed of its own first.
    """
    room, missing = np.zeros(OTHERS, np.int64), np.zeros(OTHERS, np.int64)
    for i in range(OTHERS):
        other = (seat + 1 + i) % SEATS
        room[i] = cards_held(view, other) - count(view.shown[other])
        missing[i] = view.missing[other]
    points, pending = view.points.copy(), view.pending.copy()
    by_partner, voided = view.by_partner.copy(), view.voided.copy()
    while True:
        dealt = deal_unseen_set(view, unseen(view, seat), room, missing)
        for i in range(OTHERS):
            other = (seat + 1 + i) % SEATS
            view.hand[other] = dealt[i] | view.shown[other]
            view.dealt[other] = random_subset(view, view.hand[other] | view.played[other], PACKET)
        find_holder(rules, view)
        if could_come_this_far(rules, view):
            break
        copy_numbers(view.points, points)
        copy_numbers(view.pending, pending)
        copy_numbers(view.by_partner, by_partner)
        copy_numbers(view.voided, voided)
    lay_out_deck(view, dealt[OTHERS])


@compiled
def could_come_this_far(rules, view):
    """True if forehand could name the card, and the engine had no reason to claim.

    A side reaches the goal when it is to lead.
    """
    if view.named != NONE and view.dealt[forehand(view)] & bit(view.named) and not rules.allow_call_own:
        return False
    if rules.claims != AUTO or rules.claim_needs_reveal or view.phase == Phase.DONE:
        return True
    caller = forehand(view)
    return side_points(view, caller) < GOAL and side_points(view, opponent_of(view, caller)) < GOAL


@compiled
def random_subset(view, cards, size):
    chosen = cards & 0
    for _ in range(size):
        card = random_card(view, cards & ~chosen)
        chosen |= bit(card)
    return chosen


@compiled
def find_holder(rules, view):
    """The partnership of the sampled world, and what it means for a marriage that waits for a partner."""
    if view.named == NONE:
        return
    for seat in range(SEATS):
        if (view.hand[seat] | view.played[seat]) & bit(view.named):
            view.holder = seat
    if rules.pending_marriage_owner != TEAM or view.first_winner == NONE:
        return
    for declarer in range(SEATS):
        value = view.pending[declarer]
        if value == 0:
            continue
        saved = same_side(view, view.first_winner, declarer)
        if rules.first_marriage_counts != THAT_TRICK:
            saved = False
            for seat in range(SEATS):
                saved = saved or (view.tricks[seat] > 0 and same_side(view, seat, declarer))
        if saved:
            view.by_partner[declarer] = value
            view.points[declarer] += value
        elif rules.first_marriage_counts == THAT_TRICK:
            view.voided[declarer] = value
        if saved or rules.first_marriage_counts == THAT_TRICK:
            view.pending[declarer] = 0


@compiled
def lay_out_deck(view, undealt):
    """Write the deck that was dealt: each seat's first packet, then its second, or what is not dealt yet."""
    for place in range(SEATS):
        seat = (forehand(view) + place) % SEATS
        lay_cards(view.deck, place * PACKET, PACKET, view.dealt[seat])
        if view.phase != Phase.NAME:
            second = (view.hand[seat] | view.played[seat]) & ~view.dealt[seat]
            lay_cards(view.deck, (SEATS + place) * PACKET, PACKET, second)
    if view.phase == Phase.NAME:
        for position in range(SEATS * PACKET, CARDS):
            view.deck[position] = random_card(view, undealt)
            undealt ^= bit(view.deck[position])

"""Schnapsen and Sixty-six with a closed stock: when to close, and the lead once it is closed.

Against each hand that the opponent may hold, the rest of the deal is played in the mind, high cards first.
"""

import numpy as np

from stichwerk.agents.builtin.rules.schnapsen_odds import CAPTURE, lead_value
from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.core.tricks import beaters, strict_set
from stichwerk.envs.games.family import (
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    pair,
    suit_set,
)
from stichwerk.envs.games.schnapsen.flow import may_meld
from stichwerk.envs.games.schnapsen.hidden import cards_held, unseen
from stichwerk.envs.games.schnapsen.options import ALWAYS
from stichwerk.envs.games.schnapsen.state import CARDS, MELD
from stichwerk.envs.jit.compiled import compiled

HANDS = 32  # of the opponent's that are tried, evenly spread over all that are possible
CLOSING_REACH = 20.0  # closing is thought of if the count of sure points comes so near to the goal
# Of how many hands the closer must get home against: while the other has no trick, is schneider, is neither.
CLOSING_ODDS = np.array([0.8, 0.65, 0.65])
HOME = 1000.0  # getting home, in points: all else only decides between equals


@compiled
def closes(rules, view, seat):
    """True if the tricks from the top get home against enough of the hands that the opponent may hold."""
    if closing_count(rules, view, seat) < rules.goal - CLOSING_REACH:
        return False
    other = 1 - seat
    if view.tricks[other] == 0:
        enough = CLOSING_ODDS[0]
    else:
        enough = CLOSING_ODDS[1 if view.points[other] <= rules.schneider_max else 2]
    return home_odds(rules, view, seat, NONE, 0) >= enough


@compiled
def best_lead_of_closed(rules, view, seat, mask):
    """The card to lead, or marriage to show, that gets home (or stops a closer) against most hands."""
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[card]:
            value = HOME * home_odds(rules, view, seat, card, 0) + lead_value(rules, view, seat, card)
            if value > best_value:
                best, best_value = card, value
    for suit in range(4):
        if mask[MELD + suit]:
            shown = TRUMP_MARRIAGE if suit == view.trump else MARRIAGE
            value = HOME * home_odds(rules, view, seat, suit * RANKS_PER_SUIT + QUEEN, shown) + shown
            if value > best_value:
                best, best_value = MELD + suit, value
    return best


@compiled
def home_odds(rules, view, seat, led, shown):
    """The share of the opponent's hands against which this seat gets home, or a closing opponent fails.

    Args:
        led: the card that this seat leads first, or NONE
        shown: the points of the marriage shown with it
    """
    other = 1 - seat
    known = view.shown[other]
    hidden = unseen(rules, view, seat) & ~view.missing[other]
    size = cards_held(view, seat, other) - count(known)
    hands = ways(count(hidden), size)
    step = max(1, hands // HANDS)
    places = (np.int64(1) << size) - 1
    good = tried = 0
    for number in range(hands):
        if number % step == step // 2:
            theirs = known | cards_at(places, hidden)
            ends = strict_play(rules, view, seat, theirs, known | hidden, led, shown)
            good += ends >= 0 if view.closed_by == other else ends > 0
            tried += 1
        places = next_of_size(places)
    return good / max(1, tried)


@compiled
def ways(cards, size):
    """The number of hands of a size that can be made of these cards."""
    hands = 1
    for i in range(size):
        hands = hands * (cards - i) // (i + 1)
    return hands


@compiled
def next_of_size(places):
    """The next larger set of as many places (Gosper)."""
    lowest = max(1, places & -places)
    ripple = places + lowest
    return (((ripple ^ places) >> 2) // lowest) | ripple


@compiled
def cards_at(places, cards):
    """Those of some cards that stand at these places among them."""
    chosen = np.int64(0)
    while places:
        if places & 1:
            chosen |= bit(first(cards))
        cards &= cards - 1
        places >>= 1
    return chosen


@compiled
def strict_play(rules, view, seat, theirs, out, led, shown):
    """Play a closed deal out with this seat on lead; of the other hand it sees only what is `out`.

    Returns 1 if this seat gets home, -1 if the opponent does, and 0 if neither.
    """
    mine, trumps = view.hand[seat], suit_set(view.trump)
    melds = rules.meld_phase == ALWAYS and may_meld(rules, view)
    points = view.points[seat] + view.pending[seat] + shown
    their_points = view.points[1 - seat] + view.pending[1 - seat]
    tricks, leads, their_marriages = view.tricks[seat], True, np.int64(0)
    while mine:
        if leads:
            if led == NONE and melds:
                suit = suit_to_show(mine, out, view.trump, rules.goal - points)
                if suit != NONE:
                    points += TRUMP_MARRIAGE if suit == view.trump else MARRIAGE
                    led = suit * RANKS_PER_SUIT + QUEEN
            if points >= rules.goal and tricks:
                return 1
            if led == NONE:
                led = lead_from_top(mine, out, trumps)
            answer = simple_answer(rules, theirs, led, trumps)
            mine ^= bit(led)
            theirs ^= bit(answer)
            out ^= bit(answer)
        else:
            for suit in range(4):
                if melds and theirs & pair(suit) == pair(suit) and not their_marriages & bit(suit):
                    their_points += TRUMP_MARRIAGE if suit == view.trump else MARRIAGE
                    their_marriages |= bit(suit)
            if their_points >= rules.goal:
                return -1
            led = lead_unbeaten(theirs, mine, trumps)
            answer = simple_answer(rules, mine, led, trumps)
            theirs ^= bit(led)
            mine ^= bit(answer)
            out ^= bit(led)
        stake = card_points(led) + card_points(answer)
        if bit(answer) & beaters(led, suit_set(led // RANKS_PER_SUIT), trumps):
            leads = not leads
        if leads:
            points += stake
            tricks += 1
        else:
            their_points += stake
        led = NONE
    return 1 if points >= rules.goal else -1 if their_points >= rules.goal else 0


@compiled
def suit_to_show(mine, out, trump, missing):
    """The marriage that brings the points missing, or any once no sure trick is left; or NONE."""
    for place in range(4):
        suit = (trump + place) % 4
        if mine & pair(suit) == pair(suit):
            value = TRUMP_MARRIAGE if suit == trump else MARRIAGE
            if value >= missing or not masters(mine, out):
                return suit
    return NONE


@compiled
def lead_from_top(mine, out, trumps):
    """Trumps that are high while others are out, then high cards, then whatever costs least."""
    high = masters(mine, out)
    if high & trumps and out & trumps:
        return first(high & trumps)
    if high:
        return dearest(high & ~trumps) if high & ~trumps else first(high)
    return cheapest(mine & ~trumps) if mine & ~trumps else cheapest(mine)


@compiled
def lead_unbeaten(mine, theirs, trumps):
    """The dearest card that the other hand cannot beat, or the cheapest if there is none."""
    safe = np.int64(0)
    cards = mine
    while cards:
        suit = suit_set(first(cards) // RANKS_PER_SUIT)
        winners = beaters(first(cards), suit, trumps)
        if not strict_set(theirs, suit, trumps, winners) & winners:
            safe |= bit(first(cards))
        cards &= cards - 1
    return dearest(safe) if safe else cheapest(mine)


@compiled
def simple_answer(rules, hand, led, trumps):
    """Beat with the dearest card of the suit or the cheapest trump, or give the cheapest card."""
    suit = suit_set(led // RANKS_PER_SUIT)
    winners = beaters(led, suit, trumps)
    choice = strict_set(hand, suit, trumps, winners if rules.must_head else winners & ~suit)
    if choice & winners & suit:
        return dearest(choice & winners & suit)
    return cheapest(choice & winners) if choice & winners else cheapest(choice)


@compiled
def masters(mine, out):
    """The cards that nothing out of their suit beats."""
    high = np.int64(0)
    for suit in range(4):
        others = out & suit_set(suit)
        high |= mine & suit_set(suit) & (bit(first(others)) - 1 if others else suit_set(suit))
    return high


@compiled
def cheapest(cards):
    """The card of fewest points."""
    best = first(cards)
    while cards:
        if card_points(first(cards)) < card_points(best):
            best = first(cards)
        cards &= cards - 1
    return best


@compiled
def dearest(cards):
    """The card of most points."""
    best = first(cards)
    while cards:
        if card_points(first(cards)) > card_points(best):
            best = first(cards)
        cards &= cards - 1
    return best


# The count of sure points


@compiled
def closing_count(rules, view, seat):
    """The points this seat can count on if it closes now: those it has, its marriages, and its tricks from
    the top.

    Trumps are led from the top first; each takes one of the opponent's. Then the highest cards of the other
    suits win, as far as the opponent is likely to be out of trumps.
    """
    hand = view.hand[seat]
    out = unseen(rules, view, seat) | view.shown[1 - seat]
    share = cards_held(view, seat, 1 - seat) / max(count(out), 1)
    total = np.float64(view.points[seat] + view.pending[seat])
    if rules.meld_phase == ALWAYS and (rules.first_lead_melds or view.tricks[seat] > 0):
        for suit in range(4):
            if hand & pair(suit) == pair(suit):
                total += TRUMP_MARRIAGE if suit == view.trump else MARRIAGE

    trumps = suit_set(view.trump)
    run = winning_run(hand & trumps, out & trumps)
    total += run_points(run)
    trumps_left = max(0.0, share * count(out & trumps) - count(run))
    for suit in range(4):
        if suit != view.trump:
            theirs = out & suit_set(suit)
            ruffed = min(1.0, trumps_left * (1.0 - share) ** count(theirs))
            total += (1.0 - ruffed) * run_points(winning_run(hand & suit_set(suit), theirs))
    return total


@compiled
def winning_run(mine, theirs):
    """The cards of a suit that win in turn if led from the top, each taking the opponent's lowest."""
    run = np.int64(0)
    while mine and (theirs == 0 or first(mine) < first(theirs)):
        run |= bit(first(mine))
        mine &= mine - 1
        if theirs:
            theirs ^= bit(last(theirs))
    return run


@compiled
def run_points(run):
    total = 0.0
    while run:
        total += card_points(first(run)) + CAPTURE
        run &= run - 1
    return total

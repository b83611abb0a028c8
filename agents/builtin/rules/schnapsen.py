"""A rule-based player of Schnapsen and Sixty-six.

Claims, the exchange, leads from an open stock and the search of an exhausted one are those of version 0.1.
Closing is decided by the hands that the opponent may hold: against each, the rest of the deal is played in
the mind, high cards first, and the stock is closed if that gets home against enough of them. Once it is
closed, the same play chooses leads and the moment to show a marriage. Answers weigh the trick's points and
the lead against what the card is worth kept and what the opponent comes near to, all in game points.
"""

import numpy as np

from stichwerk.agents.builtin.rules.v0_1.schnapsen import (
    EXACT_CARDS,
    answer_value,
    best_of_exhausted,
    closing_count,
    lead_value,
)
from stichwerk.envs.core.cards import NONE, bit, count, first
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
from stichwerk.envs.games.schnapsen.flow import legal, may_meld
from stichwerk.envs.games.schnapsen.hidden import cards_held, unseen
from stichwerk.envs.games.schnapsen.options import ALWAYS
from stichwerk.envs.games.schnapsen.state import (
    ACTIONS,
    CARDS,
    CLAIM,
    CLOSE,
    CONTINUE,
    EXCHANGE,
    MELD,
    Phase,
    drawable,
    reached_goal,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("schnapsen_v0", "sixty_six_v0")
SINCE = "0.2"

HANDS = 32  # of the opponent's that are tried, evenly spread over all he may hold
CLOSING_REACH = 20.0  # closing is thought of if the count of version 0.1 comes so near to the goal
# Of how many hands the closer must get home against: while the other has no trick, is schneider, is neither.
CLOSING_ODDS = np.array([0.8, 0.65, 0.65])
HOME = 1000.0  # getting home, in points: all else only decides between equals

# Answers, in game points, fitted to the outcomes of each card in many deals.
POINT = 0.068  # a point of the trick
# What a card is worth kept, by rank A T K Q J 9.
WORTH_PLAIN = np.array([0.15, -0.24, -0.43, -0.51, -0.62, -0.7])
WORTH_TRUMP = np.array([0.72, 0.4, 0.22, 0.1, 0.21, 0.0])
WORTH_PAIR, WORTH_TRUMP_PAIR = 0.34, 0.5  # more for king and queen both in hand
SHOWS, SHOWS_TRUMP = 0.38, 0.61  # the lead, with a marriage to show
REACHES = 0.4  # the trick reaches the goal
# What it costs to leave the opponent a trick that brings him so near to the goal, or out of schneider.
NEAR = ((10, 0.35), (20, 0.3), (40, 0.14))
OUT_OF_SCHNEIDER = 0.23


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    if mask[CLAIM] and reached_goal(rules, view, seat):
        return CLAIM
    if mask[EXCHANGE]:
        return EXCHANGE
    if view.phase == Phase.AFTER:
        return CONTINUE
    exhausted = view.closed_by == NONE and not drawable(rules, view)
    if exhausted and count(view.hand[seat]) <= EXACT_CARDS:
        return best_of_exhausted(rules, view, seat)
    if mask[CLOSE] and closes(rules, view, seat):
        return CLOSE
    if view.phase != Phase.ANSWER and view.closed_by != NONE:
        return best_lead_of_closed(rules, view, seat, mask)
    if mask[MELD + view.trump]:
        return MELD + view.trump
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    return best_card(rules, view, seat, mask)


@compiled
def best_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[card]:
            if view.phase != Phase.ANSWER:
                value = lead_value(rules, view, seat, card)
            elif drawable(rules, view):
                value = open_answer_value(rules, view, seat, card)
            else:
                value = answer_value(rules, view, seat, card)
            if value > best_value:
                best, best_value = card, value
    return best


# Answers while cards are drawn


@compiled
def open_answer_value(rules, view, seat, card):
    """What the trick brings with this card, less what the card is worth kept, in game points."""
    stake = card_points(view.led) + card_points(card)
    value = -kept_worth(view, seat, card)
    if bit(card) & beaters(view.led, suit_set(view.led // RANKS_PER_SUIT), suit_set(view.trump)):
        value += POINT * stake + next_marriage(view, seat, view.hand[seat] ^ bit(card))
        if view.points[seat] + view.pending[seat] + stake >= rules.goal:
            value += REACHES
        return value
    points = view.points[1 - seat] + view.pending[1 - seat]
    for distance, cost in NEAR:
        if points + stake + distance >= rules.goal:
            value -= cost
    if points <= rules.schneider_max < points + stake:
        value -= OUT_OF_SCHNEIDER
    return value


@compiled
def kept_worth(view, seat, card):
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    trumps = suit == view.trump
    value = WORTH_TRUMP[rank] if trumps else WORTH_PLAIN[rank]
    if bit(card) & pair(suit) and view.hand[seat] & pair(suit) == pair(suit):
        value += WORTH_TRUMP_PAIR if trumps else WORTH_PAIR
    return value


@compiled
def next_marriage(view, seat, hand):
    """What it is worth to lead next from this hand, for the best marriage in it."""
    if hand & pair(view.trump) == pair(view.trump):
        return SHOWS_TRUMP
    for suit in range(4):
        if hand & pair(suit) == pair(suit):
            return SHOWS
    return 0.0


# The closed stock


@compiled
def closes(rules, view, seat):
    """Whether the tricks from the top get home against enough of the hands that the opponent may hold."""
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
    """The share of the opponent's hands against which this seat gets home, or he fails if he has closed.

    led: the card that this seat leads first, or NONE; shown: the points of the marriage shown with it
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
    """How many hands of a size so many cards make."""
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
    """Play a closed deal out, this seat being on lead, which sees of the other hand only what is `out`:
    1 if it gets home, -1 if the opponent does, 0 if neither."""
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

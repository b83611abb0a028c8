"""The rule-based player of Schnapsen and Sixty-six of version 0.1.

It counts: card points, trumps and what the opponent can still hold. It claims when it has the goal, exchanges
at once, leads from its marriages, and closes when the count says that the rest is enough. With the stock
exhausted it plays exactly, by searching all play to the end. Elsewhere it compares cards by the points they
win or lose now against what they are worth kept.
"""

import numpy as np

from stichwerk.envs.core.cards import NONE, bit, count, first, last
from stichwerk.envs.core.tricks import beaters
from stichwerk.envs.games.family import (
    KING,
    MARRIAGE,
    QUEEN,
    RANKS_PER_SUIT,
    TRUMP_MARRIAGE,
    card_points,
    pair,
    suit_set,
)
from stichwerk.envs.games.schnapsen.flow import apply, legal
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
    STATE,
    Phase,
    drawable,
    reached_goal,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("schnapsen_v0", "sixty_six_v0")
SINCE = "0.1"

RECORD = STATE.dtype

EXACT_CARDS = 6  # search to the end from this many cards each
SEARCH_DEPTH = 2 * EXACT_CARDS + 8  # every card, and marriages, a claim and the last `continue`
WIN = 9  # more than any deal is worth
DECISIVE = 40.0  # taking or losing the trick that reaches the goal

# What a card is worth kept, in points, by rank A T K Q J 9: settled by playing variants of these numbers
# against each other.
WORTH_PLAIN = np.array([16.0, 4.0, 2.0, 1.5, 0.5, 0.5])
WORTH_TRUMP = np.array([24.0, 17.0, 12.0, 11.0, 14.0, 8.0])
WORTH_PAIR = 10.0  # more for king and queen both in hand …
WORTH_MATE_OUT = 2.0  # … or with the other one still to come
CAPTURE = 3.0  # what the opponent's card in a trick brings on average
RUFF = 0.5  # how readily the opponent trumps a card that need not be trumped
CLOSING_MARGIN = 0.0  # points beyond the goal that the count must promise before closing


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
    if mask[MELD + view.trump]:
        return MELD + view.trump
    for suit in range(4):
        if mask[MELD + suit]:
            return MELD + suit
    if mask[CLOSE] and closing_count(rules, view, seat) >= rules.goal + CLOSING_MARGIN:
        return CLOSE
    return best_card(rules, view, seat, mask)


# The exhausted stock: both hands are known


@compiled
def best_of_exhausted(rules, view, seat):
    """The best action when the opponent must hold all that is unseen: alpha-beta over all play to the end of
    the deal.

    Written with its own stack because Numba cannot load recursive functions from its cache.
    """
    stack = np.zeros(SEARCH_DEPTH, RECORD)
    masks = np.zeros((SEARCH_DEPTH, len(ACTIONS)), np.int8)
    tried = np.zeros(SEARCH_DEPTH, np.int64)  # the action under way
    low = np.full(SEARCH_DEPTH, -WIN)  # game points that `seat` is sure of …
    high = np.full(SEARCH_DEPTH, WIN)  # … and that the opponent allows at most
    stack[0] = view
    stack[0].match = 0  # the search ends with the deal
    stack[0].hand[1 - seat] = unseen(rules, view, seat) | view.shown[1 - seat]
    worth_trying(rules, stack[0], masks[0])
    best, depth, action = -1, 0, 0
    while True:
        state = stack[depth]
        while action < len(ACTIONS) and not masks[depth, action]:
            action += 1
        if not state.over and action < len(ACTIONS) and low[depth] < high[depth]:
            tried[depth] = action
            stack[depth + 1] = state
            apply(rules, stack[depth + 1], action)
            depth += 1
            low[depth], high[depth] = low[depth - 1], high[depth - 1]
            if not stack[depth].over:
                worth_trying(rules, stack[depth], masks[depth])
            action = 0
            continue
        if depth == 0:
            return best
        value = (
            np.int64(state.reward[seat]) if state.over else low[depth] if state.seat == seat else high[depth]
        )
        depth -= 1
        if stack[depth].seat != seat:
            high[depth] = min(high[depth], value)
        elif value > low[depth]:
            low[depth] = value
            if depth == 0:
                best = tried[0]
        action = tried[depth] + 1


@compiled
def worth_trying(rules, state, mask):
    """The legal actions less those that cannot be better than another.

    A right claim leaves no other action. Wrong claims go, and so does a lead from a marriage without
    declaring it.
    """
    mask[:] = 0
    legal(rules, state, mask)
    if mask[CLAIM]:
        if reached_goal(rules, state, state.seat):
            mask[:] = 0
            mask[CLAIM] = 1
        else:
            mask[CLAIM] = 0
    for suit in range(4):
        if mask[MELD + suit]:
            mask[suit * RANKS_PER_SUIT + KING] = 0
            if not rules.king_leads_marriage:
                mask[suit * RANKS_PER_SUIT + QUEEN] = 0


# Closing


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


# Single cards


@compiled
def best_card(rules, view, seat, mask):
    best, best_value = -1, -np.inf
    for card in range(CARDS):
        if mask[card]:
            value = (
                answer_value(rules, view, seat, card)
                if view.phase == Phase.ANSWER
                else lead_value(rules, view, seat, card)
            )
            if value > best_value:
                best, best_value = card, value
    return best


@compiled
def answer_value(rules, view, seat, card):
    stake = card_points(view.led) + card_points(card)
    wins = bit(card) & beaters(view.led, suit_set(view.led // RANKS_PER_SUIT), suit_set(view.trump)) != 0
    value = (stake if wins else -stake) - worth(rules, view, seat, card)
    taker = seat if wins else 1 - seat
    if view.points[taker] + view.pending[taker] + stake >= rules.goal:
        value += DECISIVE if wins else -DECISIVE
    return value


@compiled
def lead_value(rules, view, seat, card):
    odds = winning_odds(rules, view, seat, card)
    stake = card_points(card) + CAPTURE
    value = (2.0 * odds - 1.0) * stake - worth(rules, view, seat, card)
    if view.points[seat] + view.pending[seat] + stake >= rules.goal:
        value += odds * DECISIVE
    if view.points[1 - seat] + view.pending[1 - seat] + stake >= rules.goal:
        value -= (1.0 - odds) * DECISIVE
    return value


@compiled
def winning_odds(rules, view, seat, card):
    """The chance that a lead of this card wins, taking each unseen card to be equally likely in the
    opponent's hand."""
    other = 1 - seat
    shown = view.shown[other]
    hidden = unseen(rules, view, seat) & ~view.missing[other]
    share = min(1.0, (cards_held(view, seat, other) - count(shown)) / max(count(hidden), 1))
    suit, trumps = suit_set(card // RANKS_PER_SUIT), suit_set(view.trump)
    higher = suit & (bit(card) - 1)
    none_higher = odds_of_none(shown & higher, hidden & higher, share)
    if suit == trumps:
        return none_higher
    some_trump = 1.0 - odds_of_none(shown & trumps, hidden & trumps, share)
    if drawable(rules, view):
        return none_higher * (1.0 - some_trump * min(1.0, RUFF * card_points(card) / 10.0))
    return none_higher - odds_of_none(shown & suit, hidden & suit, share) * some_trump


@compiled
def odds_of_none(shown, hidden, share):
    return 0.0 if shown else (1.0 - share) ** count(hidden)


@compiled
def worth(rules, view, seat, card):
    """What a card is worth kept."""
    suit, rank = card // RANKS_PER_SUIT, card % RANKS_PER_SUIT
    value = WORTH_TRUMP[rank] if suit == view.trump else WORTH_PLAIN[rank]
    if rank in (KING, QUEEN) and not view.marriages[seat] & bit(suit):
        other = pair(suit) ^ bit(card)
        scale = 2.0 if suit == view.trump else 1.0
        if view.hand[seat] & other:
            value += scale * WORTH_PAIR
        elif unseen(rules, view, seat) & other:
            value += scale * WORTH_MATE_OUT
    return value

"""Schnapsen and Sixty-six as games of imperfect information: what both seats know of a position, the hands
that agree with it, and the actions worth a look.

A *world* is both hands and the order of the face-down stock. The nodes are those of the solver's kernel.
"""

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb, factorial
from typing import NamedTuple

import numpy as np

from stichwerk.agents.solver.schnapsen import KERNEL, losing_early_pays
from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.core.random import start_random
from stichwerk.envs.games.schnapsen.flow import legal_actions
from stichwerk.envs.games.schnapsen.hidden import resample
from stichwerk.envs.games.schnapsen.options import AFTER_TRICK, EITHER, ON_LEAD, SchnapsenRules
from stichwerk.envs.games.schnapsen.state import CARDS, CLAIM, SEATS, Phase
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

SOLVES = "schnapsen_v0", "sixty_six_v0"
UNSEEN = -1  # of the card that a seat draws where it draws none


class Worlds(NamedTuple):
    """All worlds that agree with what both seats know.

    Attributes:
        hands: int64[worlds, 2]
        stock: int8[worlds, face-down cards], the next card first
        weights: float64[worlds], which add up to 1
    """

    hands: np.ndarray
    stock: np.ndarray
    weights: np.ndarray


@compiled
def choices(rules, node):
    """The set of the actions worth a look. A wrong claim is one where it can be better than to play on."""
    actions = legal_actions(rules, node)
    if not losing_early_pays(rules, node):
        actions &= ~bit(CLAIM)
    return actions


@compiled
def revealed(rules, node):
    """True if each seat can tell the other's cards, and none is to be drawn."""
    return node.closed_by == NONE and node.top == rules.deck_size


def check_rules(game: Game) -> None:
    """InputError for rules under which a seat shows by waiting whether it could exchange."""
    rules = game.rules
    if game.env_id not in SOLVES:
        raise InputError(f"equilibrium: got {game.env_id}; expected one of {', '.join(SOLVES)}")
    record = game.rules_record[0]
    assert isinstance(rules, SchnapsenRules)  # as those of all of them are
    if record.exchange_window != ON_LEAD and record.close_window not in (AFTER_TRICK, EITHER):
        given = f"exchange_window={rules.exchange_window} with close_window={rules.close_window}"
        raise InputError(f"rules: got {given}; expected closing wherever the lowest trump may be exchanged")


def is_closed(state: np.record) -> bool:
    """True if the stock is closed."""
    return bool(state.closed_by != NONE)


def is_lead(game: Game, state: np.record, down: int) -> bool:
    """True at the lead of a trick with so many face-down cards of an open stock."""
    lead = state.phase == Phase.LEAD and state.closed_by == NONE
    return bool(lead and game.rules_record[0].deck_size - state.top == down)


def before_draw(before: np.record, after: np.record, hands: np.ndarray) -> np.ndarray:
    """Hands at the end of a trick, before any draw, int64[n, 2]: all know what was played and exchanged.

    Args:
        before, after: true states at the beginning of the trick, and at its end or with the stock closed
        hands: at the beginning
    """
    given = int(after.indicator)
    if given != before.indicator:
        hands = np.where(hands >> given & 1, hands ^ (1 << given | 1 << int(before.indicator)), hands)
    return hands & ~int(after.taken[0] | after.taken[1])


def draw_order(after: np.record) -> list[int]:
    """For each seat the place of its card among those that were drawn before this lead."""
    return [0, 1] if after.leader == 0 else [1, 0]


def dealt(node: np.record) -> int:
    """The number of cards that have left the stock."""
    return int(node.top)


def worlds_of(game: Game, state: np.record, most: int) -> Worlds:
    """The worlds of a true state, or of a view of one: all deals that agree with what both seats know are
    equally likely.

    Raises:
        InputError: there are more than `most`, or both seats can tell all cards.
    """
    rules = game.rules_record[0]
    down = int(rules.deck_size - state.top)
    if not down:
        raise InputError("position: got one whose cards both seats can tell; expected a face-down card")
    gone = int(state.taken[0] | state.taken[1])
    gone |= sum(1 << int(card) for card in (state.led, state.indicator) if card != NONE)
    shown = [int(state.shown[seat]) for seat in range(SEATS)]
    free = int(rules.all_cards) & ~(gone | shown[0] | shown[1])
    total = (free | shown[0] | shown[1]).bit_count() - down
    held = [(total + (1 if state.led != NONE else 0)) // 2] * SEATS
    if state.led != NONE:
        held[state.leader] -= 1
    needed = [held[seat] - shown[seat].bit_count() for seat in range(SEATS)]
    open_stock = state.closed_by == NONE
    number = comb(free.bit_count(), needed[0]) * comb(free.bit_count() - needed[0], needed[1])
    number *= factorial(down) if open_stock else 1
    if number > most:
        raise InputError(
            f"position: got one of {number:,} worlds; expected at most {most:,}: one later in the deal"
        )
    hands, stocks = list[tuple[int, int]](), list[tuple[int, ...]]()
    for mine in _sets(free & ~int(state.missing[0]), needed[0]):
        for theirs in _sets(free & ~mine & ~int(state.missing[1]), needed[1]):
            left = _cards(free & ~mine & ~theirs)
            for order in permutations(left) if open_stock else [tuple(left)]:
                hands.append((mine | shown[0], theirs | shown[1]))
                stocks.append(order)
    return Worlds(np.array(hands, np.int64), np.array(stocks, np.int8), np.full(len(hands), 1 / len(hands)))


def _sets(cards: int, size: int) -> Iterator[int]:
    for each in combinations(_cards(cards), size):
        yield sum(1 << card for card in each)


def _cards(cards: int) -> list[int]:
    return [card for card in range(CARDS) if cards >> card & 1]


def nodes_of(game: Game, state: np.record, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's node and its unchanging part in each world, both arrays of records."""
    node, known = np.zeros(1, KERNEL.node), np.zeros(1, KERNEL.known)
    KERNEL.begin(game.rules_record[0], state, known[0], node[0])
    nodes, knowns = np.repeat(node, len(worlds.weights)), np.repeat(known, len(worlds.weights))
    nodes["hand"] = worlds.hands
    knowns["deck"][:, state.top : state.top + worlds.stock.shape[1]] = worlds.stock
    return nodes, knowns


def drawn_cards(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The card that each seat has drawn in a step from one node to the next, int64[n, 2]; UNSEEN: none."""
    new = np.where((before["top"] != after["top"])[:, None], after["hand"] & ~before["hand"], 0)
    return np.where(new > 0, np.log2(np.maximum(new, 1)).astype(np.int64), UNSEEN)


@compiled
def arrange(rules, states, hands, stocks, seed):
    """Turn copies of one true state into true states with these hands and this face-down stock.

    Their pasts are drawn at random; the same log leads to each."""
    for i in range(len(states)):
        state = states[i]
        start_random(state, seed, i)
        for seat in range(SEATS):
            state.hand[seat] = hands[i, seat]
        for other in (1, 0):
            shown = state.shown[other]
            state.shown[other] = hands[i, other]  # so that nothing of it is left to chance
            resample(rules, state, 1 - other)
            state.shown[other] = shown
        for place in range(stocks.shape[1]):
            state.deck[state.top + place] = stocks[i, place]


@compiled
def ends_trick(node, top):
    """True if more cards have left the stock than `top`, or it is closed."""
    return node.top > top or node.closed_by != NONE


@compiled
def leads_closed(node):
    """True at the lead of a trick from a closed stock."""
    return node.closed_by != NONE and node.phase == Phase.LEAD


@compiled
def held_by(node, seat):
    return count(node.hand[seat])

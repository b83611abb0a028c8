"""The course of a deal as far as it is the same in every game: its beginning, its log of actions, its end,
its secrets."""

import numpy as np
from numba.extending import overload

from stichwerk.envs.core.cards import first
from stichwerk.envs.core.compiled import compiled
from stichwerk.envs.core.fields import NONE
from stichwerk.envs.core.memory import copy_numbers
from stichwerk.envs.core.random import below, shuffle, start_random


@compiled
def begin_deal(rules, state):
    """Begin deal number `deal_number` of the lane: random numbers, the dealer, and a shuffled deck unless it
    is set."""
    start_random(state, state.seed, state.deal_number)
    dealer = below(
        state, rules.players
    )  # drawn in any case: the cards must not depend on whether a dealer is set
    if state.dealer == NONE:
        state.dealer = dealer
    if state.deck_is_set:
        state.deck_is_set = 0
        return
    for position in range(rules.deck_size):
        state.deck[position] = rules.deck[position]
    shuffle(state, state.deck, rules.deck_size)


@compiled
def end_deal(state):
    """Count a deal whose `deal_points` are written; they are the reward of an episode of one deal, which is
    then over."""
    state.deals_done += 1
    if not state.match:
        state.over = 1
        copy_numbers(state.reward, state.deal_points)


# The log of a deal: each entry says in one number who did what. An action that a seat may not know is NONE in
# its view.


@compiled
def log_action(state, seat, action):
    """Write down an action."""
    write_log(state, state.log_size, seat, action)
    state.log_size += 1


@compiled
def write_log(state, entry, seat, action):
    write_number(state, entry, (action + 1) * len(state.reward) + seat)


@compiled
def logged_seat(state, entry):
    return logged_number(state, entry) % len(state.reward)


@compiled
def logged_action(state, entry):
    return logged_number(state, entry) // len(state.reward) - 1


def log_entries(state) -> list[tuple[int, int]]:
    """The log of a deal so far: who did what."""
    return [
        (int(logged_seat(state, entry)), int(logged_action(state, entry))) for entry in range(state.log_size)
    ]


def write_number(state, entry, number):
    """Write an entry of the log."""
    (_write_nine_bits if _has_nine_bits(state.dtype) else _write_whole)(state, entry, number)


def logged_number(state, entry):
    """Read an entry of the log."""
    return (_logged_nine_bits if _has_nine_bits(state.dtype) else _logged_whole)(state, entry)


def _has_nine_bits(record) -> bool:
    """Whether the states of a game, given by their type, have a log with entries of nine bits."""
    return "log_high" in record.fields


def _write_whole(state, entry, number):
    state.log[entry] = number


def _logged_whole(state, entry):
    return np.int64(state.log[entry])


def _write_nine_bits(state, entry, number):
    """The ninth bits of eight entries share a byte."""
    state.log[entry] = number & 0xFF
    others = np.int64(state.log_high[entry // 8]) & ~(1 << entry % 8)
    state.log_high[entry // 8] = others | number >> 8 << entry % 8


def _logged_nine_bits(state, entry):
    high = np.int64(state.log_high[entry // 8]) >> entry % 8 & 1
    return np.int64(state.log[entry]) | high << 8


@overload(write_number)
def _write_number(state, entry, number):
    return _write_nine_bits if _has_nine_bits(state) else _write_whole


@overload(logged_number)
def _logged_number(state, entry):
    return _logged_nine_bits if _has_nine_bits(state) else _logged_whole


# Hidden information


@compiled
def renew_chance(view):
    """Give a resampled world a random future of its own, as after so many deals as the seat has seen."""
    view.deal_number = view.deals_done
    view.seed = below(view, 1 << 31) << 31 | below(view, 1 << 31)


# Sets of cards as actions, and as parts of a deck


@compiled
def allow_cards(cards, mask, start):
    """Allow the actions of a set of cards, numbered from `start` on."""
    while cards:
        mask[start + first(cards)] = 1
        cards &= cards - 1


@compiled
def lay_cards(deck, start, size, cards):
    """Write so many cards of a set into a deck from a position on; returns those left over."""
    for position in range(start, start + size):
        deck[position] = first(cards)
        cards &= cards - 1
    return cards

"""Suits are alike but for their names: bring every observation to one naming of the suits before a network sees it.

The canonical order puts the suit first that is ahead in the first per-suit entry in which two suits differ: trumps, then the
cards in hand, and so on through the encoding's table. One hand then stands for up to 24, and a network learns from all of them.
"""

import re
from itertools import permutations

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.core.encoding import Encoding, Feature
from stichwerk.envs.core.game import Game

ORDERS = list(permutations(range(4)))  # which true suit stands at each canonical place
SUIT_OR_CARD = re.compile(r"\b[shdc]([ATKQJ987]?)\b")  # in an action name
FIRST_FEATURES = ("trump", "hand")


class SuitSymmetry:
    """Canonical observations and masks of one game and encoding, and the way back for actions.

    Where the rules rank the suits, all stays as it is.
    """

    def __init__(self, game: Game, encoding: Encoding):
        self._keys = _suit_entries(game, encoding)
        self._sources = np.array([_permuted_features(game, encoding, order) for order in ORDERS])
        self._actions = np.array([_permuted_actions(game.actions, order) for order in ORDERS])
        self._order_number = np.full(4**4, -1)
        for number, order in enumerate(ORDERS):
            self._order_number[np.dot(order, (64, 16, 4, 1))] = number

    def canonical(self, observation: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Observations float32[n, features] and masks int8[n, actions] in canonical order, and the order of each, int64[n]."""
        orders = np.empty(len(observation), np.int64)
        new_observation, new_mask = np.empty_like(observation), np.empty_like(mask)
        _canonical(observation, mask, self._keys, self._order_number, self._sources, self._actions, orders, new_observation, new_mask)
        return new_observation, new_mask, orders

    def true_actions(self, actions: np.ndarray, orders: np.ndarray) -> np.ndarray:
        """The actions of the game for actions chosen from canonical masks."""
        return self._actions[orders, actions]


def _suit_entries(game: Game, encoding: Encoding) -> np.ndarray:
    """Indices int64[entries, 4] of the per-suit entries to compare suits by, in order of weight."""
    if game.suits_ranked:
        return np.empty((0, 4), np.int64)
    rows: list[np.ndarray] = []
    features = sorted(encoding.features, key=lambda f: FIRST_FEATURES.index(f.name) if f.name in FIRST_FEATURES else len(FIRST_FEATURES))
    for feature in features:
        entries = np.arange(encoding.slices[feature.name].start, encoding.slices[feature.name].stop)
        if feature.per == "action":
            rows.extend(entries.reshape(-1, 1, len(game.actions))[:, :, _by_suit(game.actions)].reshape(-1, 4))
        elif feature.per in ("card", "suit"):
            rows.extend(entries.reshape(-1, 4, _entries_per_suit(game, feature)).transpose(0, 2, 1).reshape(-1, 4))
    return np.array(rows)


def _entries_per_suit(game: Game, feature: Feature) -> int:
    """A card feature may hold several packs of cards, a suit feature several rows of suits."""
    return 1 if feature.per == "suit" else len(game.pack.names) // 4


def _permuted_features(game: Game, encoding: Encoding, order) -> np.ndarray:
    sources = np.arange(encoding.size)
    for feature in encoding.features:
        entries = sources[encoding.slices[feature.name]]
        if feature.per in ("card", "suit"):
            entries = entries.reshape(-1, 4, _entries_per_suit(game, feature))[:, order]
        elif feature.per == "action":
            entries = entries.reshape(-1, len(game.actions))[:, _permuted_actions(game.actions, order)]
        sources[encoding.slices[feature.name]] = entries.reshape(-1)
    return sources


def _by_suit(actions: tuple[str, ...]) -> list[list[int]]:
    """The actions that name a suit or card, in rows of four that differ in the suit alone."""
    in_spades = [name for name in actions if re.search(r"\bs[ATKQJ987]?\b", name)]
    return [[actions.index(SUIT_OR_CARD.sub(suit + r"\g<1>", name)) for suit in SUITS] for name in in_spades]


def _permuted_actions(actions: tuple[str, ...], order) -> list[int]:
    """For each action under canonical names the action of the game."""
    to_true = str.maketrans(SUITS, "".join(SUITS[suit] for suit in order))
    return [actions.index(SUIT_OR_CARD.sub(lambda found: found[0].translate(to_true), name)) for name in actions]


@njit(cache=True, nogil=True)
def _canonical(observation, mask, keys, order_number, sources, actions, orders, new_observation, new_mask):
    for i in range(len(observation)):
        suits = np.arange(4)
        for place in range(1, 4):  # insertion sort
            at = place
            while at > 0 and _ahead(observation[i], keys, suits[at], suits[at - 1]):
                suits[at], suits[at - 1] = suits[at - 1], suits[at]
                at -= 1
        order = order_number[suits[0] * 64 + suits[1] * 16 + suits[2] * 4 + suits[3]]
        orders[i] = order
        for j in range(observation.shape[1]):
            new_observation[i, j] = observation[i, sources[order, j]]
        for j in range(mask.shape[1]):
            new_mask[i, j] = mask[i, actions[order, j]]


@njit(cache=True)
def _ahead(observation, keys, suit, other):
    for row in range(len(keys)):
        mine, theirs = observation[keys[row, suit]], observation[keys[row, other]]
        if mine != theirs:
            return mine > theirs
    return False

"""Suits are alike but for their names: networks see every observation under one naming of the suits.

The canonical order compares suits by their per-suit entries: trumps first, then the cards in hand, and so on
through the encoding's features. The suit that is ahead in the first entry that differs comes first. One hand
then stands for up to 24, and a network learns from all of them.

What is renamed follows from what a game declares: `Action.in_suits`, its pack, and what each feature's
entries are `per`.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

Order = tuple[int, ...]  # which true suit stands at each canonical place

ORDERS: list[Order] = list(permutations(range(len(SUITS))))
FIRST_FEATURES = ("trump", "hand")


class SuitSymmetry:
    """Canonical observations and masks of one game and encoding, and the way back for actions.

    Where the rules rank the suits, all stays as it is.

    Attributes:
        keys: int64[entries, 4], the per-suit entries by which suits are compared, in order of weight
        order_number: int64[256], the number of the order of suits a, b, c, d at 64a + 16b + 4c + d
        sources: int64[orders, features], for each canonical entry the one of the observation
        actions: int64[orders, actions], for each canonical action the one of the game

    Raises:
        InputError: an action has no twin in another suit, or the entries of a feature do not fit what they
            are `per`.
    """

    def __init__(self, game: Game, encoding: Encoding):
        ranked = game.spec.suits_ranked
        orders = ORDERS[:1] if ranked else ORDERS
        actions = [_renamed_actions(game, order) for order in orders]
        self.keys = np.empty((0, 4), np.int64) if ranked else _suit_entries(game, encoding)
        self.sources = np.array(
            [_renamed_features(game, encoding, *both) for both in zip(orders, actions, strict=True)]
        )
        self.actions = np.array(actions)
        self.order_number = np.full(4**4, -1)
        for number, order in enumerate(orders):
            self.order_number[np.dot(order, (64, 16, 4, 1))] = number

    def canonical(
        self, observation: np.ndarray, mask: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Observations float32[n, features] and masks int8[n, actions] in canonical order, and the orders
        int64[n]."""
        orders = np.empty(len(observation), np.int64)
        new_observation, new_mask = np.empty_like(observation), np.empty_like(mask)
        _canonical(
            observation,
            mask,
            self.keys,
            self.order_number,
            self.sources,
            self.actions,
            orders,
            new_observation,
            new_mask,
        )
        return new_observation, new_mask, orders

    def true_actions(self, actions: np.ndarray, orders: np.ndarray) -> np.ndarray:
        """The actions of the game for actions chosen from canonical masks."""
        return self.actions[orders, actions]

    def canonical_actions(self, actions: np.ndarray, orders: np.ndarray) -> np.ndarray:
        """The actions under canonical names for actions of the game."""
        return (self.actions[orders] == actions[:, None]).argmax(axis=1)

    def in_canonical_suits(self, numbers: np.ndarray, orders: np.ndarray) -> np.ndarray:
        """Numbers for all canonical actions, from those for all actions of the game, [n, actions]."""
        return np.take_along_axis(numbers, self.actions[orders], axis=1)

    def in_true_suits(self, numbers: np.ndarray, orders: np.ndarray) -> np.ndarray:
        """Numbers for all actions of the game, from those for all canonical ones, [n, actions]."""
        true = np.empty_like(numbers)
        np.put_along_axis(true, self.actions[orders], numbers, axis=1)
        return true


def _renamed_actions(game: Game, order: Order) -> list[int]:
    """For each action under canonical names the action of the game."""
    true_suits = "".join(SUITS[suit] for suit in order)
    return [_twin(game, action, true_suits) for action in game.actions]


def _twin(game: Game, action: Action, suits: str) -> int:
    """The number of the action that this one is after renaming the suits s, h, d, c to these four."""
    twin = action.in_suits(suits)
    if twin not in game.action_index:
        raise InputError(
            f"{game.env_id} has the action {action!r} but not {twin!r}, so its suits cannot be renamed: "
            "expected actions for all four suits, or a game with `suits_ranked`"
        )
    return game.action_index[twin]


def _renamed_features(game: Game, encoding: Encoding, order: Order, actions: Sequence[int]) -> np.ndarray:
    """For each entry under canonical names the entry of the observation."""
    sources = np.arange(encoding.size)
    for feature, where in _features(encoding).items():
        entries = _rows(game, encoding, feature, sources[where])
        if feature.per in ("card", "suit"):
            entries = entries[:, order]
        elif feature.per == "action":
            entries = entries[:, actions]
        sources[where] = entries.reshape(-1)
    return sources


def _suit_entries(game: Game, encoding: Encoding) -> np.ndarray:
    """Indices int64[entries, 4] of the per-suit entries to compare suits by, in order of weight."""
    in_spades = [action for action in game.actions if _suit(action) == SUITS[0]]
    in_suits = [[_twin(game, action, 4 * suit) for suit in SUITS] for action in in_spades]
    keys = [np.empty((0, 4), np.int64)]
    for feature, where in sorted(_features(encoding).items(), key=lambda item: _weight(item[0])):
        rows = _rows(game, encoding, feature, np.arange(where.start, where.stop))
        if feature.per in ("card", "suit"):
            keys.append(rows.transpose(0, 2, 1).reshape(-1, 4))
        elif feature.per == "action" and in_suits:
            keys.append(rows[:, in_suits].reshape(-1, 4))
    return np.concatenate(keys)


def _features(encoding: Encoding) -> Mapping[Feature, slice]:
    return {feature: encoding.slices[feature.name] for feature in encoding.features}


def _weight(feature: Feature) -> int:
    return FIRST_FEATURES.index(feature.name) if feature.name in FIRST_FEATURES else len(FIRST_FEATURES)


def _suit(action: Action) -> str | None:
    return action.suit if action.card is None else action.card[0]


def _rows(game: Game, encoding: Encoding, feature: Feature, entries: np.ndarray) -> np.ndarray:
    """A feature's entries by what they are `per`: [n, suit, rank], [n, suit, 1], [n, action], or as they
    are."""
    shape = {
        "card": (4, len(game.pack) // 4),
        "suit": (4, 1),
        "action": (len(game.actions),),
        "value": (),
    }[feature.per]
    row = int(np.prod(shape))
    if feature.size % row:
        raise InputError(
            f"{game.env_id}: feature {feature.name!r} of {encoding.name!r}: got {feature.size} entries "
            f"per {feature.per}; expected multiples of {row}"
        )
    return entries.reshape(-1, *shape)


@compiled
def _canonical(observation, mask, keys, order_number, sources, actions, orders, new_observation, new_mask):
    for i in range(len(observation)):
        suits = np.array([0, 1, 2, 3])
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


@compiled
def _ahead(observation, keys, suit, other):
    for row in range(len(keys)):
        mine, theirs = observation[keys[row, suit]], observation[keys[row, other]]
        if mine != theirs:
            return mine > theirs
    return False

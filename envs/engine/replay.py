"""Playing a deal again from its deck and its log, and so telling true states from others."""

from collections.abc import Iterable

import numpy as np

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.spec.game import Game

# What a second playing of a deal need not share with the first.
CHANCE = ("seed", "random", "deal_number", "deck_is_set")


class Replay:
    """Deals of one game, played again as episodes of one deal with a fresh score."""

    def __init__(self, game: Game):
        self.game = game
        self._loops = loops_for(game, next(iter(game.encodings)))
        self._states = game.spec.state.fresh.copy()
        self._views = np.zeros(1, game.state)
        self._observation = np.zeros(game.encodings[next(iter(game.encodings))].size, np.float32)
        self._mask = np.zeros(len(game.actions), np.int8)

    def deal(self, deck: Iterable[int], dealer: int) -> np.ndarray:
        """The state, an array of one record, after dealing this deck."""
        states = self._states.copy()
        self._loops.begin(self.game.rules_record, states, 0, False)
        cards = list(deck)
        states[0].deck[: len(cards)] = cards
        states[0].deck_is_set = 1
        states[0].dealer = dealer
        self._loops.deal(self.game.rules_record, states, 0)
        return states

    def play(self, deck: Iterable[int], dealer: int, log: Iterable[tuple[int, int]]) -> np.ndarray | None:
        """The state, an array of one record, after dealing this deck and playing this log of seats and
        actions.

        None if an action of the log was not legal for its seat when it came.
        """
        return self._play_on(self.deal(deck, dealer), log)

    def _play_on(self, states: np.ndarray, log: Iterable[tuple[int, int]]) -> np.ndarray | None:
        actions = range(len(self._mask))
        for seat, action in log:
            if states[0].over or states[0].seat != seat:
                return None
            if action not in actions or not self._legal(states, seat)[action]:
                return None
            self._loops.apply(self.game.rules_record, states, 0, action)
        return states

    def _legal(self, states: np.ndarray, seat: int) -> np.ndarray:
        """The legal actions of a seat, int8[actions]; `_views` then holds what it sees."""
        self._loops.observe_seat(
            self.game.rules_record, states, 0, seat, self._views, self._observation, self._mask
        )
        return self._mask

    def view(self, states: np.ndarray, seat: int) -> np.ndarray:
        """The view of a true state for a seat, both arrays of one record."""
        return self.seen_by(states, seat)[0]

    def seen_by(self, states: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """The view of a true state for a seat, and its legal actions, int8[actions]."""
        mask = self._legal(states, seat).copy()
        return copy_of(self._views), mask

    def again(self, state: np.record) -> np.ndarray | None:
        """The state that the deck and the log of this one lead to."""
        return self.play(self._deck(state), int(state.dealer), log_entries(state))

    def is_true(self, states: np.ndarray) -> bool:
        """True if play leads to this state, an array of one record, in the middle of a deal.

        Its numbers must be in their ranges. Its deck and its log, in its match, lead to it.
        """
        (state,) = states
        cards = sorted(self.game.pack.parse(name) for name in self.game.deck)
        if self.game.spec.state.out_of_range(states, self.game.seats) or sorted(self._deck(state)) != cards:
            return False
        dealt = copy_of(states)
        dealt["deck_is_set"] = 1
        self._loops.deal(self.game.rules_record, dealt, 0)
        played = self._play_on(dealt, log_entries(state))
        return played is not None and same_position(played[0], state)

    def _deck(self, state: np.record) -> list[int]:
        return state.deck[: len(self.game.deck)].tolist()


def same_position(one: np.record, two: np.record) -> bool:
    """True if two states are equal in all but their chance."""
    names = [name for name in one.dtype.names or () if name not in CHANCE]
    return all(np.array_equal(one[name], two[name]) for name in names)

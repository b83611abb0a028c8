"""Playing recorded deals again: every card and action is checked, and a seat's sight is taken on the way."""

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.set_deal import set_deal
from stichwerk.envs.records.deal import DealRecord, Move, deck_of, moves_of
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted


class Player:
    """Plays recorded deals of one game again, as episodes of one deal."""

    def __init__(self, game: Game):
        self.game = game
        encoding = next(iter(game.encodings))
        self._loops = loops_for(game, encoding)
        self._rules = game.rules_record
        self._observation = np.zeros(game.encoding(encoding).size, np.float32)
        self._mask = np.zeros(len(game.actions), np.int8)
        self._views = np.zeros(1, game.state)

    def states(self, deal: DealRecord) -> Iterator[np.ndarray]:
        """The true states of a deal, arrays of one record: after dealing, then after each move.

        Raises:
            InputError: a card, the match, a move or the points are not such as the rules lead to.
        """
        states = copy_of(self.game.spec.state.fresh)
        self._loops.begin(self._rules, states, 0, False)
        set_deal(self.game, states[0], {"deck": deal.deck, "dealer": deal.dealer, "match": deal.match})
        self._loops.deal(self._rules, states, 0)
        yield copy_of(states)
        for number, move in enumerate(deal.moves):
            self._loops.apply(self._rules, states, 0, self._checked(states, number, move))
            yield copy_of(states)
        self._check_points(states[0], deal)

    def check(self, deal: DealRecord) -> np.ndarray:
        """The state at the end of the record, an array of one record; InputError as for `states`."""
        *_, last = self.states(deal)
        return last

    def view(self, states: np.ndarray, seat: int) -> np.ndarray:
        """What a seat may know of a true state, both arrays of one record."""
        self._look(states, seat)
        return copy_of(self._views)

    def hidden(self, deal: DealRecord, seat: int) -> set[int]:
        """The numbers of the moves, from 0, that a seat does not know at the end of the record."""
        (view,) = self.view(self.check(deal), seat)
        known = deque(log_entries(view))
        hidden = set()
        for number, move in enumerate(deal.moves):
            action = self.game.action_index[move.action]
            if known and known[0] in ((move.seat, action), (move.seat, NONE)):
                _, action = known.popleft()
                if action != NONE:
                    continue
            hidden.add(number)  # a gap in the seat's log, or not even that
        return hidden

    def legal(self, states: np.ndarray) -> list[str]:
        """The legal actions by name; none at the end."""
        self._look(states, int(states[0].seat))
        return [str(self.game.actions[action]) for action in np.flatnonzero(self._mask)]

    def _look(self, states: np.ndarray, seat: int) -> None:
        self._loops.observe_seat(self._rules, states, 0, seat, self._views, self._observation, self._mask)

    def _checked(self, states: np.ndarray, number: int, move: Move) -> int:
        """The id of a move that comes next; InputError unless it is legal."""
        seat, legal = int(states[0].seat), self.legal(states)
        if states[0].over or move.seat != seat or move.action not in legal:
            due = "the end of the deal" if states[0].over else f"player_{seat} and one of {', '.join(legal)}"
            raise InputError(f"move {number + 1}: got player_{move.seat} {move.action!r}; expected {due}")
        return self.game.action_index[move.action]

    def _check_points(self, state: np.record, deal: DealRecord) -> None:
        paid = tuple(map(float, state.deal_points[: self.game.seats])) if state.over else None
        if deal.points != paid:
            given = "none" if deal.points is None else quoted(list(deal.points))
            expected = "none, as the deal goes on" if paid is None else list(paid)
            raise InputError(f"points: got {given}; expected {expected}")

    def for_seat(self, deal: DealRecord, seat: int) -> DealRecord:
        """The record as a seat may have it: it depends on nothing but what the seat knows at its end.

        Cards and actions that the seat does not know are drawn at random, in agreement with all that it has
        seen, by random numbers that derive from its view alone. So two deals that a seat cannot tell apart
        have the same record. Thinking times and values of other seats are left out, and so is the deal's
        number: with the seed it would lead to the cards.
        """
        view = self.view(self.check(deal), seat)
        chance = hashlib.sha256(view.tobytes()).digest()
        seed = stream_seed(int.from_bytes(chance, "big"), Use.WORLDS)
        self._loops.resample(self._rules, view, 0, seat, seed)
        own = iter([move for move in deal.moves if move.seat == seat])
        moves = tuple(next(own) if move.seat == seat else move for move in moves_of(self.game, view[0]))
        return replace(deal, deck=deck_of(self.game, view[0]), moves=moves, number=None, seat=seat)

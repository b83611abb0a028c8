"""Playing recorded deals again: every card and action is checked, and a seat's sight is taken on the way."""

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.equity import as_of_match, equity_in
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.engine.set_deal import set_deal
from stichwerk.envs.records.deal import DealRecord, Move, deck_of, moves_of
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted

Shown = tuple[np.ndarray, int]
"""A state, an array of one record, and the seat that it is shown to; in a record of all cards SPECTATOR."""


class RecordReplay(Replay):
    """Plays recorded deals of one game again, as episodes of one deal."""

    def states(self, deal: DealRecord) -> Iterator[np.ndarray]:
        """The true states of a deal, arrays of one record: after dealing, then after each move.

        Raises:
            InputError: a card, the match, a move or the points are not such as the rules lead to.
        """
        states = self.dealt({"deck": deal.deck, "dealer": deal.dealer, "match": deal.match})
        yield copy_of(states)
        for number, move in enumerate(deal.moves):
            self._check_move(states, number, move)
            self.apply(states, move.action)
            yield copy_of(states)
        self._check_points(states[0], deal)

    def at(self, deal: DealRecord, step: int | None = None) -> np.ndarray:
        """The state after a number of moves; None: after all, or before the last one of a deal that is over.

        Raises:
            InputError: as for `states`, and for a step that the record does not have.
        """
        step = len(deal.moves) - (deal.points is not None) if step is None else step
        deal.check_step(step)
        return [*self.states(deal)][step]

    def begun(self, options: Mapping[str, Any], seed: int = 0) -> np.ndarray:
        """The state before dealing, an array of one record; `options` are those of `set_deal`, and the seed
        is of what they leave open."""
        states = copy_of(self.game.spec.state.fresh)
        states["seed"] = seed
        self._loops.begin(self.game.rules_record, states, 0, False)
        set_deal(self.game, states[0], options)
        return states

    def dealt(self, options: Mapping[str, Any], seed: int = 0) -> np.ndarray:
        """The state after dealing; arguments as `begun` has them. SetupError for impossible options."""
        states = self.begun(options, seed)
        self._loops.deal(self.game.rules_record, states, 0)
        return states

    def legal(self, states: np.ndarray) -> list[str]:
        """The actions of the seat to act, by name; none once the deal is over."""
        mask = self._legal(states, int(states[0].seat))
        return [] if states[0].over else [str(self.game.actions[action]) for action in np.flatnonzero(mask)]

    def apply(self, states: np.ndarray, action: str) -> None:
        """Play a legal action, in place."""
        self._loops.apply(self.game.rules_record, states, 0, self.game.action_index[action])

    def check(self, deal: DealRecord) -> np.ndarray:
        """The state at the end of the record, an array of one record; InputError as for `states`."""
        *_, last = self.states(deal)
        return last

    def seen(self, deal: DealRecord) -> list[Shown]:
        """The states that a record shows after dealing and after each move; InputError as for `states`."""
        if deal.seat is None:
            return [(states, SPECTATOR) for states in self.states(deal)]
        return [(self.view(states, deal.seat), deal.seat) for states in self.states(deal)]

    def _check_move(self, states: np.ndarray, number: int, move: Move) -> None:
        """InputError unless a move that comes next is legal."""
        seat, legal = int(states[0].seat), self.legal(states)
        if move.seat != seat or move.action not in legal:
            due = f"player_{seat} and one of {', '.join(legal)}" if legal else "the end of the deal"
            raise InputError(f"move {number + 1}: got player_{move.seat} {move.action!r}; expected {due}")

    def _check_points(self, state: np.record, deal: DealRecord) -> None:
        paid = tuple(map(float, state.deal_points[: self.game.seats])) if state.over else None
        if deal.points != paid:
            given = "none" if deal.points is None else quoted(list(deal.points))
            expected = "none, as the deal goes on" if paid is None else list(paid)
            raise InputError(f"points: got {given}; expected {expected}")

    def for_seat(self, deal: DealRecord, seat: int) -> DealRecord:
        """The record as a seat may have it: it depends on nothing but what the seat knows at its end.

        Cards and actions that the seat does not know are drawn at random, in agreement with all that it has
        seen. The random numbers derive from its view alone. So two deals that a seat cannot tell apart have
        the same record. Thinking times and values of other seats are left out, and so is the deal's number:
        with the seed it would lead to the cards.
        """
        drawn = self.drawn(self.view(self.check(deal), seat), seat)
        own = iter([move for move in deal.moves if move.seat == seat])
        moves = tuple(next(own) if move.seat == seat else move for move in moves_of(self.game, drawn[0]))
        return replace(deal, deck=deck_of(self.game, drawn[0]), moves=moves, number=None, seat=seat)

    def drawn(self, view: np.ndarray, seat: int) -> np.ndarray:
        """A state, an array of one record, that agrees with all that a seat knows, by random numbers that
        derive from its view alone."""
        states, chance = copy_of(view), hashlib.sha256(view.tobytes()).digest()
        seed = stream_seed(int.from_bytes(chance, "big"), Use.WORLDS)
        self._loops.resample(self.game.rules_record, states, 0, seat, seed)
        return states


def is_of_match(game: Game, deal: DealRecord) -> bool:
    """True if a recorded deal is judged by the probability to win the match that its score is of."""
    begun = RecordReplay(game).begun({"dealer": deal.dealer, "match": deal.match})
    return len(equity_in(game, as_of_match(game, begun))) > 0


def hidden_moves(game: Game, deal: DealRecord, seen: Sequence[Shown]) -> set[int]:
    """The numbers of the moves, from 0, that the record's seat does not know at its end.

    Args:
        game: of the deal
        deal: the record; of one of all cards nothing is hidden
        seen: what `RecordReplay.seen` has returned
    """
    (last,), _ = seen[-1]
    known = deque(log_entries(last))
    hidden = set()
    for number, move in enumerate(deal.moves):
        action = game.action_index[move.action]
        if known and known[0] in ((move.seat, action), (move.seat, NONE)):
            _, action = known.popleft()
            if action != NONE:
                continue
        hidden.add(number)  # a gap in the seat's log, or not even that
    return hidden

"""What a game is to the rest of the suite: its tables, its compiled functions, and the text a seat reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.encoding import Encoding
from stichwerk.envs.core.errors import InputError
from stichwerk.envs.core.options import Options


@dataclass(frozen=True, eq=False)
class Game:
    """One game under one set of rules.

    The compiled functions take `rules` (one record), `state` (one record of dtype `state`) and a seat:

    - `begin_match(rules, state)` sets the match score to its start
    - `deal(rules, state)` deals number `state.deal_number` of the lane, from `state.deck` if that is set
    - `legal(rules, state, mask)` writes the legal actions of the seat to act, int8[actions]
    - `apply(rules, state, action)` plays a legal action and moves `state.seat`; at the end sets `over` and `reward`
    - `redact(rules, state, seat)` blanks, in place, what the seat may not know; all others below get such a view
    - `resample(rules, view, seat)` fills a view with a random world that agrees with it
    """

    env_id: str
    rules: Options
    sides: tuple[int, ...]
    """For each seat the side it always plays on, by number; seats without fixed partners are each a side of their own."""
    actions: tuple[str, ...]
    pack: Pack
    deck: tuple[str, ...]
    """The cards of a deck by name, each as often as the deck holds it."""
    state: np.dtype
    ranges: Mapping[str, tuple[int, int]]
    """Least and greatest value of state fields that compiled code uses as indices; snapshots from outside are held to them."""
    begin_match: Callable
    deal: Callable
    legal: Callable
    apply: Callable
    redact: Callable
    resample: Callable
    encodings: Mapping[str, Encoding]
    perfect: Encoding
    """Perfect information, written from the true state: for `state()` and for critics in training."""
    set_match: Callable[[np.record, np.record, Mapping[str, Any]], None]
    """`set_match(rules, state, match)` writes the match state of a set deal; SetupError if impossible."""
    table_text: Callable[[np.record, np.record, int], str]
    """`table_text(rules, view, seat)` draws the table as this seat sees it."""
    begin_situation: Callable | None = None
    """Like `begin_match`, for training: sets a situation of a match as it comes up, drawn from the lane's random numbers."""
    suits_ranked: bool = False
    """Whether the rules rank the suits; if not, a position under other names of the suits is the same."""
    roles: Callable[[np.ndarray], Mapping[str, np.ndarray]] | None = None
    """`roles(states)` names the parts that seats had in finished deals: for each name bool[deals, seats]. For reports."""

    @property
    def seats(self) -> int:
        return len(self.sides)

    @property
    def side_count(self) -> int:
        return len(set(self.sides))

    @cached_property
    def action_index(self) -> dict[str, int]:
        return {name: action for action, name in enumerate(self.actions)}

    @cached_property
    def rules_record(self) -> np.ndarray:
        return self.rules.record()

    def check_situations(self, wanted: bool) -> None:
        if wanted and self.begin_situation is None:
            raise InputError(f"situations: {self.env_id} draws none, its deals begin with a fresh score only")

    def encoding(self, name: str) -> Encoding:
        if name not in self.encodings:
            raise InputError(f"unknown observation {name!r}; there are {', '.join(self.encodings)}")
        return self.encodings[name]

    def action_number(self, action: Any) -> int | None:
        """The id of an action given by id or name; None if there is no such action."""
        if isinstance(action, str):
            return self.action_index.get(action)
        if isinstance(action, (int, np.integer)) and 0 <= action < len(self.actions):
            return int(action)
        return None

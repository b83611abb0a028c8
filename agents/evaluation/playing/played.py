"""Games of an evaluation, kept as their actions, and played again when their records are asked for."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.records.deal import DealRecord, deal_record
from stichwerk.envs.spec.game import Game


class Played(NamedTuple):
    """A deal or a match that is over, or a deal that was given up.

    Attributes:
        seed: of its lane
        number: of its first deal in that seed
        match: whether it is a match
        start_state: whether it began in one that the game drew
        actions: ids of all deals, int16[n]
        players: a name for each seat
    """

    seed: int
    number: int
    match: bool
    start_state: bool
    actions: np.ndarray
    players: tuple[str, ...]

    def records(self, game: Game) -> Iterator[DealRecord]:
        """The deals in order. Those of a match are numbered from 0, another one by its place in the seed.

        A deal that was given up has no points.
        """
        loops, rules = loops_for(game, "summary", self.start_state), game.rules_record
        states = copy_of(game.spec.state.fresh)
        states["seed"], states["deal_number"] = self.seed, self.number
        loops.begin(rules, states, 0, self.match)
        deal, number, actions = loops.deal, 0 if self.match else self.number, iter(self.actions.tolist())
        while not states[0].over:
            before = copy_of(states)
            ended = deal(rules, states, 0)
            before["dealer"] = states["dealer"]  # who may just have been drawn
            while not ended and (action := next(actions, None)) is not None:
                _, ended = loops.apply(rules, states, 0, action)
            yield deal_record(game, before[0], states[0], self.players, number)
            if not ended:
                return
            deal, number = loops.deal_next, number + 1


class Trace:
    """The actions of games that are played side by side, step by step."""

    def __init__(self) -> None:
        self._lanes: list[np.ndarray] = []
        self._actions: list[np.ndarray] = []

    def add(self, lanes: np.ndarray, actions: np.ndarray) -> None:
        """One action in each of some lanes."""
        self._lanes.append(lanes)
        self._actions.append(actions.astype(np.int16))

    def played(
        self, lanes: Lanes, numbers: np.ndarray, players: tuple[str, ...], start_states: bool
    ) -> list[Played]:
        """The games of the first lanes, by the numbers of their deals or matches."""
        actions: list[np.ndarray] = [np.zeros(0, np.int16)] * len(numbers)
        if self._lanes:
            which = np.concatenate(self._lanes)
            order = np.argsort(which, kind="stable")
            ends = np.cumsum(np.bincount(which, minlength=len(numbers)))
            actions = np.split(np.concatenate(self._actions)[order], ends[:-1])
        seeds, firsts = lanes.states["seed"].tolist(), [0] * len(numbers) if lanes.match else numbers.tolist()
        return [
            Played(seed, first, lanes.match, start_states, own, players)
            for seed, first, own in zip(seeds, firsts, actions, strict=False)  # there may be more lanes
        ]

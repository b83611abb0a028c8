"""The other seats' observations in sampled deals when they acted, of which a network tells the likelihood."""

from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes, row
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.hooks import Observe


class Decisions(NamedTuple):
    """Decisions of other seats, by rows.

    Attributes:
        observation: float32[rows, features]: what the seat saw.
        mask: int8[rows, actions]: its legal actions.
        world: int64[rows]: the index of the sampled deal.
        action: int64[rows]: what it did.
    """

    observation: np.ndarray
    mask: np.ndarray
    world: np.ndarray
    action: np.ndarray


class OthersDecisions:
    """Writes the decisions of the other seats in sampled deals, as a network sees the game."""

    def __init__(self, game: Game, agent: NetworkAgent):
        self._game, self._encoding = game, game.encoding(agent.observation)
        self._sees = agent.sees.rules_record
        self._look_back = _look_back_for(game.spec, self._encoding.observe)

    def of(self, own_view: np.ndarray, worlds: np.ndarray, seat: int) -> Decisions:
        """The decisions before the present one, as `LookBack` writes them."""
        longest = len(worlds) * max(int(worlds["log_size"].max()), 1)
        observation = np.empty((longest, self._encoding.size), np.float32)
        mask = np.empty((longest, len(self._game.actions)), np.int8)
        moves = np.empty((longest, 2), np.int64)
        rows = self._look_back(
            self._game.rules_record,
            self._sees,
            own_view,
            worlds,
            seat,
            observation=observation,
            mask=mask,
            moves=moves,
        )
        return Decisions(observation[:rows], mask[:rows], *moves[:rows].T)


class LookBack(Protocol):
    """Play the deal again in each sampled deal, and write a row for each decision of another seat.

    Forced moves have no row, nor have actions that the view hides, which the sampled deal makes up. Actions
    that the log leaves out altogether, such as signals, do not count as legal.

    Args:
        rules: one record.
        sees: the rules by which observations are written, one record.
        own_view: the searching seat's view, one record.
        worlds: records.
        seat: the searching seat.
        observation: written, float32[rows, features]: what the other seat saw.
        mask: written, int8[rows, actions]: its legal actions.
        moves: written, int64[rows, 2]: the index of the sampled deal, and the action.

    Returns:
        How many rows were written.
    """

    def __call__(
        self,
        rules: np.ndarray,
        sees: np.ndarray,
        own_view: np.ndarray,
        worlds: np.ndarray,
        seat: int,
        observation: np.ndarray,
        mask: np.ndarray,
        moves: np.ndarray,
    ) -> int: ...


@cache
def _look_back_for(spec: GameSpec, observe: Observe) -> LookBack:
    engine, actions = engine_for(spec, False), len(spec.actions)
    deal_again, apply, redact, legal = engine.deal_again, engine.apply, engine.redact, engine.legal
    leaves_out = engine.leaves_out
    size, blanks = spec.state.dtype.itemsize, np.repeat(spec.state.fresh, 2)

    @compiled
    def look_back(rules, sees, own_view, worlds, seat, observation, mask, moves):
        scratch = blanks.copy()
        rows = 0
        for i in range(len(worlds)):
            state, view = scratch[0], scratch[1]  # here: records do not keep alive the array they lie in
            copy_bytes(state, worlds[i], 0, size)
            deal_again(rules[0], state)
            for entry in range(worlds[i].log_size):
                actor, action = logged_seat(worlds[i], entry), logged_action(worlds[i], entry)
                if actor != seat and logged_action(own_view[0], entry) != NONE:
                    redact(rules[0], state, actor, view)
                    allowed = row(mask, rows)
                    legal(rules[0], view, allowed)
                    for other in range(actions):
                        if allowed[other] and leaves_out(rules[0], seat, actor, other):
                            allowed[other] = 0
                    if allowed.sum() > 1:
                        observation[rows] = 0
                        observe(sees[0], view, actor, row(observation, rows))
                        moves[rows, 0], moves[rows, 1] = i, action
                        rows += 1
                apply(rules[0], state, action)
        return rows

    return look_back

"""Agents' ratings of the actions at a decision of the deal: probabilities and values.

An agent gets the view of the seat to act, so its ratings tell a person of that seat nothing else. Exact
values by all cards do, and are only computed on request.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent, Rating, Turns
from stichwerk.agents.evaluation.playing.analysis import Analysis, analyse, analysis_rows
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import ENGLISH, decimals, speaking, tr
from stichwerk.table.compiling import is_interpreted
from stichwerk.table.opponents import default_opponent, offered_opponents, seated
from stichwerk.table.protocol import Ratings
from stichwerk.table.table import Table

NODES = 2_000_000  # that the exact solver may visit: a tenth of a second
WORLDS = 100  # deals in which a hint plays each action out
SEED = 1  # of the agents' chance: the same question has the same answer


class Odds(NamedTuple):
    """The results of the actions of a turn in the deals that are possible: float64[actions] each.

    Attributes:
        wins: the share of deals in which the seat gets points
        means: points on average
        worst: points in the worst deal
    """

    wins: np.ndarray
    means: np.ndarray
    worst: np.ndarray


class Hints:
    """Hints by the default opponent of a game, which is made at the first one."""

    def __init__(self, game: Game):
        self._game = game

    @cached_property
    def _agent(self) -> Agent:
        return seated(default_opponent(self._game), self._game)

    @cached_property
    def _judge(self) -> RolloutPlayer:
        return RolloutPlayer("hint", self._game, worlds=WORLDS)

    def of(self, turn: Turns) -> tuple[Rating, Odds | None]:
        """The ratings of the actions of a turn, and what becomes of these in possible deals."""
        with speaking(ENGLISH):
            return self._agent.rate(turn), None if is_interpreted() else self._odds(turn)

    def _odds(self, turn: Turns) -> Odds:
        """Play each action out in deals that agree with the seat's view, for the points of this deal."""
        (lane,) = turn.which
        view, seat = turn.all_views[lane : lane + 1].copy(), int(turn.all_seats[lane])
        view["match"] = 0
        actions = np.flatnonzero(turn.all_masks[lane])
        values, weights = self._judge.try_out(view, seat, actions, SEED)
        return Odds(weights @ (values > 0), weights @ values, values.min(axis=0))


class AgentRatings:
    """Agents that rate the decisions at one table. Each is made when it is first asked.

    Attributes:
        game: with its rules
        chosen: the texts of those that are asked without a choice
        offered: these, and others that play the game

    Args:
        game: with its rules
        chosen: texts of agents; none: the strongest quick one of the game
    """

    def __init__(self, game: Game, chosen: Sequence[str] = ()):
        offered = offered_opponents(game)
        self.game = game
        self._made: dict[str, Agent] = {}
        self.chosen = tuple(dict.fromkeys(chosen)) or offered[:1]
        others = [each for each in offered if each != "random"]
        self.offered = tuple(dict.fromkeys((*self.chosen, *others)))

    def at(self, states: np.ndarray, agents: Sequence[str] = (), all_cards: bool = False) -> Analysis:
        """Rate the decision of a true state by agents.

        Args:
            states: in the middle of a deal, an array of one record
            agents: texts of agents; none: the chosen ones
            all_cards: True: exact values may use the cards that the seat to act does not know

        Raises:
            InputError: an agent does not exist, or does not play by these rules.
        """
        texts = dict.fromkeys(agents or self.chosen)
        with speaking(ENGLISH):
            return analyse(self.game, states, [self._agent(text) for text in texts], SEED, NODES, all_cards)

    def _agent(self, text: str) -> Agent:
        if text not in self._made:
            self._made[text] = make_agent_for(text, self.game)
        return self._made[text]


def decisions(table: Table, seat: int) -> Iterator[tuple[int, str]]:
    """The moves of a seat in the last deal that it was shown, each with its number, from 1, and its words.
    For SPECTATOR they are those of all seats."""
    for number, move in enumerate(table.last_deal().moves, start=1):
        if seat in (move.seat, SPECTATOR):
            yield number, table.game.label(move.action)


def state_at(table: Table, seat: int, move: int | None = None) -> np.ndarray:
    """The true state at a decision.

    Args:
        table: a person's against agents, or one that is watched
        seat: whose decision it is; SPECTATOR: any seat's
        move: the number of a move of the last deal, from 1, before it was played; None: the present decision

    Raises:
        InputError: the seat has no such decision.
    """
    if move is None:
        if table.turn is None or seat not in (table.turn, SPECTATOR):
            raise InputError(
                tr("study: got it when the seat is not to act; expected it at its turn, or a move")
            )
        return table.env.copy_state()
    check_move(move, [number for number, _ in decisions(table, seat)])
    return RecordReplay(table.game).at(table.last_deal(), move - 1)


def check_move(move: Any, moves: Sequence[int]) -> None:
    """InputError for a move that is none of these, unless it is None."""
    if move is not None and (type(move) is not int or move not in moves):
        if not moves:
            raise InputError(
                tr("move: got {given}; expected none, as the seat has not played yet", given=quoted(move))
            )
        told = tr("move: got {given}; expected one of {moves}")
        raise InputError(told.format(given=quoted(move), moves=", ".join(map(str, moves))))


def ratings_data(game: Game, analysis: Analysis) -> Ratings:
    """An analysis as values that JSON can hold: heads of columns, and a row for each action."""
    heads, rows = analysis_rows(game, analysis)
    return {
        "heads": [*heads[:-1], tr("exact")] if analysis.exact is not None else heads,
        "rows": [{"words": game.label(action), "cells": [*map(decimals, cells)]} for action, cells in rows],
        "too_large": analysis.too_large,
    }


def check_agents(texts: Sequence[str], game: Game) -> None:
    """AgentError unless these agents play a game under its rules."""
    for text in texts:
        make_agent_for(text, game)

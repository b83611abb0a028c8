"""Matches between agents over duplicate deals: the same cards with the seats rotated.

Deal k of a comparison has the same cards for every pair of agents and every seating, so results are paired: the interval is
over deals, each deal counted once with the mean over its seatings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent, Turns
from envs.core.game import Game
from envs.core.lanes import Lanes
from envs.core.random import Use, stream_seed

DEALS_AT_ONCE = 4096
Z_95 = 1.959964


@dataclass(frozen=True)
class PairResult:
    """Agent `a` against `b`: game points per deal for `a`, and the share of games it wins, with 95 % intervals over deals.

    A game that nobody wins counts half.
    """

    a: str
    b: str
    deals: int
    mean: float
    low: float
    high: float
    win_rate: float
    win_low: float
    win_high: float


def seatings(game: Game) -> list[list[int]]:
    """Who sits where, in each playing of a deal: 0 for agent a, who takes every seat once, 1 for agent b in all others."""
    return [[0 if seat == own else 1 for seat in range(game.seats)] for own in range(game.seats)]


def play_pair(
    game: Game, a: Agent, b: Agent, deals: int, seed: int, use: Use = Use.TEST, on_progress: Callable[[int], None] = lambda games: None
) -> PairResult:
    """Play deals 0 … deals - 1 of a seed, at least two, in every seating. `on_progress` is told how many games have been finished."""
    for place, agent in enumerate((a, b)):
        agent.seed(int(stream_seed(seed, Use.AGENTS, use, place)))
    points, wins = np.zeros(deals), np.zeros(deals)
    rotations = seatings(game)
    lanes = Lanes(game, min(deals, DEALS_AT_ONCE))
    for numbers in _chunks(deals):
        for seating in rotations:
            rewards = play_deals(lanes, [(a, b)[who] for who in seating], seed, use, numbers)[:, seating.index(0)]
            points[numbers] += rewards / len(rotations)
            wins[numbers] += ((rewards > 0) + (rewards == 0) / 2) / len(rotations)
            on_progress(len(numbers))
    return PairResult(a.name, b.name, deals, *_with_interval(points), *_with_interval(wins))


def _with_interval(per_deal: np.ndarray) -> tuple[float, float, float]:
    """The mean over deals and the ends of its 95 % interval."""
    mean = float(per_deal.mean())
    margin = float(Z_95 * per_deal.std(ddof=1) / np.sqrt(len(per_deal)))
    return mean, mean - margin, mean + margin


def play_deals(lanes: Lanes, table: Sequence[Agent], seed: int, use: Use, numbers: np.ndarray) -> np.ndarray:
    """Play these deals of a seed with one agent a seat; the rewards, float32[deals, seats]."""
    active = np.arange(len(numbers))
    lanes.states["seed"] = stream_seed(seed, use)
    lanes.states["deal_number"][active] = numbers
    lanes.start(active)
    while len(active):
        actions = np.empty(len(active), np.int64)
        seats = lanes.seats[active]
        for agent in dict.fromkeys(table):
            own = np.isin(seats, [seat for seat, sitting in enumerate(table) if sitting is agent])
            if own.any():
                actions[own] = agent.act(Turns.of(lanes, active[own]))
        lanes.step(actions, active, restart=False)
        active = active[~lanes.terminations[active]]
    return lanes.rewards[: len(numbers)].copy()


def _chunks(deals: int) -> Iterator[np.ndarray]:
    for start in range(0, deals, DEALS_AT_ONCE):
        yield np.arange(start, min(start + DEALS_AT_ONCE, deals))

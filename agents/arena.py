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
from envs.core.random import lane_seeds

DEALS_AT_ONCE = 4096
Z_95 = 1.959964

# Deals for different uses come from different streams of a seed, apart also from the lanes that training plays in.
VALIDATION, TEST = 1, 2


@dataclass(frozen=True)
class PairResult:
    """Agent `a` against `b`: game points per deal for `a`, with the 95 % interval over deals, and the share of games won.

    A game that nobody wins counts half.
    """

    a: str
    b: str
    deals: int
    mean: float
    low: float
    high: float
    win_rate: float


def seatings(game: Game) -> list[list[int]]:
    """Who sits where, in each playing of a deal: 0 for agent a, who takes every seat once, 1 for agent b in all others."""
    return [[0 if seat == own else 1 for seat in range(game.seats)] for own in range(game.seats)]


def play_pair(
    game: Game, a: Agent, b: Agent, deals: int, seed: int, use: int = TEST, on_progress: Callable[[int], None] = lambda games: None
) -> PairResult:
    """Play deals 0 … deals - 1 of a seed in every seating. `on_progress` is told how many games have been finished."""
    a.seed(_agent_seed(seed, use, 0))
    b.seed(_agent_seed(seed, use, 1))
    points = np.zeros(deals)
    wins = 0.0
    rotations = seatings(game)
    lanes = Lanes(game, min(deals, DEALS_AT_ONCE))
    for numbers in _chunks(deals):
        for seating in rotations:
            rewards = play_deals(lanes, [(a, b)[who] for who in seating], seed, use, numbers)[:, seating.index(0)]
            points[numbers] += rewards / len(rotations)
            wins += (rewards > 0).sum() + (rewards == 0).sum() / 2
            on_progress(len(numbers))
    mean = points.mean()
    margin = Z_95 * points.std(ddof=1) / np.sqrt(deals) if deals > 1 else np.inf
    return PairResult(a.name, b.name, deals, float(mean), float(mean - margin), float(mean + margin), wins / (deals * len(rotations)))


def play_deals(lanes: Lanes, table: Sequence[Agent], seed: int, use: int, numbers: np.ndarray) -> np.ndarray:
    """Play these deals of a seed with one agent a seat; the rewards, float32[deals, seats]."""
    active = np.arange(len(numbers))
    lanes.states["seed"] = lane_seeds((seed, use), 1)
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


def _agent_seed(seed: int, use: int, place: int) -> int:
    return int(lane_seeds((seed, use, place), 1)[0])

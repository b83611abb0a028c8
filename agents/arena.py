"""Matches between agents over duplicate deals: the same cards with the seats rotated.

Deal k of a comparison has the same cards for every pair of agents and every seating, so results are paired: the interval is
over deals, each deal counted once with the mean over its seatings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from stichwerk.agents.agent import Agent, Turns
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.lanes import Lanes
from stichwerk.envs.core.random import Use, stream_seed

DEALS_AT_ONCE = 4096
Z_95 = 1.959964

Seating = Sequence[int]  # for each seat the number of the agent that takes it
Progress = Callable[[int], None]  # is told how many games have been finished


@dataclass(frozen=True)
class RoleResult:
    """How an agent fared in the seats that had a role: their share, and game points per deal with a 95 % interval over deals."""

    agent: str
    role: str
    share: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PairResult:
    """Agent `a` against `b`: game points per deal for `a`, and the share of games it wins, with 95 % intervals over deals.

    A game that nobody wins counts half. `roles` has agent `a` among seats of `b`, and `b` in all seats of the same deals. Where more
    than two agents sit at one table, `b` names all the others, and `roles` has `a` alone.
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
    roles: tuple[RoleResult, ...] = ()


def seatings(game: Game) -> list[Seating]:
    """The seatings of a pair: agent 0 takes every side once, agent 1 all the others."""
    return [[int(side != own) for side in game.sides] for own in range(game.side_count)]


def arrangements(game: Game) -> list[Seating]:
    """The seatings of as many agents as there are sides, in every order."""
    return [[order[side] for side in game.sides] for order in permutations(range(game.side_count))]


def games_in_pair(game: Game, by_role: bool = False) -> int:
    """How many games a pair plays of each deal."""
    return game.side_count + (by_role and game.roles is not None)


def play_pair(
    game: Game,
    a: Agent,
    b: Agent,
    deals: int,
    seed: int,
    use: Use = Use.TEST,
    by_role: bool = False,
    situations: bool = False,
    on_progress: Progress = lambda games: None,
) -> PairResult:
    """Play deals 0 … deals - 1 of a seed, at least two, in every seating; with `by_role` also with agent `b` in all seats.

    With `situations` each deal belongs to a situation of a match that the game draws, the same in every seating.
    """
    rows = seatings(game)
    if by_role and game.roles:
        rows.append([1] * game.seats)
    played = play_all(game, (a, b), rows, deals, seed, use, situations, on_progress)
    own = np.array(rows) == 0
    roles: tuple[RoleResult, ...] = ()
    if by_role:
        among_itself = np.zeros_like(own)
        among_itself[game.side_count :] = True
        roles = played.by_role(a.name, own) + played.by_role(b.name, among_itself)
    return PairResult(a.name, b.name, deals, *played.score(own), roles)


def play_table(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    use: Use = Use.TEST,
    situations: bool = False,
    on_progress: Progress = lambda games: None,
) -> list[PairResult]:
    """Play deals of a seed with as many agents as there are sides, in every arrangement; one result for each agent."""
    rows = arrangements(game)
    played = play_all(game, agents, rows, deals, seed, use, situations, on_progress)
    results = []
    for number, agent in enumerate(agents):
        own = np.array(rows) == number
        others = " and ".join(other.name for other in agents if other is not agent)
        results.append(PairResult(agent.name, others, deals, *played.score(own), played.by_role(agent.name, own)))
    return results


@dataclass(frozen=True)
class Playings:
    """Deals played in several seatings: rewards float32 and roles bool, both [deals, seatings, seats]."""

    rewards: np.ndarray
    roles: dict[str, np.ndarray]

    def score(self, own: np.ndarray) -> tuple[float, float, float, float, float, float]:
        """The mean over deals of the points, then of the wins, in the seats `own`, bool[seatings, seats], with their intervals."""
        points = self.rewards[:, own]
        wins = (points > 0) + (points == 0) / 2
        return *_with_interval(points.mean(axis=1, dtype=float)), *_with_interval(wins.mean(axis=1))

    def by_role(self, agent: str, own: np.ndarray) -> tuple[RoleResult, ...]:
        """The same for each role that one of these seats ever had; the interval is that of a ratio of sums over deals."""
        results = []
        for role, has_role in self.roles.items():
            counted = has_role & own
            seats = counted.sum(axis=(1, 2))
            if not seats.any():
                continue
            points = np.where(counted, self.rewards, 0).sum(axis=(1, 2), dtype=float)
            mean = float(points.sum() / seats.sum())
            errors = points - mean * seats
            margin = float(Z_95 * errors.std(ddof=1) * np.sqrt(len(seats)) / seats.sum())
            share = float(seats.sum() / (len(seats) * own.sum()))
            results.append(RoleResult(agent, role, share, mean, mean - margin, mean + margin))
        return tuple(results)


def _with_interval(per_deal: np.ndarray) -> tuple[float, float, float]:
    """The mean over deals and the ends of its 95 % interval."""
    mean = float(per_deal.mean())
    margin = float(Z_95 * per_deal.std(ddof=1) / np.sqrt(len(per_deal)))
    return mean, mean - margin, mean + margin


def play_all(
    game: Game,
    agents: Sequence[Agent],
    rows: Sequence[Seating],
    deals: int,
    seed: int,
    use: Use,
    situations: bool,
    on_progress: Progress,
) -> Playings:
    """Play deals 0 … deals - 1 of a seed in each of the seatings."""
    for place, agent in enumerate(agents):
        agent.seed(int(stream_seed(seed, Use.AGENTS, use, place)))
    shape = deals, len(rows), game.seats
    rewards = np.zeros(shape, np.float32)
    roles: dict[str, np.ndarray] = {}
    lanes = Lanes(game, min(deals, DEALS_AT_ONCE), situations=situations)
    for numbers in _chunks(deals):
        for row, seating in enumerate(rows):
            rewards[numbers, row] = play_deals(lanes, [agents[number] for number in seating], seed, use, numbers)
            if game.roles:
                for role, has_role in game.roles(lanes.states[: len(numbers)]).items():
                    roles.setdefault(role, np.zeros(shape, bool))[numbers, row] = has_role
            on_progress(len(numbers))
    return Playings(rewards, roles)


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

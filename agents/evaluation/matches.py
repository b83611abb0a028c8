"""Matches between agents over duplicate deals: the same cards with the seats rotated.

Deal k of a comparison has the same cards for every pair of agents and every seating, so results are paired:
the interval is over deals, each deal counted once with the mean over its seatings. Deals are played and added
up some thousand at a time, so any number of them takes the same memory. In place of deals whole matches may
be played, match k with the same cards in every seating as long as it lasts.

Blocks of deals can be played apart, here or on other machines (`workers.py`). Where they begin depends
on what is asked for alone, so the results are the same wherever they are played.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import stdtrit

from stichwerk.agents.base import FORFEIT, Agent, AgentError, Turns
from stichwerk.agents.evaluation.played import Played, Trace
from stichwerk.agents.external.custom import fresh
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Episode, Lanes
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

DEALS = 2, 2**32  # in a comparison: at least, and at most, because after so many a seed's cards come again
DEALS_AT_ONCE = 4096
LONGEST_MATCH = 1_000  # deals; matches of rule-based players take up to some two hundred
MOST_PARTS = 100  # of a point that a game may share out
ROUNDING = 1e-9  # of what a deal has brought, far more than floats err by
FEWEST = 10  # deals in which a role has come up, for an interval

Seating = Sequence[int]  # for each seat the number of the agent that takes it
OnProgress = Callable[[int], None]  # is told how many games have been finished


class Points(NamedTuple):
    """What some deals in a row have brought.

    Attributes:
        rewards: float64[deals, seatings, seats]
        roles: who had which role, bool of that shape
        played: each deal, or match, in each seating, or none if the series keeps none
    """

    rewards: np.ndarray
    roles: dict[str, np.ndarray]
    played: Sequence[Sequence[Played]] = ()


@dataclass(frozen=True)
class Series:
    """Which deals 0 … deals - 1 of a seed, or matches, are played in which seatings.

    start_states: whether each begins in a start state that the game draws, the same in every seating
    block: after how many deals the agents' chance begins anew; 0: it runs on through all of them
    records: whether the deals are kept, so that there can be records of them

    Raises InputError for fewer deals than an interval needs, or more than a seed has.
    """

    seatings: Sequence[Seating]
    deals: int
    seed: int
    use: Use = Use.TEST
    episode: Episode = "deal"
    start_states: bool = False
    block: int = 0
    records: bool = False

    def __post_init__(self):
        least, most = DEALS
        if not least <= self.deals <= most:
            raise InputError(f"deals: got {self.deals}; expected a whole number from {least} to {most}")


class RecordKeeper(Protocol):
    """Takes the deals of a series as they are played."""

    def add(self, agents: Sequence[str], seatings: Sequence[Seating], points: Points) -> None: ...


Block = tuple[int, int, int]  # its first deal, the one after its last, and the number of its random streams
Play = Callable[[Game, Sequence[Agent], Series, OnProgress], Iterator[Points]]


@dataclass(frozen=True)
class RoleResult:
    """How an agent fared in the seats that had a role: their share, and game points per deal with a 95 %
    interval over deals; there is none after too few deals, or if all of them brought the same."""

    agent: str
    role: str
    share: float
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PairResult:
    """Agent `a` against `b`: game points per deal for `a`, and the share of games it wins, with 95 %
    intervals over deals.

    A game that nobody wins counts half. `roles` has agent `a` among seats of `b`, and `b` in all seats of the
    same deals. Where more than two agents play together, `b` names all the others, and `roles` has `a` alone.
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


def pair_seatings(game: Game, by_role: bool) -> list[Seating]:
    """The same, with `by_role` and a game that has roles also agent 1 in all seats."""
    alone = [[1] * game.seats] if by_role and game.spec.roles else []
    return [*seatings(game), *alone]


def arrangements(game: Game) -> list[Seating]:
    """The seatings of as many agents as there are sides, in every order."""
    return [[order[side] for side in game.sides] for order in permutations(range(game.side_count))]


def games_in_pair(game: Game, by_role: bool = False) -> int:
    """How many games a pair plays of each deal."""
    return len(pair_seatings(game, by_role))


def play_pair(
    game: Game,
    a: Agent,
    b: Agent,
    deals: int,
    seed: int,
    use: Use = Use.TEST,
    by_role: bool = False,
    start_states: bool = False,
    episode: Episode = "deal",
    record: "Record | None" = None,
    on_progress: OnProgress = lambda games: None,
    block: int = 0,
    play: Play | None = None,
    keeper: RecordKeeper | None = None,
) -> PairResult:
    """Play deals 0 … deals - 1 of a seed, at least two, in every seating; with `by_role` also with agent `b`
    in all seats.

    With `start_states` each deal begins in a start state of a match that the game draws, the same in every
    seating. A `record` keeps what each deal brought to each seat. Matches have no roles.

    block: after how many deals the agents' chance begins anew; 0: it runs on through all of them
    play: who plays the blocks; None: this process
    keeper: takes what was played, for records of it
    """
    by_role = by_role and episode == "deal"
    taken = pair_seatings(game, by_role)
    own = np.array(taken) == 0
    among_itself = np.zeros_like(own)
    among_itself[game.side_count :] = True
    ours, theirs = Tally(a.name, own), Tally(b.name, among_itself)
    tallies = (ours, theirs) if by_role else (ours,)
    series = Series(taken, deals, seed, use, episode, start_states, block, bool(keeper))
    play_all(game, (a, b), series, on_progress, tallies, record, play, keeper)
    roles = tuple(role for tally in tallies for role in tally.by_role()) if by_role else ()
    return ours.result(b.name, deals, roles)


def play_field(
    game: Game,
    agent: Agent,
    field: Iterable[tuple[Agent, int]],
    seed: int,
    use: Use = Use.TEST,
    by_role: bool = False,
    start_states: bool = False,
    on_progress: OnProgress = lambda games: None,
) -> list[PairResult]:
    """Pairs of an agent with each of a field, over as many duplicate deals as stand beside the opponent."""
    return [
        play_pair(
            game,
            agent,
            other,
            deals,
            seed,
            use,
            by_role=by_role,
            start_states=start_states,
            on_progress=on_progress,
        )
        for other, deals in field
    ]


def play_together(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    use: Use = Use.TEST,
    start_states: bool = False,
    episode: Episode = "deal",
    record: "Record | None" = None,
    on_progress: OnProgress = lambda games: None,
    block: int = 0,
    play: Play | None = None,
    keeper: RecordKeeper | None = None,
) -> list[PairResult]:
    """Play deals of a seed with as many agents as there are sides, in every arrangement; a result for each
    agent. The arguments are those of `play_pair`."""
    taken = arrangements(game)
    tallies = [Tally(agent.name, np.array(taken) == number) for number, agent in enumerate(agents)]
    series = Series(taken, deals, seed, use, episode, start_states, block, bool(keeper))
    play_all(game, agents, series, on_progress, tallies, record, play, keeper)
    results = []
    for agent, tally in zip(agents, tallies, strict=True):
        others = " and ".join(other.name for other in agents if other is not agent)
        results.append(tally.result(others, deals, tally.by_role()))
    return results


def in_parts(points: np.ndarray) -> tuple[np.ndarray, int]:
    """Points, float64[n], as whole numbers of equal parts of one point, and how many parts make a point.

    Games share points out, into thirds for example, which floats cannot hold: their sums would differ from
    zero where the points do not. Points of no such parts are taken to the last bit.
    """
    for parts in range(1, MOST_PARTS + 1):
        whole = np.rint(points * parts)
        if (abs(points * parts - whole) <= ROUNDING * (1 + abs(whole))).all():
            few = float(whole @ whole) < 2**62  # so sums of products stay inside of int64
            return (whole.astype(np.int64) if few else np.array([*map(int, whole)], object)), parts
    exact = [Fraction(number) for number in points.tolist()]
    parts = max(number.denominator for number in exact)  # a power of two, as all of them are
    return np.array([int(number * parts) for number in exact], object), parts


class Interval(NamedTuple):
    """A mean, and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass
class Ratio:
    """The sum over deals of some points by the sum of the seats that got them, and its 95 % interval.

    Only sums are kept, of the points and seats of each deal and of their squares and products. They are
    exact: the order of the deals changes nothing, and what adds up to zero is zero.
    """

    deals: int = 0  # with at least one such seat
    points: Fraction = Fraction(0)
    seats: int = 0
    point_squares: Fraction = Fraction(0)
    products: Fraction = Fraction(0)
    seat_squares: int = 0

    def add(self, points: np.ndarray, seats: np.ndarray) -> None:
        """Add deals: the points of each, float64[n], and how many seats got them, int64[n]."""
        whole, parts = in_parts(points)
        self.deals += int(np.count_nonzero(seats))
        self.points += Fraction(int(whole.sum()), parts)
        self.seats += int(seats.sum())
        self.point_squares += Fraction(int(whole @ whole), parts**2)
        self.products += Fraction(int(whole @ seats), parts)
        self.seat_squares += int(seats @ seats)

    @property
    def mean(self) -> float:
        return float(self.points) / self.seats

    def interval(self) -> Interval:
        """The mean and the ends of its interval: Student's t with the deals' deviations from their share."""
        squares = self.point_squares, self.products, self.products, self.seat_squares
        weights = np.array([1.0, -self.mean])
        deviations = float(weights @ np.array(squares, float).reshape(2, 2) @ weights)
        if deviations < 1e-12 * squares[0]:  # floats have lost most digits
            share = self.points / self.seats
            deviations = float(squares[0] - 2 * share * self.products + share**2 * self.seat_squares)
        error = np.sqrt(deviations * self.deals / (self.deals - 1)) / self.seats
        margin = float(stdtrit(self.deals - 1, 0.975) * error)
        return Interval(self.mean, self.mean - margin, self.mean + margin)

    def interval_if_known(self) -> tuple[float, float | None, float | None]:
        """The same without ends after too few deals, or if all of them brought the same."""
        mean, low, high = self.interval() if self.deals >= FEWEST else (self.mean, 0.0, 0.0)
        return (mean, low, high) if low < high else (mean, None, None)


class Tally:
    """How an agent fares in its seats, `own`, bool[seatings, seats], summed up over deals."""

    def __init__(self, agent: str, own: np.ndarray):
        self.agent = agent
        self.own = own
        self.points, self.wins = Ratio(), Ratio()
        self.roles: dict[str, Ratio] = {}

    def add(self, rewards: np.ndarray, roles: Mapping[str, np.ndarray]) -> None:
        """Add deals: rewards, float64[deals, seatings, seats], and who had which role, bool of that shape."""
        points = rewards[:, self.own]
        seats = np.full(len(points), points.shape[1])
        self.points.add(points.sum(axis=1), seats)
        self.wins.add(((points > 0) + (points == 0) / 2).sum(axis=1), seats)
        for role, has_role in roles.items():
            counted = has_role & self.own
            ratio = self.roles.setdefault(role, Ratio())
            ratio.add(np.where(counted, rewards, 0).sum(axis=(1, 2)), counted.sum(axis=(1, 2)))

    def result(self, others: str, deals: int, roles: tuple[RoleResult, ...]) -> PairResult:
        """Return the agent's result against others over so many deals."""
        points, wins = self.points.interval(), self.wins.interval()
        return PairResult(
            a=self.agent,
            b=others,
            deals=deals,
            mean=points.mean,
            low=points.low,
            high=points.high,
            win_rate=wins.mean,
            win_low=wins.low,
            win_high=wins.high,
            roles=roles,
        )

    def by_role(self) -> tuple[RoleResult, ...]:
        """The points for each role that one of these seats ever had."""
        results = []
        for role, ratio in self.roles.items():
            if not ratio.deals:
                continue
            share = ratio.seats / self.points.seats
            mean, low, high = ratio.interval_if_known()
            results.append(RoleResult(self.agent, role, share, mean, low, high))
        return tuple(results)


class Record:
    """What each deal brought to each seat: `rewards()`, float32[deals, seatings, seats]. `seatings` has for
    each seat the number of the agent that took it."""

    def __init__(self) -> None:
        self.seatings: Sequence[Seating] = ()
        self._blocks: list[np.ndarray] = []

    def add(self, rewards: np.ndarray, roles: Mapping[str, np.ndarray]) -> None:
        self._blocks.append(rewards.astype(np.float32))

    def rewards(self) -> np.ndarray:
        return np.concatenate(self._blocks)


def play_all(
    game: Game,
    agents: Sequence[Agent],
    series: Series,
    on_progress: OnProgress,
    tallies: Sequence["Tally | Record"],
    record: "Record | None" = None,
    play: Play | None = None,
    keeper: RecordKeeper | None = None,
) -> None:
    """Play a series, and add its deals to the tallies, and to the record and the keeper if there are any."""
    if record:
        record.seatings = series.seatings
        tallies = [*tallies, record]
    for points in (play or play_here)(game, agents, series, on_progress):
        for tally in tallies:
            tally.add(points.rewards, points.roles)
        if keeper:
            keeper.add([agent.name for agent in agents], series.seatings, points)


def blocks_of(series: Series, agents: Sequence[Agent]) -> Iterator[Block]:
    """What of a series can be played apart: blocks of the size that it names, or else all deals, as the
    agents' chance runs on through them, unless none of them draws any."""
    size, deals = series.block, series.deals
    if not size:
        size = deals if any(agent.draws for agent in agents) else DEALS_AT_ONCE
    for number, start in enumerate(range(0, deals, size)):
        yield start, min(start + size, deals), number


def play_here(
    game: Game, agents: Sequence[Agent], series: Series, on_progress: OnProgress
) -> Iterator[Points]:
    """Play a series in this process, one block after the other."""
    for block in blocks_of(series, agents):
        yield from play_block(game, agents, series, block, on_progress)


def play_block(
    game: Game,
    agents: Sequence[Agent],
    series: Series,
    block: Block,
    on_progress: OnProgress = lambda games: None,
) -> Iterator[Points]:
    """Play the deals of one block in each of the seatings, at most `DEALS_AT_ONCE` at a time."""
    first, end, number = block
    seed, use = series.seed, series.use
    stream = (number,) if number else ()  # the first block has the streams of a series without blocks
    for place, agent in enumerate(agents):
        if not agent.outside:
            agent.seed_for(seed, Use.AGENTS, use, place, *stream)
    at_once = min(end - first, DEALS_AT_ONCE)
    lanes = Lanes(game, at_once, series.episode, start_states=series.start_states)
    for start in range(first, end, at_once):
        numbers = np.arange(start, min(start + at_once, end))
        shape = len(numbers), len(series.seatings), game.seats
        rewards = np.zeros(shape)
        roles: dict[str, np.ndarray] = {}
        played = []
        for row, seating in enumerate(series.seatings):
            line_up = [fresh(agent, game) for agent in agents]
            for place, agent in enumerate(line_up):
                if agent.outside:
                    agent.seed_for(seed, Use.AGENTS, use, place, number, start, row)
            players = [line_up[number] for number in seating]
            trace = Trace() if series.records else None
            rewards[:, row] = play_deals(lanes, players, seed, use, numbers, trace)
            if trace:
                names = tuple(player.name for player in players)
                played.append(trace.played(lanes, numbers, names, series.start_states))
            by_role = {} if lanes.match else game.roles(lanes.states[: len(numbers)])
            for role, has_role in by_role.items():
                roles.setdefault(role, np.zeros(shape, bool))[:, row] = has_role
            on_progress(len(numbers))
        yield Points(rewards, roles, list(zip(*played, strict=True)))


def play_deals(
    lanes: Lanes,
    players: Sequence[Agent],
    seed: int,
    use: Use,
    numbers: np.ndarray,
    trace: Trace | None = None,
) -> np.ndarray:
    """Play these deals, or matches, of a seed with one agent a seat; the rewards, float64[deals, seats].

    A deal that an agent gives up ends there and pays as `forfeit` has it; a match cannot be given up.

    trace: keeps the actions

    Raises AgentError for a match without end, as of random players in Preferans, and for one given up.
    """
    active = np.arange(len(numbers))
    forfeits: dict[int, int] = {}  # the seat that has given the deal of a lane up
    if lanes.match:  # each with a seed of its own: a second deal of one must not be the first of the next
        lanes.states["seed"][active] = [stream_seed(seed, use, number) for number in numbers.tolist()]
        lanes.states["deal_number"][active] = 0
    else:
        lanes.states["seed"] = stream_seed(seed, use)
        lanes.states["deal_number"][active] = numbers
    lanes.start(active, pass_over=False)  # the next deal is another lane's
    active = active[~lanes.terminations[active]]
    while len(active):
        actions = np.empty(len(active), np.int64)
        seats = lanes.seats[active]
        for agent in dict.fromkeys(players):
            own = np.isin(seats, [seat for seat, player in enumerate(players) if player is agent])
            if own.any():
                actions[own] = agent.act_or_forfeit(Turns.of(lanes, active[own]))
        if (given_up := actions == FORFEIT).any():
            forfeits |= zip(active[given_up].tolist(), seats[given_up].tolist(), strict=True)
            if lanes.match:
                name = players[seats[given_up][0]].name
                raise AgentError(f"agent {name} gives a match up; expected it to play to the end")
            active, actions = active[~given_up], actions[~given_up]
        lanes.step(actions, active, restart=False)
        if trace:
            trace.add(active, actions)
        active = active[~lanes.terminations[active]]
        if lanes.match and (lanes.states["deals_done"][active] >= LONGEST_MATCH).any():
            names = " and ".join(dict.fromkeys(agent.name for agent in players))
            raise AgentError(
                f"a match of {names} is not over after {LONGEST_MATCH:,} deals: compare them by deals"
            )
    rewards = lanes.states["reward"][: len(numbers), : lanes.game.seats]
    rewards = rewards.astype(float)  # the lanes' own are float32, in which thirds differ from thirds
    for lane, seat in forfeits.items():
        rewards[lane] = forfeit(lanes.game, seat)
    return rewards


def forfeit(game: Game, seat: int) -> np.ndarray:
    """The points of a deal that a seat has given up, float64[seats]: each seat of its side loses the most
    that a deal can cost, and the others share that out."""
    own = np.array(game.sides) == game.sides[seat]
    least, _ = game.stakes
    return np.where(own, least, -least * own.sum() / (~own).sum())

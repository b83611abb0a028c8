"""Matches between agents over duplicate deals: the same cards with the seats rotated.

Deal k of a comparison has the same cards for every pair of agents and every seating, so results are paired.
The interval is over deals, each deal counted once with the mean over its seatings. Deals are played and added
up some thousand at a time, so any number of them takes the same memory. In place of deals whole matches may
be played, match k with the same cards in every seating as long as it lasts.

Blocks of deals can be played apart, here or on other machines (`workers.py`). Where they begin depends on the
settings alone, so the results are the same wherever they are played.

The chance of an agent derives from what it was made of, its copy, the deal and the seat. If it derived from
the place in a comparison, equal agents would play the same games at every table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import permutations
from typing import NamedTuple, Protocol

import numpy as np

from stichwerk.agents.core.agent import FORFEIT, Agent, AgentError, Turns
from stichwerk.agents.evaluation.playing.advantages import Advantages
from stichwerk.agents.evaluation.playing.played import Played, Trace
from stichwerk.agents.evaluation.statistics.tallies import DealPoints, PairResult, Ratio, Seating, Tally
from stichwerk.agents.external.custom import fresh
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Episode, Lanes
from stichwerk.envs.spec.game import Game
from stichwerk.support.chance import scrambled
from stichwerk.support.errors import InputError

DEALS = 2, 2**32  # in a comparison: at least, and at most, because a seed's cards repeat after these
DEALS_AT_ONCE = 4096
LONGEST_MATCH = 1_000  # deals; matches of rule-based players take up to some two hundred

OnProgress = Callable[[int], None]  # is told how many games have been finished
Stop = Callable[[Ratio], bool]  # is told the first agent's points; whether the comparison ends here


class Points(NamedTuple):
    """The points of some consecutive deals.

    Attributes:
        rewards: float64[deals, seatings, seats]
        roles: who had which role, bool of that shape
        played: each deal, or match, in each seating, or none if the series keeps none
        less_luck: the rewards with less luck, if the series asks for that
    """

    rewards: np.ndarray
    roles: dict[str, np.ndarray]
    played: Sequence[Sequence[Played]] = ()
    less_luck: np.ndarray | None = None


@dataclass(frozen=True)
class Series:
    """Deals 0 … deals - 1 of a seed, or as many matches.

    Attributes:
        deals: the number of deals, or of matches, each played in every seating
        seed: of the cards, and of the agents' chance
        use: which deals of the seed; those of different uses are independent
        episode: what is played and counted, a deal or a match
        start_states: whether each begins in a start state that the game draws, the same in every seating
        block: how many deals are played in a row, after which agents from outside begin afresh; 0: as many as
            are played at once
        records: whether the deals are kept, so that there can be records of them
        less_luck: in how many worlds each decision is valued, where the opponent's policy is known
            (`advantages.py`); 0: deals count as they went. Of matches it must be 0
        seatings: the agent of each seat by its number, in each seating; a comparison sets its own

    Raises:
        InputError: for fewer deals than an interval needs, or more than a seed has.
    """

    deals: int
    seed: int
    use: Use = Use.TEST
    episode: Episode = "deal"
    start_states: bool = False
    block: int = 0
    records: bool = False
    less_luck: int = 0
    seatings: Sequence[Seating] = ()

    def __post_init__(self):
        least, most = DEALS
        if not least <= self.deals <= most:
            raise InputError(f"deals: got {self.deals}; expected a whole number from {least} to {most}")


class RecordKeeper(Protocol):
    """Takes the deals of a series as they are played."""

    def add(self, agents: Sequence[str], seatings: Sequence[Seating], points: Points) -> None: ...


Block = tuple[int, int]  # its first deal, and the one after its last
Play = Callable[[Game, Sequence[Agent], Series, OnProgress], Iterator[Points]]


@dataclass(frozen=True, kw_only=True)
class Playing:
    """The place where a series is played, and its callbacks.

    Attributes:
        play: plays the blocks, here or elsewhere; None: this process
        on_progress: is told how many games have been finished
        deal_points: keeps the game points of each deal and seat
        keeper: takes the deals as they are played, for records of them
        stop: is asked after each block, or part of one, whether to stop; None: all deals are played
    """

    play: Play | None = None
    on_progress: OnProgress = lambda games: None
    deal_points: DealPoints | None = None
    keeper: RecordKeeper | None = None
    stop: Stop | None = None


HERE = Playing()


def seatings(game: Game) -> list[Seating]:
    """The seatings of a pair: agent 0 takes every side once, agent 1 all the others."""
    return [[int(side != own) for side in game.sides] for own in range(game.side_count)]


def pair_seatings(game: Game, by_role: bool) -> list[Seating]:
    """The seatings of a pair; with `by_role`, in a game that has roles, also agent 1 in all seats."""
    alone = [[1] * game.seats] if by_role and game.spec.roles else []
    return [*seatings(game), *alone]


def arrangements(game: Game) -> list[Seating]:
    """The seatings of one agent per side, in every order."""
    return [[order[side] for side in game.sides] for order in permutations(range(game.side_count))]


def games_in_pair(game: Game, by_role: bool = False) -> int:
    """The number of games that a pair plays of each deal."""
    return len(pair_seatings(game, by_role))


def play_pair(
    game: Game, a: Agent, b: Agent, series: Series, by_role: bool = False, playing: Playing = HERE
) -> PairResult:
    """Compare two agents over duplicate deals, each deal in every seating.

    Args:
        game: The game under its rules, which both agents play.
        a: Takes each side once in every deal.
        b: Takes all other seats.
        series: The deals, or matches.
        by_role: Also play each deal with agent `b` in all seats, and give results by role; matches have none.
        playing: Where they are played, and what follows them.

    Returns:
        The result from the side of `a`: game points per deal and the share of games won, with 95 % intervals
        over deals.

    Raises:
        AgentError: for a match without end, and for an agent that fails or gives a match up.
    """
    by_role = by_role and series.episode == "deal"
    series = replace(series, seatings=pair_seatings(game, by_role))
    own = np.array(series.seatings) == 0
    among_itself = np.zeros_like(own)
    among_itself[game.side_count :] = True
    ours, theirs = Tally(a.name, own), Tally(b.name, among_itself)
    tallies = (ours, theirs) if by_role else (ours,)
    _play_all(game, (a, b), series, tallies, playing)
    roles = tuple(role for tally in tallies for role in tally.by_role()) if by_role else ()
    return ours.result(b.name, ours.points.deals, roles)


def play_field(
    game: Game,
    agent: Agent,
    field: Iterable[tuple[Agent, Series]],
    by_role: bool = False,
    playing: Playing = HERE,
) -> list[PairResult]:
    """Compare an agent with each of a field, whose agents come with the deals to play against them.

    The other arguments are those of `play_pair`.

    Returns:
        A result for each opponent, from the side of `agent`.
    """
    return [play_pair(game, agent, other, series, by_role, playing) for other, series in field]


def play_together(
    game: Game, agents: Sequence[Agent], series: Series, playing: Playing = HERE
) -> list[PairResult]:
    """Compare one agent per side, in every arrangement of each deal.

    The arguments are those of `play_pair`.

    Returns:
        A result for each agent, against all others together.
    """
    series = replace(series, seatings=arrangements(game))
    tallies = [Tally(agent.name, np.array(series.seatings) == number) for number, agent in enumerate(agents)]
    _play_all(game, agents, series, tallies, playing)
    results = []
    for agent, tally in zip(agents, tallies, strict=True):
        others = " and ".join(other.name for other in agents if other is not agent)
        results.append(tally.result(others, tally.points.deals, tally.by_role()))
    return results


def _play_all(
    game: Game, agents: Sequence[Agent], series: Series, tallies: Sequence[Tally], playing: Playing
) -> None:
    """Play a series, or until it is to stop by the first tally's points, and add its deals to the tallies."""
    takers: list[Tally | DealPoints] = [*tallies]
    if playing.deal_points:
        playing.deal_points.seatings = series.seatings
        takers.append(playing.deal_points)
    series = replace(series, records=series.records or bool(playing.keeper))
    for points in (playing.play or play_here)(game, agents, series, playing.on_progress):
        for taker in takers:
            taker.add(points.rewards, points.roles, points.less_luck)
        if playing.keeper:
            playing.keeper.add([agent.name for agent in agents], series.seatings, points)
        if playing.stop and playing.stop(tallies[0].points):
            return


def blocks_of(series: Series) -> Iterator[Block]:
    """The blocks of a series, which can be played apart."""
    size = series.block or DEALS_AT_ONCE
    for start in range(0, series.deals, size):
        yield start, min(start + size, series.deals)


def play_here(
    game: Game, agents: Sequence[Agent], series: Series, on_progress: OnProgress
) -> Iterator[Points]:
    """Play a series in this process, one block after the other."""
    for block in blocks_of(series):
        yield from play_block(game, agents, series, block, on_progress)


def play_block(
    game: Game,
    agents: Sequence[Agent],
    series: Series,
    block: Block,
    on_progress: OnProgress = lambda games: None,
) -> Iterator[Points]:
    """Play the deals of one block in each of the seatings.

    Yields:
        The points of at most `DEALS_AT_ONCE` deals at a time.
    """
    first, end = block
    seed, use = series.seed, series.use
    origins = origins_of(agents)
    chances = [seat_chances(seed, use, origin, game.seats) for origin in origins]
    worlds = series.less_luck
    advantages = Advantages.between(game, agents, worlds, series.start_states) if worlds else None
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
            for agent, origin in zip(line_up, origins, strict=True):
                if agent.outside:
                    agent.seed_for(seed, Use.AGENTS, use, *origin, start, row)
            players = [line_up[number] for number in seating]
            chance = np.array([chances[number][seat] for seat, number in enumerate(seating)])
            trace = Trace() if series.records or advantages else None
            rewards[:, row] = play_deals(lanes, players, seed, use, numbers, trace, chance)
            if trace:
                names = tuple(player.name for player in players)
                played.append(trace.played(lanes, numbers, names, series.start_states))
            by_role = {} if lanes.match else game.roles(lanes.states[: len(numbers)])
            for role, has_role in by_role.items():
                roles.setdefault(role, np.zeros(shape, bool))[:, row] = has_role
            on_progress(len(numbers))
        games = list(zip(*played, strict=True))
        less_luck = advantages.points(rewards, games, series.seatings) if advantages else None
        yield Points(rewards, roles, games if series.records else (), less_luck)


def origins_of(agents: Sequence[Agent]) -> list[tuple[int, ...]]:
    """Three numbers for each agent: what it was made of, its copy, and how often both have come before."""
    known = []
    for agent in agents:
        text, copy = agent.origin
        made_of = sha256((text or agent.name).encode()).digest()
        known.append((int.from_bytes(made_of[:8], "big"), copy))
    return [(*origin, known[:place].count(origin)) for place, origin in enumerate(known)]


def seat_chances(seed: int, use: Use, origin: Sequence[int], seats: int) -> np.ndarray:
    """A seed for the chance of an agent of this origin in each seat of a seed's deals, uint64[seats]."""
    own = np.uint64(stream_seed(seed, Use.AGENTS, use, *origin))
    return scrambled(own + scrambled(np.arange(seats, dtype=np.uint64)))


def play_deals(
    lanes: Lanes,
    players: Sequence[Agent],
    seed: int,
    use: Use,
    numbers: np.ndarray,
    trace: Trace | None = None,
    chances: np.ndarray | None = None,
) -> np.ndarray:
    """Play deals, or matches, of a seed with one agent a seat.

    A deal that an agent gives up ends there and pays as `Game.forfeit` has it; a match cannot be given up.

    Args:
        lanes: At least as many as there are deals to play.
        players: The agent of each seat.
        seed: Of the cards.
        use: Which deals of the seed.
        numbers: The numbers of the deals, int64[deals].
        trace: Keeps the actions.
        chances: A seed for the chance in each seat, as `seat_chances` has them; deal and decision vary it.
            None: agents draw on as they go. Agents from outside always do.

    Returns:
        The game points of each deal and seat, float64[deals, seats].

    Raises:
        AgentError: for a match without end, as of random players in Preferans, and for one given up.
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
    of_deals, decision = scrambled(numbers.astype(np.uint64)), 0
    while len(active):
        chance = None
        if chances is not None and any(agent.draws for agent in players):
            chance = np.zeros(len(lanes.seats), np.uint64)
            of_turns = scrambled(chances[lanes.seats[active]] + of_deals[active]) + np.uint64(decision)
            chance[active] = scrambled(of_turns)
        decision += 1
        actions = np.empty(len(active), np.int64)
        seats = lanes.seats[active]
        for agent in dict.fromkeys(players):
            own = np.isin(seats, [seat for seat, player in enumerate(players) if player is agent])
            if own.any():
                turns = Turns.of(lanes, active[own])
                if not agent.outside:  # whose chance may tell the deals' seed
                    turns = replace(turns, chance=chance)
                actions[own] = agent.act_or_forfeit(turns)
        if (given_up := actions == FORFEIT).any():
            forfeits |= zip(active[given_up].tolist(), seats[given_up].tolist(), strict=True)
            if lanes.match:
                name = players[seats[given_up][0]].name
                raise AgentError(f"agent {name} gave up a match; expected it to play to the end")
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
        rewards[lane] = lanes.game.forfeit(seat)
    return rewards

"""Games as rows of a data set: their actions are played again side by side, each decision is observed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stichwerk.agents.data.columns import Packed, pack_bits
from stichwerk.agents.evaluation.playing.played import Played
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game

MOST_BYTES = 2**26  # of the observations that are held at once
USUAL_DECISIONS = 32  # of a deal


class Games(NamedTuple):
    """Deals that have been played, for rows.

    Attributes:
        deals: their numbers, int64[n]
        line_ups: the numbers of their line-ups, int64[n]
        states: after dealing, [n]
        actions: ids of each deal, int64[decisions]
        points: that they paid, float64[n, seats]
        policies: numbers of the agents, int64[n, seats]
        seats: the only seat whose decisions count, int64[n]; -1: all
    """

    deals: np.ndarray
    line_ups: np.ndarray
    states: np.ndarray
    actions: Sequence[np.ndarray]
    points: np.ndarray
    policies: np.ndarray
    seats: np.ndarray


def games_played(
    lanes: Lanes,
    played: Sequence[Played],
    points: np.ndarray,
    line_up: int,
    seating: Sequence[int],
) -> Games:
    """Deals of an evaluation, in one seating.

    Args:
        lanes: at least as many as deals; their states are overwritten
        played: the deals
        points: float64[n, seats]
        line_up: the number of the seating
        seating: the number of the agent in each seat
    """
    which = np.arange(len(played))
    lanes.states["seed"][which] = [each.seed for each in played]
    lanes.states["deal_number"][which] = [each.number for each in played]
    lanes.start(which, pass_over=False)
    return Games(
        np.array([each.number for each in played]),
        np.full(len(played), line_up),
        lanes.states[which].copy(),
        [each.actions.astype(np.int64) for each in played],
        points,
        np.tile(np.asarray(seating), (len(played), 1)),
        np.full(len(played), -1),
    )


def games_recorded(
    game: Game, replay: RecordReplay, records: Sequence[DealRecord], first: int, policies: np.ndarray
) -> Games:
    """Recorded deals, which must be over and have been checked.

    Args:
        game: of the records
        replay: of the game
        records: the deals
        first: the number of the first one
        policies: numbers of the players' names, int64[n, seats]
    """
    states = np.zeros(len(records), game.state)
    for place, record in enumerate(records):
        options = {"deck": record.deck, "dealer": record.dealer, "match": record.match}
        states[place] = replay.dealt(options)[0]
    return Games(
        first + np.arange(len(records)),
        np.zeros(len(records), np.int64),
        states,
        [np.array([game.action_index[move.action] for move in each.moves], np.int64) for each in records],
        np.array([each.points for each in records]),
        policies,
        np.array([-1 if each.seat is None else each.seat for each in records]),
    )


class Rows(NamedTuple):
    """Decisions in order of deal, line-up and step; arrays of one row each."""

    deal: np.ndarray
    line_up: np.ndarray
    step: np.ndarray
    seat: np.ndarray
    policy: np.ndarray
    observation: Packed
    action_mask: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    points: np.ndarray
    last: np.ndarray


def lanes_for(game: Game, observation: str, start_states: bool, most: int) -> Lanes:
    """Lanes for games that are played again: as many as memory holds observations of, `most` at most."""
    row = 4 * game.encoding(observation).size * USUAL_DECISIONS
    return Lanes(
        game,
        max(min(most, MOST_BYTES // row), 1),
        observation=observation,
        start_states=start_states,
        keep_views=False,
    )


def rows_of(lanes: Lanes, games: Games) -> Rows:
    """The decisions of some games, at most as many as there are lanes.

    Raises:
        IllegalAction: an action is not legal where it was played.
    """
    count = len(games.deals)
    which = np.arange(count)
    lanes.states[which] = games.states
    lanes.observe(which)
    lengths = np.array([len(actions) for actions in games.actions], np.int64)
    starts = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    actions = np.concatenate([np.zeros(0, np.int64), *games.actions])
    observation = np.empty((total, lanes.encoding.size), np.float32)
    mask = np.empty((total, lanes.mask.shape[1]), bool)
    seats = np.empty(total, np.int64)
    for step in range(int(lengths.max(initial=0))):
        active = np.flatnonzero(lengths > step)
        places = starts[active] + step
        observation[places], mask[places] = lanes.observation[active], lanes.mask[active]
        seats[places] = lanes.seats[active]
        lanes.step(actions[places], active, restart=False)
    of_game = np.repeat(which, lengths)
    points = games.points[of_game, seats]
    final = np.full((count, lanes.game.seats), -1)
    final[of_game, seats] = np.arange(total)  # of several rows the last stays
    last = np.zeros(total, bool)
    last[final[final >= 0]] = True
    rows = Rows(
        games.deals[of_game],
        games.line_ups[of_game],
        np.arange(total) - starts[of_game],
        seats,
        games.policies[of_game, seats],
        Packed.of(observation),
        pack_bits(mask),
        actions,
        np.where(last, points, 0),
        points,
        last,
    )
    only = games.seats[of_game]
    return rows if (only < 0).all() else chosen(rows, (only < 0) | (only == seats))


def chosen(rows: Rows, which: np.ndarray) -> Rows:
    """Those rows that bool[n] names."""
    packed = rows.observation
    values = packed.values[np.repeat(which, packed.counts)]
    observation = Packed(packed.ones[which], packed.others[which], packed.counts[which], values)
    others = {name: getattr(rows, name)[which] for name in Rows._fields if name != "observation"}
    return Rows(observation=observation, **others)


def together(parts: Sequence[Rows]) -> Rows:
    """Several runs of rows as one, in order of deal, line-up and step."""
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Rows._fields
        if name != "observation"
    }
    packed = Packed(*map(np.concatenate, zip(*(part.observation for part in parts), strict=True)))
    order = np.lexsort((joined["step"], joined["line_up"], joined["deal"]))
    starts = np.cumsum(packed.counts) - packed.counts
    counts = packed.counts[order]
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    values = packed.values[np.repeat(starts[order], counts) + within]
    observation = Packed(packed.ones[order], packed.others[order], counts, values)
    return Rows(observation=observation, **{name: array[order] for name, array in joined.items()})


def in_pieces(count: int, most: int) -> Iterator[slice]:
    """Slices of at most `most` of `count` places."""
    for start in range(0, count, most):
        yield slice(start, min(start + most, count))

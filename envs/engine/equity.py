"""Match equity: the probability of winning a match from each of its states, E[score, dealer].

It follows from the results of deals (`MatchScoring.results`) by the game's own scoring of a match. A result
is the points of the dealer and of the following seats, whatever the score. Other rules than those that were
played have the results of the rule set from which they differ in the fewest options.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.options import Options
from stichwerk.support.parsing import read_json, read_text

MOST_PLACES = 1 << 18  # states of a match; where there are more, deals are worth their points
EXACT = 1e-13  # a change of probability after which a match without end is solved
NO_EQUITY = np.zeros((0, 0))
"""In place of a table: deals are worth their points."""


class Standing(Protocol):
    """Return the probability that a seat wins the match of a state, deals still to be scored left out; 0.0
    outside of matches and without a table.

    `equity` is the table of a `MatchEquity`, or NO_EQUITY.
    """

    def __call__(self, rules: np.record, state: np.record, seat: int, equity: np.ndarray, /) -> float: ...


class Values(NamedTuple):
    """The one place where the end of a deal becomes a value.

    Attributes:
        standing: what a seat has before the deal
        worth: what it has after it: its probability of winning the match, or outside of matches, and without
            a table, the game points of the deal. The difference of both is the value of the deal
    """

    standing: Standing
    worth: Standing


@cache
def values_for(spec: GameSpec) -> Values:
    """The compiled functions that value the deals of a game."""
    scoring = spec.scoring

    @compiled
    def nothing(rules, state, seat, equity):
        return 0.0

    @compiled
    def points(rules, state, seat, equity):
        return np.float64(state.deal_points[seat])

    if scoring is None:
        return Values(nothing, points)
    place = scoring.place

    @compiled
    def standing(rules, state, seat, equity):
        if not state.match or not len(equity):
            return 0.0
        if state.over:
            return 1.0 if state.reward[seat] > 0 else 0.0
        return equity[place(rules, state), seat]

    @compiled
    def worth(rules, state, seat, equity):
        if not state.match or not len(equity):
            return np.float64(state.deal_points[seat])
        return standing(rules, state, seat, equity)

    return Values(standing, worth)


class DealResults(NamedTuple):
    """The results of deals.

    Attributes:
        points: of the dealer and the following seats, float64[results, seats]
        shares: of the deals, float64[results], together 1
    """

    points: np.ndarray
    shares: np.ndarray


def results_of(spec: GameSpec, rules: Options) -> DealResults:
    """The results of deals that a game's file has for the rule set nearest to these rules."""
    assert spec.scoring
    played = read_json(read_text(spec.scoring.results))["results"]
    wanted, seats = rules.as_dict(), len(rules.sides)

    def distance(entry: Mapping[str, Any]) -> int:
        own = spec.rules.make(entry["rules"], "").as_dict()
        return sum(own[name] != value for name, value in wanted.items())

    nearest = min((each for each in played if len(each["counts"][0][1]) == seats), key=distance)
    counts = np.array([count for count, _ in nearest["counts"]], float)
    return DealResults(np.array([points for _, points in nearest["counts"]]), counts / counts.sum())


class MatchEquity:
    """The probabilities of winning a match under some rules.

    Attributes:
        table: float64[places, seats], NaN for states that have not come up

    Args:
        game: with its rules, whose spec has a `scoring`
        results: of deals; None: those of the game's file
    """

    def __init__(self, game: Game, results: DealResults | None = None):
        assert game.spec.scoring
        self.game = game
        self.results = results or results_of(game.spec, game.rules)
        self.table = np.full((game.spec.scoring.places(game.rules), game.seats), np.nan)
        self._rules, self._loops = game.rules_record, _loops(game.spec)
        starts = np.repeat(game.spec.state.fresh, game.seats)
        starts["match"], starts["dealer"] = 1, np.arange(game.seats)
        if game.spec.begin_match:
            for start in starts:
                game.spec.begin_match(self._rules[0], start)
        self._states = starts[:0]
        self.cover(starts)

    def of(self, states: np.ndarray) -> np.ndarray:
        """The probability of each seat in these states of matches, records[n], deals under way left out;
        float64[n, seats]."""
        self.cover(states)
        values = np.empty((len(states), self.game.seats))
        self._loops.look_up(self._rules, states, self.table, values)
        return values

    def cover(self, states: np.ndarray) -> None:
        """Let the table have these states of matches, records[n], and all that follow from them."""
        states = states[states["over"] == 0]
        places = np.empty(len(states), np.int64)
        self._loops.number(self._rules, states, places)
        new = np.unique(places, return_index=True)[1]
        new = new[np.isnan(self.table[places[new], 0])]
        if len(new):
            self._add(states[new].copy(), places[new])

    def _add(self, frontier: np.ndarray, places: np.ndarray) -> None:
        """Add states with those that follow from them, and solve the match from each of them."""
        points, shares = self.results
        known = ~np.isnan(self.table[:, 0])
        known[places] = True
        rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        while len(frontier):
            which = np.repeat(np.arange(len(frontier)), len(points))
            chosen = np.tile(np.arange(len(points)), len(frontier))
            following, won = np.empty(len(which), np.int64), np.zeros((len(which), self.game.seats))
            self._loops.follow(self._rules, frontier, which, points, chosen, following, won, frontier[:0])
            rows.append((places, following.reshape(-1, len(points)), won.reshape(-1, *points.shape)))
            places, new = np.unique(following, return_index=True)
            new = new[(places >= 0) & ~known[places]]
            places = following[new]
            known[places] = True
            following, won = np.empty(len(new), np.int64), np.zeros((len(new), self.game.seats))
            kept = np.empty(len(new), self.game.state)
            self._loops.follow(self._rules, frontier, which[new], points, chosen[new], following, won, kept)
            frontier = kept
        places, following, won = (np.concatenate(part) for part in zip(*rows, strict=True))
        self._solve(places, following, np.einsum("r,prs->ps", shares, won), shares)

    def _solve(self, places: np.ndarray, following: np.ndarray, won: np.ndarray, shares: np.ndarray) -> None:
        """Write the probabilities of these places.

        A deal may leave the match as it is, so no order of the states will do: they are solved together, by
        going back one deal after another until nothing changes.

        Args:
            places: int64[n]
            following: their next places by result, int64[n, results]; -1 where the match is over
            won: the probability of each seat to win the match with the next deal, float64[n, seats]
            shares: of the results
        """
        goes_on = following >= 0
        old = goes_on & ~np.isnan(self.table[following, 0]) & ~np.isin(following, places)
        row_of = np.zeros(len(self.table), np.int64)
        row_of[places] = np.arange(len(places))
        into = np.where(goes_on & ~old, row_of[following], len(places))
        won = won + np.einsum("r,nrs->ns", shares, np.where(old[..., None], self.table[following], 0.0))
        values = np.zeros((len(places) + 1, won.shape[1]))  # the last row: over
        change = 1.0
        while change > EXACT:
            before = values[:-1].copy()
            values[:-1] = won
            for result, share in enumerate(shares):
                values[:-1] += share * np.vstack([before, np.zeros_like(before[:1])])[into[:, result]]
            change = np.abs(values[:-1] - before).max()
        self.table[places] = values[:-1]


class _Loops(NamedTuple):
    number: Any
    look_up: Any
    follow: Any


@cache
def _loops(spec: GameSpec) -> _Loops:
    """Compiled loops over states of matches."""
    assert spec.scoring
    settle, place = spec.scoring.settle, spec.scoring.place
    standing = values_for(spec).standing
    size, blank = spec.state.dtype.itemsize, spec.state.fresh

    @compiled
    def number(rules, states, places):
        for i in range(len(states)):
            places[i] = place(rules[0], states[i])

    @compiled
    def look_up(rules, states, equity, values):
        for i in range(len(states)):
            for seat in range(values.shape[1]):
                values[i, seat] = standing(rules[0], states[i], seat, equity)

    @compiled
    def follow(rules, states, which, points, chosen, places, won, kept):
        """The place after each of some deals, or -1 and who has won; the states go to `kept`, if there is
        room for them."""
        scratch, seats = blank.copy(), points.shape[1]
        for i in range(len(which)):
            state = scratch[0]
            copy_bytes(state, states[which[i]], 0, size)
            for place_at_table in range(seats):
                state.deal_points[(state.dealer + place_at_table) % seats] = points[chosen[i], place_at_table]
            settle(rules[0], state)
            places[i] = -1 if state.over else place(rules[0], state)
            for seat in range(seats):
                won[i, seat] = state.over and state.reward[seat] > 0
            if len(kept):
                copy_bytes(kept[i], state, 0, size)

    return _Loops(number, look_up, follow)


@cache
def _equity_of(spec: GameSpec, env_id: str, rules: Options) -> MatchEquity | None:
    if spec.scoring is None or spec.scoring.places(rules) > MOST_PLACES:
        return None
    return MatchEquity(Game(env_id, spec, rules))


def match_equity(game: Game) -> MatchEquity | None:
    """The match equity of a game under its rules; None where nobody wins its matches, or they have too many
    states."""
    return _equity_of(game.spec, game.env_id, game.rules)


def gains_by_points(game: Game, states: np.ndarray, seat: int, points: np.ndarray) -> np.ndarray:
    """The gain of a seat at a table of two, in its probability to win, float64[n], by a deal that brings it
    these points, float64[n]. The deal, of a match, is an array of one record."""
    equity = match_equity(game)
    assert equity
    assert game.spec.scoring
    after = np.repeat(states, len(points))
    after["deal_points"][:, seat], after["deal_points"][:, 1 - seat] = points, -points
    for state in after:
        game.spec.scoring.settle(game.rules_record[0], state)
    return equity.of(after)[:, seat] - equity.of(states)[0, seat]


def as_of_match(game: Game, states: np.ndarray) -> np.ndarray:
    """A state in the middle of a deal, an array of one record, as one of a match if its score is not a fresh
    one, in a game with match equity. Records keep the score alone."""
    if game.spec.scoring is None or states["match"][0]:
        return states
    fresh = game.spec.state.fresh.copy()
    if game.spec.begin_match:
        game.spec.begin_match(game.rules_record[0], fresh[0])
    if game.match_of(states[0]) == game.match_of(fresh[0]):
        return states
    states = states.copy()
    states["match"] = 1
    return states


def equity_in(game: Game, states: np.ndarray) -> np.ndarray:
    """The table by which deals of these states are valued, records[n]: NO_EQUITY outside of matches, and in
    games without one."""
    equity = match_equity(game) if states["match"].any() else None
    if equity is None:
        return NO_EQUITY
    equity.cover(states[states["match"] != 0])
    return equity.table

"""Estimate the regret of a player: how much another action would have gained, by kind of decision.

Every decision plays all legal actions out in sampled deals. Half of the deals choose the best action, and the
other half estimate its gain over the action taken. The same deals for both would count luck as regret.

The regret is that of one decision. Before it the agents play as they do, and after it all seats play by the
rule-based player, which weights the sampled deals too.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.matches import OnProgress, origins_of, play_deals, seat_chances
from stichwerk.agents.evaluation.statistics.tallies import Ratio
from stichwerk.agents.search.player import effective_number
from stichwerk.agents.search.rollout import LEAST_DOUBT, RolloutPlayer, margins_of
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.equity import as_of_match
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, is_of_match
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.verbs import PLAY
from stichwerk.support.samples import margin_if_equal

LANES = 64  # deals side by side
DIGITS = 4  # of values in records, behind the point


class Choice(NamedTuple):
    """A sort of decision: the decision node, and the verbs of the actions taken and found better."""

    phase: str
    own: str
    better: str

    @property
    def kind(self) -> str:
        """The kind of decision: a verb such as `close`, where one of both actions plays no card, or else the
        decision node."""
        return next((verb for verb in (self.own, self.better) if verb != PLAY), self.phase.lower())


@dataclass(frozen=True)
class Regret:
    """One sort of decision, or all of one kind.

    Attributes:
        kind: a verb such as `close`, where the action taken or a better one plays no card, or else the
            decision node
        phase: the decision node; empty: all of this kind
        own, better: verbs of what was done and of what looked best, such as `play`
        share: how many such decisions there are, per deal and seat
        mean, low, high: game points that the better action gains over them, per deal and seat, with a 95 %
            interval over deals
    """

    kind: str
    phase: str
    own: str
    better: str
    share: float
    mean: float
    low: float
    high: float


class Regrets(NamedTuple):
    """The regret of a player, the largest first: by sort of decision, and by kind."""

    by_choice: list[Regret]
    by_kind: list[Regret]


def measure_regret(
    game: Game,
    player: Agent,
    judge: RolloutPlayer,
    deals: int,
    seed: int,
    start_states: bool = False,
    on_progress: OnProgress = lambda deals: None,
) -> Regrets:
    """Let a player play deals 0 … deals - 1 of a seed with itself, and judge each of its decisions.

    Args:
        judge: samples and weighs the worlds, at least two, and plays the actions out
        deals: at least two
    """
    (origin,) = origins_of([player])
    if player.outside:
        player.seed_for(seed, Use.AGENTS, Use.TEST, *origin)
    judge.seed_for(seed, Use.AGENTS, Use.TEST, 1)
    chances = seat_chances(seed, Use.TEST, origin, game.seats)
    watched = _JudgedAgent(player, judge, game, deals)
    lanes = Lanes(game, min(LANES, deals), start_states=start_states)
    for start in range(0, deals, LANES):
        numbers = np.arange(start, min(start + LANES, deals))
        watched.first = start
        play_deals(lanes, [watched] * game.seats, seed, Use.TEST, numbers, chances=chances)
        on_progress(len(numbers))
    by_kind: dict[str, np.ndarray] = {}
    for choice, per_deal in watched.found.items():
        by_kind[choice.kind] = by_kind.get(choice.kind, 0) + per_deal
    by_choice = [
        _regret(choice.kind, choice, per_deal, game.seats) for choice, per_deal in watched.found.items()
    ]
    kinds = [_regret(kind, Choice("", "", ""), per_deal, game.seats) for kind, per_deal in by_kind.items()]
    return Regrets(*(sorted(each, key=lambda regret: -regret.mean) for each in (by_choice, kinds)))


class _JudgedAgent(Agent):
    """A player whose decisions are judged.

    Attributes:
        first: the number of the deal in lane 0
        found: for each kind of decision, decisions and points gained, float64[2, deals]
    """

    def __init__(self, player: Agent, judge: RolloutPlayer, game: Game, deals: int):
        self.player, self.judge, self.deals = player, judge, deals
        self.first = 0
        self.found: dict[Choice, np.ndarray] = {}
        self._phases, self._actions = game.spec.state.words("phase"), game.actions
        super().__init__(player.name, game)
        self.draws, self.outside = player.draws, player.outside

    def seed(self, seed: int) -> None:
        """The player is seeded apart from the judge."""

    def act(self, turns: Turns) -> np.ndarray:
        actions = self.player.act(turns)
        for lane, action in zip(turns.which.tolist(), actions.tolist(), strict=True):
            if turns.all_masks[lane].sum() > 1:
                view, seat = turns.all_views[lane : lane + 1], int(turns.all_seats[lane])
                legal = np.flatnonzero(turns.all_masks[lane])
                better, gain, *_ = judge_decision(self.judge, view, seat, legal, action)
                phase = self._phases(turns.all_views[lane]["phase"]).name
                choice = Choice(phase, self._actions[action].verb, self._actions[better].verb)
                self.found.setdefault(choice, np.zeros((2, self.deals)))[:, self.first + lane] += 1, gain
        return actions


class Judgement(NamedTuple):
    """A decision as a judge values it.

    Attributes:
        better: the action that looks best to every second world; the one taken if nothing is better
        gain: what it gains over the one taken in the other worlds, in game points or, in a match, in the
            probability to win
        margin: half of the 95 % interval of that
        values: of each legal action, float64[actions], averaged over all worlds
    """

    better: int
    gain: float
    margin: float
    values: np.ndarray


def judge_decision(
    judge: RolloutPlayer, view: np.ndarray, seat: int, actions: np.ndarray, action: int
) -> Judgement:
    """Judge an action of a seat, from its view, an array of one record, and its legal actions, int64[n]."""
    values, weights = judge.try_out(view, seat, actions, int(judge.random.integers(1 << 62)))
    own = int(np.flatnonzero(actions == action)[0])
    means = weights[::2] @ values[::2]
    best = own if means[own] >= means.max() - LEAST_DOUBT else int(means.argmax())
    gains = values[1::2, best] - values[1::2, own]
    shares = weights[1::2] / weights[1::2].sum()
    (margin,) = margins_of(gains[:, None], shares)
    gain = float(weights[1::2] @ gains / weights[1::2].sum())
    if margin < LEAST_DOUBT:  # all worlds say the same
        margin = margin_if_equal(gain, effective_number(shares))
    return Judgement(int(actions[best]), gain, float(margin), weights @ values)


@dataclass(frozen=True)
class JudgedMove:
    """A move of a recorded deal for which another action looks better.

    Attributes:
        move: its number in the deal, from 1
        points, margin: what the better action gains, with half of its 95 % interval
        of_match: whether that is of the probability to win the match, instead of game points
    """

    move: int
    seat: int
    action: str
    better: str
    points: float
    margin: float
    of_match: bool = False


def judge_deal(game: Game, deal: DealRecord, judge: RolloutPlayer) -> tuple[DealRecord, list[JudgedMove]]:
    """Judge the decisions of a recorded deal: of a record of one seat, those of this seat.

    If its score says that a match is under way, they are judged by the probability to win that.

    Args:
        game: of the deal
        deal: is played again and checked
        judge: as `measure_regret` has it

    Returns:
        The deal with the judge's values beside its moves, and the moves that cost something.

    Raises:
        InputError: no play leads to the record.
    """
    replay, moves, costly = RecordReplay(game), [*deal.moves], []
    checked = [*replay.states(deal)]
    of_match = is_of_match(game, deal)
    for number, (states, move) in enumerate(zip(checked, deal.moves, strict=False)):
        view, mask = replay.seen_by(states, move.seat)
        view, actions = as_of_match(game, view), np.flatnonzero(mask)
        if len(actions) < 2 or deal.seat not in (None, move.seat):
            continue
        found = judge_decision(judge, view, move.seat, actions, game.action_index[move.action])
        names = [str(game.actions[action]) for action in actions]
        values = dict(zip(names, found.values.round(DIGITS).tolist(), strict=True))
        moves[number] = replace(move, values=values)
        if found.gain > 0:
            better = str(game.actions[found.better])
            cost = found.gain, found.margin, of_match
            costly.append(JudgedMove(number + 1, move.seat, move.action, better, *cost))
    return replace(deal, moves=tuple(moves)), costly


def _regret(kind: str, choice: Choice, per_deal: np.ndarray, seats: int) -> Regret:
    decisions, points = per_deal
    ratio = Ratio()
    ratio.add(points, np.full(len(points), seats))
    interval = ratio.interval()
    return Regret(
        kind=kind,
        phase=choice.phase,
        own=choice.own,
        better=choice.better,
        share=float(decisions.sum() / ratio.seats),
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
    )

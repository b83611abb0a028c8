"""Estimate the regret of a player: how much another action would have gained, by kind of decision.

Every decision plays all legal actions out in sampled deals. Half of the deals choose the best action, and the
other half estimate its gain over the action taken: the same deals for both would count luck as regret. The
regret is that of one decision: before it the agents play as they do, and after it all seats play by the
rule-based player, which weights the sampled deals too.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stichwerk.agents.base import Agent, Turns
from stichwerk.agents.evaluation.matches import OnProgress, Ratio, play_deals
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.spec.game import Game

LANES = 64  # deals side by side


class Choice(NamedTuple):
    """A kind of decision: the decision node, and the verbs of the actions taken and found better."""

    phase: str
    own: str
    better: str


@dataclass(frozen=True)
class Regret:
    """One kind of decision.

    phase: the decision node; own, better: verbs of what was done and of what looked best, such as `play`
    share: how many such decisions there are, per deal and seat
    mean, low, high: game points that the better action gains over them, per deal and seat, with a 95 %
    interval over deals
    """

    phase: str
    own: str
    better: str
    share: float
    mean: float
    low: float
    high: float


def measure_regret(
    game: Game,
    player: Agent,
    judge: RolloutPlayer,
    deals: int,
    seed: int,
    start_states: bool = False,
    on_progress: OnProgress = lambda deals: None,
) -> list[Regret]:
    """Let a player play deals 0 … deals - 1 of a seed with itself, and judge each of its decisions; the
    largest regrets first.

    judge: samples and weighs the worlds, at least two, and plays the actions out
    deals: at least two
    """
    player.seed_for(seed, Use.AGENTS, Use.TEST, 0)
    judge.seed_for(seed, Use.AGENTS, Use.TEST, 1)
    judged = _Judged(player, judge, game, deals)
    lanes = Lanes(game, min(LANES, deals), start_states=start_states)
    for start in range(0, deals, LANES):
        numbers = np.arange(start, min(start + LANES, deals))
        judged.first = start
        play_deals(lanes, [judged] * game.seats, seed, Use.TEST, numbers)
        on_progress(len(numbers))
    regrets = [_regret(choice, per_deal, game.seats) for choice, per_deal in judged.found.items()]
    return sorted(regrets, key=lambda regret: -regret.mean)


class _Judged(Agent):
    """A player whose decisions are judged.

    first: the number of the deal in lane 0
    found: for each kind of decision, decisions and points gained, float64[2, deals]
    """

    def __init__(self, player: Agent, judge: RolloutPlayer, game: Game, deals: int):
        self.player, self.judge, self.deals = player, judge, deals
        self.first = 0
        self.found: dict[Choice, np.ndarray] = {}
        self._phases, self._actions = game.spec.state.words("phase"), game.actions
        super().__init__(player.name, game)

    def seed(self, seed: int) -> None:
        """The player is seeded apart from the judge."""

    def act(self, turns: Turns) -> np.ndarray:
        actions = self.player.act(turns)
        for lane, action in zip(turns.which.tolist(), actions.tolist(), strict=True):
            if turns.all_masks[lane].sum() > 1:
                better, gain = better_action(self.judge, turns, lane, action)
                phase = self._phases(turns.all_views[lane]["phase"]).name
                choice = Choice(phase, self._actions[action].verb, self._actions[better].verb)
                self.found.setdefault(choice, np.zeros((2, self.deals)))[:, self.first + lane] += 1, gain
        return actions


def better_action(judge: RolloutPlayer, turns: Turns, lane: int, action: int) -> tuple[int, float]:
    """What looks best to every second world, the action itself if nothing is better, and what it gains in the
    others."""
    actions = np.flatnonzero(turns.all_masks[lane])
    view, seat = turns.all_views[lane : lane + 1], int(turns.all_seats[lane])
    seed = int(judge.random.integers(1 << 62))
    values, weights = judge.try_out(view, seat, actions, seed)
    own = int(np.flatnonzero(actions == action)[0])
    means = weights[::2] @ values[::2]
    best = own if means[own] == means.max() else int(means.argmax())
    gains = values[1::2, best] - values[1::2, own]
    return int(actions[best]), float(weights[1::2] @ gains / weights[1::2].sum())


def _regret(choice: Choice, per_deal: np.ndarray, seats: int) -> Regret:
    decisions, points = per_deal
    ratio = Ratio()
    ratio.add(points, np.full(len(points), seats))
    interval = ratio.interval()
    return Regret(
        phase=choice.phase,
        own=choice.own,
        better=choice.better,
        share=float(decisions.sum() / ratio.seats),
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
    )

"""Where a player loses: what another action would have gained, decision by decision.

At each decision all legal actions are played out in sampled worlds. Half of the worlds choose the action that
looks best, the other half say what it gains over the player's own: chosen and measured on the same worlds,
mere luck would look like a gain. It is the gain of one step: before it everybody plays as he does, and after
it, whoever he is, as the rule-based player does, by which the worlds are weighed too.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stichwerk.agents.agent import Agent, Turns
from stichwerk.agents.arena import Ratio
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.lanes import Lanes
from stichwerk.envs.core.random import Use, stream_seed

LANES = 64  # deals side by side


@dataclass(frozen=True)
class Gain:
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


def measure_gains(
    game: Game,
    player: Agent,
    judge: RolloutPlayer,
    deals: int,
    seed: int,
    start_states: bool = False,
    on_progress: Callable[[int], None] = lambda deals: None,
) -> list[Gain]:
    """Let a player play deals 0 … deals - 1 of a seed with itself, and judge each of its decisions; the
    largest gains first.

    judge: samples and weighs the worlds, at least two, and plays the actions out
    deals: at least two
    """
    player.seed(int(stream_seed(seed, Use.AGENTS, Use.TEST, 0)))
    judge.seed(int(stream_seed(seed, Use.AGENTS, Use.TEST, 1)))
    phases = game.spec.state.words("phase")
    found: dict[tuple[str, str, str], np.ndarray] = {}  # per deal: decisions, points
    for start in range(0, deals, LANES):
        lanes = Lanes(game, min(LANES, deals - start), start_states=start_states)
        lanes.states["seed"] = stream_seed(seed, Use.TEST)
        lanes.states["deal_number"] = start + lanes.all
        lanes.start()
        active = lanes.all
        while len(active):
            turns = Turns.of(lanes, active)
            actions = player.act(turns)
            for lane, action in zip(active.tolist(), actions.tolist(), strict=True):
                if lanes.mask[lane].sum() > 1:
                    better, gain = better_action(judge, lanes, lane, action)
                    verbs = game.actions[action].verb, game.actions[better].verb
                    key = phases(lanes.views[lane]["phase"]).name, *verbs
                    found.setdefault(key, np.zeros((2, deals)))[:, start + lane] += 1, gain
            lanes.step(actions, active, restart=False)
            active = active[~lanes.terminations[active]]
        on_progress(len(lanes))
    gains = [_gain(key, per_deal, game.seats) for key, per_deal in found.items()]
    return sorted(gains, key=lambda gain: -gain.mean)


def better_action(judge: RolloutPlayer, lanes: Lanes, lane: int, action: int) -> tuple[int, float]:
    """What looks best to every second world, the action itself if nothing is better, and what it gains in the
    others."""
    actions = np.flatnonzero(lanes.mask[lane])
    view, seat = lanes.views[lane : lane + 1], int(lanes.seats[lane])
    seed = int(judge.random.integers(1 << 62))
    values, weights = judge.play_out(view, seat, actions, seed)
    own = int(np.flatnonzero(actions == action)[0])
    means = weights[::2] @ values[::2]
    best = own if means[own] == means.max() else int(means.argmax())
    gains = values[1::2, best] - values[1::2, own]
    return int(actions[best]), float(weights[1::2] @ gains / weights[1::2].sum())


def _gain(key: tuple[str, str, str], per_deal: np.ndarray, seats: int) -> Gain:
    decisions, points = per_deal
    ratio = Ratio()
    ratio.add(points, np.full(len(points), seats))
    return Gain(*key, float(decisions.sum() / ratio.seats), *ratio.interval())

"""Compiled loops over many states of one game: start episodes, step, observe, resample.

The loops are closures over a game's functions. `loops_for` keeps one set per process for each game and
encoding. In the protocols below, `rules` is an array of one record or of one for each lane, `states` and
`views` are arrays of records, and `lanes`, int64[n], are indices into them.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from stichwerk.envs.engine.engine import Engine, engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import fetch_row, row
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.hooks import Observe


class BeginLane(Protocol):
    """Clear the lane for an episode that is still to be dealt, of one deal or of a whole match."""

    def __call__(self, rules: np.ndarray, states: np.ndarray, lane: int, match: bool) -> None: ...


class DealLane(Protocol):
    """Deal in one lane, and return whether the cards have ended the deal at once."""

    def __call__(self, rules: np.ndarray, states: np.ndarray, lane: int) -> bool: ...


class ApplyInLane(Protocol):
    """Play one action in one lane; return the seat to act and whether the deal has ended.

    The next deal is not dealt.
    """

    def __call__(self, rules: np.ndarray, states: np.ndarray, lane: int, action: int) -> tuple[int, bool]: ...


class StartLanes(Protocol):
    """Begin and deal an episode in each lane; with `pass_over`, if its cards end it at once, the next one."""

    def __call__(
        self, rules: np.ndarray, states: np.ndarray, lanes: np.ndarray, match: bool, pass_over: bool
    ) -> None: ...


class FirstIllegal(Protocol):
    """Return the first index into `lanes` whose action is not legal, or -1.

    Args:
        lanes: int64[n].
        actions: int64[n].
        mask: the legal actions, int8[all lanes, actions].
    """

    def __call__(self, lanes: np.ndarray, actions: np.ndarray, mask: np.ndarray) -> int: ...


class ObserveLanes(Protocol):
    """Redact, observe and list legal actions for the seat to act in each lane.

    Args:
        views: written; one for each lane, or only one, which then holds the view of the last lane.
        seats: written, int64[all lanes]: the seats to act.
        observation: written, float32[all lanes, features].
        mask: written, int8[all lanes, actions].
    """

    def __call__(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        lanes: np.ndarray,
        views: np.ndarray,
        seats: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
    ) -> None: ...


class StepLanes(Protocol):
    """Play one action in each lane, then observe as `ObserveLanes` does.

    Args:
        actions: int64[n], legal.
        restart: whether a finished lane begins its next episode at once.
        rewards: written, float32[all lanes, seats]: of episodes that have ended.
        deal_points: written, float32[all lanes, seats]: the sum over the deals that have ended in the step.
        terminations: written, bool[all lanes]: whether the episode has ended.
    """

    def __call__(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        lanes: np.ndarray,
        actions: np.ndarray,
        restart: bool,
        rewards: np.ndarray,
        deal_points: np.ndarray,
        terminations: np.ndarray,
        views: np.ndarray,
        seats: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
    ) -> None: ...


class ObserveSeat(Protocol):
    """Redact, observe and list legal actions for any seat of one lane; an idle seat has no actions.

    `views`, records[1], `observation`, float32[features], and `mask`, int8[actions], are written.
    """

    def __call__(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        lane: int,
        seat: int,
        views: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
    ) -> None: ...


class ObserveViews(Protocol):
    """Write the observation of each lane's view for its seat into row i of `observation`, i = 0 … n - 1."""

    def __call__(
        self,
        rules: np.ndarray,
        lanes: np.ndarray,
        views: np.ndarray,
        seats: np.ndarray,
        observation: np.ndarray,
    ) -> None: ...


class ObservePerfect(Protocol):
    """Write the perfect information of one lane, from a seat's side, into `out`, float32[features]."""

    def __call__(
        self, rules: np.ndarray, states: np.ndarray, lane: int, seat: int, out: np.ndarray
    ) -> None: ...


class ResampleView(Protocol):
    """Fill the seat's view of one lane, in place, with a random deal."""

    def __call__(
        self, rules: np.ndarray, views: np.ndarray, lane: int, seat: int, seed: int | np.integer
    ) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Loops:
    """The compiled loops of one game and encoding.

    No loop touches another lane than those named; the loops over lanes release the GIL.
    """

    begin: BeginLane
    deal: DealLane
    """The present deal from its beginning."""
    deal_next: DealLane
    """After the end of a deal: the next one of the match or, if that is over, of the lane's next episode."""
    apply: ApplyInLane
    start: StartLanes
    first_illegal: FirstIllegal
    observe: ObserveLanes
    step: StepLanes
    observe_seat: ObserveSeat
    observe_views: ObserveViews
    observe_perfect: ObservePerfect
    resample: ResampleView


def loops_for(game: Game, encoding: str, start_states: bool = False, seats: int | None = None) -> Loops:
    """Return the loops of a game with one of its encodings; with `start_states` its episodes begin by
    `draw_start`. Rewards are those of this many seats, or else of the game's."""
    observe, observe_perfect = game.encoding(encoding).observe, game.perfect.observe
    return _compile(game.spec, seats or game.seats, observe, observe_perfect, start_states)


@cache
def _compile(
    spec: GameSpec,
    seat_count: int,
    observe_hook: Observe,
    perfect_hook: Observe,
    start_states: bool,
) -> Loops:
    engine = engine_for(spec, start_states)
    observe_view = _observe_view(observe_hook)
    observe_one = _observe_one(engine, observe_view)
    return Loops(
        **_episode_loops(engine),
        **_looking_loops(engine, spec.legal, observe_view, observe_one, perfect_hook),
        step=_step_loop(engine, observe_one, seat_count),
    )


def _observe_view(observe_hook: Observe) -> Any:
    @compiled
    def observe_view(rules, view, seat, out):
        out[:] = 0
        observe_hook(rules, view, seat, out)

    return observe_view


def _observe_one(engine: Engine, observe_view: Any) -> Any:
    redact_one, legal_one = engine.redact, engine.legal

    @compiled
    def observe_one(rules, state, view, observation, mask):
        """Observe for the seat to act, which is returned."""
        seat = state.seat
        redact_one(rules, state, seat, view)
        observe_view(rules, view, seat, observation)
        legal_one(rules, view, mask)
        return seat

    return observe_one


@compiled
def rules_of(rules, lane):
    """The rules of a lane: its own, or the only ones."""
    return rules[lane if len(rules) > 1 else 0]


def _episode_loops(engine: Engine) -> dict[str, Any]:
    """Loops by name that begin, deal and play."""
    begin_one, deal_one, deal_next_one, apply_one = (
        engine.begin,
        engine.deal,
        engine.deal_next,
        engine.apply,
    )

    @compiled
    def begin(rules, states, lane, match):
        begin_one(rules_of(rules, lane), states[lane], match)

    @compiled
    def deal(rules, states, lane):
        return deal_one(rules_of(rules, lane), states[lane])

    @compiled
    def deal_next(rules, states, lane):
        return deal_next_one(rules_of(rules, lane), states[lane])

    @compiled
    def apply(rules, states, lane, action):
        state = states[lane]
        ended = apply_one(rules_of(rules, lane), state, action)
        return state.seat, ended

    @compiled
    def start_one(rules, state, match, pass_over):
        """Deals that the cards alone end are passed over; with `pass_over` so are episodes, and the lane has
        a decision to make."""
        begin_one(rules, state, match)
        ended = deal_one(rules, state)
        while ended and (pass_over or not state.over):
            ended = deal_next_one(rules, state)

    @compiled
    def start(rules, states, lanes, match, pass_over):
        for lane in lanes:
            start_one(rules_of(rules, lane), states[lane], match, pass_over)

    @compiled
    def first_illegal(lanes, actions, mask):
        for i in range(len(lanes)):
            if not 0 <= actions[i] < mask.shape[1] or not mask[lanes[i], actions[i]]:
                return i
        return -1

    return {
        "begin": begin,
        "deal": deal,
        "deal_next": deal_next,
        "apply": apply,
        "start": start,
        "first_illegal": first_illegal,
    }


def _looking_loops(
    engine: Engine, legal_hook: Any, observe_view: Any, observe_one: Any, perfect_hook: Observe
) -> dict[str, Any]:
    """Loops by name that redact, observe and resample."""
    redact_one, resample_one = engine.redact, engine.resample

    @compiled
    def observe(rules, states, lanes, views, seats, observation, mask):
        for lane in lanes:
            view = views[lane if len(views) > 1 else 0]
            seats[lane] = observe_one(
                rules_of(rules, lane), states[lane], view, row(observation, lane), row(mask, lane)
            )

    @compiled
    def observe_seat(rules, states, lane, seat, views, observation, mask):
        own_rules, view = rules_of(rules, lane), views[0]
        redact_one(own_rules, states[lane], seat, view)
        observe_view(own_rules, view, seat, observation)
        mask[:] = 0
        if view.seat == seat and not view.over:
            legal_hook(own_rules, view, mask)

    @compiled
    def observe_views(rules, lanes, views, seats, observation):
        for i in range(len(lanes)):
            lane = lanes[i]
            observe_view(rules_of(rules, lane), views[lane], seats[lane], row(observation, i))

    @compiled
    def observe_perfect(rules, states, lane, seat, out):
        out[:] = 0
        perfect_hook(rules_of(rules, lane), states[lane], seat, out)

    @compiled
    def resample(rules, views, lane, seat, seed):
        resample_one(rules_of(rules, lane), views[lane], seat, seed, 0)

    return {
        "observe": observe,
        "observe_seat": observe_seat,
        "observe_views": observe_views,
        "observe_perfect": observe_perfect,
        "resample": resample,
    }


def _step_loop(engine: Engine, observe_one: Any, seat_count: int) -> StepLanes:
    apply_one, deal_next_one = engine.apply, engine.deal_next

    @compiled
    def step(
        rules,
        states,
        lanes,
        actions,
        restart,
        rewards,
        deal_points,
        terminations,
        views,
        seats,
        observation,
        mask,
    ):
        for i in range(len(lanes)):
            lane = lanes[i]
            state, own_rules = states[lane], rules_of(rules, lane)
            if i + 1 < len(lanes):  # all lanes' observations together are more than the nearest caches hold
                fetch_row(observation, lanes[i + 1])
            for seat in range(seat_count):
                deal_points[lane, seat] = 0
            ended = apply_one(own_rules, state, actions[i])
            while ended:
                for seat in range(seat_count):
                    deal_points[lane, seat] += state.deal_points[seat]
                ended = not state.over and deal_next_one(own_rules, state)
            terminations[lane] = state.over
            for seat in range(seat_count):
                rewards[lane, seat] = state.reward[seat]
            ended = restart and state.over != 0
            while ended:
                ended = deal_next_one(own_rules, state)
            view = views[lane if len(views) > 1 else 0]
            seats[lane] = observe_one(own_rules, state, view, row(observation, lane), row(mask, lane))

    return step

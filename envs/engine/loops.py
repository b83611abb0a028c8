"""Compiled loops over many states of one game: start episodes, step, observe, resample.

The loops are closures over a game's functions. `loops_for` keeps one set per process for each game and
encoding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from stichwerk.envs.engine.frame import frame_of
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import fetch_row, row
from stichwerk.envs.spec.game import Game, GameSpec


@dataclass(frozen=True, kw_only=True)
class Loops:
    """`rules` is an array of one record, `states` and `views` arrays of records, `lanes` int64 indices into
    them.

    No loop touches another lane than those named; the loops over lanes release the GIL.
    """

    begin: Callable
    """`begin(rules, states, lane, match)`: clear the lane for an episode that is still to be dealt."""
    deal: Callable
    """`deal(rules, states, lane) -> ended`: deal the lane's present deal; its cards may end it at once."""
    play: Callable
    """`play(rules, states, lane, action) -> (seat, ended)`: play one action in one lane; who is to act, and
    whether the deal has ended, which the next one does not follow by itself here."""
    go_on: Callable
    """`go_on(rules, states, lane) -> ended`: after a deal has ended, deal the next one of the match or, if
    that is over, of the lane's next episode."""
    start: Callable
    """`start(rules, states, lanes, match, pass_over)`: begin and deal an episode in each lane; with
    `pass_over`, if its cards end it at once, the next one."""
    first_illegal: Callable
    """`first_illegal(lanes, actions, mask) -> i`: the first position whose action is not legal in its lane,
    or -1."""
    look: Callable
    """`look(rules, states, lanes, views, seats, observation, mask)`: redact, observe and list actions for
    each seat to act.

    `views` has a record for each lane, or only one, which then holds the view of the last lane looked at."""
    step: Callable
    """`step(rules, states, lanes, actions, restart, rewards, deal_points, terminations, views, seats,
    observation, mask)`: play one action in each lane, then look.

    `rewards` and `deal_points`, float32[all lanes, seats], and `terminations`, bool[all lanes], are written;
    `deal_points` adds up the deals that have ended in the step. With `restart` a finished lane begins its
    next episode at once.
    """
    look_at: Callable
    """`look_at(rules, states, lane, seat, views, observation, mask)`: the same for any one seat; an idle seat
    has no actions."""
    observe: Callable
    """`observe(rules, lanes, views, seats, observation)`: write the observation of each lane's view, by its
    seat, row by row."""
    write: Callable
    """`write(rules, states, lane, seat, out)`: the perfect information from a seat's side."""
    resample: Callable
    """`resample(rules, views, lane, seat, seed)`: fill one view with a random world."""


def loops_for(game: Game, encoding: str, start_states: bool = False) -> Loops:
    """The loops of a game with one of its encodings; with `start_states` its episodes begin by
    `draw_start`."""
    return _compile(
        game.spec, game.seats, game.encoding(encoding).observe, game.perfect.observe, start_states
    )


@cache
def _compile(
    spec: GameSpec, seats: int, write_observation: Callable, write_perfect: Callable, start_states: bool
) -> Loops:
    legal, frame = spec.legal, frame_of(spec, start_states)
    begin_episode, deal_state, deal_next = frame.begin_episode, frame.deal, frame.go_on
    apply, show, allow, fill_in = frame.apply, frame.show, frame.allow, frame.resample

    @compiled
    def begin_and_deal(rules, state, match, pass_over):
        """Deals that the cards alone end are passed over; with `pass_over` so are episodes, and the lane has
        a decision to make."""
        begin_episode(rules, state, match)
        ended = deal_state(rules, state)
        while ended and (pass_over or not state.over):
            ended = deal_next(rules, state)

    @compiled
    def observe(rules, view, seat, out):
        out[:] = 0
        write_observation(rules, view, seat, out)

    @compiled
    def look_for_seat(rules, state, view, observation, mask):
        """Look for the seat to act, which is returned."""
        seat = state.seat
        show(rules, state, seat, view)
        observe(rules, view, seat, observation)
        allow(rules, view, mask)
        return seat

    # The loops

    @compiled
    def begin(rules, states, lane, match):
        begin_episode(rules[0], states[lane], match)

    @compiled
    def deal(rules, states, lane):
        return deal_state(rules[0], states[lane])

    @compiled
    def play(rules, states, lane, action):
        state = states[lane]
        ended = apply(rules[0], state, action)
        return state.seat, ended

    @compiled
    def go_on(rules, states, lane):
        return deal_next(rules[0], states[lane])

    @compiled
    def start(rules, states, lanes, match, pass_over):
        for lane in lanes:
            begin_and_deal(rules[0], states[lane], match, pass_over)

    @compiled
    def first_illegal(lanes, actions, mask):
        for i in range(len(lanes)):
            if not 0 <= actions[i] < mask.shape[1] or not mask[lanes[i], actions[i]]:
                return i
        return -1

    @compiled
    def look(rules, states, lanes, views, seats_to_act, observation, mask):
        for lane in lanes:
            view = views[lane if len(views) > 1 else 0]
            seats_to_act[lane] = look_for_seat(
                rules[0], states[lane], view, row(observation, lane), row(mask, lane)
            )

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
        seats_to_act,
        observation,
        mask,
    ):
        for i in range(len(lanes)):
            lane = lanes[i]
            state = states[lane]
            if i + 1 < len(lanes):  # what many lanes see is more than the nearest caches hold
                fetch_row(observation, lanes[i + 1])
            for seat in range(seats):
                deal_points[lane, seat] = 0
            ended = apply(rules[0], state, actions[i])
            while ended:
                for seat in range(seats):
                    deal_points[lane, seat] += state.deal_points[seat]
                ended = not state.over and deal_next(rules[0], state)
            terminations[lane] = state.over
            for seat in range(seats):
                rewards[lane, seat] = state.reward[seat]
            ended = restart and state.over != 0
            while ended:
                ended = deal_next(rules[0], state)
            view = views[lane if len(views) > 1 else 0]
            seats_to_act[lane] = look_for_seat(rules[0], state, view, row(observation, lane), row(mask, lane))

    @compiled
    def look_at(rules, states, lane, seat, views, observation, mask):
        view = views[0]
        show(rules[0], states[lane], seat, view)
        observe(rules[0], view, seat, observation)
        mask[:] = 0
        if view.seat == seat and not view.over:
            legal(rules[0], view, mask)

    @compiled
    def observe_views(rules, lanes, views, seats_to_act, observation):
        for i in range(len(lanes)):
            observe(rules[0], views[lanes[i]], seats_to_act[lanes[i]], row(observation, i))

    @compiled
    def write(rules, states, lane, seat, out):
        out[:] = 0
        write_perfect(rules[0], states[lane], seat, out)

    @compiled
    def resample(rules, views, lane, seat, seed):
        fill_in(rules[0], views[lane], seat, seed, 0)

    return Loops(
        begin=begin,
        deal=deal,
        play=play,
        go_on=go_on,
        start=start,
        first_illegal=first_illegal,
        look=look,
        step=step,
        look_at=look_at,
        observe=observe_views,
        write=write,
        resample=resample,
    )

"""Compiled loops over many states of one game: start episodes, step, observe, resample.

The loops are closures over a game's functions, which Numba cannot keep on disk; they compile in about a second because the
functions inside come from its cache. `loops_for` keeps one set per process for each combination of functions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from numba import njit

from stichwerk.envs.core.game import Game
from stichwerk.envs.core.random import start_random


@dataclass(frozen=True)
class Loops:
    """`rules` is an array of one record, `states` and `views` arrays of records, `lanes` int64 indices into them.

    No loop touches another lane than those named; the loops over lanes release the GIL.
    """

    begin: Callable
    """`begin(rules, states, lane, match)`: clear the lane for an episode that is still to be dealt."""
    deal: Callable
    """`deal(rules, states, lane)`: deal the lane's present deal."""
    play: Callable
    """`play(rules, states, lane, action) -> (seat, over, deals_done)`: play one action in one lane."""
    start: Callable
    """`start(rules, states, lanes, match)`: begin and deal an episode in each lane, the next one that is not over at once."""
    first_illegal: Callable
    """`first_illegal(lanes, actions, mask) -> i`: the first position whose action is not legal in its lane, or -1."""
    look: Callable
    """`look(rules, states, lanes, views, seats, observation, mask)`: redact, observe and list actions for each seat to act."""
    step: Callable
    """`step(rules, states, lanes, actions, restart, rewards, deal_points, terminations, views, seats, observation, mask)`:
    play one action in each lane, then look.

    `rewards` and `deal_points`, float32[all lanes, seats], and `terminations`, bool[all lanes], are written; with `restart` a
    finished lane begins its next episode at once.
    """
    look_at: Callable
    """`look_at(rules, states, lane, seat, views, observation, mask)`: the same for any one seat; an idle seat has no actions."""
    observe: Callable
    """`observe(rules, lanes, views, seats, observation)`: write the observation of each lane's view, by its seat, row by row."""
    write: Callable
    """`write(rules, states, lane, seat, out)`: the perfect information from a seat's side."""
    resample: Callable
    """`resample(rules, views, lane, seat, seed)`: fill one view with a random world."""


def loops_for(game: Game, encoding: str, situations: bool = False) -> Loops:
    """The loops of a game with one of its encodings; with `situations` its episodes begin by `begin_situation`."""
    return _compile(
        game.seats,
        game.begin_situation if situations and game.begin_situation else game.begin_match,
        game.deal,
        game.legal,
        game.apply,
        game.redact,
        game.resample,
        game.encoding(encoding).write,
        game.perfect.write,
    )


@cache
def _compile(seats, begin_match, deal_cards, legal, apply, redact, resample_hidden, observe, observe_all) -> Loops:
    @njit
    def begin_episode(rules, state, match):
        state.match = match
        state.dealer = -1
        state.over = 0
        state.reward[:] = 0
        state.deals_done = 0
        state.deal_points[:] = 0
        begin_match(rules, state)

    @njit
    def begin(rules, states, lane, match):
        begin_episode(rules[0], states[lane], match)

    @njit
    def deal(rules, states, lane):
        deal_cards(rules[0], states[lane])

    @njit
    def play(rules, states, lane, action):
        state = states[lane]
        apply(rules[0], state, action)
        return state.seat, state.over, state.deals_done

    @njit
    def begin_and_deal(rules, state, match):
        """A lane has a decision to make: an episode that its cards alone end at once is passed over."""
        begin_episode(rules, state, match)
        deal_cards(rules, state)
        while state.over:
            state.deal_number += 1
            begin_episode(rules, state, match)
            deal_cards(rules, state)

    @njit(nogil=True)
    def start(rules, states, lanes, match):
        for lane in lanes:
            begin_and_deal(rules[0], states[lane], match)

    @njit
    def look_lane(rules, state, lane, views, seats_to_act, observation, mask):
        views[lane] = state
        view = views[lane]
        seats_to_act[lane] = view.seat
        redact(rules, view, view.seat)
        observe(rules, view, view.seat, observation[lane])
        legal(rules, view, mask[lane])

    @njit(nogil=True)
    def first_illegal(lanes, actions, mask):
        for i in range(len(lanes)):
            if not 0 <= actions[i] < mask.shape[1] or not mask[lanes[i], actions[i]]:
                return i
        return -1

    @njit(nogil=True)
    def look(rules, states, lanes, views, seats_to_act, observation, mask):
        for lane in lanes:
            look_lane(rules[0], states[lane], lane, views, seats_to_act, observation, mask)

    @njit(nogil=True)
    def step(rules, states, lanes, actions, restart, rewards, deal_points, terminations, views, seats_to_act, observation, mask):
        for i in range(len(lanes)):
            lane = lanes[i]
            state = states[lane]
            deals_done = state.deals_done
            apply(rules[0], state, actions[i])
            terminations[lane] = state.over
            for seat in range(seats):
                rewards[lane, seat] = state.reward[seat]
                deal_points[lane, seat] = state.deal_points[seat] if state.deals_done != deals_done else 0
            if state.over and restart:
                state.deal_number += 1
                begin_and_deal(rules[0], state, state.match)
            look_lane(rules[0], state, lane, views, seats_to_act, observation, mask)

    @njit(nogil=True)
    def look_at(rules, states, lane, seat, views, observation, mask):
        views[0] = states[lane]
        view = views[0]
        redact(rules[0], view, seat)
        observe(rules[0], view, seat, observation)
        if view.seat == seat and not view.over:
            legal(rules[0], view, mask)
        else:
            mask[:] = 0

    @njit(nogil=True)
    def observe_views(rules, lanes, views, seats_to_act, observation):
        for i in range(len(lanes)):
            observe(rules[0], views[lanes[i]], seats_to_act[lanes[i]], observation[i])

    @njit(nogil=True)
    def write(rules, states, lane, seat, out):
        observe_all(rules[0], states[lane], seat, out)

    @njit(nogil=True)
    def resample(rules, views, lane, seat, seed):
        start_random(views[lane], seed, 0)
        resample_hidden(rules[0], views[lane], seat)

    return Loops(begin, deal, play, start, first_illegal, look, step, look_at, observe_views, write, resample)

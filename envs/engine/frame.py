"""The frame around a game's own functions: what is the same in every game, for one state at a time.

A fresh deal, the log, the step from a finished deal to the next, hiding what the fields' declarations hide,
and blank masks. The loops of the environments (`loops.py`) and those of search players are built from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from stichwerk.envs.core.deal import begin_deal, renew_chance
from stichwerk.envs.core.log import log_action
from stichwerk.envs.core.random import start_random
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes, copy_masked
from stichwerk.envs.spec.game import GameSpec


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Compiled functions; `rules`, `state` and `view` are records."""

    begin_episode: Callable
    """`begin_episode(rules, state, match)`: clear the state for an episode that is still to be dealt."""
    deal: Callable
    """`deal(rules, state) -> ended`: deal the present deal anew; its cards may end it at once."""
    deal_again: Callable
    """`deal_again(rules, state) -> ended`: the same from the deck that was dealt."""
    apply: Callable
    """`apply(rules, state, action) -> ended`: play a legal action; whether it has ended the deal, which the
    next one does not follow by itself here."""
    go_on: Callable
    """`go_on(rules, state) -> ended`: after a deal has ended, deal the next one of the match or, if that is
    over, of the next episode."""
    show: Callable
    """`show(rules, state, seat, view)`: copy what the seat may know."""
    allow: Callable
    """`allow(rules, view, mask)`: mark the legal actions of the seat to act, int8[actions]."""
    leaves_out: Callable
    """`leaves_out(rules, seat, actor, action)`: whether the log that a seat is shown has this action of
    another seat not even as a gap."""
    resample: Callable
    """`resample(rules, view, seat, seed, number)`: fill the seat's view with the random world of this number
    of a seed."""


@cache
def frame_of(spec: GameSpec, start_states: bool) -> Frame:
    """The frame of a game; with `start_states` its episodes begin by `draw_start`."""
    begin_match = (spec.draw_start if start_states else spec.begin_match) or _nothing
    deal_cards, legal, apply_action, fill_in = spec.deal, spec.legal, spec.apply, spec.resample
    redact_more = spec.redact or _nothing_more
    fresh, known, blanks = spec.state.fresh, spec.state.known, spec.state.blanks
    match_start, deal_start, end = spec.state.match_start, spec.state.deal_start, spec.state.dtype.itemsize

    @compiled
    def begin_episode(rules, state, match):
        copy_bytes(state, fresh[0], match_start, end)
        state.match = match
        begin_match(rules, state)

    @compiled
    def deal(rules, state):
        deals_done = state.deals_done
        copy_bytes(state, fresh[0], deal_start, end)
        begin_deal(rules, state)
        deal_cards(rules, state)
        return state.deals_done != deals_done

    @compiled
    def deal_again(rules, state):
        state.deck_is_set = 1
        return deal(rules, state)

    @compiled
    def apply(rules, state, action):
        deals_done = state.deals_done
        log_action(state, state.seat, action)
        apply_action(rules, state, action)
        return state.deals_done != deals_done

    @compiled
    def go_on(rules, state):
        state.deal_number += 1
        if state.over:
            begin_episode(rules, state, state.match)
        return deal(rules, state)

    @compiled
    def show(rules, state, seat, view):
        copy_masked(view, state, known[seat], blanks[seat])
        redact_more(rules, view, seat)

    @compiled
    def allow(rules, view, mask):
        mask[:] = 0
        if not view.over:
            legal(rules, view, mask)

    @compiled
    def resample(rules, view, seat, seed, number):
        start_random(view, seed, number)
        fill_in(rules, view, seat)
        renew_chance(view)

    return Frame(
        begin_episode=begin_episode,
        deal=deal,
        deal_again=deal_again,
        apply=apply,
        go_on=go_on,
        show=show,
        allow=allow,
        leaves_out=spec.leaves_out or _leaves_nothing_out,
        resample=resample,
    )


@compiled
def _nothing(rules, state):
    pass


@compiled
def _nothing_more(rules, state, seat):
    pass


@compiled
def _leaves_nothing_out(rules, seat, actor, action):
    return False

"""The engine around a game's own functions: what is the same in every game, for one state at a time.

A fresh deal, the log, the step from a finished deal to the next, hiding what the fields' declarations hide,
and blank masks. The loops of the environments (`loops.py`) and those of search players are built from it.
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.envs.core.deal import begin_deal, hide_deck, renew_chance
from stichwerk.envs.core.log import log_action
from stichwerk.envs.core.random import start_random
from stichwerk.envs.engine.determinize import resample_by_replay
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes, copy_masked
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.spec.hooks import LeavesOut, Legal, Redact


class BeginEpisode(Protocol):
    """Clear the state for an episode that is still to be dealt, of one deal or of a whole match."""

    def __call__(self, rules: np.record, state: np.record, match: bool, /) -> None: ...


class DealCards(Protocol):
    """Deal, and return whether the cards have ended the deal at once."""

    def __call__(self, rules: np.record, state: np.record, /) -> bool: ...


class ApplyAction(Protocol):
    """Log and play a legal action, and return whether it has ended the deal. The next deal is not dealt."""

    def __call__(self, rules: np.record, state: np.record, action: int | np.integer, /) -> bool: ...


class RedactTo(Protocol):
    """Write into `view` what the seat may know of the state."""

    def __call__(self, rules: np.record, state: np.record, seat: int, view: np.record, /) -> None: ...


class ResampleNumber(Protocol):
    """Fill the seat's view, in place, with the random deal of this number of a seed."""

    def __call__(self, rules: np.record, view: np.record, seat: int, seed: int, number: int, /) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Engine:
    """The compiled functions of one game, for one state at a time."""

    begin: BeginEpisode
    deal: DealCards
    """The present deal from its beginning."""
    deal_again: DealCards
    """The present deal from the deck that was dealt."""
    deal_next: DealCards
    """After the end of a deal: the next one of the match or, if that is over, of the next episode."""
    apply: ApplyAction
    redact: RedactTo
    legal: Legal
    """It clears the mask first, and marks nothing once the episode is over."""
    leaves_out: LeavesOut
    resample: ResampleNumber


@cache
def engine_for(spec: GameSpec, start_states: bool) -> Engine:
    """Return the engine of a game; with `start_states` its episodes begin by `draw_start`."""
    begin_hook = (spec.draw_start if start_states else spec.begin_match) or _nothing
    redact_hook = _redact_hook(spec)
    deal_hook, legal_hook, apply_hook = spec.deal, spec.legal, spec.apply
    fresh, known, blanks = spec.state.fresh, spec.state.known, spec.state.blanks
    match_start, deal_start, end = spec.state.match_start, spec.state.deal_start, spec.state.dtype.itemsize

    @compiled
    def begin(rules, state, match):
        copy_bytes(state, fresh[0], match_start, end)
        state.match = match
        begin_hook(rules, state)

    @compiled
    def deal(rules, state):
        deals_done = state.deals_done
        copy_bytes(state, fresh[0], deal_start, end)
        begin_deal(rules, state)
        deal_hook(rules, state)
        return state.deals_done != deals_done

    @compiled
    def deal_again(rules, state):
        state.deck_is_set = 1
        return deal(rules, state)

    @compiled
    def deal_next(rules, state):
        state.deal_number += 1
        if state.over:
            begin(rules, state, state.match)
        return deal(rules, state)

    @compiled
    def apply(rules, state, action):
        deals_done = state.deals_done
        log_action(state, state.seat, action)
        apply_hook(rules, state, action)
        return state.deals_done != deals_done

    @compiled
    def redact(rules, state, seat, view):
        copy_masked(view, state, known[seat], blanks[seat])
        redact_hook(rules, view, seat)

    @compiled
    def legal(rules, view, mask):
        mask[:] = 0
        if not view.over:
            legal_hook(rules, view, mask)

    resample_hook = spec.resample or resample_by_replay(spec, deal_again, legal, apply, redact)

    @compiled
    def resample(rules, view, seat, seed, number):
        start_random(view, seed, number)
        resample_hook(rules, view, seat)
        renew_chance(view)

    return Engine(
        begin=begin,
        deal=deal,
        deal_again=deal_again,
        deal_next=deal_next,
        apply=apply,
        redact=redact,
        legal=legal,
        leaves_out=spec.leaves_out or _leaves_nothing_out,
        resample=resample,
    )


def _redact_hook(spec: GameSpec) -> Redact:
    """The hook that blanks a view beyond the fields' declarations."""
    of_game = spec.redact or _nothing_more
    if not spec.state.owners_know_deck:
        return of_game

    @compiled
    def redact(rules, state, seat):
        hide_deck(state, seat)
        of_game(rules, state, seat)

    return redact


@compiled
def _nothing(rules, state):
    pass


@compiled
def _nothing_more(rules, state, seat):
    pass


@compiled
def _leaves_nothing_out(rules, seat, actor, action):
    return False

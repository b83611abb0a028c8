"""Worlds and playouts, compiled: sample what may be hidden, weigh it by what the others did, play deals out.

Searches give it no more than a seat's redacted view, trainings true states. The loops are closures over a
game's functions, one set for each game and chooser. In the protocols below, `rules` is an array of one
record; `view`, `worlds` and `states` are arrays of records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.agents.builtin.rules import Choose
from stichwerk.agents.search.endgame import endings_for
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.equity import values_for
from stichwerk.envs.engine.loops import rules_of
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import GameSpec


class SampleWorlds(Protocol):
    """Fill `worlds` with the sampled deals number `first` … of a seed, which agree with the seat's view."""

    def __call__(
        self,
        rules: np.ndarray,
        view: np.ndarray,
        seat: int,
        seed: int | np.int64,
        first: int,
        worlds: np.ndarray,
    ) -> None: ...


class WeighWorlds(Protocol):
    """Write the likelihood of the other seats' actions in each sampled deal into `weights`, float64[worlds].

    The other seats are assumed to follow `choose`, except for slips, which have the likelihood `slip`. The
    weight is the product of 1 or `slip` over their decisions of the deal. An action that the view hides, such
    as a discard, is not weighed. The sampled deal gets what `choose` does there, unless the deal could then
    not have gone on as it did. Actions that the log leaves out altogether, such as signals, may have come
    before the logged ones.
    """

    def __call__(
        self,
        rules: np.ndarray,
        view: np.ndarray,
        worlds: np.ndarray,
        seat: int,
        slip: float,
        weights: np.ndarray,
    ) -> None: ...


class PlayOut(Protocol):
    """Play each action in each sampled deal, then play on by `choose` in all seats.

    A playout ends where `Advance` ends it.

    Args:
        actions: int64[actions].
        workspace: of `Advance`.
        equity: by which deals of matches are valued, as `equity_in` returns it.
        values: written, float64[worlds, actions]: the seat's deal points, or in matches what it gains of the
            probability to win.

    Returns:
        How many positions came up.
    """

    def __call__(
        self,
        rules: np.ndarray,
        worlds: np.ndarray,
        seat: int,
        actions: np.ndarray,
        workspace: np.ndarray,
        equity: np.ndarray,
        values: np.ndarray,
    ) -> int: ...


class PlayEach(Protocol):
    """Play out each legal action of the seat to act in some states, as `PlayOut` does.

    Args:
        rules: one record, or one for each state.
        which: int64[n], indices into states and mask.
        mask: the legal actions, int8[states, actions].
        values: written, float32[n, actions]: of the seat to act; illegal and lone actions have none.
    """

    def __call__(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        which: np.ndarray,
        mask: np.ndarray,
        workspace: np.ndarray,
        equity: np.ndarray,
        values: np.ndarray,
    ) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Playouts:
    """The compiled loops of one game and one rule-based player."""

    sample: SampleWorlds
    weigh: WeighWorlds
    play_out: PlayOut
    play_each: PlayEach


@cache
def playouts_for(env_id: str, spec: GameSpec, choose: Choose) -> Playouts:
    """The loops for a game whose players follow `choose(rules, view, seat)`."""
    engine, size = engine_for(spec, False), spec.state.dtype.itemsize
    redact, resample = engine.redact, engine.resample

    @compiled
    def choose_for(rules, state, view):
        """The action of the seat to act."""
        redact(rules, state, state.seat, view)
        return choose(rules, view, state.seat)

    @compiled
    def sample(rules, view, seat, seed, first, worlds):
        for i in range(len(worlds)):
            copy_bytes(worlds[i], view[0], 0, size)
            resample(rules[0], worlds[i], seat, seed, first + i)

    play_out, play_each = _players(env_id, spec, choose_for)
    weigh = _weigher(spec, choose_for)
    return Playouts(sample=sample, weigh=weigh, play_out=play_out, play_each=play_each)


def _weigher(spec: GameSpec, choose_for: Callable[..., int]) -> WeighWorlds:
    engine, actions = engine_for(spec, False), len(spec.actions)
    deal_again, apply, leaves_out = engine.deal_again, engine.apply, engine.leaves_out
    redact, legal = engine.redact, engine.legal
    size, blanks = spec.state.dtype.itemsize, np.repeat(spec.state.fresh, 2)

    @compiled
    def likelihood(rules, view, world, seat, slip, state, seen, mask):
        """The deal again, as it was logged. Where the view hides an action, `choose` chooses it, and it goes
        into the world.

        Returns:
            The weight of the world, with a factor `slip` for each action that `choose` would not have chosen.
                0 if what follows does not agree with the chosen actions.
        """
        copy_bytes(state, world, 0, size)
        deal_again(rules, state)
        weight, chosen, ended = 1.0, False, False
        for entry in range(world.log_size):
            actor, action = logged_seat(world, entry), logged_action(world, entry)
            hidden = actor != seat and logged_action(view, entry) == NONE
            if chosen:
                redact(rules, state, state.seat, seen)
                legal(rules, seen, mask)
                if ended or actor != state.seat or not (hidden or mask[action]):
                    return 0.0
            if actor != seat:
                own = choose_for(rules, state, seen)
                while own != action and leaves_out(rules, seat, actor, own):
                    apply(rules, state, own)  # such as a signal, which the seat's log does not have
                    own = choose_for(rules, state, seen)
                if hidden:
                    action, chosen = own, True
                elif own != action:
                    weight *= slip
            ended = apply(rules, state, action)
        if chosen:
            copy_bytes(world, state, 0, size)
        return weight

    @compiled
    def weigh(rules, view, worlds, seat, slip, weights):
        scratch, mask = blanks.copy(), np.zeros(actions, np.int8)
        for i in range(len(worlds)):
            state, seen = scratch[0], scratch[1]  # here: records do not keep alive the array they lie in
            weights[i] = likelihood(rules[0], view[0], worlds[i], seat, slip, state, seen, mask)
            if weights[i] == 0:
                weights[i] = likelihood(rules[0], worlds[i], worlds[i], seat, slip, state, seen, mask)

    return weigh


def _players(env_id: str, spec: GameSpec, choose_for: Callable[..., int]) -> tuple[PlayOut, PlayEach]:
    advance, (standing, worth) = endings_for(env_id, spec).advance, values_for(spec)
    size, blanks = spec.state.dtype.itemsize, np.repeat(spec.state.fresh, 2)

    @compiled
    def play_on(rules, state, action, view, workspace):
        """Play an action in a state, and then on; how many positions came up."""
        ended, nodes = advance(rules, state, action, workspace)
        while not ended:
            ended, positions = advance(rules, state, choose_for(rules, state, view), workspace)
            nodes += positions
        return nodes

    @compiled
    def play_out(rules, worlds, seat, actions, workspace, equity, values):
        scratch = blanks.copy()
        nodes = 0
        for i in range(len(worlds)):
            before = standing(rules[0], worlds[i], seat, equity)
            for j in range(len(actions)):
                state = scratch[0]
                copy_bytes(state, worlds[i], 0, size)
                nodes += play_on(rules[0], state, actions[j], scratch[1], workspace[0])
                values[i, j] = worth(rules[0], state, seat, equity) - before
        return nodes

    @compiled
    def play_each(rules, states, which, mask, workspace, equity, values):
        scratch = blanks.copy()
        for i in range(len(which)):
            before, allowed = states[which[i]], mask[which[i]]
            if allowed.sum() > 1:
                for action in range(len(allowed)):
                    if allowed[action]:
                        state = scratch[0]
                        copy_bytes(state, before, 0, size)
                        own_rules = rules_of(rules, which[i])
                        play_on(own_rules, state, action, scratch[1], workspace[0])
                        after = worth(own_rules, state, before.seat, equity)
                        values[i, action] = after - standing(own_rules, before, before.seat, equity)

    return play_out, play_each

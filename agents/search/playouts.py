"""Worlds and playouts, compiled: sample what may be hidden, weigh it by what the others did, play deals out.

Searches give it no more than a seat's redacted view, trainings true states. The loops are closures over a
game's functions, one set for each game and chooser.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from stichwerk.agents.search.endgame import endings_for
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import GameSpec


@dataclass(frozen=True, kw_only=True)
class Playouts:
    """`rules` is an array of one record, `view` and `worlds` are arrays of records."""

    sample: Callable
    """`sample(rules, view, seat, seed, first, worlds)`: fill `worlds` with the worlds number `first` … of a
    seed, each a random one that agrees with the seat's view, an array of one record."""
    weigh: Callable
    """`weigh(rules, view, worlds, seat, slip, weights)`: how likely the others would have acted as they did,
    if each followed `choose` but where he slipped, with chance `slip` to any other action: the product of 1
    or `slip` over their decisions of the deal, float64[worlds]. What the view hides, such as discards, is not
    weighed but becomes in the worlds what `choose` does, unless the deal could not have gone on as it did;
    what it leaves out altogether, such as signals, may have been done before what it shows."""
    play_out: Callable
    """`play_out(rules, worlds, seat, actions, workspace, values) -> nodes`: in each world play each action,
    then let everybody go on by `choose` until all cards are known or to the end of the deal; the seat's deal
    points, float64[worlds, actions], and how many positions came up."""
    play_each: Callable
    """`play_each(rules, states, which, mask, workspace, values)`: the same for the seat to act in the states
    of the numbers `which`, and for each of its legal actions by `mask`, int8[states, actions]; its deal
    points go to `values`, float32[which, actions], where illegal and lone actions have none."""


@cache
def playouts_for(env_id: str, spec: GameSpec, choose: Callable) -> Playouts:
    """The loops for a game whose players follow `choose(rules, view, seat)`."""
    advance = endings_for(env_id, spec).advance
    engine, actions = engine_for(spec, False), len(spec.actions)
    deal_again, apply, resample = engine.deal_again, engine.apply, engine.resample
    redact, legal, leaves_out = engine.redact, engine.legal, engine.leaves_out
    size, blank = spec.state.dtype.itemsize, spec.state.fresh

    @compiled
    def choose_for(rules, state, view):
        """What the seat to act does."""
        redact(rules, state, state.seat, view)
        return choose(rules, view, state.seat)

    @compiled
    def likelihood(rules, view, world, seat, slip, state, seen, mask):
        """The deal again, as it was logged, and where the view hides an action, as `choose` has it, which
        then goes into the world; 0 if what follows does not go with that."""
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
    def sample(rules, view, seat, seed, first, worlds):
        for i in range(len(worlds)):
            copy_bytes(worlds[i], view[0], 0, size)
            resample(rules[0], worlds[i], seat, seed, first + i)

    @compiled
    def weigh(rules, view, worlds, seat, slip, weights):
        scratch, mask = np.repeat(blank, 2), np.zeros(actions, np.int8)
        for i in range(len(worlds)):
            state, seen = scratch[0], scratch[1]  # here: records do not keep alive the array they lie in
            weights[i] = likelihood(rules[0], view[0], worlds[i], seat, slip, state, seen, mask)
            if weights[i] == 0:
                weights[i] = likelihood(rules[0], worlds[i], worlds[i], seat, slip, state, seen, mask)

    @compiled
    def play_on(rules, state, action, view, workspace):
        """Play an action in a state, and then on; how many positions came up."""
        ended, nodes = advance(rules, state, action, workspace)
        while not ended:
            ended, positions = advance(rules, state, choose_for(rules, state, view), workspace)
            nodes += positions
        return nodes

    @compiled
    def play_out(rules, worlds, seat, actions, workspace, values):
        scratch = np.repeat(blank, 2)
        nodes = 0
        for i in range(len(worlds)):
            for j in range(len(actions)):
                state = scratch[0]
                copy_bytes(state, worlds[i], 0, size)
                nodes += play_on(rules[0], state, actions[j], scratch[1], workspace[0])
                values[i, j] = state.deal_points[seat]
        return nodes

    @compiled
    def play_each(rules, states, which, mask, workspace, values):
        scratch = np.repeat(blank, 2)
        for i in range(len(which)):
            before, allowed = states[which[i]], mask[which[i]]
            if allowed.sum() > 1:
                for action in range(len(allowed)):
                    if allowed[action]:
                        state = scratch[0]
                        copy_bytes(state, before, 0, size)
                        play_on(rules[0], state, action, scratch[1], workspace[0])
                        values[i, action] = state.deal_points[before.seat]

    return Playouts(sample=sample, weigh=weigh, play_out=play_out, play_each=play_each)

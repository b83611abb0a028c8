"""The policy of all seats in playouts: the game's rule-based player or, where it has none, random play."""

from functools import cache

import numpy as np

from stichwerk.agents.builtin.rules import Choose, find_rule_player, has_rule_player
from stichwerk.envs.core.random import LOW_32, mix, scaled
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec

SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # scatters keys; 2**64 by the golden ratio
EMPTY = 0


def playout_policy(game: Game) -> Choose:
    """The policy by which playouts of a game go on.

    Raises:
        AgentError: if the rule-based player of another package cannot be loaded.
    """
    return find_rule_player(game.env_id) if has_rule_player(game.env_id) else random_policy(game.spec)


@cache
def random_policy(spec: GameSpec) -> Choose:
    """A legal action picked by a hash of what the seat sees. It needs
    no state of its own, so it is the same in every thread and process."""
    legal, actions = engine_for(spec, False).legal, len(spec.actions)
    size, blank = spec.state.dtype.itemsize, spec.state.fresh

    @compiled
    def choose(rules, view, seat):
        seen, mask = blank.copy(), np.zeros(actions, np.int8)
        copy_bytes(seen[0], view, 0, size)
        legal(rules, view, mask)
        key = key_of(seen.view(np.int64), seat)
        left = scaled(mix(key & LOW_32) << 32, mask.sum())
        for action in range(actions):
            left -= mask[action]
            if left < 0:
                return action
        return -1

    return choose


@compiled
def key_of(words, actor):
    """A number for what has been seen, never EMPTY."""
    key = np.int64(actor + 1)
    for word in words:
        key = (key ^ word) * SPREAD
        key ^= (key >> 29) & 0x7FFFFFFFF
    return key if key != EMPTY else np.int64(1)

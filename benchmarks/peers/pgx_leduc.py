"""Pgx, Leduc hold'em: 1,024 games in one compiled step with `auto_reset`, on the CPU"""

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

PACKAGE = "pgx"
GAMES, STEPS = 1024, 64
env = pgx.make("leduc_holdem")
init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))


@jax.jit
def run(state, key):
    def one(carry, _):
        state, key = carry
        key, act, deal = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(act, logits, axis=1)
        state = step(state, actions, jax.random.split(deal, GAMES))
        return (state, key), state.observation.sum()

    (state, key), seen = jax.lax.scan(one, (state, key), None, STEPS)
    return state, key, seen


key = jax.random.PRNGKey(1)
state = init(jax.random.split(key, GAMES))


def play() -> int:
    global state, key
    state, key, seen = run(state, key)
    seen.block_until_ready()
    return GAMES * STEPS

"""Gaigel

The Swabian game with a double pack of 48 cards: three play alone, four in two pairs, six in two
teams of three. The first trick may be face down, and nobody counts aloud.

Rules, options and sources: docs/rules/gaigel.md.
Actions, observations, rewards: docs/reference/games/gaigel.md.

Arguments of `env` and `raw_env`, beside those of `CardGameEnv`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `source`; `{"players": 3}`, 4
        (default) or 6 chooses how many play.

Version history:
    v0: first release
"""

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import makers

ENV_ID = "gaigel_v0"
raw_env, env = makers(CardGameEnv, ENV_ID)

"""Schnapsen

The Austrian game for two with 20 cards, five in hand. It is a race to 66 card points, with marriages, a stock
that may be closed, and claims that may be wrong.

Rules, options and sources: docs/rules/schnapsen.md.
Actions, observations, rewards: docs/reference/games/schnapsen.md.

Arguments of `env` and `raw_env`, beside those of `CardGameEnv`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `schnapsen` (default),
        `schnapsen_tournament`, and those of `sixty_six_v0`: one engine plays both.

Version history:
    v0: first release
"""

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import makers

ENV_ID = "schnapsen_v0"
raw_env, env = makers(CardGameEnv, ENV_ID)

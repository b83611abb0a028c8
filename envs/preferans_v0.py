"""Balkan Preferans

The Serbian and Croatian game with 32 cards: an auction, hand games, two discards, defenders who come or
stay out, kontra, and a score sheet. With four players the dealer sits out.

Rules, options and sources: docs/rules/preferans.md.
Actions, observations, rewards: docs/reference/games/preferans.md.

Arguments of `env` and `raw_env`, beside those of `CardGameEnv`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `source` (default), `serbian_club`,
        `iklub`, `croatian`; `{"players": 4}` seats four instead of three.

Version history:
    v0: first release
"""

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import makers

ENV_ID = "preferans_v0"
raw_env, env = makers(CardGameEnv, ENV_ID)

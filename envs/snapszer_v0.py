"""Snapszer

The Hungarian game for four with 24 cards. Forehand names a card, and its suit is trumps. Its holder is
forehand's partner, in secret until the card is seen.

Rules, options and sources: docs/rules/snapszer.md.
Actions, observations, rewards: docs/reference/games/snapszer.md.

Arguments of `env` and `raw_env`, beside those of `CardGameEnv`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `snapszer`.

Version history:
    v0: first release
"""

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import makers

ENV_ID = "snapszer_v0"
raw_env, env = makers(CardGameEnv, ENV_ID)

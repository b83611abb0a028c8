"""Sixty-six

An older game of Schnapsen's family, for two with 24 cards, six in hand. It follows the German rule texts,
with the national rules of Germany, Bulgaria and Greece.

Rules, options and sources: docs/rules/schnapsen.md.
Actions, observations, rewards: docs/reference/games/sixty_six.md.

Arguments of `env` and `raw_env`, beside those of `CardGameEnv`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `sixty_six` (default),
        `sixty_six_german`, `sixty_six_bulgarian`, `sixty_six_greek`, and those of `schnapsen_v0`.

Version history:
    v0: first release
"""

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import makers

ENV_ID = "sixty_six_v0"
raw_env, env = makers(CardGameEnv, ENV_ID)

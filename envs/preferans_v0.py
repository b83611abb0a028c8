"""Balkan Preferans: three or four players, an auction, hand games, kontra; see docs/preferans.md."""

from stichwerk.envs.aec import CardGameEnv, wrap

ENV_ID = "preferans_v0"


def raw_env(rules=None, episode="deal", render_mode=None, **kwargs) -> CardGameEnv:
    """The bare environment; arguments as for `CardGameEnv`."""
    return CardGameEnv(ENV_ID, rules, episode, render_mode, **kwargs)


def env(rules=None, episode="deal", render_mode=None, **kwargs):
    """The environment in PettingZoo's checking wrappers."""
    return wrap(raw_env(rules, episode, render_mode, **kwargs))

"""Snapszer

The Hungarian game for four with 24 cards: forehand names a card, its suit is trumps, and whoever holds it
is his partner, in secret until the card is seen.

Rules, options and sources: docs/rules/snapszer.md. Actions, observations, rewards: docs/snapszer.md.

Arguments of `env` and `raw_env`:
    rules: a preset, or a dict of options that may hold `preset`. Presets: `snapszer`.
    episode: "deal", or "match" until one is decided
    render_mode: what `render` returns: "ansi", a text; "svg", the text of an SVG file; "rgb_array",
        uint8[640, 1120, 3]; "human": nothing, the text is printed after every step; or None
    render_seat: whose view is rendered, as a number or `player_<n>`; None: that of the seat to act;
        "all": a spectator's, with all hands
    observation: "summary", what a careful player has in the head, or "history", perfect recall

Version history:
    v0: first release
"""

from typing import Literal

from stichwerk.envs.aec import CardGameEnv, OrderEnforcing, RenderMode, Seat, wrap
from stichwerk.envs.core.lanes import Episode
from stichwerk.envs.core.options import RuleSpec

Observation = Literal["summary", "history"]
ENV_ID = "snapszer_v0"


def raw_env(
    rules: RuleSpec = None,
    episode: Episode = "deal",
    render_mode: RenderMode | None = None,
    render_seat: Seat | None = None,
    observation: Observation = "summary",
) -> CardGameEnv:
    """The bare environment, the faster one; arguments as above."""
    return CardGameEnv(ENV_ID, rules, episode, render_mode, render_seat, observation)


def env(
    rules: RuleSpec = None,
    episode: Episode = "deal",
    render_mode: RenderMode | None = None,
    render_seat: Seat | None = None,
    observation: Observation = "summary",
) -> OrderEnforcing:
    """The environment in PettingZoo's check on the order of calls; arguments as above."""
    return wrap(raw_env(rules, episode, render_mode, render_seat, observation))

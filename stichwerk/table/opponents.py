"""Who plays the seats for which nobody is named."""

from contextlib import suppress

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import rule_players
from stichwerk.agents.registry import SHIPPED
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError


def default_opponent(game: Game) -> str:
    """The strongest quick agent of a game: its shipped network, else its rule-based player, else `random`."""
    for name in SHIPPED:
        with suppress(InputError):  # of another game, or a package of it is not installed
            make_agent_for(f"ppo:{name}", game)
            return f"ppo:{name}"
    return "rules" if game.env_id in rule_players() else "random"

"""Who plays the seats for which nobody is named, and which agents a game has besides."""

from contextlib import suppress

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import rule_players
from stichwerk.agents.registry import SHIPPED
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

BETTER_SEARCHED = ("schnapsen", "sixty_six")
"""Shipped networks that a search of few worlds beats within milliseconds: docs/results/search.md."""
FEW = 400  # worlds


def default_opponent(game: Game) -> str:
    """The strongest quick agent of a game: its shipped network or the search of few worlds with it, else its
    rule-based player, else `random`."""
    return _strongest(game, shipped_network(game))


def _strongest(game: Game, network: str | None) -> str:
    if network is None:
        return "rules" if has_rules(game) else "random"
    return search_with(network, worlds=0, few=FEW) if network in BETTER_SEARCHED else f"ppo:{network}"


def shipped_network(game: Game) -> str | None:
    """The name of the shipped network that plays a game under its rules, if there is one."""
    for name in SHIPPED:
        with suppress(InputError):  # of another game, or a package of it is not installed
            make_agent_for(f"ppo:{name}", game)
            return name
    return None


def search_with(network: str, **settings: int) -> str:
    """The search that a network guides, by the network's name, with these settings."""
    return ",".join([f"search:{network}", *(f"{name}={value}" for name, value in settings.items())])


def has_rules(game: Game) -> bool:
    """Whether a game has a rule-based player."""
    return game.env_id in rule_players()


def offered_opponents(game: Game) -> tuple[str, ...]:
    """The agents that a page may seat: the default opponent, and others that play a game under its rules."""
    network = shipped_network(game)
    offered = [_strongest(game, network)]
    if network:
        offered += [f"ppo:{network}", search_with(network)]
    if has_rules(game):
        offered.append("rules")
    return tuple(dict.fromkeys([*offered, "random", "rollout", "ismcts"]))

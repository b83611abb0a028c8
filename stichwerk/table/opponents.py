"""The agents of a game: the default opponent, and others that a page offers."""

from functools import cache

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.registry import SHIPPED_FOLDER, network_of, searches, shipped_network
from stichwerk.envs.spec.game import Game
from stichwerk.support.parsing import read_text, read_yaml
from stichwerk.table.compiling import is_interpreted


@cache
def searched_networks() -> dict[str, tuple[str, ...]]:
    """The shipped networks that a search of few worlds betters: `better`, and of them those that are searched
    `by_default`."""
    content = read_yaml(read_text(SHIPPED_FOLDER / "searched.yaml"))
    return {name: tuple(networks) for name, networks in content.items()}


def default_opponent(game: Game) -> str:
    """The strongest agent that is soon compiled: the shipped network, or the search of few worlds with it.
    A game without one has its rule-based player, or else `random`."""
    return _default(game, shipped_network(game))


def _default(game: Game, network: str | None) -> str:
    if network is None:
        return "rules" if has_rule_player(game.env_id) else "random"
    return few_worlds_with(network) if network in searched_networks()["by_default"] else f"ppo:{network}"


def search_with(network: str, **settings: int) -> str:
    """The search that a network guides, by the network's name, with these settings."""
    return ",".join([f"search:{network}", *(f"{name}={value}" for name, value in settings.items())])


def few_worlds_with(network: str) -> str:
    """The search of few worlds that a network guides."""
    return search_with(network, worlds=0, few=400)


def offered_opponents(game: Game) -> tuple[str, ...]:
    """The agents that a page may seat: the default opponent, and others that play a game under its rules."""
    network = shipped_network(game)
    offered = [_default(game, network)]
    if network in searched_networks()["better"]:
        offered.append(few_worlds_with(network))
    if network:
        offered += [f"ppo:{network}", search_with(network)]
    if has_rule_player(game.env_id):
        offered.append("rules")
    return tuple(dict.fromkeys([*offered, "random", "rollout", "ismcts"]))


def seated(text: str, game: Game) -> Agent:
    """The agent of a text as it plays here: while nothing is compiled its network or rules without a search,
    under the same name."""
    return make_agent_for(stand_in(text, game), game, text)


def stand_in(text: str, game: Game) -> str:
    """The agent in place of one whose search would take too long interpreted; else the same one."""
    if not (is_interpreted() and searches(text)):
        return text
    if network := network_of(text):
        return f"ppo:{network}"
    return "rules" if has_rule_player(game.env_id) else "random"

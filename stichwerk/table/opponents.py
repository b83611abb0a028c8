"""The agents of a game: the default opponent, and others that a page offers."""

import random
from collections.abc import Sequence
from functools import cache

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.registry import SHIPPED_FOLDER, network_of, searches, shipped_network
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import tr
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


LEVELS = ("beginner", "casual", "club", "strong", "strongest")
"""The strengths that people choose among, from the weakest to the strongest."""
WEAKNESSES = {
    "beginner": "softness=6,forgets=all",
    "casual": "softness=3,forgets=all",
    "club": "softness=1.5,forgets=low",
}
BY_RULES = {
    "beginner": "rollout:worlds=1,slip=0.5",
    "casual": "rollout:worlds=1",
    "club": "rules",
    "strong": "rollout:worlds=16",
    "strongest": "rollout:worlds=100",
}
"""The agents where no network plays by the rules."""
FROM_NOTHING = {
    "beginner": "random",
    "casual": "ismcts:ms=1",
    "club": "ismcts:ms=5",
    "strong": "ismcts:ms=20",
    "strongest": "ismcts:ms=100",
}
"""Those of games without a rule-based player."""


def agent_of_level(level: str, game: Game) -> str:
    """The agent of a level; InputError if there is no such level."""
    if level not in LEVELS:
        raise InputError(f"level: got {quoted(level)}; expected one of {', '.join(LEVELS)}")
    network = shipped_network(game)
    if network is None:
        return (BY_RULES if has_rule_player(game.env_id) else FROM_NOTHING)[level]
    if level in WEAKNESSES:
        return f"ppo:{network},{WEAKNESSES[level]}"
    if level == "strong":
        return f"ppo:{network}"
    return few_worlds_with(network) if network in searched_networks()["better"] else search_with(network)


PERSONS = (
    "Resi",
    "Ferenc",
    "Milica",
    "Poldi",
    "Ilona",
    "Jovan",
    "Barbara",
    "Gyuri",
    "Zdravko",
    "Leni",
    "Marko",
    "Hans",
)


def seat_names(seats: Sequence[str | Agent | None], level: str, chance: random.Random) -> list[str]:
    """The names of seats whose agents play at a level: first names, each with the level."""
    persons = iter(chance.sample(PERSONS, len(PERSONS)))
    return [
        f"player_{seat}" if who is None else f"{next(persons)} ({level})" for seat, who in enumerate(seats)
    ]


def told_name(name: str) -> str:
    """The name of a seat with its level in the reader's language."""
    person, has_level, level = name.removesuffix(")").rpartition(" (")
    return f"{person} ({tr(level)})" if has_level and level in LEVELS else name


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

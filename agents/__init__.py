"""Players of every game, and how to call them up by a short text, `kind:argument,key=value,…`.

random          any legal action
rules           the game's rule-based player, where it has one; `rules:0.1` as it was in that version
ppo:FOLDER      a trained network (`ppo:runs/schnapsen/best`), or a shipped one by its name;
                `greedy=yes` or `no` sets how it picks
rollout         weighs each action by playing it out in sampled worlds (`rollout:worlds=100`)
pimc            solves sampled worlds exactly (`pimc:worlds=40`)
ismcts          grows a tree over them (`ismcts:ms=20`)
search:FOLDER   weighs actions by playouts and by a network, in worlds that the network finds likely
"""

if __name__ == "agents":
    raise ImportError("the agents are called stichwerk.agents: `from stichwerk.agents import make_agent`")

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stichwerk.agents.agent import Agent, AgentError, Turns
from stichwerk.agents.files import path_from
from stichwerk.agents.rules import register_rule_player
from stichwerk.agents.simple import RandomAgent, RulesAgent
from stichwerk.agents.texts import Kind, Setting, fraction, one_of, whole
from stichwerk.envs.core.errors import InputError, quoted
from stichwerk.envs.core.game import Game
from stichwerk.envs.games import make_game

__all__ = ["Agent", "AgentError", "Turns", "make_agent", "register_rule_player"]


def make_agent(text: str, env_id: str, rules: str | Mapping[str, Any] | None = None) -> Agent:
    """The agent that a text names, for one game; its `name` is the text.

    Raises AgentError for an agent that is unknown or does not fit.
    """
    return make_agent_for(text, make_game(env_id, rules))


def make_agent_for(text: str, game: Game, name: str | None = None) -> Agent:
    """The same for a game that is made already, perhaps under another name than the text."""
    kind = KINDS.get(text.partition(":")[0])
    if kind is None:
        forms = ", ".join(kind.form for kind in KINDS.values())
        raise AgentError(f"unknown agent {quoted(text)}; there are {forms}")
    agent = kind.agent(text, game)
    agent.name = name or text
    return agent


def _random(text: str, game: Game, argument: str) -> Agent:
    return RandomAgent(text)


def _rules(text: str, game: Game, argument: str) -> Agent:
    return RulesAgent(text, game, argument or None)


def _ppo(text: str, game: Game, argument: str, greedy: bool | None = None) -> Agent:
    from stichwerk.agents.ppo import PPOAgent  # torch takes a second to import: only for those who use it

    return PPOAgent.load(text, _folder(text, argument), game, greedy)


def _folder(text: str, name: str) -> Path:
    """Where the network lies that a text names: a shipped one by its name, or any by its path."""
    if name in SHIPPED:
        return PLAYERS / name
    try:
        return path_from(name)
    except InputError as error:
        raise AgentError(f"agent {quoted(text)}: {error}") from None


def _rollout(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    from stichwerk.agents.search.rollout import RolloutPlayer

    return RolloutPlayer(text, game, **settings)


def _pimc(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    from stichwerk.agents.search.pimc import PIMCPlayer

    return PIMCPlayer(text, game, **settings)


def _ismcts(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    from stichwerk.agents.search.ismcts import ISMCTSPlayer

    return ISMCTSPlayer(text, game, **settings)


def _search(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    from stichwerk.agents.ppo import PPOAgent
    from stichwerk.agents.search.guided import GuidedPlayer

    guide = PPOAgent.load(text, _folder(text, argument), game)
    return GuidedPlayer(text, game, guide, **settings)


PLAYERS = Path(__file__).parent / "players"
SHIPPED = tuple(sorted(folder.name for folder in PLAYERS.iterdir() if folder.is_dir()))

BUDGET: dict[str, Setting] = {
    "worlds": whole(1, 1_000_000),
    "ms": fraction(0, 1e6),
    "threads": whole(1, 1_024),
}
SLIP = fraction(0.001, 1)
KINDS = {
    "random": Kind(_random, "random"),
    "rules": Kind(_rules, "rules:VERSION", argument=None),
    "ppo": Kind(_ppo, "ppo:FOLDER", argument=True, settings={"greedy": one_of(yes=True, no=False)}),
    "rollout": Kind(_rollout, "rollout", settings={**BUDGET, "slip": SLIP, "margin": fraction(0, 100)}),
    "pimc": Kind(
        _pimc,
        "pimc",
        settings={**BUDGET, "turns": whole(0, 100), "nodes": whole(1, 10**12), "slip": SLIP},
    ),
    "ismcts": Kind(
        _ismcts,
        "ismcts",
        settings={
            **BUDGET,
            "observers": one_of(one=1, many=2),
            "explore": fraction(0, 100),
            "slip": SLIP,
        },
    ),
    "search": Kind(
        _search, "search:FOLDER", argument=True, settings={**BUDGET, "temperature": fraction(0.001, 1e6)}
    ),
}

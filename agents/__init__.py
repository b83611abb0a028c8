"""Players of every game, and how to call them up by a short text.

random          any legal action
rules           the game's rule-based player, where it has one
ppo:FOLDER      a trained network (`ppo:runs/schnapsen/best`);
                `ppo:FOLDER,greedy=yes` or `no` sets how it picks
"""

if __name__ == "agents":
    raise ImportError("the agents are called stichwerk.agents: `from stichwerk.agents import make_agent`")

from collections.abc import Callable, Mapping
from typing import Any

from stichwerk.agents.agent import Agent, AgentError, Turns
from stichwerk.agents.files import path_from
from stichwerk.agents.rules import register_rule_player
from stichwerk.agents.simple import RandomAgent, RulesAgent
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
    kind, _, arguments = text.partition(":")
    if kind not in KINDS:
        raise AgentError(f"unknown agent {quoted(text)}; there are {', '.join(FORMS)}")
    agent = KINDS[kind](text, arguments, game)
    agent.name = name or text
    return agent


def _random(text: str, arguments: str, game: Game) -> Agent:
    _no_arguments(text)
    return RandomAgent(text)


def _rules(text: str, arguments: str, game: Game) -> Agent:
    _no_arguments(text)
    return RulesAgent(text, game)


def _ppo(text: str, arguments: str, game: Game) -> Agent:
    from stichwerk.agents.ppo import PPOAgent  # torch takes a second to import: only for those who use it

    folder, *settings = arguments.split(",")
    options = dict(setting.partition("=")[::2] for setting in settings)
    greedy = options.pop("greedy", None)
    if not folder or options or greedy not in (None, "yes", "no"):
        raise AgentError(
            f"agent {quoted(text)}: allowed is ppo:FOLDER, then perhaps ,greedy=yes or ,greedy=no"
        )
    try:
        path = path_from(folder)
    except InputError as error:
        raise AgentError(f"agent {quoted(text)}: {error}") from None
    return PPOAgent.load(text, path, game, None if greedy is None else greedy == "yes")


def _no_arguments(text: str) -> None:
    if ":" in text:
        raise AgentError(f"agent {quoted(text)}: {text.partition(':')[0]} takes no arguments")


KINDS: dict[str, Callable[[str, str, Game], Agent]] = {"random": _random, "rules": _rules, "ppo": _ppo}
FORMS = ("random", "rules", "ppo:FOLDER")

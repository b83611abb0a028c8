"""Players of every game, and how to call them up by a short text.

random          any legal action
rules           the game's rule-based player
ppo:FOLDER      a trained network (`ppo:runs/schnapsen/best`); `ppo:FOLDER,greedy=yes` or `no` sets how it picks
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agents.agent import Agent, AgentError, Turns
from agents.simple import RandomAgent, RulesAgent
from envs.core.game import Game
from envs.games import make_game

__all__ = ["Agent", "AgentError", "Turns", "make_agent"]


def make_agent(text: str, env_id: str, rules: str | Mapping[str, Any] | None = None) -> Agent:
    """The agent that a text names, for one game; its `name` is the text. Raises AgentError for an unknown or unfit one."""
    return make_agent_for(text, make_game(env_id, rules))


def make_agent_for(text: str, game: Game) -> Agent:
    kind, _, arguments = text.partition(":")
    if kind not in KINDS:
        raise AgentError(f"unknown agent {text!r}; there are {', '.join(FORMS)}")
    agent = KINDS[kind](arguments, game)
    agent.name = text
    return agent


def _random(arguments: str, game: Game) -> Agent:
    _no_arguments("random", arguments)
    return RandomAgent()


def _rules(arguments: str, game: Game) -> Agent:
    _no_arguments("rules", arguments)
    return RulesAgent(game)


def _ppo(arguments: str, game: Game) -> Agent:
    from agents.ppo import PPOAgent  # torch takes a second to import: only for those who use it

    folder, *settings = arguments.split(",")
    options = dict(setting.partition("=")[::2] for setting in settings)
    greedy = options.pop("greedy", None)
    if not folder or options or greedy not in (None, "yes", "no"):
        raise AgentError(f"agent 'ppo:{arguments}': allowed is ppo:FOLDER, then perhaps ,greedy=yes or ,greedy=no")
    return PPOAgent.load(Path(folder), game, f"ppo:{arguments}", None if greedy is None else greedy == "yes")


def _no_arguments(kind: str, arguments: str) -> None:
    if arguments:
        raise AgentError(f"agent '{kind}:{arguments}': {kind} takes no arguments")


KINDS: dict[str, Callable[[str, Game], Agent]] = {"random": _random, "rules": _rules, "ppo": _ppo}
FORMS = ("random", "rules", "ppo:FOLDER")

"""Players of every game, and how to call them up by a short text, `kind:argument,key=value,…`.

random          any legal action
rules           the game's rule-based player, where it has one
ppo:FOLDER      a trained network (`ppo:runs/schnapsen/best`); `greedy=yes` or `no` sets how it picks
python:MODULE:MAKER
                an own agent: what `MAKER(game)` of a Python module returns; see docs/own_agents.md

An installed package's own agents go by the names of its entry points of the group `stichwerk.agents`.
"""

if __name__ == "agents":
    raise ImportError("the agents are called stichwerk.agents: `from stichwerk.agents import make_agent`")

from collections.abc import Mapping
from typing import Any

from stichwerk.agents.agent import Agent, AgentError, Turns
from stichwerk.agents.files import path_from
from stichwerk.agents.own import address_of, as_agent, installed, python_agent
from stichwerk.agents.rules import register_rule_player
from stichwerk.agents.simple import RandomAgent, RulesAgent
from stichwerk.agents.texts import Kind, one_of
from stichwerk.envs.core.errors import InputError, quoted
from stichwerk.envs.core.game import Game
from stichwerk.envs.games import make_game

__all__ = ["Agent", "AgentError", "Turns", "as_agent", "make_agent", "register_rule_player"]


def make_agent(text: str, env_id: str, rules: str | Mapping[str, Any] | None = None) -> Agent:
    """The agent that a text names, for one game; its `name` is the text.

    Raises AgentError for an agent that is unknown or does not fit.
    """
    return make_agent_for(text, make_game(env_id, rules))


def make_agent_for(text: str, game: Game, name: str | None = None) -> Agent:
    """The same for a game that is made already, perhaps under another name than the text."""
    word = text.partition(":")[0]
    kind = KINDS.get(word) or (Kind(_installed, word) if word in installed() else None)
    if kind is None:
        forms = ", ".join([*(kind.form for kind in KINDS.values()), *installed()])
        raise AgentError(f"unknown agent {quoted(text)}; there are {forms}")
    agent = kind.agent(text, game)
    agent.name = name or text
    return agent


def _random(text: str, game: Game, argument: str) -> Agent:
    return RandomAgent(text)


def _rules(text: str, game: Game, argument: str) -> Agent:
    return RulesAgent(text, game)


def _ppo(text: str, game: Game, argument: str, greedy: bool | None = None) -> Agent:
    from stichwerk.agents.ppo import PPOAgent  # torch takes a second to import: only for those who use it

    try:
        path = path_from(argument)
    except InputError as error:
        raise AgentError(f"agent {quoted(text)}: {error}") from None
    return PPOAgent.load(text, path, game, greedy)


def _python(text: str, game: Game, argument: str) -> Agent:
    return python_agent(text, game, argument)


def _installed(text: str, game: Game, argument: str) -> Agent:
    return python_agent(text, game, address_of(text) or "")


KINDS = {
    "random": Kind(_random, "random"),
    "rules": Kind(_rules, "rules"),
    "ppo": Kind(_ppo, "ppo:FOLDER", argument=True, settings={"greedy": one_of(yes=True, no=False)}),
    "python": Kind(_python, "python:MODULE:MAKER", argument=True),
}

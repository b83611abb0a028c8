"""Players of every game, and how to call them up by a short text, `kind:argument,key=value,…`.

random          any legal action
rules           the game's rule-based player, where it has one; `rules:0.1` as it was in that version
ppo:NAME        a trained network: a shipped one by its name, or one in a folder
                (`ppo:runs/schnapsen-1/best`); `greedy=yes` or `no` sets how it picks
rollout         weighs each action by playing it out in sampled worlds (`rollout:worlds=100`)
pimc            solves sampled worlds exactly (`pimc:worlds=40`)
ismcts          grows a tree over them (`ismcts:ms=20`)
search:NAME     weighs actions by playouts and by a network, in worlds that the network finds likely
python:MODULE:MAKER  a custom agent: what `MAKER(game)` of a module returns; see docs/howto/custom_agents.md
engine:COMMAND  a program that speaks the engine protocol; see docs/howto/engines.md
vu:BOT          a bot of the VU Amsterdam's Schnapsen platform; see docs/howto/vu_schnapsen.md

An installed package's custom agents go by the names of its entry points of the group `stichwerk.agents`.
"""

if __name__ == "agents":
    raise ImportError("the agents are called stichwerk.agents: `from stichwerk.agents import make_agent`")

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from stichwerk.agents.builtin.rules import register_rule_player
from stichwerk.agents.core.agent import Agent, AgentError, Turns
from stichwerk.agents.external.custom import as_agent
from stichwerk.agents.registry import kind_of
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game

__all__ = ["Agent", "AgentError", "Turns", "as_agent", "make_agent", "make_agent_for", "register_rule_player"]


def make_agent(text: str, env_id: str, rules: str | Mapping[str, Any] | None = None) -> Agent:
    """Make the agent that a text names, for one game.

    Args:
        text: The agent's spec, such as `rules` or `rollout:worlds=100`; the agent has it as its `name`.
        env_id: The environment id of the game.
        rules: A preset, a dict of options, or None for the default preset.

    Returns:
        An agent that plays this game under these rules.

    Raises:
        AgentError: for an agent that is unknown or does not fit.
        InputError: for an unknown game.
        RulesError: for unknown rules.
    """
    return make_agent_for(text, make_game(env_id, rules))


def make_agent_for(text: str, game: Game, name: str | None = None) -> Agent:
    """Make the agent that a text names, for a game that is made already.

    Args:
        text: The agent's spec, such as `rules` or `rollout:worlds=100`.
        game: The game under its rules.
        name: The agent's name; None: the text.

    Raises:
        AgentError: for an agent that is unknown or does not fit.
    """
    agent = kind_of(text).agent(text, game)
    agent.name, agent.origin = name or text, (text, 0)
    return agent


def make_agents(field: Iterable[tuple[str, str]], game: Game) -> list[Agent]:
    """Make the agents of a field, each given by its name and its text, for one game.

    Several of one text are numbered as its copies, so that each has a chance of its own.

    Raises:
        AgentError: for an agent that is unknown or does not fit.
    """
    agents, copies = list[Agent](), Counter[str]()
    for name, text in field:
        agents.append(make_agent_for(text, game, name))
        agents[-1].origin = text, copies[text]
        copies[text] += 1
    return agents

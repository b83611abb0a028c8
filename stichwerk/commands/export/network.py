"""Write a policy network as an ONNX file, which other programs play from.

stichwerk export network ppo:schnapsen --out schnapsen.onnx
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.external.export import write_onnx
from stichwerk.agents.networks.saved import game_of
from stichwerk.agents.registry import network_of
from stichwerk.cli import GameOptions, Positional, parse
from stichwerk.envs import Game
from stichwerk.envs.games import make_game
from stichwerk.support.errors import quoted
from stichwerk.support.files import new_file
from stichwerk.support.parsing import parse_yaml


@dataclass(frozen=True, kw_only=True)
class ExportOptions(GameOptions):
    """Write an ONNX file that takes observations and masks as environments give them, the masks as float32,
    and gives a score for each action."""

    env: str = field(default="", metadata={"aliases": ("game",)})
    """The environment id of the game. MODULE:ID imports a module first. The default is the agent's game."""
    rules: str = ""
    """The name of a preset, or options such as '{preset: schnapsen, claims: auto}'. The default is the
    default preset with --env, else the agent's own rules."""
    agent: Positional[str]
    """The network to write, ppo:NAME or ppo:FOLDER."""
    out: str
    """The file to write."""
    int8: bool = False
    """Write the weights in 8 bits: a quarter of the size, such as for pages."""
    force: bool = False
    """Replace an existing file."""

    def game_of_network(self, folder: Path) -> Game:
        if self.env:
            return self.game()
        learned = game_of(folder)
        return make_game(learned.env_id, parse_yaml(self.rules)) if self.rules else learned


def main(arguments: Sequence[str]) -> None:
    options = parse(ExportOptions, arguments)
    path = new_file(options.out, options.force)
    folder = network_of(options.agent)
    agent = make_agent_for(options.agent, options.game_of_network(folder)) if folder else None
    if not isinstance(agent, NetworkAgent):
        raise AgentError(f"agent: got {quoted(options.agent)}; expected a network, ppo:NAME or ppo:FOLDER")
    write_onnx(agent, path, options.int8)
    print(f"{path}: observation, action_mask -> scores; policies.from_onnx makes an agent of it")

"""Serve deals to an assistant over the Model Context Protocol, on standard input and output.

stichwerk serve mcp --env schnapsen_v0 --opponents ppo:schnapsen
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stichwerk.agents.language.mcp_server import DealServer
from stichwerk.cli import GameOptions, parse
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.terminal.streams import Wire


@dataclass(frozen=True, kw_only=True)
class McpOptions(GameOptions):
    """Serve deals to an assistant that speaks the Model Context Protocol, with the tools new_deal, look, act
    and hint."""

    opponents: str = "rules"
    """The agent in the other seats, such as rules or ppo:NAME."""
    hint: str = "rules"
    """The agent that the tool hint asks."""


def main(arguments: Sequence[str]) -> None:
    options = parse(McpOptions, arguments)
    wire = Wire.taken()  # agents may print when they are made
    server = DealServer(options.env, options.opponents, options.hint, parse_yaml(options.rules)).make()
    with wire.given_back():
        server.run()

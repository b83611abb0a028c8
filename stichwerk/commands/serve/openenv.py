"""Serve one seat of a game over OpenEnv, for trainers of language models.

stichwerk serve openenv --env schnapsen_v0 --port 8000
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stichwerk.cli import GameOptions, check_bounds, parse
from stichwerk.support.extras import from_extra
from stichwerk.support.machine.sockets import listening
from stichwerk.support.parsing import parse_yaml


@dataclass(frozen=True, kw_only=True)
class OpenenvOptions(GameOptions):
    """Serve one seat of a game over OpenEnv: questions and answers in text, game points as rewards."""

    opponents: str = "rules"
    """The agent in the other seats, such as rules or ppo:NAME."""
    seat: int | None = None
    """The seat to serve, from 0. By default the seat rotates with every deal."""
    host: str = "127.0.0.1"
    """The address to listen at. With 0.0.0.0 other machines can play too."""
    port: int = 8000
    """The port to listen at."""

    def __post_init__(self):
        check_bounds(self, {"port": (1, 65_535)})


def main(arguments: Sequence[str]) -> None:
    options = parse(OpenenvOptions, arguments)
    with listening(options.host, options.port) as listener:
        server = from_extra("stichwerk.agents.language.openenv_server", "openenv")
        app = server.make_app(options.env, options.opponents, parse_yaml(options.rules), options.seat)
        uvicorn = from_extra("uvicorn", "openenv")
        uvicorn.Server(uvicorn.Config(app, host=options.host, port=options.port)).run(sockets=[listener])

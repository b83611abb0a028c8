"""Commands: one dataclass of options from the command line; bad input ends in one clear line and status 2."""

import os
import secrets
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from io import TextIOWrapper
from typing import Annotated, Any

from stichwerk import INTERRUPTED
from stichwerk.envs.engine.set_deal import parse_seat
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, one_line
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.terminal.arguments import Positional as Positional
from stichwerk.support.terminal.arguments import Reader, read_whole, written
from stichwerk.support.terminal.arguments import parse as parse
from stichwerk.support.terminal.streams import write_legibly

ANOTHER = "ANOTHER_FOLDER"  # in commands that make the same again


def draw_seed() -> int:
    """A seed that cannot be found by trial."""
    return secrets.randbits(63)


def _seed(word: str) -> int:
    return draw_seed() if word == "random" else read_whole(word)


SEED = Reader(lambda words: _seed(words[0]), "INT|random")
Seed = Annotated[int, SEED]
"""A whole number, or the word `random` for an unpredictable one."""


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """The game of a command."""

    env: str = field(default="schnapsen_v0", metadata={"aliases": ("game",)})
    """The environment id of the game. MODULE:ID imports a module first."""
    rules: str = ""
    """The name of a preset, or options such as '{preset: schnapsen, claims: auto}'. Without it the game
    has its default preset."""

    def game(self) -> Game:
        return make_game(self.env, parse_yaml(self.rules))


def seat_of(game: Game, word: str, what: str) -> int:
    """A seat as a command line has it, such as player_0 or 0; SetupError, which names `what`, for another."""
    return parse_seat(game, int(word) if word.isdecimal() and len(word) < 3 else word, what)


@dataclass(frozen=True, kw_only=True)
class DealOptions(GameOptions):
    """The deals of the game that are played."""

    start_states: bool = False
    """Begin each deal in a start state of a match that the game draws, instead of with a fresh score."""


def check_bounds(
    options: Any, bounds: Mapping[str, tuple[float, float]], kind: str = "a whole number"
) -> None:
    """InputError for the first of these options outside its bounds. One that is None is not given."""
    for name, (least, most) in bounds.items():
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            raise InputError(f"{name}: got {value}; expected {kind} from {least} to {most}")


def check_source(options: Any, source: str, within: Sequence[str] = (), beside: Sequence[str] = ()) -> None:
    """InputError for the first option that would be ignored. One at its default counts as not given.

    Args:
        options: a dataclass
        source: the option that names what is read, such as record
        within: options that choose a place there, and say nothing without it
        beside: options that say the same in other words, and nothing with it
    """
    given = [each.name for each in fields(options) if getattr(options, each.name) != each.default]
    for name in given:
        word = name.replace("_", "-")
        if source in given and name in beside:
            raise InputError(f"{word}: got it with --{source}; expected one of them")
        if source not in given and name in within:
            raise InputError(f"{word}: got it without --{source}; expected both")


def too_few(command: str, agents: Sequence[str]) -> str:
    """The refusal of fewer than two agents, with a command that has enough."""
    other = "random" if "rules" in agents else "rules"
    like = shlex.join(["stichwerk", command, *(agents or ("random",)), other])
    return f"agents: got {' '.join(agents) or 'none'}; expected two or more, as in: {like}"


def command_line(command: str, options: Any, without: Sequence[str]) -> str:
    """The words that ask for the same again: a command, and the options that differ from their defaults.

    Args:
        command: its name
        options: a dataclass whose first positional words are its field `agents`
        without: fields that are left out
    """
    words = ["stichwerk", command, *options.agents]
    for each in fields(options):
        value = getattr(options, each.name)
        if each.name == "agents" or each.name in without or value == each.default:
            continue
        flag = f"--{each.name.replace('_', '-')}"
        words += [flag] if value is True else [flag, written(value)]
    return shlex.join(words)


def run(main: Callable[[Sequence[str]], None]) -> None:
    """Run a command: bad input, and files that cannot be read or written, end it with one line on stderr and
    status 2. Modules in the present folder can be named."""
    write_legibly(sys.stdout, sys.stderr)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # who reads from a pipe sees each line as it comes
    try:
        main(sys.argv[1:])
    except InputError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except MemoryError as error:
        _fail(f"out of memory: {str(error) or 'ask for less'}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _fail(message: str) -> None:
    print(f"error: {one_line(message)}", file=sys.stderr)
    sys.exit(2)

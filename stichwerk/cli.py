"""Commands: one dataclass of options from the command line; bad input ends in one clear line and status 2."""

import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from io import TextIOWrapper
from typing import Annotated, Any, TypeVar

import tyro
from tyro import _errors as faults
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from stichwerk import INTERRUPTED
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, one_line, quoted
from stichwerk.support.numbers import whole_number
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.streams import write_legibly

# `tyro._errors` is the only way to tyro's own words and not public yet: pyproject.toml narrows its version.
Options = TypeVar("Options")


def _seed(word: str) -> int:
    """Large enough that nobody finds it by trying seeds out."""
    return secrets.randbits(63) if word == "random" else _whole(word)


Seed = Annotated[
    int,
    PrimitiveConstructorSpec(
        nargs=1,
        metavar="INT|random",
        instance_from_str=lambda words: _seed(words[0]),
        is_instance=lambda value: isinstance(value, int) and not isinstance(value, bool),
        str_from_instance=lambda value: [str(value)],
    ),
]
"""A whole number, or the word `random` for one that nobody knows beforehand."""


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """Which game a command is about."""

    env: str = "schnapsen_v0"
    """Environment id; MODULE:ID imports a module first."""
    rules: str = ""
    """Preset, or options such as '{preset: schnapsen, claims: auto}'; empty: the default preset."""

    def game(self) -> Game:
        return make_game(self.env, parse_yaml(self.rules))


@dataclass(frozen=True, kw_only=True)
class DealOptions(GameOptions):
    """Which deals of it are played."""

    start_states: bool = False
    """Begin each deal in a start state of a match that the game draws, instead of with a fresh score."""


def parse(kind: type[Options], arguments: Sequence[str], default: Options | None = None) -> Options:
    """Options from command-line words; InputError in place of tyro's boxes."""
    options = [f"--{name.replace('_', '-')}" for name in _names(kind, default)]

    def refuse(fault: faults.ParseErrorEvent) -> None:
        raise InputError(_complaint(fault, options))

    with faults.on_parse_error(refuse):
        if default is None:
            return tyro.cli(kind, args=arguments, registry=_WORDS)
        return tyro.cli(kind, args=arguments, registry=_WORDS, default=default)


AGENTS = "--agents"
_WORDS = ConstructorRegistry()


@_WORDS.primitive_rule
def _numbers(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec | None:
    """Numbers as files may hold them: tyro's own rules refuse 1e6 and lists with commas."""
    if info.type in (int, float):
        read = _whole if info.type is int else _number
        return PrimitiveConstructorSpec(
            nargs=1,
            metavar=info.type.__name__.upper(),
            instance_from_str=lambda words: read(words[0]),
            is_instance=lambda value: isinstance(value, (int, info.type)) and not isinstance(value, bool),
            str_from_instance=lambda value: [str(value)],
        )
    if info.type == tuple[int, ...]:
        return PrimitiveConstructorSpec(
            nargs="*",
            metavar="[INT [INT ...]]",
            instance_from_str=lambda words: tuple(map(_whole, _listed(" ".join(words)))),
            is_instance=lambda value: isinstance(value, tuple),
            str_from_instance=lambda value: [*map(str, value)],
        )
    return None


def _whole(word: str) -> int:
    number = whole_number(word)
    if number is None:
        raise ValueError(f"got {quoted(word)}; expected a whole number")
    return number


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"got {quoted(word)}; expected a number") from None


def _listed(text: str) -> list[str]:
    """The entries of a list, with blanks or commas between, perhaps in brackets."""
    inside = text.strip()
    if inside.startswith("[") and inside.endswith("]"):
        inside = inside[1:-1]
    return inside.replace(",", " ").split()


def _names(kind: Any, default: Any) -> Iterator[str]:
    """The fields of a dataclass, and of those inside its defaults."""
    for field in fields(kind):
        inside = getattr(default, field.name, None)
        if is_dataclass(inside):
            yield from _names(inside, inside)
        else:
            yield field.name


def _complaint(fault: faults.ParseErrorEvent, options: Sequence[str]) -> str:
    """What is wrong with the words, in one line."""
    match fault:
        case faults.InstantiationFailure(argument=argument, message=message):
            return f"{_name(argument)}: {message}" if argument else message
        case faults.BadValue():
            return f"{_name(fault.argument)}: got no value; expected one"
        case faults.InvalidChoice():
            expected = ", ".join(fault.choices)
            return f"{_name(fault.argument)}: got {quoted(fault.value)}; expected one of {expected}"
        case faults.MissingArgs():
            absent = ", ".join(_name(each.arg) for each in fault.missing_arguments)
            surplus = _surplus(fault.unrecognized_tokens, options)
            return f"{absent}: got nothing; expected a value{'; ' if surplus else ''}{surplus}"
        case faults.UnrecognizedArgs():
            return _surplus(fault.tokens, options)
    return "got words that cannot be understood; --help lists the options"


def _name(argument: Any) -> str:
    return "/".join(argument.lowered.name_or_flags)


def _surplus(words: Sequence[str], options: Sequence[str]) -> str:
    """The complaint about words that mean nothing."""
    if not words:
        return ""
    flags = [word.partition("=")[0] for word in words if word.startswith("-")]
    close = [match for flag in flags for match in _meant(flag, options)]
    hint = f"do you mean {' or '.join(close)}? " if close else ""
    if not flags and AGENTS in options:
        hint = f"do you mean {AGENTS} {' '.join(words)}? "
    return f"got unknown {' '.join(words)}; {hint}--help lists the options"


def _meant(flag: str, options: Sequence[str]) -> Sequence[str]:
    """The options that a flag is short for, by first letters or by a part, or else the one most like it."""
    short = flag.strip("-")
    initials = [option for option in options if "".join(re.findall(r"-(\w)", option)) == short]
    parts = [option for option in options if short in option.strip("-").split("-")]
    return initials or parts or get_close_matches(flag, options, 1)


def check_bounds(
    options: Any, bounds: Mapping[str, tuple[float, float]], kind: str = "a whole number"
) -> None:
    """InputError for the first of these options outside its bounds."""
    for name, (least, most) in bounds.items():
        if not least <= getattr(options, name) <= most:
            raise InputError(f"{name}: got {getattr(options, name)}; expected {kind} from {least} to {most}")


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
    except BrokenPipeError:  # whoever reads what is printed has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename or 'output'}: {error.strerror or error}")
    except MemoryError as error:
        _fail(f"out of memory: {str(error) or 'ask for less'}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _fail(message: str) -> None:
    print(f"error: {one_line(message)}", file=sys.stderr)
    sys.exit(2)

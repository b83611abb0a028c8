"""The words of a command line, read into a dataclass: a field is an option, and its docstring the help.

    @dataclass
    class Options:
        \"\"\"What the command does.\"\"\"

        deals: int = 20_000
        \"\"\"The number of duplicate deals a pair.\"\"\"

`parse(Options, ["--deals", "1e3"])` is `Options(deals=1000)`. The fields of a dataclass within are options by
their own names. A field's `metadata` may hold its help as `meaning`, and further names of it as `aliases`.
Names of earlier versions stand in `formerly`, and the help leaves them out.
"""

import argparse
import ast
import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from stichwerk.support.errors import InputError, quoted
from stichwerk.support.numbers import whole_number
from stichwerk.support.parsing import parse_yaml, yaml_line

ELSEWHERE = {  # what programs of others, or people, call an option, and its names here
    **dict.fromkeys(("vs", "versus", "opponent", "enemy", "level", "difficulty"), "against opponents agents"),
    **dict.fromkeys(("player", "players", "bot", "bots", "model", "policy"), "agents agent against"),
    **dict.fromkeys(("n", "num", "games", "rounds", "hands", "episodes", "count"), "deals number"),
    **dict.fromkeys(("o", "output", "dir", "folder", "path", "save"), "out run record"),
    **dict.fromkeys(("j", "jobs", "threads", "processes", "cores"), "workers threads cluster"),
    **dict.fromkeys(("f", "overwrite", "replace"), "force"),
    **dict.fromkeys(("continue", "restart"), "resume"),
    **dict.fromkeys(("variant", "options"), "rules preset"),
    **dict.fromkeys(("text", "cli", "console", "no-gui", "tty"), "terminal"),
    **dict.fromkeys(("pgn", "log", "file", "input"), "record file"),
    **dict.fromkeys(("me", "side", "colour", "color"), "seat"),
    **dict.fromkeys(("steps", "timesteps", "total-timesteps"), "decisions"),
    **dict.fromkeys(("lr", "alpha"), "learning-rate"),
    "random-seed": "seed",
}

NEGATIVE = re.compile(r"-[0-9.]")
HIDDEN = "\0"  # before such a word, which argparse would take for an option; no command line can hold it

Options = TypeVar("Options")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Reader:
    """The reader that makes an option's value of the words after it.

    Attributes:
        read: Returns the value of the words; raises ValueError with what is wrong with them.
        metavar: Stands for the words in the help.
        takes_many: Whether there may be any number of words, instead of one.
    """

    read: Callable[[Sequence[str]], Any]
    metavar: str
    takes_many: bool = False


class _Positional:
    """Marks a field whose words need no option before them."""


Positional = Annotated[Value, _Positional()]
"""The type of a field whose words may be given on the command line without the option's name."""


@dataclass(frozen=True)
class _Option:
    """A field as an option; `path` are the names of the fields that lead to it."""

    path: tuple[str, ...]
    field: Field
    hint: Any
    owner: type
    default: Any

    @property
    def flag(self) -> str:
        return _as_flag(self.path[-1])

    @property
    def called(self) -> str:
        """Its name in messages: that of the option, unless its words need none before them."""
        return self.path[-1] if self.is_positional else self.flag

    @property
    def expected(self) -> str:
        """The words that it accepts, for messages."""
        if choices := get_args(_bare(self.hint)) if get_origin(_bare(self.hint)) is Literal else ():
            return f"one of {', '.join(choices)}"
        return "one or more" if self.reader.takes_many else "a value"

    @property
    def aliases(self) -> Iterator[str]:
        """Its other names: those that its field lists, and those with the fields that lead to it."""
        for names in ("aliases", "formerly"):
            yield from map(_as_flag, self.field.metadata.get(names, ()))
        for begin in range(len(self.path) - 1):
            yield _as_flag(".".join(self.path[begin:]))

    @property
    def is_switch(self) -> bool:
        return self.hint is bool

    @property
    def is_positional(self) -> bool:
        return any(isinstance(mark, _Positional) for mark in getattr(self.hint, "__metadata__", ()))

    @property
    def reader(self) -> Reader:
        marks = getattr(self.hint, "__metadata__", ())
        found = [mark for mark in marks if isinstance(mark, Reader)]
        return found[0] if found else _reader_of(_bare(self.hint))

    @property
    def help(self) -> str:
        """Its help, with its default and its other names."""
        meaning = self.field.metadata.get("meaning") or docstrings(self.owner).get(self.field.name, "")
        notes = []
        if self.default is MISSING:
            notes.append("required")
        elif not self.is_switch and (default := written(self.default)):
            notes.append(f"default: {default}")
        if aliases := self.field.metadata.get("aliases"):
            notes.append(f"also {', '.join(map(_as_flag, aliases))}")
        return meaning + (f" [{'; '.join(notes)}]" if notes else "")


def parse(
    kind: type[Options],
    words: Sequence[str],
    default: Options | None = None,
    before: str = "",
    about: str | None = None,
) -> Options:
    """Read the words of a command line.

    Args:
        kind: The dataclass of the options; its docstring says in the help what the command does.
        words: The words behind the command.
        default: The values of the fields that the words do not name, in place of the fields' own defaults.
        before: Stands in the help for the words that the command itself takes before these.
        about: The docstring of the command, with its examples. Without it that of the dataclass's module.

    Returns:
        The options, of this kind.

    Raises:
        InputError: A word that is no option, or whose value cannot be read; a value that is missing.
        SystemExit: The words ask for help, which has been printed.
    """
    shown = examples(about or sys.modules[kind.__module__].__doc__ or "")
    options = {option.flag: option for option in _options(kind, default)}
    names = {alias: flag for flag, option in options.items() for alias in (flag, *option.aliases)}
    names |= {_off(alias): _off(flag) for alias, flag in names.items() if options[flag].is_switch}
    words = [_by_own_name(word, names) for word in words]
    if {"-h", "--help"} & {*words}:
        _parser(kind, options, with_help=True, before=before, shown=shown).parse_args(["--help"])
    parser = _parser(kind, options)
    try:
        hidden = [HIDDEN + word if NEGATIVE.match(word) else word for word in words]
        found, surplus = parser.parse_known_args(hidden)
    except argparse.ArgumentError as error:
        option = options[(error.argument_name or "").partition("/")[0]]
        fault = "got a value; expected none" if option.is_switch else "got no value; expected one"
        raise InputError(f"{option.called}: {fault}") from None
    given, surplus = _shown(vars(found)), _shown(surplus)
    _take_positional(given, surplus, options)
    if surplus:
        raise InputError(_complaint(surplus, [*options]))
    for flag, option in options.items():
        if option.default is MISSING and flag not in given:
            like = f", as in: {shown[0]}" if shown else ""
            raise InputError(f"{option.called}: got nothing; expected {option.expected}{like}")
    values = {option.path: _value(option, given[flag]) for flag, option in options.items() if flag in given}
    return _made(kind, default, values)


def _options(kind: type, default: Any, path: tuple[str, ...] = ()) -> Iterator[_Option]:
    """The fields of a dataclass, and of those inside it."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        here, value = (*path, field.name), _default(field, default)
        if is_dataclass(hints[field.name]):
            yield from _options(hints[field.name], value, here)
        else:
            yield _Option(here, field, hints[field.name], kind, value)


def _default(field: Field, of: Any) -> Any:
    """The value of a field of a given dataclass, or else its own default; MISSING if it has none."""
    if of is not None and of is not MISSING:
        return getattr(of, field.name)
    return field.default if field.default_factory is MISSING else field.default_factory()


def _made(kind: type, default: Any, values: Mapping[tuple[str, ...], Any], path: tuple[str, ...] = ()) -> Any:
    """The dataclass with the values that were given, by the fields that lead to them."""
    hints = get_type_hints(kind)
    made = {}
    for field in fields(kind):
        here, value = (*path, field.name), _default(field, default)
        if is_dataclass(hints[field.name]):
            made[field.name] = _made(hints[field.name], value, values, here)
        else:
            made[field.name] = values.get(here, value)
    return kind(**made)


# Words


def _as_flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _off(flag: str) -> str:
    """The option that turns a switch off."""
    return f"--no-{flag.removeprefix('--')}"


def _by_own_name(word: str, names: Mapping[str, str]) -> str:
    """A word, if it is another name of an option, or written with underscores, by the option's own name."""
    name, equals, value = word.partition("=")
    return names.get(name.replace("_", "-"), name) + equals + value if word.startswith("--") else word


def _shown(given: Any) -> Any:
    """Words without the mark before a negative number, also inside lists and mappings."""
    if isinstance(given, dict):
        return {name: _shown(value) for name, value in given.items()}
    if isinstance(given, list):
        return [_shown(value) for value in given]
    return given.removeprefix(HIDDEN) if isinstance(given, str) else given


def _take_positional(
    given: MutableMapping[str, Any], surplus: list[str], options: Mapping[str, _Option]
) -> None:
    """Let the options that need no name have the words before an unknown one, and take them from the rest."""
    unknown = [place for place, word in enumerate(surplus) if word.startswith("-") and word != "-"]
    free = surplus[: unknown[0]] if unknown else surplus[:]
    for flag, option in options.items():
        if free and option.is_positional and flag not in given:
            number = len(free) if option.reader.takes_many else 1
            given[flag] = free[:number] if option.reader.takes_many else free[0]
            del free[:number], surplus[:number]


def _value(option: _Option, given: Any) -> Any:
    if option.is_switch:
        return given
    try:
        value = option.reader.read(given if option.reader.takes_many else [given])
    except ValueError as error:
        raise InputError(f"{option.called}: {error}") from None
    if option.reader.takes_many and not value:
        raise InputError(f"{option.called}: got no value; expected one or more")
    return value


def _complaint(words: Sequence[str], options: Sequence[str]) -> str:
    """The message about words that no option takes."""
    flags = [word.partition("=")[0] for word in words if word.startswith("-") and word != "-"]
    close = [match for flag in flags for match in _meant(flag, options)]
    hint = f"do you mean {' or '.join(close)}? " if close else ""
    return f"got unknown {' '.join(words)}; {hint}--help lists the options"


def _meant(flag: str, options: Sequence[str]) -> Sequence[str]:
    """The options that a flag is short for, by first letters or by a part. Failing that, those that go by
    such a word elsewhere, or the one most like it."""
    short = flag.strip("-").replace("_", "-")
    names = [option.removeprefix("--") for option in options]
    found = (
        [name for name in names if "".join(re.findall(r"(?:^|-)(\w)", name)) == short]
        or [name for name in names if short in name.split("-")]
        or [name for name in ELSEWHERE.get(short, "").split() if name in names][:1]
        or get_close_matches(short, names, 1)
    )
    return [f"--{name}" for name in found]


# Types


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _reader_of(hint: Any) -> Reader:
    """The reader of words as this type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return Reader(lambda words: _one_of(words[0], inner), "|".join(inner))
    if hint == tuple[int, ...]:
        return Reader(lambda words: tuple(map(read_whole, _listed(words))), "INT", takes_many=True)
    if origin is tuple:
        each = _reader_of(inner[0])
        return Reader(lambda words: tuple(each.read([word]) for word in words), each.metavar, takes_many=True)
    if origin in (dict, Mapping):
        return Reader(lambda words: _mapping(words[0]), "MAPPING")
    if origin in (Union, UnionType) and type(None) in inner:
        (other,) = (each for each in inner if each is not type(None))
        return _reader_of(other)
    if origin in (Union, UnionType):
        return Reader(lambda words: _text_or_mapping(words[0]), "TEXT|MAPPING")
    return {
        int: Reader(lambda words: read_whole(words[0]), "INT"),
        float: Reader(lambda words: _read_number(words[0]), "FLOAT"),
        str: Reader(lambda words: words[0], "TEXT"),
        Path: Reader(lambda words: Path(words[0]), "PATH"),
    }[hint]


def read_whole(word: str) -> int:
    """Read a whole number as files may hold it, such as 1e6; ValueError for anything else."""
    number = whole_number(word)
    if number is None:
        raise ValueError(f"got {quoted(word)}; expected a whole number")
    return number


def _read_number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"got {quoted(word)}; expected a number") from None


def _listed(words: Sequence[str]) -> list[str]:
    """The entries of a list, with blanks or commas between, perhaps in brackets."""
    inside = " ".join(words).strip()
    if inside.startswith("[") and inside.endswith("]"):
        inside = inside[1:-1]
    return inside.replace(",", " ").split()


def _one_of(word: str, values: Sequence[str]) -> str:
    if word not in values:
        raise ValueError(f"got {quoted(word)}; expected one of {', '.join(values)}")
    return word


def _mapping(word: str) -> Any:
    """The value of a word in YAML, whose kind the dataclass checks; an empty one is an empty mapping."""
    return parse_yaml(word) if word else {}


def _text_or_mapping(word: str) -> Any:
    value = parse_yaml(word)
    return value if isinstance(value, dict) else word


# Help


def examples(about: str) -> list[str]:
    """The commands that a docstring shows, without their comments; in a checkout's script, such as train.py,
    as they are typed there."""
    found = [re.split(r" {3,}", line)[0] for line in about.splitlines() if line.startswith("stichwerk ")]
    script = Path(sys.argv[0]).name
    if not script.endswith(".py"):
        return found
    own = re.compile(rf"stichwerk {re.escape(script.removesuffix('.py'))}(?= |$)")
    return [own.sub(lambda _: f"python {script}", each) for each in found]


def _parser(
    kind: type,
    options: Mapping[str, _Option],
    with_help: bool = False,
    before: str = "",
    shown: Sequence[str] = (),
) -> argparse.ArgumentParser:
    """An argparse parser, which leaves each option's words as they are, under its flag."""
    positional = [option.path[-1].upper() for option in options.values() if option.is_positional]
    parser = argparse.ArgumentParser(
        prog=Path(sys.argv[0]).name,  # which argparse guesses otherwise for `python -m` from Python 3.14 on
        usage=" ".join(["%(prog)s", *filter(None, [before]), *positional, "[--OPTION VALUE ...]"]),
        description=_paragraphs(kind.__doc__ or "") if with_help else None,
        epilog="\n".join(["examples:", *(f"  {each}" for each in shown)]) if shown else None,
        allow_abbrev=False,
        exit_on_error=False,
        argument_default=argparse.SUPPRESS,
        formatter_class=_Formatter,
    )
    groups: dict[str, Any] = {}
    for flag, option in options.items():
        title = option.path[-2].replace("_", " ") if len(option.path) > 1 else ""
        if title not in groups:
            groups[title] = parser.add_argument_group(title) if title else parser
        how: dict[str, Any] = {"dest": flag, "help": option.help.replace("%", "%%") if with_help else None}
        if option.is_switch:
            groups[title].add_argument(flag, action=argparse.BooleanOptionalAction, **how)
        else:
            how |= {"nargs": "*"} if option.reader.takes_many else {}
            groups[title].add_argument(flag, metavar=option.reader.metavar, **how)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=32)


def _paragraphs(text: str) -> str:
    """A docstring, its paragraphs wrapped to the width of the terminal."""
    width = shutil.get_terminal_size().columns - 2
    return "\n\n".join(textwrap.fill(part, width) for part in inspect.cleandoc(text).split("\n\n"))


def written(value: Any) -> str:
    """A default as it would be written on the command line; nothing for an empty one."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(map(written, value))
    if isinstance(value, dict):
        return yaml_line(value) if value else ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def docstrings(kind: type) -> dict[str, str]:
    """The strings under the fields of a dataclass and of those that it inherits from, each in one line."""
    found: dict[str, str] = {}
    for each in filter(is_dataclass, reversed(kind.__mro__)):
        body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0].body  # type: ignore[attr-defined]
        for one, following in pairwise(body):
            if isinstance(one, ast.AnnAssign) and isinstance(following, ast.Expr):
                found[ast.unparse(one.target)] = " ".join(ast.literal_eval(following.value).split())
    return found

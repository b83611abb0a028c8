"""The commands: `stichwerk train …`, `stichwerk eval …`; in a checkout also `python train.py …` and so on.

Each module beside this file is a command by its `main(words)`. The first line of its docstring says what it
does, and the lines that begin with `stichwerk` are examples. A folder is a command of several kinds, such as
`stichwerk serve mcp`, with a module for each.

This file and `stichwerk` import only what takes no time: until `run` is reached, Ctrl-C ends the process with
a traceback.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import stichwerk
from stichwerk import INTERRUPTED
from stichwerk.first_process import go_on_in_a_child

GROUPS = {
    "Play and look at deals": ("play", "show", "analyse"),
    "Compare agents": ("eval", "tournament", "bench", "exploit", "inspect"),
    "Train": ("train", "sweep", "export"),
    "Beside these": ("list", "warm", "serve", "check"),
}
NAMES = tuple(name for names in GROUPS.values() for name in names)
KINDS = {
    "export": ("data", "examples", "network", "puzzles", "records"),
    "inspect": ("actions", "equilibrium", "regret"),
    "serve": ("engine", "mcp", "openenv"),
}
COMMANDS = tuple(f"{name} {kind}".strip() for name in NAMES for kind in KINDS.get(name, [""]))
"""Every command in full, such as `serve mcp`."""
EXTRAS = {
    "export data": "data",
    "export network": "train",
    **dict.fromkeys(("exploit", "sweep", "train"), "train"),
    "play": "play",
}
SHORT = {"convert": "export records", "data": "export data", "equilibrium": "inspect equilibrium"}
BEFORE = {  # what earlier versions called commands, for one more version
    "actions": "inspect actions",
    "engine": "serve engine",
    "gains": "inspect regret",
    "habits": "inspect actions",
    "mcp": "serve mcp",
    "openenv": "serve openenv",
    "puzzles": "export puzzles",
    "regret": "inspect regret",
    "solve": "analyse --exact",
}
ASKING = "-h", "--help"


def main() -> None:
    """`stichwerk COMMAND …`, `stichwerk help COMMAND`. Without a word the commands are printed."""
    name, *words = sys.argv[1:] or ["--help"]
    if name == "help":
        name, *words = [*words, "--help"]
    if longer := SHORT.get(name) or BEFORE.get(name):
        name, *words = [*longer.split(), *words]
    if name in ASKING:
        print(_overview())
    elif name == "--version":
        print(stichwerk.__version__)
    elif name not in NAMES:
        raise _unknown("command", name, (*NAMES, *SHORT, *BEFORE), "stichwerk")
    elif name not in KINDS:
        _start(name, words)
    elif not words or words[0] in ASKING:
        print(_kinds_of(name))
    elif words[0] in KINDS[name]:
        _start(f"{name} {words[0]}", words[1:])
    elif name == "export" and _is_agent_or_option(words[0]):
        _start("export network", words)  # as earlier versions called it, for one more version
    else:
        raise _unknown(f"kind of {name}", words[0], KINDS[name], f"stichwerk {name}")


def _start(command: str, words: list[str]) -> None:
    sys.argv = [f"stichwerk {command}", *words]
    run(command)


def _overview() -> str:
    """The commands by group."""
    lines = ["usage: stichwerk COMMAND …; `stichwerk help COMMAND` says more, with examples"]
    for title, names in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:12}{_says(name)}" for name in names)]
    return "\n".join([*lines, "", "To begin with: stichwerk play schnapsen", "--version prints the version"])


def _kinds_of(name: str) -> str:
    """The kinds of a command."""
    head = f"usage: stichwerk {name} KIND …; `stichwerk help {name} KIND` says more, with examples"
    kinds = (f"  {kind:12}{_says(f'{name} {kind}')}" for kind in KINDS[name])
    return "\n".join([head, "", _says(name), "", *kinds])


def _is_agent_or_option(word: str) -> bool:
    return ":" in word or word.startswith("-")


def _says(command: str) -> str:
    """The first sentence of a command's docstring, without importing the command."""
    path = os.path.join(os.path.dirname(__file__), *command.split())
    with open(f"{path}/__init__.py" if command in KINDS else f"{path}.py", encoding="utf-8") as file:
        return file.readline().strip().strip('"')


def _unknown(what: str, word: str, known: tuple[str, ...], program: str) -> SystemExit:
    """The end of a command line that names none of the known words."""
    with _ended_by_interrupt():
        from difflib import get_close_matches

        from stichwerk.support.errors import quoted
        from stichwerk.support.terminal.streams import write_legibly
    write_legibly(sys.stderr)
    like = "".join(f"do you mean `{program} {each}`? " for each in get_close_matches(word, known, 1))
    return _refusal(f"unknown {what} {quoted(word)}; {like}`{program} --help` lists them")


def run(name: str) -> None:
    """Run a command with the words after the script's name. Bad input, and missing packages, end it with one
    line and status 2."""
    go_on_in_a_child()
    with _ended_by_interrupt():
        if name in ("play", "show", "export records"):
            from stichwerk.table import cold

            begin = cold.begin if name == "play" else cold.begin_with_record
            begin(sys.argv[1:])
        try:
            command = import_module(f"{__name__}.{name.replace(' ', '.')}")
            cli = import_module("stichwerk.cli")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("stichwerk"):
                raise
            from stichwerk.support.extras import missing

            what = missing(error, EXTRAS.get(name, "eval"))
            raise _refusal(f"`stichwerk {name}` cannot start: {what}") from None
    cli.run(command.main)


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once while the block imports: the imported modules could catch or print
    an exception. Where Ctrl-C is ignored, or handled in another way, it stays so."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _refusal(message: str) -> SystemExit:
    """Print the error; the exception ends the process with status 2."""
    print(f"error: {message}", file=sys.stderr)
    return SystemExit(2)

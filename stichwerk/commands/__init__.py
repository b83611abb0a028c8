"""The commands: `stichwerk train …`, `stichwerk eval …`; in a checkout also `python train.py …` and so on.

Each module beside this file is a command by its `main(words)`; its docstring's first line says what it does.

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

NAMES = tuple(
    sorted(
        name.removesuffix(".py")
        for name in os.listdir(os.path.dirname(__file__))
        if name.endswith(".py") and name != "__init__.py"
    )
)
LEARNING = "exploit", "export", "sweep", "train"  # the commands that need torch
ALIASES = {"gains": "regret", "habits": "actions"}  # names of earlier versions


def main() -> None:
    """`stichwerk COMMAND …`."""
    name, *words = sys.argv[1:] or [""]
    name = ALIASES.get(name, name)
    if name in NAMES:
        sys.argv = [f"stichwerk {name}", *words]
        run(name)
    elif name in ("-h", "--help"):
        print(_overview())
    elif name == "--version":
        print(stichwerk.__version__)
    else:
        with _ended_by_interrupt():
            from stichwerk.support.errors import quoted
            from stichwerk.support.streams import write_legibly
        write_legibly(sys.stderr)
        raise _refusal(
            f"{f'unknown command {quoted(name)}' if name else 'no command'}; there are {', '.join(NAMES)}"
        )


def _overview() -> str:
    """The commands with the first sentence of each one's docstring, none of which is imported for it."""
    lines = ["usage: stichwerk COMMAND …; `stichwerk COMMAND --help` says more", ""]
    for name in NAMES:
        with open(os.path.join(os.path.dirname(__file__), f"{name}.py"), encoding="utf-8") as file:
            says = file.readline().strip().strip('"')
        lines.append(f"  {name:12}{says}")
    return "\n".join([*lines, "", "  --version prints the version"])


def run(name: str) -> None:
    """Run a command with the words behind the script's name. Bad input, and packages that are not installed,
    end it with one line and status 2."""
    go_on_in_a_child()
    with _ended_by_interrupt():
        try:
            command = import_module(f"{__name__}.{name}")
            cli = import_module("stichwerk.cli")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("stichwerk"):
                raise
            from stichwerk.support.extras import missing

            extra = "train" if name in LEARNING else "eval"
            raise _refusal(f"`stichwerk {name}` cannot start: {missing(error, extra)}") from None
    cli.run(command.main)


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once while the block imports: an exception could be caught or printed by
    the modules that it passes. Where Ctrl-C is ignored, or handled in another way, it stays so."""
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
    """Print what is wrong; the exception ends the process with status 2."""
    print(f"error: {message}", file=sys.stderr)
    return SystemExit(2)

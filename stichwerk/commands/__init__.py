"""The commands: `stichwerk train …`, `stichwerk eval …`; in a checkout also `python train.py …` and so on.

Each module beside this file is a command by its `main(words)`; its docstring's first line says what it does.
"""

import pkgutil
import sys
from importlib import import_module
from typing import NoReturn

import stichwerk
from stichwerk.envs.core.errors import quoted
from stichwerk.envs.core.extras import missing

NAMES = tuple(sorted(found.name for found in pkgutil.iter_modules(__path__)))


def main() -> None:
    """`stichwerk COMMAND …`."""
    name, *words = sys.argv[1:] or [""]
    if name in NAMES:
        sys.argv = [f"stichwerk {name}", *words]
        run(name)
    elif name in ("-h", "--help"):
        print(f"usage: stichwerk {{{','.join(NAMES)}}} …; each command has a --help of its own")
    elif name == "--version":
        print(stichwerk.__version__)
    else:
        _refuse(
            f"{f'unknown command {quoted(name)}' if name else 'no command'}; there are {', '.join(NAMES)}"
        )


def run(name: str) -> None:
    """Run a command with the words behind the script's name; bad input, and packages that are not installed,
    end it with one line and status 2."""
    try:
        command = import_module(f"{__name__}.{name}")
        cli = import_module("stichwerk.cli")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("stichwerk"):
            raise
        _refuse(f"`stichwerk {name}` cannot start: {missing(error, 'train')}")
    except KeyboardInterrupt:  # while that is imported, which takes seconds
        sys.exit(130)
    cli.run(command.main)


def _refuse(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)

"""Commands: one dataclass of options from the command line, and one clear line with status 2 for bad input."""

import io
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from typing import Any, TypeVar

import tyro
import yaml

from stichwerk.envs.core.errors import InputError

Options = TypeVar("Options")


def parse(kind: type[Options], arguments: Sequence[str], default: Options | None = None) -> Options:
    """Options from command-line words; InputError in place of tyro's boxes."""
    complaint = io.StringIO()
    try:
        with redirect_stderr(complaint):
            if default is None:
                return tyro.cli(kind, args=arguments)
            return tyro.cli(kind, args=arguments, default=default)
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        raise InputError(_one_line(complaint.getvalue())) from None


def _one_line(box: str) -> str:
    """The words of tyro's error boxes, less the frame and the reference to the help."""
    lines = [line.strip("│ ") for line in box.splitlines() if "─" not in line]
    words = " ".join(line for line in lines if line and "--help" not in line)
    if "Unrecognized" in words:
        words += "; --help lists what is allowed"
    return re.sub(r"Error parsing [A-Z]\w*: |Argument helptext: | For full helptext, (run|see):?", "", words)


def parse_yaml(text: str) -> Any:
    """The value of a text written as YAML: a preset, or a mapping such as {claims: auto}; empty: None."""
    try:
        return yaml.safe_load(text) if text else None
    except (yaml.YAMLError, ValueError):  # an impossible date is a ValueError
        raise InputError(f"{text!r} is not YAML: allowed is a name, or a mapping such as {{claims: auto}}") from None


def run(main: Callable[[Sequence[str]], None]) -> None:
    """Run a command: bad input, and files that cannot be read or written, end it with one line on stderr and status 2."""
    try:
        main(sys.argv[1:])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"error: {error.filename or 'a file'}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)

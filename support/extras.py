"""Packages that only some of the suite needs, and entry points: errors say what is missing."""

from importlib import import_module
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from stichwerk.support.errors import InputError, why_not_loaded


class MissingExtra(InputError, ImportError):  # noqa: N818 - what is missing is not the caller's error
    """A package of an extra is not installed."""


def from_extra(module: str, extra: str) -> ModuleType:
    """Import a module; MissingExtra, with the command that installs it, if it is not there."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing(error, extra) from None


def missing(error: ModuleNotFoundError, extra: str) -> MissingExtra:
    """The error for a missing module, which names the extra that has it."""
    return MissingExtra(f'{error.name} is not installed: pip install "stichwerk[{extra}]"')


def load_entry_point(point: EntryPoint, what: str, refusal: type[InputError] = InputError) -> Any:
    """The object that an entry point of another package names.

    Args:
        what: The object's name in the error, such as `the rule-based player of club_v0`.
        refusal: The class of the error.

    Raises:
        InputError: if it cannot be loaded, whatever the other package's code raises.
    """
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise refusal(f"{what} cannot be loaded: {why_not_loaded(error)}") from error

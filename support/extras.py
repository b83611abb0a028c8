"""Packages that only some of the suite needs: a missing one is named with the command that installs it."""

from importlib import import_module
from types import ModuleType

from stichwerk.support.errors import InputError


class MissingExtra(InputError, ImportError):  # noqa: N818 - what is missing is not the caller's error
    """A package of an extra is not installed."""


def from_extra(module: str, extra: str) -> ModuleType:
    """Import a module; MissingExtra, with the command that installs it, if it is not there."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing(error, extra) from None


def missing(error: ModuleNotFoundError, extra: str) -> MissingExtra:
    """What to say of a module that is not there."""
    return MissingExtra(f'{error.name} is not installed: pip install "stichwerk[{extra}]"')

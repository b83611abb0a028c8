"""The settings of a training run as fields of dataclasses: each says what it may hold and how it may vary."""

from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, get_origin, get_type_hints

from stichwerk.support.check import Allowed
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_yaml, shown

Rules = str | dict[str, Any]
"""A preset by name, or options, which may hold `preset`."""
KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    tuple[int, ...]: "a list of whole numbers",
    Rules: "a text or a mapping",
}


class ConfigError(InputError):
    """A config file that cannot be used; the message names file, field and what was expected."""


def setting(
    default: Any,
    allowed: Allowed | None = None,
    *,
    is_place: bool = False,
    may_vary: bool = True,
    needs: str = "",
    names_something: bool = False,
    aliases: tuple[str, ...] = (),
    formerly: tuple[str, ...] = (),
) -> Any:
    """Declare a field of a group of settings; the string under it is its help.

    Args:
        default: The default; for a mapping an empty one.
        allowed: The values that it may hold; None for all of its type.
        is_place: It says where and how a run is executed, or what else is measured: what is learned does not
            depend on it.
        may_vary: A sweep may vary it.
        needs: The name of the setting without which it changes nothing.
        names_something: It names agents or encodings, which may not exist.
        aliases: Other names that users try.
        formerly: Its names in earlier versions.
    """
    metadata = {
        "allowed": allowed,
        "is_place": is_place,
        "may_vary": may_vary and not is_place,
        "needs": needs,
        "names_something": names_something,
        "aliases": aliases,
        "formerly": formerly,
    }
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Schedule:
    """A value that falls by the same amount each update.

    Attributes:
        first: in the first update
        final_fraction: the fraction of it that one more update after the last would reach
    """

    first: float
    final_fraction: float

    def at(self, left: float) -> float:
        """The value of an update; `left` is the share of the updates that is left, 1 in the first."""
        return self.first * (self.final_fraction + (1 - self.final_fraction) * left)


@dataclass(frozen=True)
class Group:
    """Base of a group of settings, each of which is checked by what it may hold."""

    def __post_init__(self):
        for each in fields(self):
            if allowed := each.metadata["allowed"]:
                value = getattr(self, each.name)
                require(each.name, value, allowed.includes(value), allowed.words)


@dataclass(frozen=True)
class Setting:
    """A field of a group, with all that `setting` declares of it."""

    group: str
    name: str
    hint: Any
    allowed: Allowed | None
    is_place: bool
    may_vary: bool
    needs: str
    names_something: bool
    aliases: tuple[str, ...]
    formerly: tuple[str, ...]

    def checked(self, value: Any, where: str) -> Any:
        """A plain value, as YAML or Python has it, as one of the setting's type.

        Raises:
            ConfigError: The value is of another type; the message begins with `where`.
        """
        if get_origin(self.hint) is dict or self.hint == Rules:
            return _as_mapping(value, self.hint, where)
        if self.hint is float and type(value) is int:
            with suppress(OverflowError):
                return float(value)
        if self.hint == tuple[int, ...] and isinstance(value, (list, tuple)):
            if all(type(entry) is int for entry in value):
                return tuple(value)
        elif type(value) is self.hint:
            return value
        raise ConfigError(f"{where}: got {shown(value)}; expected {KINDS[self.hint]}")


def settings_of(group: str, kind: type[Group]) -> list[Setting]:
    """The settings of a group of this name."""
    hints = get_type_hints(kind)
    return [Setting(group, each.name, hints[each.name], **each.metadata) for each in fields(kind)]


def require(name: str, value: Any, is_right: Any, expected: str) -> None:
    """Refuse a setting's value that is not right.

    Args:
        name: of the setting
        value: that was given
        is_right: whether it is right, as a truth value
        expected: the right values, in words

    Raises:
        ConfigError: got the value; expected the right ones.
    """
    if not is_right:
        raise ConfigError(f"config {name}: got {shown(value)}; expected {expected}")


def _as_mapping(value: Any, hint: Any, where: str) -> Any:
    """A mapping, perhaps written as a text; for rules also a preset. The group checks all else."""
    if isinstance(value, dict):
        return dict(value)
    if hint == Rules:
        if not isinstance(value, str):
            raise ConfigError(f"{where}: got {shown(value)}; expected {KINDS[Rules]}")
        with suppress(InputError):  # the game's constructor reports the error
            if isinstance(mapping := read_yaml(value), dict):
                return mapping
        return value
    if not isinstance(value, str):
        return value
    try:
        return read_yaml(value) if value else {}
    except InputError as error:
        raise ConfigError(f"{where}: got {quoted(value)}, {error}") from None

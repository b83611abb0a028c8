"""Rule options: frozen dataclasses whose fields are declared with `option`, checked on the way in, coded for
the compiled rules."""

from collections.abc import Callable, Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from stichwerk.envs.core.cards import Pack
from stichwerk.support.errors import RulesError, quoted
from stichwerk.support.frozen import frozen
from stichwerk.support.language import trc

NO_VALUE = "none"  # how None is written
MAXIMUM = 10_000  # of every number, so that sums stay small
PLAIN_VALUES, PRESETS = "value", "preset"
"""Contexts of the words for True, False and None, and for names of presets."""


def value_words(name: str, value: Any) -> str:
    """The value of the option `name` in the reader's language: in English as it is written."""
    return trc(name if isinstance(value, str) else PLAIN_VALUES, NO_VALUE if value is None else str(value))


def option(default: Any, meaning: str, source: str, minimum: int = 0, usual: tuple = ()) -> Any:
    """A rule option.

    Args:
        default: its value under the default rules
        meaning: what it means
        source: where the rule is from
        minimum: for numbers the smallest value allowed
        usual: for numbers and lists the values that come up, numbers from the smallest on: networks tell them
            apart, and random rules have one of them. Without any it stays at its default there
    """
    metadata = {"meaning": meaning, "source": source, "minimum": minimum, "usual": usual or (default,)}
    return field(default=default, metadata=metadata)


class Preset(dict[str, Any]):
    """A preset that cites where it is from.

    Args:
        source: of the rule set as a whole, and of every option that is not named
        **values: the options that differ from their defaults, each with its source
    """

    def __init__(self, source: str, **values: tuple[Any, str]):
        super().__init__({name: value for name, (value, _) in values.items()})
        self.sources = {"": source, **{name: where for name, (_, where) in values.items()}}


@dataclass(frozen=True)
class Options:
    """Base of a game's frozen `Rules` dataclass. Subclasses list their presets, say who sits at the table and
    with which cards, and may check combinations in `__post_init__`.
    """

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]]
    PRESET_SOURCES: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """For presets that cite sources: under the empty name that of the whole, and that of each value."""
    PACK: ClassVar[Pack]
    COPIES: ClassVar[int] = 1
    """Of each card in a deck."""
    SHOWN_BY: ClassVar[tuple[str, ...]] = ()
    """Options that say what the observations of a table show, and change nothing else in a game."""
    COUNTED: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Options by which observations leave out what a player who remembers all tricks counts alone, with the
    value that does so and one that shows it. Networks of the latter play under the former by their own
    memory."""
    OF_MATCHES: ClassVar[tuple[str, ...]] = ()
    """Options that change nothing in a deal by itself."""
    YOUNGER: ClassVar[tuple[str, ...]] = ()
    """Options that rules saved by an earlier version may lack; these had them at their defaults."""

    def __init_subclass__(cls, **how: Any):
        super().__init_subclass__(**how)
        if "PRESETS" in cls.__dict__:
            sources = {name: each.sources for name, each in cls.PRESETS.items() if isinstance(each, Preset)}
            cls.PRESETS, cls.PRESET_SOURCES = frozen(cls.PRESETS), frozen(sources)

    def __post_init__(self):
        self.check()

    @property
    def sides(self) -> tuple[int, ...]:
        """For each seat the side it always plays on, by number; seats without fixed partners are each a side
        of their own."""
        raise NotImplementedError

    @property
    def deck(self) -> tuple[str, ...]:
        """The cards of a deck by name, each as often as the deck holds it."""
        return tuple(name for name in self.PACK.names for _ in range(self.COPIES))

    def derived(self) -> dict[str, Any]:
        """Further values for the compiled rules: numbers, or lists of a fixed length.

        An entry with the name of an option replaces it.
        """
        return {}

    def record(self) -> np.ndarray:
        """The options as the compiled rules read them, an array of one record: int64 fields by name.

        Listed values are numbered, true is 1, none is 0, and lists of names are left to `derived`. Every game
        has besides: players; deck_size; deck, the cards of a deck, int64[deck of the full pack].
        """
        values: dict[str, Any] = {
            f.name: self.code(f.name, getattr(self, f.name) or 0) for f in self._number_fields()
        }
        deck = [self.PACK.parse(name) for name in sorted(self.deck, key=self.PACK.parse)]
        spare = len(self.PACK) * self.COPIES - len(deck)
        values |= {
            "players": len(self.sides),
            "deck_size": len(deck),
            "deck": deck + [0] * spare,
            **self.derived(),
        }
        record = np.zeros(
            1, np.dtype((np.record, [(name, np.int64, np.shape(value)) for name, value in values.items()]))
        )
        for name, value in values.items():
            record[0][name] = value
        return record

    def _number_fields(self) -> list[Field]:
        return [f for f in fields(self) if self.has_number(f.name)]

    @classmethod
    def has_number(cls, name: str) -> bool:
        """True if the compiled rules see a number of this field, which is any but a list of names."""
        return not any(get_origin(part) is tuple for part in _parts(_hints(cls)[name]))

    @classmethod
    def make(cls, spec: "str | Mapping[str, Any] | Self | None", default_preset: str) -> Self:
        """Rules from a preset name, a dict of fields (which may hold `preset`), ready rules, or None for the
        default preset. The text `none` stands for None where that is allowed, as options are written.

        Raises RulesError naming the unknown preset, field or value and what is allowed.
        """
        if isinstance(spec, cls):
            return spec
        if spec is None or isinstance(spec, str):
            spec = {"preset": default_preset if spec is None else spec}
        if not isinstance(spec, Mapping):
            raise RulesError(f"rules must be a preset name or a dict of fields, not {quoted(spec)}")
        changes = dict(spec)
        preset = changes.pop("preset", default_preset)
        if not isinstance(preset, str) or preset not in cls.PRESETS:
            raise RulesError(f"unknown preset {quoted(preset)}; there are {', '.join(cls.PRESETS)}")
        known = [f.name for f in fields(cls)]
        for name in changes:
            if name not in known:
                raise RulesError(f"unknown rule option {quoted(name)}; there are {', '.join(known)}")
        hints = _hints(cls)
        values = {**cls.PRESETS[preset], **changes}
        return cls(**{name: _as_held(value, hints[name]) for name, value in values.items()})

    @classmethod
    def completed(cls, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Rules as an earlier version has saved them, with the options that it did not know."""
        younger = {f.name: f.default for f in fields(cls) if f.name in cls.YOUNGER}
        return {**younger, **saved}

    def check(self) -> None:
        """Check each field's value against its type and minimum; for `__post_init__`."""
        hints = _hints(type(self))
        for f in fields(self):
            value = getattr(self, f.name)
            if not _allows(hints[f.name], f, value):
                expected = allowed(hints[f.name], f)
                raise RulesError(f"rule option {f.name}: got {quoted(value)}; expected {expected}")

    def as_dict(self) -> dict[str, Any]:
        """The options as plain values that JSON and YAML can hold."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }

    def preset_name(self) -> str | None:
        """The preset that these options equal, if any."""
        return next((name for name in self.PRESETS if self.make(name, name) == self), None)

    @classmethod
    def values(cls, name: str) -> tuple:
        """The values listed for a field; none if it has no list, or there is no such field."""
        hint = _hints(cls).get(name)
        return get_args(hint) if get_origin(hint) is Literal else ()

    @classmethod
    def usual(cls) -> dict[str, tuple]:
        """By option the values that come up: all that are listed, or those that its declaration names."""
        hints = _hints(cls)
        listed = {f.name: (False, True) if hints[f.name] is bool else cls.values(f.name) for f in fields(cls)}
        return {f.name: listed[f.name] or f.metadata["usual"] for f in fields(cls)}

    @classmethod
    def code(cls, name: str, value: Any) -> int:
        """A field's value as the compiled rules see it: the position among the listed values, else the number
        itself."""
        values = cls.values(name)
        return values.index(value) if values and isinstance(values[0], str) else int(value)


RuleSpec = str | Mapping[str, Any] | Options | None
"""A preset name, a dict of options which may hold `preset`, ready rules, or None for the default preset."""


_hints: Callable[[type], Mapping[str, Any]] = cache(get_type_hints)
"""The types of the fields of a class, which take long to find."""


def _parts(hint: Any) -> tuple:
    """The types of a union, or the one type."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _as_held(value: Any, hint: Any) -> Any:
    """A value as a field holds it: a list as a tuple, and `none` as None where that is allowed."""
    if isinstance(value, str) and value == NO_VALUE and type(None) in _parts(hint):
        return None
    return tuple(value) if isinstance(value, list) else value


def _allows(hint: Any, f: Field, value: Any) -> bool:
    origin = get_origin(hint)
    if origin is Literal:
        return any(type(value) is type(listed) and value == listed for listed in get_args(hint))
    if origin in (Union, UnionType):
        return any(_allows(part, f, value) for part in get_args(hint))
    if hint is int:
        return type(value) is int and f.metadata["minimum"] <= value <= MAXIMUM
    if origin is tuple:
        return isinstance(value, tuple) and all(isinstance(entry, str) for entry in value)
    return type(value) is hint


def allowed(hint: Any, f: Field) -> str:
    """The values that a field may hold, in words; also for the option tables of the docs."""
    origin = get_origin(hint)
    if origin is Literal:
        return " / ".join(str(value) for value in get_args(hint))
    if origin in (Union, UnionType):
        return " or ".join(allowed(part, f) for part in get_args(hint))
    if hint is int:
        return f"a whole number from {f.metadata['minimum']} to {MAXIMUM}"
    if hint is bool:
        return "True / False"
    return NO_VALUE if hint is type(None) else "a list of card names"

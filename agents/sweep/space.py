"""The search space of a sweep: for fields of the training config the values that they may take.

learning_rate: {low: 1e-3, high: 1e-2, log: true}   a range; `log` for one of magnitudes, `step` for a grid
entropy: [0.05, 0.08, 0.1]                          choices
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any

from stichwerk.agents.training.config import SETTINGS, TrainConfig, find_setting
from stichwerk.agents.training.settings import ConfigError
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra
from stichwerk.support.parsing import in_one_line

PAST = "past"  # what some settings need among the opponents
ALLOWED = "a list of different values, or a range such as {low: 1e-3, high: 1e-2, log: true}"

Label = str | int | float | bool  # what Optuna can keep in place of a value


@dataclass(frozen=True)
class Choices:
    """Values to choose from, each by its name in Optuna's files."""

    values: Mapping[Label, Any]

    def distribution(self) -> Any:
        return _kinds().CategoricalDistribution(list(self.values))

    def value(self, drawn: Label) -> Any:
        return self.values[drawn]


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, whole ones if these two are."""

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def distribution(self) -> Any:
        if isinstance(self.low, int):
            return _kinds().IntDistribution(self.low, self.high, self.log, self.step or 1)
        return _kinds().FloatDistribution(self.low, self.high, self.log, self.step)

    def value(self, drawn: float) -> float:
        return drawn


@dataclass(frozen=True)
class Space:
    """Fields of the training config with their choices or ranges."""

    fields: Mapping[str, Choices | Range]

    @classmethod
    def read(cls, given: Any, config: TrainConfig) -> "Space":
        """A space from plain values, as YAML gives them, each held to what this config allows.

        Raises InputError.
        """
        if not isinstance(given, dict) or not given:
            raise InputError(f"space: got {quoted(given)}; expected a mapping of fields, each to {ALLOWED}")
        free = [each.name for each in SETTINGS.values() if each.may_vary]
        entries = {}
        for given_name, entry in given.items():
            name = _known(given_name)
            if name not in free:
                raise InputError(f"space: got {quoted(given_name)}; expected {', '.join(free)}")
            entries[name] = entry
        for name in entries:
            if not _has_needed(name, entries, config):
                needed = {PAST: f"opponents {PAST}"}.get(SETTINGS[name].needs, SETTINGS[name].needs)
                raise InputError(f"space: got {quoted(name)} alone; expected it with {needed}")
        return cls({name: _read(name, entry, config) for name, entry in entries.items()})

    def variants(self, config: TrainConfig) -> Iterator[TrainConfig]:
        """The config with each choice of a field that names agents or encodings. What trials can name is in
        one of these, or in the config itself."""
        for name, entry in self.fields.items():
            if SETTINGS[name].names_something and isinstance(entry, Choices):
                yield from (config.replace(**{name: value}) for value in entry.values.values())

    def distributions(self) -> dict[str, Any]:
        """The space as Optuna's distributions, by the names of the settings."""
        return {name: entry.distribution() for name, entry in self.fields.items()}

    def values(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """The config's values for what Optuna has drawn."""
        return {name: entry.value(drawn[name]) for name, entry in self.fields.items()}


def _kinds() -> Any:
    """Optuna's kinds of distributions; MissingExtra if it is not installed."""
    return from_extra("optuna", "sweep").distributions


def _known(name: Any) -> Any:
    """The setting's own name for an alias, such as ppo.entropy; other names are unchanged."""
    try:
        return find_setting(name, "space").name
    except ConfigError:
        return name


def _has_needed(name: str, entries: Mapping[str, Any], config: TrainConfig) -> bool:
    """True if the config has, or the space may give, what a setting needs."""
    needs = SETTINGS[name].needs
    if needs == PAST:
        return "opponents" in entries or config.pool.has_past
    return not needs or needs in entries or bool(config.value(needs))


def _read(name: str, entry: Any, config: TrainConfig) -> Choices | Range:
    where = f"space {name}"

    def checked(value: Any) -> Any:
        """A value as the config has it; ConfigError if it must not be there."""
        try:
            return config.replace(**{name: value}).value(name)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None

    if isinstance(entry, list) and entry:
        values = [checked(value) for value in entry]
        labels = [_label(value) for value in values]
        if len({*labels}) == len(labels):
            return Choices(dict(zip(labels, values, strict=True)))
    elif isinstance(entry, dict) and {"low", "high"} <= entry.keys() <= {"low", "high", "log", "step"}:
        return _read_range(name, {**entry, "low": checked(entry["low"]), "high": checked(entry["high"])})
    raise InputError(f"{where}: got {quoted(entry)}; expected {ALLOWED}")


def _label(value: Any) -> Label:
    """The label of a value in Optuna's files."""
    if isinstance(value, dict):
        return in_one_line(value)
    return str(list(value)) if isinstance(value, tuple) else value


def _read_range(name: str, entry: Mapping[str, Any]) -> Range:
    where = f"space {name}"
    low, high = entry["low"], entry["high"]
    log, step = entry.get("log", False), entry.get("step")
    if type(low) not in (int, float):
        raise ConfigError(f"{where}: got {quoted(low)}; expected a number, or a list of values")
    if low >= high:
        raise ConfigError(f"{where}: low {low} is not below high {high}")
    if type(log) is not bool or (log and low <= 0):
        raise ConfigError(f"{where}: log: got {quoted(log)}; expected true, from a low above 0, or false")
    if step is not None:
        step = SETTINGS[name].checked(step, f"{where}: step")
        steps = (high - low) / step if step > 0 else 0
        if log or not (steps and isclose(steps, round(steps), rel_tol=1e-9)):
            allowed = f"a part of {high - low:g} that comes out even, without log"
            raise ConfigError(f"{where}: step: got {quoted(step)}; expected {allowed}")
    return Range(low, high, log, step)

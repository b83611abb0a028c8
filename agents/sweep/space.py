"""What a sweep varies: for fields of the training config the values that they may take.

learning_rate: {low: 1e-3, high: 1e-2, log: true}   a range; `log` for one of magnitudes, `step` for a grid
entropy: [0.05, 0.08, 0.1]                          choices
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from math import isclose
from typing import Any

from stichwerk.agents.training.config import PLACE_FIELDS, ConfigError, TrainConfig, as_kind, config_from
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra

# What is played and measured, which trials must share to be compared, and how a run is looked after.
KEPT = (
    *("version", "env", "rules", "episode", "start_states", "seed", "decisions"),
    *("evaluate_every", "evaluate_deals", "final_deals", "checkpoint_every", "threads"),
)
NEEDED = {  # by fields that change nothing without it
    "imitation_decisions": "imitation_agent",
    **dict.fromkeys(("rollout_weight", "rollout_final_fraction", "rollout_floor"), "rollout_policy"),
    **dict.fromkeys(("past_size", "past_every", "promote"), "opponents past"),
}
NAMING = (
    "observation",
    "init",
    "imitation_agent",
    "rollout_policy",
    "opponents",
)  # fields that name agents or encodings
ALLOWED = "a list of different values, or a range such as {low: 1e-3, high: 1e-2, log: true}"

Label = str | int | float | bool  # what Optuna can keep in place of a value


@dataclass(frozen=True)
class Choices:
    """Values to choose from, each by what stands for it in Optuna's files."""

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
        free = [f.name for f in fields(TrainConfig) if f.name not in (*PLACE_FIELDS, *KEPT)]
        for name in given:
            if name not in free:
                raise InputError(f"space: got {quoted(name)}; expected {', '.join(free)}")
            if name in NEEDED and not _has_needed(name, given, config):
                raise InputError(f"space: got {quoted(name)} alone; expected it with {NEEDED[name]}")
        return cls({name: _read(name, entry, config) for name, entry in given.items()})

    def variants(self, config: TrainConfig) -> Iterator[TrainConfig]:
        """The config with each choice of a field that names agents or encodings: what trials can name is in
        one of these, or in the config itself."""
        for name in NAMING:
            if isinstance(entry := self.fields.get(name), Choices):
                yield from (replace(config, **{name: value}) for value in entry.values.values())

    def distributions(self) -> dict[str, Any]:
        """The same for Optuna."""
        return {name: entry.distribution() for name, entry in self.fields.items()}

    def values(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """The config's values for what Optuna has drawn."""
        return {name: entry.value(drawn[name]) for name, entry in self.fields.items()}


def _kinds() -> Any:
    """Optuna's kinds of distributions; MissingExtra if it is not installed."""
    return from_extra("optuna", "sweep").distributions


def _has_needed(name: str, given: Mapping[str, Any], config: TrainConfig) -> bool:
    """Whether the config has, or the space may bring, what a field needs."""
    field, _, past = NEEDED[name].partition(" ")
    return field in given or bool(config.has_past if past else getattr(config, field))


def _read(name: str, entry: Any, config: TrainConfig) -> Choices | Range:
    where = f"space {name}"

    def checked(value: Any) -> Any:
        """A value as the config has it; ConfigError if it must not be there."""
        return getattr(config_from({**config.as_dict(), name: value}, where), name)

    if isinstance(entry, list) and entry:
        values = [checked(value) for value in entry]
        labels = [str(list(value)) if isinstance(value, tuple) else value for value in values]
        if len({*labels}) == len(labels):
            return Choices(dict(zip(labels, values, strict=True)))
    elif isinstance(entry, dict) and {"low", "high"} <= entry.keys() <= {"low", "high", "log", "step"}:
        return _read_range(where, {**entry, "low": checked(entry["low"]), "high": checked(entry["high"])})
    raise InputError(f"{where}: got {quoted(entry)}; expected {ALLOWED}")


def _read_range(where: str, entry: Mapping[str, Any]) -> Range:
    low, high = entry["low"], entry["high"]
    log, step = entry.get("log", False), entry.get("step")
    if type(low) not in (int, float):
        raise ConfigError(f"{where}: got {quoted(low)}; expected a number, or a list of values")
    if low >= high:
        raise ConfigError(f"{where}: low {low} is not below high {high}")
    if type(log) is not bool or (log and low <= 0):
        raise ConfigError(f"{where}: log: got {quoted(log)}; expected true, from a low above 0, or false")
    if step is not None:
        step = as_kind(step, type(low), f"{where}: step")
        steps = (high - low) / step if step > 0 else 0
        if log or not (steps and isclose(steps, round(steps), rel_tol=1e-9)):
            allowed = f"a part of {high - low:g} that comes out even, without log"
            raise ConfigError(f"{where}: step: got {quoted(step)}; expected {allowed}")
    return Range(low, high, log, step)

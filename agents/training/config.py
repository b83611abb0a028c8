"""What a training run is told: one YAML file, overridden from the command line."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from stichwerk.agents.cli import parse_yaml
from stichwerk.envs.core.errors import InputError

VERSION = 1
KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    tuple: "a list of whole numbers",
}
PLACE_FIELDS = ("run", "resume")  # where to run, not what


class ConfigError(InputError):
    """A config file that cannot be used; the message names file, field and what is allowed."""


@dataclass(frozen=True)
class TrainConfig:
    """Train a PPO agent by self-play: python train.py CONFIG.yaml [--FIELD VALUE ...]"""

    version: int = VERSION
    """Of the config format."""

    env: str = "schnapsen_v0"
    """Environment id."""
    rules: str = ""
    """Preset, or options such as '{preset: schnapsen, claims: auto}'; empty: the default preset."""
    episode: str = "deal"
    """What the learner is rewarded for: a deal or a match."""
    observation: str = "summary"
    """Encoding the network sees."""
    seed: int = 1
    """Of the deals, the weights and all chance: with one thread the same seed gives the same result."""

    decisions: int = 9_000_000
    """The learner's decisions in all."""
    lanes: int = 1024
    """Games played side by side."""
    steps: int = 32
    """Decisions a lane between updates."""
    minibatches: int = 8
    """Parts into which an update's decisions are cut."""
    epochs: int = 3
    """Passes over an update's decisions."""
    learning_rate: float = 1e-3
    """At the start; falls linearly to zero."""
    entropy: float = 0.05
    """Weight of the policy's entropy."""
    clip: float = 0.2
    """Clip range of the probability ratio."""
    gae_lambda: float = 0.95
    """Of the advantage estimate; there is no discount."""
    reward_scale: float = 1 / 3
    """Rewards are multiplied by this for the learner …"""
    reward_limit: float = 0.0
    """… then pressed smoothly into ± this; 0: they stay as they are."""
    situations: bool = False
    """Episodes begin in situations of a match as they come up, drawn by the game, instead of with a fresh score."""
    widths: tuple[int, ...] = (256, 256)
    """Hidden layers of the network."""
    threads: int = 1
    """Threads of torch; more than one is slow beside other load and not reproducible."""

    opponents: str = "{latest: 0.5, past: 0.2, rules: 0.3}"
    """Who plays the other seats, by share of the lanes: latest (the learner itself), past (snapshots of it), or any agent."""
    past_size: int = 2
    """Snapshots kept for `past`."""
    past_every: int = 15
    """Updates between snapshots."""

    evaluate_every: int = 20
    """Updates between evaluations against the baselines."""
    evaluate_deals: int = 2_000
    """Duplicate deals of an evaluation."""
    final_deals: int = 20_000
    """Duplicate deals of the evaluation at the end, other deals than those before."""
    checkpoint_every: int = 20
    """Updates between checkpoints."""

    run: str = ""
    """Run folder; empty: runs/<config name>-<seed>."""
    resume: bool = False
    """Go on with the run folder if it is there."""

    def __post_init__(self):
        if self.version != VERSION:
            raise ConfigError(f"config version {self.version}: this release reads version {VERSION}")
        self._check("seed", 0 <= self.seed < 2**32, "a whole number from 0 to 4294967295")
        self._check("past_size", self.past_size >= 0, "a whole number of at least 0")
        for name in (
            "decisions", "lanes", "steps", "minibatches", "epochs", "threads",
            "past_every", "evaluate_every", "checkpoint_every",
        ):  # fmt: skip
            self._check(name, getattr(self, name) >= 1, "a whole number of at least 1")
        for name in ("evaluate_deals", "final_deals"):
            self._check(name, getattr(self, name) >= 2, "a whole number of at least 2")
        for name in ("learning_rate", "reward_scale", "clip"):
            self._check(name, 0 < getattr(self, name) < math.inf, "a number above 0")
        self._check("reward_limit", 0 <= self.reward_limit < math.inf, "a number of at least 0")
        self._check("entropy", 0 <= self.entropy < math.inf, "a number of at least 0")
        self._check("gae_lambda", 0 <= self.gae_lambda <= 1, "a number from 0 to 1")
        self._check("widths", self.widths and min(self.widths) >= 1, "one or more whole numbers of at least 1")
        batch = self.lanes * self.steps
        divides = batch % self.minibatches == 0 and batch > self.minibatches
        self._check("minibatches", divides, f"a divisor of lanes x steps = {batch}, and less")
        self._check(
            "opponents",
            _are_shares(parse_yaml(self.opponents)),
            "latest, past and agents such as rules or random, with shares above 0 that add up to 1",
        )
        self._check("past_size", self.past_size > 0 or "past" not in self.shares, "at least 1 with opponents past")

    @property
    def shares(self) -> dict[str, float]:
        """The opponents by name with their shares of the lanes."""
        return parse_yaml(self.opponents)

    def _check(self, name: str, right: Any, allowed: str) -> None:
        if not right:
            raise ConfigError(f"config {name}={getattr(self, name)!r}: allowed is {allowed}")

    def as_dict(self) -> dict[str, Any]:
        """What to learn and how, without the place, as plain values."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {name: value for name, value in values.items() if name not in PLACE_FIELDS}


def _are_shares(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        return False
    numbers = all(type(share) in (int, float) and share > 0 for share in value.values())
    return numbers and abs(sum(value.values()) - 1) < 1e-6


def load_config(path: Path) -> TrainConfig:
    """A config from a YAML file; ConfigError names what is wrong."""
    if not path.is_file():
        raise ConfigError(
            f"no config file {path}; there are {', '.join(sorted(map(str, Path('configs').glob('*.yaml')))) or 'none in configs/'}"
        )
    try:
        values = yaml.safe_load(path.read_text())
    except (yaml.YAMLError, ValueError) as error:  # an impossible date is a ValueError
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} holds no fields; see configs/schnapsen.yaml")
    return config_from(values, str(path))


def config_from(values: Mapping[str, Any], where: str) -> TrainConfig:
    """A config from plain values, each checked against its field's type."""
    if values.get("version", VERSION) != VERSION:
        raise ConfigError(f"{where}: config version {values['version']!r}: this release reads version {VERSION}")
    kinds = {f.name: type(f.default) for f in fields(TrainConfig)}
    checked = {}
    for name, value in values.items():
        if name not in kinds:
            raise ConfigError(f"{where}: unknown field {name!r}; there are {', '.join(kinds)}")
        if name in ("rules", "opponents") and isinstance(value, dict):
            value = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
        checked[name] = _as_kind(value, kinds[name], f"{where}: {name}={value!r}")
    try:
        return TrainConfig(**checked)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _as_kind(value: Any, kind: type, where: str) -> Any:
    if kind is float and (type(value) is int or isinstance(value, str)):  # YAML 1.1 takes 1e-3 for a text
        with suppress(ValueError):
            return float(value)
    if kind is tuple and isinstance(value, (list, tuple)) and all(type(entry) is int for entry in value):
        return tuple(value)
    if type(value) is not kind or kind is tuple:
        raise ConfigError(f"{where}: allowed is {KINDS[kind]}")
    return value

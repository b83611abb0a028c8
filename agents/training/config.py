"""What a training run is told: one YAML file, overridden from the command line."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from stichwerk.agents.base import AgentError
from stichwerk.agents.builtin.rules import rule_players
from stichwerk.agents.envs.pool import are_shares
from stichwerk.agents.evaluation.matches import DEALS
from stichwerk.agents.external.custom import address_of, find_maker
from stichwerk.agents.networks.network import WIDTHS_ALLOWED, are_widths
from stichwerk.envs.games import find_game, make_game, name_and_version
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import path_from
from stichwerk.support.parsing import parse_yaml, read_text, read_yaml, write_yaml

VERSION = 1
KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    tuple: "a list of whole numbers",
}
# Where and how to run and what else to measure, not what to learn.
PLACE_FIELDS = ("measured_against", "device", "tracker", "seeds", "cluster", "run", "resume", "other_code")
MAPPINGS = ("rules", "opponents", "measured_against")  # texts that may hold one
RENAMED = {  # fields of earlier versions, which are still read
    "situations": "start_states",
    "rate_left": "lr_final_fraction",
    "entropy_left": "entropy_final_fraction",
    "teacher": "imitation_agent",
    "taught": "imitation_decisions",
    "adviser": "rollout_policy",
    "advice": "rollout_weight",
    "advice_left": "rollout_final_fraction",
    "advice_floor": "rollout_floor",
}

# The least and the greatest value of each number: what cannot be is refused before anything is made for it.
WHOLE_NUMBERS = {
    "seed": (0, 2**32 - 1),
    "decisions": (1, 10**12),
    "imitation_decisions": (0, 10**12),
    "lanes": (1, 2**16),
    "steps": (1, 2**16),
    "minibatches": (1, 2**24),
    "epochs": (1, 1_000),
    "threads": (1, 1_024),
    "past_size": (0, 100),
    "past_every": (1, 10**9),
    "evaluate_every": (1, 10**9),
    "evaluate_deals": DEALS,
    "final_deals": DEALS,
    "checkpoint_every": (1, 10**9),
}
NUMBERS = {
    "learning_rate": (1e-9, 1.0),
    "entropy": (0.0, 100.0),
    "clip": (1e-6, 100.0),
    "lr_final_fraction": (0.0, 1.0),
    "entropy_final_fraction": (0.0, 1.0),
    "rollout_weight": (1e-6, 1.0),
    "rollout_final_fraction": (0.0, 1.0),
    "rollout_floor": (0.0, 1.0),
    "promote": (0.0, 1.0),
    "gae_lambda": (0.0, 1.0),
    "reward_scale": (1e-6, 1e6),
}
REWARD_LIMITS = 1e-6, 1e6
MOST_DECISIONS = 2**24  # of an update, which are all in memory

PRECISIONS = ("auto", "float32", "bfloat16")
DEVICES = ("auto", "cpu", "cuda")
TRACKERS = ("", "wandb", "trackio")
FIXED_MARK = "rules:0.1"  # a rule-based player that stays as it is: the same seed trains the same network
BASELINES = (FIXED_MARK, "random")
OPPONENTS = f"{{latest: 0.5, past: 0.2, '{FIXED_MARK}': 0.3}}"
OPPONENTS_WITHOUT_RULES = "{latest: 0.7, past: 0.3}"


class ConfigError(InputError):
    """A config file that cannot be used; the message names file, field and what was expected."""


@dataclass(frozen=True)
class TrainConfig:
    """Train a PPO agent by self-play: CONFIG [--FIELD VALUE ...]"""

    version: int = VERSION
    """Of the config format."""

    env: str = "schnapsen_v0"
    """Environment id; MODULE:ID imports a module first."""
    rules: str = ""
    """Preset, or options such as '{preset: schnapsen, claims: auto}'; empty: the default preset."""
    episode: str = "deal"
    """What the learner is rewarded for: a deal or a match."""
    observation: str = "summary"
    """Encoding the network sees."""
    seed: int = 1
    """Of the deals, the weights and all chance: with one thread the same seed gives the same result."""

    init: str = ""
    """Network to begin with, as the agents' text ppo:NAME or ppo:FOLDER; empty: a fresh one."""
    decisions: int = 16_000_000
    """Decisions of all lanes in all."""
    lanes: int = 1024
    """Games played side by side."""
    steps: int = 24
    """Decisions of a lane between updates."""
    minibatches: int = 8
    """Parts into which an update's decisions are cut."""
    epochs: int = 2
    """Passes over an update's decisions."""
    learning_rate: float = 4e-3
    """Of the first update."""
    lr_final_fraction: float = 0.0
    """Fraction of the learning rate to which it falls, by the same amount each update; the update after the
    last would have it."""
    entropy: float = 0.08
    """Weight of the policy's entropy in the first update."""
    entropy_final_fraction: float = 1.0
    """Fraction of that weight to which it falls in the same way."""
    clip: float = 0.2
    """Clip range of the probability ratio."""
    gae_lambda: float = 0.95
    """Of the advantage estimate; there is no discount."""
    reward_scale: float = 1 / 3
    """Rewards are multiplied by this for the learner …"""
    reward_limit: float = 0.0
    """… then pressed smoothly into ± this; 0: they stay as they are."""
    start_states: bool = False
    """Episodes begin in start states of a match as they come up, not with a fresh score."""
    widths: tuple[int, ...] = (256, 256)
    """Hidden layers of the network."""
    precision: str = "auto"
    """Of the products in the network's layers while it learns: float32, bfloat16, or auto, which is bfloat16
    where the processor or the GPU has units for it, and float32 elsewhere."""
    threads: int = 1
    """Threads of torch; more than one is slow beside other load and not reproducible."""

    imitation_agent: str = ""
    """Agent that plays the learner's seats at first, whose actions the policy imitates and whose results the
    value learns, such as rules; empty: none."""
    imitation_decisions: int = 2_000_000
    """Decisions of all lanes by the imitation agent, before the learner plays itself."""

    rollout_policy: str = ""
    """Rule-based player, rules or rules:VERSION, that plays the deal on after each legal action until all
    cards are known: the outcomes are targets for all actions (rollout targets); empty: none."""
    rollout_weight: float = 0.5
    """Weight of the rollout targets in the first update, up to 1; the learner's own returns have the rest."""
    rollout_final_fraction: float = 1.0
    """Fraction of that weight to which it falls, as the learning rate does."""
    rollout_floor: float = 0.3
    """Share of the uniform distribution in the weights of the targets, so that unlikely actions are learned
    too; the rest are the policy's probabilities."""

    opponents: str = ""
    """Who plays the other seats, by share of the lanes: latest (the learner itself), past (snapshots of it),
    or any agent; empty: {latest: 0.5, past: 0.2, 'rules:0.1': 0.3}, or for a game without rule-based player
    {latest: 0.7, past: 0.3}."""
    past_size: int = 2
    """Snapshots kept for `past`."""
    past_every: int = 15
    """Updates between snapshots."""
    promote: float = 0.0
    """Share of games that a snapshot must win against those of the pool, on the validation deals, to take the
    place of the oldest; 0: each does."""

    evaluate_every: int = 20
    """Updates between evaluations."""
    evaluate_deals: int = 2_000
    """Duplicate deals against each baseline, rules:0.1 and random, in an evaluation."""
    final_deals: int = 20_000
    """Duplicate deals against each of them at the end, other deals than those before."""
    checkpoint_every: int = 20
    """Updates between checkpoints."""

    device: str = "cpu"
    """Where the network learns, and its pool plays: cpu, cuda, or auto, which is a GPU where there is one. It
    changes how sums are rounded and nothing else, so a run may go on elsewhere."""
    measured_against: str = ""
    """Agents besides the baselines that every evaluation meets, also the one at the end, each with its number
    of duplicate deals, such as {'ppo:schnapsen-0.1': 2000, 'rollout:worlds=20': 100}. What is learned does
    not depend on them, so a run may go on with others, or without."""
    tracker: str = ""
    """Where else to show the metrics besides TensorBoard: wandb or trackio; empty: nowhere."""
    seeds: tuple[int, ...] = ()
    """Several seeds: a run of each in RUN/SEED, one after the other, and a picture of these in RUN."""
    cluster: str = ""
    """A Ray cluster on which several seeds, or a sweep's trials, are trained side by side, a core for each,
    or those that a single run learns from, or meets, and that search think side by side: auto, the running
    one or else a local one on this machine, or an address such as ray://host:10001 or host:6379. Empty: all
    is done here."""
    run: str = ""
    """Run folder; empty: runs/<config name>-<seed>, with seeds runs/<config name>-seeds."""
    resume: bool = False
    """Go on with the run folder if it is there."""
    other_code: bool = False
    """Go on although rules, encoding, learner or opponents are no longer those that the run began with."""

    def __post_init__(self):
        self._check("version", self.version == VERSION, str(VERSION))
        for name, (least, most) in WHOLE_NUMBERS.items():
            right = least <= getattr(self, name) <= most
            self._check(name, right, f"a whole number from {least} to {most}")
        least, most = WHOLE_NUMBERS["seed"]
        right = len({*self.seeds}) == len(self.seeds) and all(least <= seed <= most for seed in self.seeds)
        self._check("seeds", right, f"different whole numbers from {least} to {most}")
        for name, (low, high) in NUMBERS.items():
            self._check(name, low <= getattr(self, name) <= high, f"a number from {low:g} to {high:g}")
        low, high = REWARD_LIMITS
        right = self.reward_limit == 0 or low <= self.reward_limit <= high
        self._check("reward_limit", right, f"0, or a number from {low:g} to {high:g}")
        self._check("widths", are_widths(self.widths), WIDTHS_ALLOWED)
        self._check("precision", self.precision in PRECISIONS, " or ".join(PRECISIONS))
        self._check("device", self.device in DEVICES, " or ".join(DEVICES))
        self._check("tracker", self.tracker in TRACKERS, "wandb or trackio, or nothing")
        batch = self.lanes * self.steps
        self._check("steps", batch <= MOST_DECISIONS, f"at most {MOST_DECISIONS} decisions, lanes x steps")
        divides = batch % self.minibatches == 0 and batch > self.minibatches
        self._check("minibatches", divides, f"a divisor of lanes x steps = {batch}, and less")
        pool = self._read_mapping("opponents")
        shares = sum(pool.values()) if isinstance(pool, dict) and _are_numbers(pool.values()) else None
        self._check(
            "opponents",
            not self.opponents or _is_pool(pool),
            "a mapping such as {latest: 0.5, rules: 0.5}, of latest, past and agents, "
            "with shares above 0 that add up to 1" + ("" if shares is None else f", not to {shares:g}"),
        )
        self._check(
            "past_size", self.past_size > 0 or "past" not in self.shares, "at least 1 with opponents past"
        )
        least, most = DEALS
        self._check(
            "measured_against",
            not self.measured_against or _are_deals(self._read_mapping("measured_against")),
            f"agents other than {' and '.join(BASELINES)}, each with a whole number of deals "
            f"from {least} to {most}",
        )
        right = self.episode == "deal" or not self.rollout_policy
        self._check("rollout_policy", right, "none with episode match: rollouts end with the deal")
        self._check("promote", self.has_past or not self.promote, "0 without opponents past")
        for name in MAPPINGS:  # however it was written, it is the same run
            with suppress(InputError):
                if isinstance(mapping := read_yaml(getattr(self, name)), dict):
                    object.__setattr__(self, name, _in_one_line(mapping))

    @property
    def shares(self) -> dict[str, float]:
        """The opponents by name with their shares of the lanes; none if they are the game's default ones."""
        return self._read_mapping("opponents") or {}

    @property
    def has_past(self) -> bool:
        """Whether snapshots of the learner are among the opponents, as they are by default."""
        return not self.opponents or "past" in self.shares

    @property
    def others(self) -> tuple[str, ...]:
        """The texts of all who play while the learner learns: its opponents, and its imitation agent."""
        return (*self.shares, *filter(None, [self.imitation_agent]))

    @property
    def measured(self) -> dict[str, int]:
        """Whom the learner is measured against besides the baselines, each with its duplicate deals."""
        return self._read_mapping("measured_against") or {}

    def _read_mapping(self, name: str) -> Any:
        text = getattr(self, name)
        try:
            return read_yaml(text)
        except InputError as error:
            raise ConfigError(f"config {name}: got {quoted(text)}, {error}") from None

    def own_modules(self) -> tuple[str, ...]:
        """The modules of own agents among the others; ConfigError for one that cannot be loaded."""
        own = [(text, address) for text in self.others if (address := address_of(text)) is not None]
        for text, address in own:
            try:
                find_maker(text, address)
            except AgentError as error:
                field = "opponents" if text in self.shares else "imitation_agent"
                raise ConfigError(f"config {field}: {error}") from None
        return tuple(address.partition(":")[0] for _, address in own)

    def game(self) -> Game:
        """The game that is learned, under its rules."""
        return make_game(self.env, parse_yaml(self.rules))

    def for_game(self, game: Game) -> Self:
        """The same with opponents: if none are named, those by default."""
        default = OPPONENTS if FIXED_MARK in baselines(game) else OPPONENTS_WITHOUT_RULES
        return self if self.opponents else replace(self, opponents=default)

    def _check(self, name: str, right: Any, allowed: str) -> None:
        if not right:
            raise ConfigError(f"config {name}: got {quoted(getattr(self, name))}; expected {allowed}")

    def as_dict(self) -> dict[str, Any]:
        """What to learn and how, without the place, as plain values."""
        values = {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }
        return {name: value for name, value in values.items() if name not in PLACE_FIELDS}


def baselines(game: Game) -> tuple[str, ...]:
    """Whom every training measures itself against, as far as the game has them; the first chooses the
    best."""
    return tuple(name for name in BASELINES if name != FIXED_MARK or game.env_id in rule_players())


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(type(value) in (int, float) for value in values)


def _is_pool(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(name, str) for name in value)
        and are_shares(value.values())
    )


def _are_deals(value: Any) -> bool:
    least, most = DEALS
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(name, str) and name not in BASELINES for name in value)
        and all(type(deals) is int and least <= deals <= most for deals in value.values())
    )


def find_config(word: str, folder: Path) -> tuple[str, TrainConfig]:
    """A short name, and the config that a word stands for: a file, one of the folder by its name (that of a
    shipped player as strong/NAME), or a game by its environment id.

    A game's config is the file in the folder that has the id's name without its version, or else the
    defaults.
    """
    if os.path.isfile(word) or word.endswith((".yaml", ".yml")):
        path = path_from(word)
        return path.stem, load_config(path)
    if word in shipped(folder):
        path = folder / f"{word}.yaml"
        return path.stem, load_config(path)
    try:
        env_id, _ = find_game(word)
    except InputError as error:
        there_are = f"there are the configs {', '.join(shipped(folder))}"
        raise ConfigError(f"no config file {quoted(word)}, {there_are}; and {error}") from None
    name, _ = name_and_version(env_id)
    config = load_config(folder / f"{name}.yaml") if name in shipped(folder) else TrainConfig()
    module, colon, _ = word.rpartition(":")
    return name, replace(config, env=f"{module}{colon}{env_id}")


def shipped(folder: Path) -> list[str]:
    """The names of the configs in a folder, then those of shipped players in its own folder `strong`."""
    groups = folder.glob("*.yaml"), folder.glob("strong/*.yaml")
    paths = (path for group in groups for path in sorted(group))
    return [path.relative_to(folder).with_suffix("").as_posix() for path in paths]


def load_config(path: Path) -> TrainConfig:
    """A config from a YAML file; ConfigError names what is wrong."""
    if not path.is_file():
        there_are = ", ".join(sorted(map(str, Path("configs").glob("*.yaml")))) or "none in configs/"
        raise ConfigError(
            f"no config file {path}; there are {there_are}; the package has its own, such as schnapsen"
        )
    try:
        values = read_yaml(read_text(path))
    except InputError as error:
        raise ConfigError(f"{path} is {error}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} holds no fields; see configs/schnapsen.yaml")
    return config_from(values, str(path))


def config_from(values: Mapping[str, Any], where: str) -> TrainConfig:
    """A config from plain values, each checked against its field's type."""
    if values.get("version", VERSION) != VERSION:
        raise ConfigError(
            f"{where}: config version {quoted(values['version'])}: this release reads version {VERSION}"
        )
    kinds = {f.name: type(f.default) for f in fields(TrainConfig)}
    checked = {}
    for given, value in values.items():
        name = RENAMED.get(given, given)
        if name in checked:
            both = " and ".join(each for each in values if RENAMED.get(each, each) == name)
            raise ConfigError(f"{where}: got {both}; expected {name} alone")
        if name not in kinds:
            raise ConfigError(f"{where}: unknown field {quoted(given)}; there are {', '.join(kinds)}")
        if name in MAPPINGS and isinstance(value, dict):
            value = _in_one_line(value)
        if name in MAPPINGS and not isinstance(value, str):
            raise ConfigError(f"{where}: {name}: got {quoted(value)}; expected a text or a mapping")
        checked[name] = as_kind(value, kinds[name], f"{where}: {name}")
    try:
        return TrainConfig(**checked)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _in_one_line(mapping: dict) -> str:
    return write_yaml(mapping, default_flow_style=True, width=10_000, sort_keys=True).strip()


def as_kind(value: Any, kind: type, where: str) -> Any:
    """A plain value as one of a field's type; ConfigError if it is none."""
    if kind is float and type(value) is int:
        with suppress(OverflowError):
            return float(value)
    if kind is tuple and isinstance(value, (list, tuple)) and all(type(entry) is int for entry in value):
        return tuple(value)
    if type(value) is not kind or kind is tuple:
        raise ConfigError(f"{where}: got {quoted(value)}; expected {KINDS[kind]}")
    return value

"""The configuration of a training run: all groups of settings, whose names are unique."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Self, get_type_hints

from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import AgentError
from stichwerk.agents.external.custom import address_of, find_maker
from stichwerk.agents.training.groups import (
    BASELINES,
    FIXED_MARK,
    EvaluationConfig,
    ExecutionConfig,
    GameConfig,
    ImitationConfig,
    NetworkConfig,
    PoolConfig,
    PPOConfig,
    RolloutTargetConfig,
)
from stichwerk.agents.training.settings import (
    ConfigError,
    Group,
    Setting,
    require,
    settings_of,
)
from stichwerk.envs.spec.game import Game
from stichwerk.support.parsing import in_one_line, shown

VERSION = 2  # of the files: 1 had no groups
OPPONENTS = {"latest": 0.5, "past": 0.2, FIXED_MARK: 0.3}
OPPONENTS_WITHOUT_RULES = {"latest": 0.7, "past": 0.3}


@dataclass(frozen=True)
class TrainConfig:
    """Train a PPO agent by self-play.

    CONFIG is a YAML file, the name of a config that comes with the package, or the environment id of a game.
    The options replace its settings.
    """

    game: GameConfig = GameConfig()
    network: NetworkConfig = NetworkConfig()
    ppo: PPOConfig = PPOConfig()
    imitation: ImitationConfig = ImitationConfig()
    rollout_targets: RolloutTargetConfig = RolloutTargetConfig()
    pool: PoolConfig = PoolConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    execution: ExecutionConfig = ExecutionConfig()

    def __post_init__(self):
        policy = self.rollout_targets.rollout_policy
        right = self.game.episode == "deal" or self.game.match_equity or not policy
        expected = "none with episode match, unless with match_equity: rollouts end with the deal"
        require("rollout_policy", policy, right, expected)
        workers, lanes = self.execution.workers, self.ppo.lanes
        require("workers", workers, workers <= lanes, f"at most {lanes}, as many as there are lanes")
        equity, match = self.game.match_equity, self.game.episode == "match"
        require("match_equity", equity, match or not equity, "false with episode deal")

    @classmethod
    def of(cls, **values: Any) -> Self:
        """A config with these values of its settings and defaults elsewhere: `of(learning_rate=0.002)`.

        Raises:
            ConfigError: A name or a value that cannot be.
        """
        return cls().replace(**values)

    def replace(self, **values: Any) -> Self:
        """The config with other values of some settings, by their names: `replace(learning_rate=0.002)`.

        Raises:
            ConfigError: A name or a value that cannot be.
        """
        changes: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            found = find_setting(name, "config")
            changes.setdefault(found.group, {})[found.name] = found.checked(value, f"config {found.name}")
        groups = {
            group: dataclasses.replace(getattr(self, group), **entries) for group, entries in changes.items()
        }
        return dataclasses.replace(self, **groups)

    def value(self, name: str) -> Any:
        """The value of a setting by its name."""
        found = find_setting(name, "config")
        return getattr(getattr(self, found.group), found.name)

    @property
    def others(self) -> tuple[str, ...]:
        """The specs of all agents that play while the learner learns: opponents and imitation agent."""
        return (*self.pool.shares, *filter(None, [self.imitation.imitation_agent]))

    def own_modules(self) -> tuple[str, ...]:
        """The modules of custom agents among the others; ConfigError for one that cannot be loaded."""
        own = [(spec, address) for spec in self.others if (address := address_of(spec)) is not None]
        for spec, address in own:
            try:
                find_maker(spec, address)
            except AgentError as error:
                name = "opponents" if spec in self.pool.opponents else "imitation_agent"
                raise ConfigError(f"config {name}: {error}") from None
        return tuple(address.partition(":")[0] for _, address in own)

    def for_game(self, game: Game) -> Self:
        """The config with the game's default opponents, if it names none."""
        default = OPPONENTS if FIXED_MARK in baselines(game) else OPPONENTS_WITHOUT_RULES
        return self if self.pool.opponents else self.replace(opponents=default)

    def as_dict(self) -> dict[str, Any]:
        """The settings but for the folder, as in a config file: plain values by group."""
        found: dict[str, Any] = {"version": VERSION}
        for each in SETTINGS.values():
            if not each.is_place:
                value = self.value(each.name)
                found.setdefault(each.group, {})[each.name] = (
                    list(value) if isinstance(value, tuple) else value
                )
        return found

    def by_name(self) -> dict[str, Any]:
        """The settings but for the folder, by name without groups."""
        groups = [group for group in self.as_dict().values() if isinstance(group, dict)]
        return {name: value for group in groups for name, value in group.items()}

    def flat(self) -> dict[str, Any]:
        """The settings but for the folder, by name, each mapping as YAML text."""
        return {
            name: in_one_line(value) if isinstance(value, dict) else value
            for name, value in self.by_name().items()
        }


GROUPS: dict[str, type[Group]] = get_type_hints(TrainConfig)
SETTINGS: dict[str, Setting] = {
    each.name: each for group, kind in GROUPS.items() for each in settings_of(group, kind)
}
_BY_OTHER_NAME = {other: each for each in SETTINGS.values() for other in (*each.aliases, *each.formerly)}


def find_setting(name: str, where: str) -> Setting:
    """The setting of a name: its own, an alias, or one with its group, such as ppo.learning_rate.

    Raises:
        ConfigError: There is none; the message begins with `where`.
    """
    group, _, own = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    found = SETTINGS.get(own) or _BY_OTHER_NAME.get(own)
    if found is None or group not in ("", found.group):
        names = [each.name for each in SETTINGS.values() if group not in GROUPS or each.group == group]
        raise ConfigError(f"{where}: unknown field {shown(name)}; there are {', '.join(names)}")
    return found


def baselines(game: Game) -> tuple[str, ...]:
    """The agents that every training measures itself against, as far as the game has them; the first chooses
    the best network."""
    return tuple(name for name in BASELINES if name != FIXED_MARK or has_rule_player(game.env_id))

"""The configs of the shipped players, for the benchmarks that go through them."""

from collections.abc import Sequence
from pathlib import Path

from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import load_config, shipped
from stichwerk.envs import InputError
from stichwerk.support.errors import quoted

STRONG = Path(__file__).parent.parent / "configs" / "strong"


def checked_names(names: Sequence[str], configs: Path = STRONG) -> Sequence[str]:
    """These names, or all of them where there are none; InputError for one without a config."""
    there_are = shipped(configs)
    if unknown := [name for name in names if name not in there_are]:
        raise InputError(f"no config {quoted(unknown[0])}: there are {', '.join(there_are)}")
    return names or there_are


def strong_config(name: str) -> TrainConfig:
    return load_config(STRONG / f"{name}.yaml")


def game_words(config: TrainConfig) -> str:
    """The words of a command line that name the config's game."""
    rules = config.game.rules_yaml
    return f"--env {config.game.env}" + (f" --rules '{rules}'" if rules else "")

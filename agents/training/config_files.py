"""Config files: YAML with the settings by group, or all side by side as earlier versions wrote them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import stichwerk
from stichwerk.agents.training.config import GROUPS, VERSION, TrainConfig, find_setting
from stichwerk.agents.training.settings import ConfigError
from stichwerk.envs.games import find_game, name_and_version
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import path_from
from stichwerk.support.parsing import read_text, read_yaml

FLAT = 1  # the version of files without groups
CONFIGS = Path(stichwerk.__file__).parent / "configs"
"""The configs that come with the package."""


def find_config(word: str, folder: Path) -> tuple[str, TrainConfig]:
    """Find the config that a word names.

    Args:
        word: A file, a config of the folder by its name (that of a shipped player as strong/NAME), or the
            environment id of a game. A game's config is the file in the folder that has the id's name without
            its version, or else the defaults.
        folder: The configs that come with the package.

    Returns:
        A short name, and the config.

    Raises:
        ConfigError: There is none, or it cannot be used.
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
        available = ", ".join(shipped(folder))
        raise ConfigError(f"unknown config {quoted(word)}; available: {available}; {error}") from None
    name, _ = name_and_version(env_id)
    config = load_config(folder / f"{name}.yaml") if name in shipped(folder) else TrainConfig()
    module, colon, _ = word.rpartition(":")
    return name, config.replace(env=f"{module}{colon}{env_id}")


def shipped(folder: Path) -> list[str]:
    """The names of the configs in a folder, then those of shipped players in its own folder `strong`."""
    groups = folder.glob("*.yaml"), folder.glob("strong/*.yaml")
    paths = (path for group in groups for path in sorted(group))
    return [path.relative_to(folder).with_suffix("").as_posix() for path in paths]


def load_config(path: Path) -> TrainConfig:
    """Read a config from a YAML file.

    Raises:
        ConfigError: There is no such file, or it holds something that a config must not.
    """
    if not path.is_file():
        there_are = ", ".join(sorted(map(str, Path("configs").glob("*.yaml")))) or "none in configs/"
        raise ConfigError(
            f"no config file {path}; there are {there_are}; the package has its own, such as schnapsen"
        )
    try:
        values = read_yaml(read_text(path))
    except InputError as error:
        raise ConfigError(f"{path} is {error}") from None
    return config_from(values, str(path))


def config_from(values: Any, where: str) -> TrainConfig:
    """Make a config of plain values, by group or side by side, each checked against its setting's type.

    Raises:
        ConfigError: A name or a value that cannot be; the message begins with `where`.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where} holds no fields; see configs/schnapsen.yaml")
    version = values.get("version", VERSION)
    if type(version) is not int or version not in (FLAT, VERSION):
        raise ConfigError(f"{where}: version: got {quoted(version)}; expected version {FLAT} or {VERSION}")
    given: dict[str, str] = {}  # how each setting is called there
    found = {}
    for name, value in _entries(values, where):
        each = find_setting(name, where)
        if each.name in given:
            both = f"{given[each.name]} and {name}"
            raise ConfigError(f"{where}: got {both}; expected {each.name} alone")
        given[each.name] = name
        found[each.name] = each.checked(value, f"{where}: {each.name}")
    try:
        return TrainConfig.of(**found)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _entries(values: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """The settings by name, those inside a group with the group's."""
    for name, value in values.items():
        if name == "version":
            continue
        if name not in GROUPS:
            yield name, value
        elif isinstance(value, dict):
            yield from ((f"{name}.{inner}", entry) for inner, entry in value.items())
        else:
            raise ConfigError(f"{where}: {name}: got {quoted(value)}; expected a mapping of its settings")

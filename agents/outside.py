"""Texts that come from outside, YAML and JSON, read so that none can exhaust memory, stack or patience.

What is read here is at most so long and so deep, and no part of it stands for another one: PyYAML would
follow a few hundred bytes of references to references into gigabytes.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from stichwerk.envs.core.errors import InputError, quoted
from stichwerk.envs.core.game import Game
from stichwerk.envs.games import make_game

MOST_YAML, MOST_JSON = 100_000, 16_000_000  # characters; PyYAML is slow
DEEPEST = 20


class _Loader(yaml.SafeLoader):
    """PyYAML takes the last of several values for one key."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = Counter(self.construct_object(key, deep=True) for key, _ in node.value)
        for key, number in keys.items():
            if number > 1:
                raise InputError(f"YAML with {quoted(key)} {number} times: allowed is once")
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """The value of a YAML text; InputError with what is wrong with it, such as `not YAML`."""
    _check_size(len(text), MOST_YAML)
    try:
        depth = 0
        for event in yaml.parse(text, yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise InputError(f"YAML with a reference, *{event.anchor}, which may not be used here")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            _check_depth(depth)
        return yaml.load(text, _Loader)
    except InputError:
        raise
    except Exception as error:  # besides its own errors PyYAML lets out whatever its constructors run into
        raise InputError(f"not YAML: {' '.join(str(error).split())}") from None


def parse_yaml(text: str) -> Any:
    """The value of a text written as YAML: a preset, or a mapping such as {claims: auto}; empty: None."""
    try:
        return read_yaml(text) if text else None
    except InputError as error:
        raise InputError(
            f"{quoted(text)} is {error}: allowed is a name, or a mapping such as {{claims: auto}}"
        ) from None


def game_from(env: str, rules: str) -> Game:
    """The game of an environment id under rules written as YAML."""
    return make_game(env, parse_yaml(rules))


def read_json(text: str) -> Any:
    """The value of a JSON text; InputError with what is wrong with it, such as `not JSON`."""
    _check_size(len(text), MOST_JSON)
    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}") from None
    layer, depth = [value], 0
    while layer := [each for each in layer if isinstance(each, (dict, list))]:
        depth += 1
        _check_depth(depth)
        layer = [part for each in layer for part in (each.values() if isinstance(each, dict) else each)]
    return value


def read_text(path: Path) -> str:
    """The text of a file; InputError if it is too large for one of the above, or no text."""
    _check_size(path.stat().st_size, MOST_JSON)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not a text: {error}") from None


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise InputError(f"too large: {size:,} characters of at most {most:,}")


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise _too_deep()


def _too_deep() -> InputError:
    return InputError(f"too deep: more than {DEEPEST} levels of lists and mappings")

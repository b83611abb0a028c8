"""The games, by environment id.

The packages beside this file each declare a `GAME`; no list of them is kept anywhere. Games of other packages
are registered by `register_game`, or found through entry points of the group `stichwerk.games`, named by
environment id. An id `module:id` imports that module first, as in Gymnasium.
"""

import re
from importlib import import_module
from types import ModuleType
from typing import Any

from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, RulesError, closest, quoted, why_not_loaded
from stichwerk.support.registry import Registry, modules_in


def _checked(env_id: str, spec: Any) -> GameSpec:
    if not isinstance(spec, GameSpec):
        raise InputError(f"a game to register is a GameSpec, not {type(spec).__name__}")
    if env_id not in spec.env_ids:
        raise InputError(f"environment id {env_id!r}: got a game with the ids {', '.join(spec.env_ids)}")
    return spec


GAMES = Registry("stichwerk.games", "game", _checked, loading="environment {!r}")
"""Environment id -> the game."""


def add_game(spec: GameSpec) -> None:
    """Add a game under each of its environment ids.

    Raises:
        InputError: if it is no GameSpec, or if one of its ids is taken by another game.
    """
    GAMES.add(dict.fromkeys(getattr(spec, "env_ids", [""]), spec))


_own = [module.GAME for module in modules_in(__name__) if hasattr(module, "GAME")]
for _spec in _own:
    add_game(_spec)

OWN_GAMES = tuple(env_id for spec in _own for env_id in spec.env_ids)
"""The environment ids of the suite itself."""


def find_game(env_id: str) -> tuple[str, GameSpec]:
    """The environment id, without a module before it, and its game; InputError for an unknown one.

    `sixty-six` and `sixty_six` stand for the newest version of that name, and so does what a game is called
    besides, such as `66`.
    """
    if not isinstance(env_id, str):
        raise InputError(f"environment: got {type(env_id).__name__}; expected an id such as schnapsen_v0")
    module, _, name = env_id.rpartition(":")
    lacks = ""
    try:
        if module and (spec := getattr(loaded := import_module(module), "GAME", None)):
            add_game(spec)
        elif module:
            lacks = f"{_named(loaded)} has no GAME; "
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of others' code
        raise InputError(f"environment {quoted(env_id)} cannot be loaded: {why_not_loaded(error)}") from error
    if found := _newest(name) or _called(name):
        return found, GAMES[found]
    expected = f"{lacks}{closest(name.rpartition('/')[2], GAMES)}expected one of {', '.join(GAMES)}"
    raise InputError(f"environment: got {quoted(env_id)}; {expected}")


def _named(module: ModuleType) -> str:
    """A module for a message. A folder without `__init__.py` is one too, and may hide the one meant."""
    if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
        return f"the folder {next(iter(module.__path__))}, found as module {module.__name__},"
    return f"module {module.__name__}"


def _newest(name: str) -> str | None:
    """The id of a name: itself, or the id of that name with the highest version."""
    if name in GAMES:
        return name
    name = name.replace("-", "_")
    if name in GAMES:
        return name
    versions = [env_id for env_id in GAMES if re.fullmatch(rf"{re.escape(name)}_v\d+", env_id)]
    return max(versions, key=lambda env_id: int(name_and_version(env_id)[1]), default=None)


def _called(name: str) -> str | None:
    """The id of the game with this title or other name, whatever the case and the marks; of those loaded."""

    def plain(word: str) -> str:
        return "".join(filter(str.isalnum, word)).casefold()

    ids = {}
    for env_id, spec in GAMES.loaded.items():
        others = spec.other_names.get(env_id, ())
        for word in (spec.title_of(env_id), *others):
            ids[plain(word)] = env_id
    return ids.get(plain(name))


def name_and_version(env_id: str) -> tuple[str, str]:
    """The parts of an environment id: `schnapsen_v0` is version `0` of `schnapsen`."""
    name, mark, version = env_id.rpartition("_v")
    return (name, version) if mark else (env_id, "")


def make_game(env_id: str, rules: RuleSpec = None) -> Game:
    """The game of an environment id under its rules.

    Args:
        env_id: The environment id, such as `schnapsen_v0`; `module:id` imports the module first, and
            `schnapsen` stands for the newest version.
        rules: A preset, a dict of options, or None for the default preset.

    Raises:
        InputError: for an unknown id.
        RulesError: for unknown rules.
    """
    name, spec = find_game(env_id)
    try:
        options = spec.rules.make(rules, spec.env_ids[name])
    except RulesError as error:
        raise RulesError(f"{name}: {error}") from None
    return Game(name, spec, options, address=env_id)

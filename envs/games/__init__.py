"""The games, by environment id.

The packages beside this file each declare a `GAME`; no list of them is kept anywhere. Games of other packages
are found through entry points of the group `stichwerk.games`, named by environment id, or are told to
`register_game`; an id `module:id` imports that module first, as in Gymnasium.
"""

import pkgutil
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, RulesError, closest, quoted, why_not_loaded

ENTRY_POINTS = "stichwerk.games"


class Games(Mapping[str, GameSpec]):
    """Environment id -> the game. Games of other packages are imported when they are asked for."""

    def __init__(self) -> None:
        self._specs: dict[str, GameSpec] = {}
        self._elsewhere: dict[str, EntryPoint] = {
            point.name: point for point in entry_points(group=ENTRY_POINTS)
        }
        for found in pkgutil.iter_modules(__path__):
            if spec := getattr(import_module(f"{__name__}.{found.name}"), "GAME", None):
                self.add(spec)

    def add(self, spec: GameSpec) -> None:
        """Add a game; InputError if an id of it is taken by another one."""
        if not isinstance(spec, GameSpec):
            raise InputError(f"a game to register is a GameSpec, not {type(spec).__name__}")
        for env_id in spec.env_ids:
            if self._specs.get(env_id, spec) is not spec:
                raise InputError(f"environment id {env_id!r} is taken by another game")
        self._specs |= dict.fromkeys(spec.env_ids, spec)

    def __contains__(self, env_id: object) -> bool:
        return env_id in self._specs or env_id in self._elsewhere

    def __getitem__(self, env_id: str) -> GameSpec:
        if env_id not in self._specs and env_id in self._elsewhere:
            self.add(self._elsewhere[env_id].load())
        return self._specs[env_id]

    def __iter__(self) -> Iterator[str]:
        yield from self._specs
        yield from (env_id for env_id in self._elsewhere if env_id not in self._specs)

    def __len__(self) -> int:
        return len(self._specs.keys() | self._elsewhere.keys())


GAMES = Games()
OWN_GAMES = tuple(GAMES._specs)
"""The environment ids of the suite itself."""


def find_game(env_id: str) -> tuple[str, GameSpec]:
    """The environment id, without a module before it, and its game; InputError for an unknown one.

    `sixty-six` and `sixty_six` stand for the newest version of that name.
    """
    module, _, name = str(env_id).rpartition(":")
    try:
        if module and (spec := getattr(import_module(module), "GAME", None)):
            GAMES.add(spec)
        if found := _newest(name):
            return found, GAMES[found]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of others' code
        raise InputError(f"environment {quoted(env_id)} cannot be loaded: {why_not_loaded(error)}") from error
    expected = f"{closest(name.rpartition('/')[2], GAMES)}expected one of {', '.join(GAMES)}"
    raise InputError(f"environment: got {quoted(env_id)}; {expected}")


def _newest(name: str) -> str | None:
    """The id that a name stands for: itself, or the one of that name with the highest version."""
    if name in GAMES:
        return name
    name = name.replace("-", "_")
    if name in GAMES:
        return name
    versions = [env_id for env_id in GAMES if re.fullmatch(rf"{re.escape(name)}_v\d+", env_id)]
    return max(versions, key=lambda env_id: int(name_and_version(env_id)[1]), default=None)


def name_and_version(env_id: str) -> tuple[str, str]:
    """The parts of an environment id: `schnapsen_v0` is version `0` of `schnapsen`."""
    name, mark, version = env_id.rpartition("_v")
    return (name, version) if mark else (env_id, "")


def make_game(env_id: str, rules: RuleSpec = None) -> Game:
    """The game of an environment id under a preset, a dict of options, or its default preset.

    Raises InputError for an unknown id and RulesError for unknown rules.
    """
    name, spec = find_game(env_id)
    try:
        options = spec.rules.make(rules, spec.env_ids[name])
    except RulesError as error:
        raise RulesError(f"{name}: {error}") from None
    return Game(name, spec, options, address=env_id)

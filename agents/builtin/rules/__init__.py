"""Rule-based players: compiled functions `choose(rules, view, seat)` from a redacted view to an action id.

Each module in this folder says by `PLAYS` for which environment ids its `choose` plays, and by `SINCE` from
which version of the suite on; no list of them is kept anywhere. A player of an earlier version stays as it
was in a folder of that version, such as `v0_1`, so that measurements against it can be repeated. Its file
imports nothing but the games, and today's players import nothing of it.

Players of other packages are found through entry points of the group `stichwerk.rule_players` (an environment
id's value is `module:choose`) and loaded when they are asked for, or are told to `register_rule_player`.
"""

import pkgutil
import re
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

import numpy as np

import stichwerk
from stichwerk.agents.base import AgentError
from stichwerk.envs.jit.compiled import is_compiled
from stichwerk.envs.spec.hooks import CompiledHook
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import load_entry_point

ENTRY_POINTS = "stichwerk.rule_players"


class Choose(CompiledHook, Protocol):
    """Return the action of the seat to act, from its view."""

    def __call__(self, rules: np.record, view: np.record, seat: int, /) -> int: ...


Version = tuple[int, ...]
ALWAYS: Version = ()

_players: dict[str, dict[Version, Choose]] = {}  # by environment id, then by the version that brought it
_elsewhere: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def register_rule_player(env_id: str, choose: Choose) -> None:
    """Make `choose`, a function under `@compiled`, the rule-based player of an environment id; InputError if
    that has another one."""
    if not is_compiled(choose):
        raise InputError(
            f"rule-based player of {env_id!r}: {choose!r} is no function choose(rules, view, seat) "
            "under @compiled"
        )
    if choose not in _players.setdefault(env_id, {ALWAYS: choose}).values():
        raise InputError(f"environment id {env_id!r} has another rule-based player already")


def version_from(text: str) -> Version:
    """The numbers of a version such as 0.1; AgentError if it has others than numbers."""
    numbers = text.split(".")
    if not all(number.isascii() and number.isdigit() and len(number) < 5 for number in numbers):
        raise AgentError(f"version: got {quoted(text)}; expected numbers with dots, such as 0.1")
    return tuple(map(int, numbers))


def _present() -> Version:
    """The numbers of the installed version, without what marks one to come, such as .dev0 or rc1."""
    return version_from(re.split(r"[^\d.]", stichwerk.__version__)[0].rstrip("."))


def rule_players() -> tuple[str, ...]:
    """The environment ids that have a rule-based player."""
    return tuple(dict.fromkeys((*_players, *_elsewhere)))


def find_rule_player(env_id: str, version: str | None = None) -> Choose:
    """The `choose` of an environment id, as it was in a version of the suite or as it is; AgentError if there
    was none, or if it cannot be loaded."""
    if env_id not in _players and env_id in _elsewhere:
        choose = load_entry_point(_elsewhere[env_id], f"the rule-based player of {env_id}", AgentError)
        register_rule_player(env_id, choose)
    if env_id not in _players:
        raise AgentError(
            f"there is no rule-based player of {env_id}; there are for {', '.join(rule_players())}"
        )
    versions = _players[env_id]
    if version is not None:
        asked = version_from(version)
        if asked > _present():
            raise AgentError(
                f"rules: got version {quoted(version)}; expected at most {stichwerk.__version__}"
            )
        versions = {since: choose for since, choose in versions.items() if since <= asked}
    if not versions:
        first = ".".join(map(str, min(_players[env_id])))
        raise AgentError(f"{env_id} had no rule-based player in {quoted(version)}: the first came in {first}")
    return versions[max(versions)]


for _found in pkgutil.walk_packages(__path__, f"{__name__}."):
    _module = import_module(_found.name)
    for _env_id in getattr(_module, "PLAYS", ()):
        _players.setdefault(_env_id, {})[version_from(_module.SINCE)] = _module.choose

"""Rule-based players: compiled functions `choose(rules, view, seat)` from a redacted view to an action id.

In each module of this folder `PLAYS` has the environment ids for which its `choose` plays. `SINCE` is the
version of the suite from which on it does. No list of the modules is kept anywhere. A player of an earlier
version stays available, so that measurements against it can be repeated. Its folder, such as `v0_1`, holds
the functions that have changed since. Recorded decisions prove that the others still play alike.

Players of other packages are found through entry points of the group `stichwerk.rule_players`: an environment
id's value is `module:choose`. They are loaded when they are asked for. `register_rule_player` adds a player
without an entry point.
"""

import re
from typing import Any, Protocol

import numpy as np

import stichwerk
from stichwerk.agents.core.agent import AgentError
from stichwerk.envs.jit.compiled import is_compiled
from stichwerk.envs.spec.hooks import CompiledHook
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.registry import Registry, modules_in


class Choose(CompiledHook, Protocol):
    """Return the action of the seat to act, from its view."""

    def __call__(self, rules: np.record, view: np.record, seat: int, /) -> int: ...


Version = tuple[int, ...]
ALWAYS: Version = ()


def _checked(env_id: str, choose: Any) -> Choose:
    if not is_compiled(choose):
        raise InputError(
            f"rule-based player of {env_id!r}: {choose!r} is no function choose(rules, view, seat) "
            "under @compiled"
        )
    return choose


PLAYERS = Registry("stichwerk.rule_players", "rule-based player", _checked, refusal=AgentError)
"""Environment id -> its rule-based player of today."""

_versions: dict[str, dict[Version, Choose]] = {}  # of the suite's own, by the version that brought each


def register_rule_player(env_id: str, choose: Choose) -> None:
    """Make `choose`, a function under `@compiled`, the rule-based player of an environment id.

    Raises:
        InputError: if it is no such function, or if the id has another rule-based player.
    """
    PLAYERS.add({env_id: choose})


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
    return tuple(PLAYERS)


def has_rule_player(env_id: str) -> bool:
    """True if an environment id has a rule-based player."""
    return env_id in PLAYERS


def find_rule_player(env_id: str, version: str | None = None) -> Choose:
    """The rule-based player of an environment id.

    Args:
        version: A version of the suite, such as `0.1`, whose player is meant; None means today's.

    Raises:
        AgentError: if there was none, or if the one of another package cannot be loaded.
    """
    if not has_rule_player(env_id):
        raise AgentError(
            f"there is no rule-based player of {env_id}; there are for {', '.join(rule_players())}"
        )
    today = PLAYERS[env_id]
    if version is None:
        return today
    asked = version_from(version)
    if asked > _present():
        raise AgentError(f"rules: got version {quoted(version)}; expected at most {stichwerk.__version__}")
    versions = _versions.get(env_id, {ALWAYS: today})
    if past := [since for since in versions if since <= asked]:
        return versions[max(past)]
    first = ".".join(map(str, min(versions)))
    raise AgentError(f"{env_id} had no rule-based player in {quoted(version)}: the first came in {first}")


for _module in modules_in(__name__, below=True):
    for _env_id in getattr(_module, "PLAYS", ()):
        _versions.setdefault(_env_id, {})[version_from(_module.SINCE)] = _module.choose
for _env_id, _found in _versions.items():
    register_rule_player(_env_id, _found[max(_found)])

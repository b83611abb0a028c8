"""Rule-based players: compiled functions `choose(rules, view, seat)` from a redacted view to an action id.

Each module beside this file says by `PLAYS` for which environment ids its `choose` plays; no list of them is
kept anywhere. Players of other packages are found through entry points of the group `stichwerk.rule_players`
(an environment id's value is `module:choose`) and loaded when they are asked for, or are told to
`register_rule_player`.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from stichwerk.agents.agent import AgentError
from stichwerk.envs.core.errors import InputError

ENTRY_POINTS = "stichwerk.rule_players"

_players: dict[str, Callable] = {}
_elsewhere: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def register_rule_player(env_id: str, choose: Callable) -> None:
    """Make `choose`, a compiled function, the rule-based player of an environment id; InputError if that has
    another one."""
    if not callable(choose):
        raise InputError(
            f"rule-based player of {env_id!r}: {choose!r} is no function choose(rules, view, seat)"
        )
    if _players.get(env_id, choose) is not choose:
        raise InputError(f"environment id {env_id!r} has another rule-based player already")
    _players[env_id] = choose


def rule_players() -> tuple[str, ...]:
    """The environment ids that have a rule-based player."""
    return tuple(dict.fromkeys((*_players, *_elsewhere)))


def find_rule_player(env_id: str) -> Callable:
    """The `choose` of an environment id; AgentError if it has none, or if that cannot be loaded."""
    if env_id not in _players and env_id in _elsewhere:
        try:
            register_rule_player(env_id, _elsewhere[env_id].load())
        except (ImportError, AttributeError, InputError) as error:
            raise AgentError(f"the rule-based player of {env_id} cannot be loaded: {error}") from None
    if env_id not in _players:
        raise AgentError(
            f"there is no rule-based player of {env_id}; there are for {', '.join(rule_players())}"
        )
    return _players[env_id]


for _found in pkgutil.iter_modules(__path__):
    _module = import_module(f"{__name__}.{_found.name}")
    for _env_id in getattr(_module, "PLAYS", ()):
        register_rule_player(_env_id, _module.choose)

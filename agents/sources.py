"""Which code a result comes from: a hash of the sources that decide it, and of no others.

Comments, docstrings and layout do not count, nor does the rest of the suite: work on that must not stop a
long training run. Of the searches all count where one plays, but for the solver's kernels of other families.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

import stichwerk
from stichwerk.agents.agent import AgentError
from stichwerk.agents.kinds import kind_of, network_of, searches
from stichwerk.agents.own import address_of
from stichwerk.agents.rules import find_rule_player
from stichwerk.envs.core.encoding import Encoding
from stichwerk.envs.core.game import Game

FRAME = ("stichwerk.envs.core.loops", "stichwerk.envs.core.lanes")
NETWORK = (
    "stichwerk.agents.networks.choice",
    "stichwerk.agents.networks.network",
    "stichwerk.agents.networks.ppo",
    "stichwerk.agents.networks.symmetry",
)
LEARNER = (
    *NETWORK,
    "stichwerk.agents.agent",
    "stichwerk.agents.matches.arena",
    "stichwerk.agents.seats",
    "stichwerk.agents.training.selfplay",
    "stichwerk.agents.simple",
    "stichwerk.agents.training.advice",
    "stichwerk.agents.training.callback",
    "stichwerk.agents.training.lanes",
    "stichwerk.agents.training.learner",
    "stichwerk.agents.training.ppo",
)
SEARCH = "stichwerk.agents.search"
PLAYER = f"{SEARCH}.player"  # which the learner knows by name, whoever plays
SEARCHES = (*(f"{SEARCH}.{name}" for name in ("rollout", "pimc", "ismcts", "guided")), *NETWORK)
PLAYOUTS = f"{SEARCH}.playouts"  # by which an adviser plays on
FOLLOWED = ("stichwerk.envs.core", "stichwerk.envs.games", "stichwerk.agents.rules")
WITHOUT_EFFECT = ("stichwerk.envs.core.compiled", "stichwerk.envs.core.errors", "stichwerk.envs.core.text")


def provenance(game: Game, agents: Iterable[str] = ()) -> dict[str, str]:
    """What results of these agents, texts, say of their origin: the package's version, and hashes of the
    rules' options, of the suite's code, and of what else the agents are, networks or modules."""
    agents = list(agents)
    return {
        "version": stichwerk.__version__,
        "rules_hash": _short(json.dumps(game.rules.as_dict(), sort_keys=True)),
        "code_hash": game_code(game, agents),
        "agents_hash": agents_hash(agents),
    }


def agents_hash(agents: Sequence[str]) -> str:
    """A hash of what agents, texts, are besides the suite's code: networks, and modules of others."""
    networks = _network_hashes(agents)
    modules = [address.partition(":")[0] for address in dict.fromkeys(map(address_of, agents)) if address]
    return _short(json.dumps([*networks, _hash_of(tuple(modules))]))


def _network_hashes(agents: Iterable[str]) -> list[str]:
    """A hash of each network among the agents, in their order; who cannot be made is refused where he is."""
    from stichwerk.agents.networks.network import MANIFEST, WEIGHTS

    hashes = []
    for text in dict.fromkeys(agents):
        with suppress(AgentError, OSError):
            if folder := network_of(text):
                files = (folder / name for name in (WEIGHTS, MANIFEST))
                hashes.append(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest())
    return hashes


def game_code(game: Game, agents: Iterable[str] = ()) -> str:
    """A hash of a game's rules, roles, encodings and rule-based player, and of the searches if one of the
    agents, texts, is a search."""
    agents = list(agents)
    players = _rule_players(game, ["rules", *agents])
    return _hash_with(game, (*_game_modules(game), *_modules_of([*players, game.spec.roles])), agents)


def run_code(
    game: Game,
    opponents: Iterable[str] = (),
    modules: Iterable[str] = (),
    adviser: str = "",
) -> str:
    """A hash of what decides how a training run goes and what it keeps: the game's rules and encodings, the
    learner, the matches that validate it, the rule-based players that its opponents are or search by, their
    networks, the searches if one of them searches, and an adviser's player and playouts.

    opponents: the agents' texts; names that are no agent's, such as `past`, do not count
    modules: those of own agents among them
    adviser: a rule-based player's text, or empty
    """
    opponents = [*opponents, *filter(None, [adviser])]
    players = _modules_of(_rule_players(game, opponents))
    code = _hash_with(game, (*_game_modules(game), *players, *LEARNER, *modules), opponents, bool(adviser))
    networks = _network_hashes(opponents)
    return _short(json.dumps([code, *networks])) if networks else code


def _hash_with(game: Game, roots: tuple[str, ...], agents: list[str], advised: bool = False) -> str:
    """A hash of modules, and of the searches if one of the agents is one, or else of the playouts with an
    adviser."""
    searching = any(map(searches, agents))
    if not (searching or advised):
        return _hash_of(roots)
    from stichwerk.agents.search.solver import FAMILIES

    own = FAMILIES.get(game.env_id)
    others = [family for family in FAMILIES.values() if own is None or family.kernel is not own.kernel]
    kernels = frozenset(_modules_of(family.kernel.begin for family in others))
    if searching:
        return _hash_of((*roots, *SEARCHES), kernels)
    return _hash_of((*roots, PLAYOUTS), kernels | {PLAYER})


def _rule_players(game: Game, agents: Iterable[str]) -> Iterator[Callable]:
    """The rule-based players behind agents' texts, each in its version; who cannot be made is refused where
    he is."""
    for text in agents:
        with suppress(AgentError):
            kind, version = kind_of(text), text.partition(":")[2]
            if kind.plays_by_rules:
                yield find_rule_player(game.env_id, version or None)
            elif kind.searches:
                yield find_rule_player(game.env_id)


def _game_modules(game: Game) -> tuple[str, ...]:
    spec = game.spec
    functions = [spec.deal, spec.legal, spec.apply, spec.begin_match, spec.redact, spec.draw_start]
    for encodings in (*spec.encodings.values(), spec.perfect):
        each = [encodings] if isinstance(encodings, Encoding) else encodings.values()
        functions += [encoding.write for encoding in each]
    return (*FRAME, *_modules_of(functions))


def _modules_of(functions: Iterable[Callable | None]) -> Iterator[str]:
    for function in filter(None, functions):
        yield getattr(function, "py_func", function).__module__


@cache
def _hash_of(roots: tuple[str, ...], without: frozenset[str] = frozenset()) -> str:
    """A hash of modules and of all that they import from the rules and, if they search, from the searches, or
    from their own package, but for those that are left out."""
    packages = {root.partition(".")[0] for root in roots} - {"stichwerk"}
    search = (SEARCH,) if any(root.startswith(SEARCH) for root in roots) else ()
    followed = tuple(f"{package}." for package in (*FOLLOWED, *search, *packages))
    found: dict[str, str] = {}
    left = [import_module(root).__name__ for root in roots]
    while left:
        name = left.pop()
        module = sys.modules.get(name)
        if name in found or name in without or name in WITHOUT_EFFECT or module is None:
            continue
        source = _source(module)
        if _is_compiled(module):
            found[name] = hashlib.sha256(source).hexdigest()
            continue
        tree = ast.parse(source)
        found[name] = ast.unparse(_without_docstrings(tree))
        left += [each for each in _imported(tree, module) if each in packages or each.startswith(followed)]
    return _short(json.dumps(sorted(found.items())))


def _source(module: ModuleType) -> bytes:
    file = getattr(module, "__file__", None)
    return Path(file).read_bytes() if file else b""


def _is_compiled(module: ModuleType) -> bool:
    return str(getattr(module, "__file__", None)).endswith(tuple(EXTENSION_SUFFIXES))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    return tree


def _is_text(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imported(tree: ast.Module, module: ModuleType) -> Iterator[str]:
    """The modules that a module names in its imports, some of which may be names inside modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = resolve_name("." * node.level + (node.module or ""), module.__package__ or "")
            yield name
            yield from (f"{name}.{each.name}" for each in node.names)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]

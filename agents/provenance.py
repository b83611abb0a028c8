"""The provenance of results: the package's version, its commit, and fingerprints of what decides the result.

The fingerprint of a game is taken from what it does, not from its source text. Some deals are played, and the
observations, legal actions, choices and points are hashed. It stays the same on every machine, and when code
is moved, renamed or documented. It changes when a rule, an encoding or a rule-based player does. Changes that
those deals do not meet are told by version and commit.
"""

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType

import numpy as np

import stichwerk
from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.core.agent import AgentError, Turns
from stichwerk.agents.core.spec import split_spec
from stichwerk.agents.external.custom import address_of
from stichwerk.agents.external.engine import files_of
from stichwerk.agents.registry import kind_of, network_of
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.options import Options
from stichwerk.envs.spec.rule_inputs import RULES

CHANCE = "2"  # by agent, copy, deal and seat; before, by the place at the table and the block of deals
GAMES, DECISIONS = 32, 128  # of a fingerprint: games side by side, and the decisions in each


def provenance(game: Game, agents: Iterable[str] = ()) -> dict[str, str]:
    """The origin of results of these agents, given by their texts: the `commit`, and what decides results."""
    return {**result_hashes(game, agents), "commit": commit()}


def result_hashes(game: Game, agents: Iterable[str] = ()) -> dict[str, str]:
    """The version and the hashes that two results of these agents must share to be parts of one.

    Returns:
        The `version` of the package, the number of the way in which agents get their `chance`, and the
        `rules_hash` of the rules' options. `code_hash` is the fingerprint of the game and of the rule-based
        players that the agents play by. `agents_hash` is of the networks, custom modules and engines among
        the agents.
    """
    agents = list(agents)
    return {
        "version": stichwerk.__version__,
        "chance": CHANCE,
        "rules_hash": _short(json.dumps(game.rules.as_dict(), sort_keys=True)),
        "code_hash": fingerprint(game, agents),
        "agents_hash": agents_hash(agents, game),
    }


@cache
def commit() -> str:
    """The commit of the checkout that the package runs from, with `+` where tracked files differ from it;
    empty for an installed package."""
    checkout = Path(stichwerk.__file__).resolve().parents[1]
    if not (checkout / ".git").exists():
        return ""
    ask = ["git", "-C", str(checkout), "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(ask, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    return ""


def fingerprint(game: Game, agents: Iterable[str] = (), games: int = GAMES) -> str:
    """A fingerprint, 16 hexadecimal digits, of the play of the game and its rule-based players.

    Args:
        agents: texts; of a rule-based player, and of one that searches by it, the player counts in its
            version. Others, and players that do not exist, are passed over.
        games: how many games are played for it
    """
    versions = dict.fromkeys(_rule_versions(agents))
    return _fingerprint(game.env_id, game.spec, game.rules, tuple(versions), games)


def _rule_versions(agents: Iterable[str]) -> Iterator[str]:
    """The versions of the rule-based players behind agents' texts; empty: the present one."""
    for text in agents:
        with suppress(AgentError):
            kind = kind_of(text)
            if kind.plays_by_rules:
                yield text.partition(":")[2]
            elif kind.searches:
                yield ""


@cache
def _fingerprint(env_id: str, spec: GameSpec, rules: Options, versions: tuple[str, ...], games: int) -> str:
    game = Game(env_id, spec, rules)
    digest = hashlib.sha256()
    declared = [each for name, each in game.encodings.items() if name != RULES]  # it follows from the others
    for encoding in (*declared, game.perfect):
        digest.update(encoding.schema.encode())
    digest.update(_course_of(game, None, games))
    for version in versions:
        with suppress(AgentError):  # a version that never was is refused where the agent is made
            digest.update(_course_of(game, RulesAgent("rules", game, version or None), games))
    return digest.hexdigest()[:16]


def _course_of(game: Game, player: RulesAgent | None, games: int) -> bytes:
    """A hash of matches between players of one kind; None: players that choose by number."""
    digest = hashlib.sha256()
    lanes = Lanes(game, games, "match", keep_views=player is not None)
    lanes.seed(0)
    lanes.start()
    for number in range(DECISIONS):
        if player:
            actions = player.act(Turns.of(lanes, lanes.all))
        else:
            actions = _nth_legal(lanes.mask, number + lanes.all)
        for array in (lanes.seats, lanes.observation, lanes.mask, actions):
            digest.update(array.tobytes())
        lanes.step(actions)
        digest.update(lanes.rewards.tobytes() + lanes.deal_points.tobytes())
    return digest.digest()


def _nth_legal(mask: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """In each row of int8[n, actions] the legal action of this number, counted round and round: int64[n].

    The numbers are spread by a fixed multiplication, since generators of other NumPy versions may differ.
    """
    spread = (numbers * 2654435761 >> 7) % mask.sum(axis=1)
    return (mask.cumsum(axis=1) > spread[:, None]).argmax(axis=1)


def agents_hash(agents: Sequence[str], game: Game | None = None) -> str:
    """A hash of what agents, texts, are besides the suite's code: networks, custom modules and engines. With
    a game of the networks by which they play it."""
    modules = [address.partition(":")[0] for address in dict.fromkeys(map(address_of, agents)) if address]
    return _short(
        json.dumps([*_network_hashes(agents, game), _modules_hash(tuple(modules)), *_engine_hashes(agents)])
    )


def _network_hashes(agents: Iterable[str], game: Game | None) -> list[str]:
    """A hash of each network among the agents, in their order; one that cannot be made is refused where it
    is made."""
    from stichwerk.agents.networks.saved import MANIFEST, WEIGHTS

    hashes = []
    for text in dict.fromkeys(agents):
        with suppress(AgentError, OSError):
            if folder := network_of(text, game):
                files = (folder / name for name in (WEIGHTS, MANIFEST))
                hashes.append(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest())
    return hashes


def _engine_hashes(agents: Iterable[str]) -> list[str]:
    """A hash of each file that the command of an engine names."""
    hashes = []
    for text in dict.fromkeys(agents):
        if text.partition(":")[0] == "engine":
            with suppress(AgentError, OSError):
                files = files_of(split_spec(text)[0])
                hashes += [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    return hashes


def training_hash(game: Game, opponents: Iterable[str] = (), modules: Iterable[str] = ()) -> str:
    """A hash of all that a training run depends on. This is the package's version, the game, the rule-based
    players that its opponents are or search by, their networks, and custom modules.

    Args:
        opponents: texts of agents; names that are no agent's, such as `past`, do not count
        modules: those of custom agents among them
    """
    opponents = list(opponents)
    custom = [_modules_hash(tuple(modules)), *_engine_hashes(opponents)]
    found = stichwerk.__version__, fingerprint(game, opponents), _network_hashes(opponents, game), *custom
    return _short(json.dumps(found))


@cache
def _modules_hash(roots: tuple[str, ...]) -> str:
    """A hash of custom modules and of all that they import from their own packages, without comments,
    docstrings and layout."""
    packages = {root.partition(".")[0] for root in roots}
    followed = tuple(f"{package}." for package in packages)
    found: dict[str, str] = {}
    left = [import_module(root).__name__ for root in roots]
    while left:
        name = left.pop()
        module = sys.modules.get(name)
        if parent := name.rpartition(".")[0]:  # whose `__init__` has run before
            left.append(parent)
        if name in found or module is None:
            continue
        source = _source(module)
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):  # a compiled module
            found[name] = hashlib.sha256(source).hexdigest()
            continue
        left += [each for each in _imported(tree, module) if each in packages or each.startswith(followed)]
        found[name] = ast.unparse(_without_docstrings(tree))
    return _short(json.dumps(sorted(found.items())))


def _source(module: ModuleType) -> bytes:
    file = getattr(module, "__file__", None)
    return Path(file).read_bytes() if file else b""


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    return tree


def _is_text(node: ast.AST) -> bool:
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

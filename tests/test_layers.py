"""The folders stand on each other in one order, which the page on the architecture draws."""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from stichwerk.envs.games import GAMES, OWN_GAMES

ROOT = Path(__file__).parent.parent
OWN_FOLDERS = ("commands", "table")  # of `stichwerk/`; the others are links
LAYERS = (
    "stichwerk.support",
    "stichwerk.envs.jit",
    "stichwerk.envs.core",
    "stichwerk.envs.spec",
    "stichwerk.envs.engine",
    "stichwerk.envs.games",
    "stichwerk.envs.render",
    "stichwerk.envs.records",
    "stichwerk.envs.bridges",
    "stichwerk.envs",
    "stichwerk.envs.testing",
    "stichwerk.agents.core",
    "stichwerk.agents.networks",
    "stichwerk.agents.builtin",
    "stichwerk.agents.solver",
    "stichwerk.agents.search",
    "stichwerk.agents.equilibrium",
    "stichwerk.agents.external",
    "stichwerk.agents.registry",
    "stichwerk.agents",
    "stichwerk.agents.provenance",
    "stichwerk.agents.envs",
    "stichwerk.agents.language",
    "stichwerk.agents.evaluation",
    "stichwerk.agents.evaluation.statistics",
    "stichwerk.agents.evaluation.playing",
    "stichwerk.agents.evaluation.reports",
    "stichwerk.agents.evaluation.bench",
    "stichwerk.agents.data",
    "stichwerk.agents.training",
    "stichwerk.agents.sweep",
    "stichwerk.table",
    "stichwerk.first_process",
    "stichwerk.cli",
    "stichwerk.commands",
    "stichwerk.__main__",
)
"""From the bottom to the top. A package's own files, such as `stichwerk.envs`, stand where its name does."""


def layer_of(module: str) -> str:
    """That with the longest name."""
    return max((layer for layer in LAYERS if f"{module}.".startswith(f"{layer}.")), key=len)


def modules() -> Iterator[tuple[str, Path]]:
    for folder in ("support", "envs", "agents", "stichwerk"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT)
            if folder == "stichwerk" and len(inside.parts) > 2 and inside.parts[1] not in OWN_FOLDERS:
                continue  # a link to one of the others
            parts = [*(() if folder == "stichwerk" else ("stichwerk",)), *inside.with_suffix("").parts]
            yield ".".join(parts).removesuffix(".__init__"), path


def imported(path: Path) -> Iterator[str]:
    """The modules of the suite that a file imports when it runs, wherever in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stichwerk."):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("stichwerk."))


def test_no_folder_imports_one_above_it():
    wrong = [
        f"{module} imports {other}"
        for module, path in modules()
        if module != "stichwerk"
        for other in imported(path)
        if LAYERS.index(layer_of(other)) > LAYERS.index(layer_of(module))
    ]
    assert not wrong, "\n".join(wrong)


def test_rule_players_of_today_use_none_of_earlier_versions():
    players = "stichwerk.agents.builtin.rules"
    today = [(module, path) for module, path in modules() if module.startswith(players)]
    assert len(today) > 8
    for module, path in today:
        if not module.startswith(f"{players}.v"):
            assert not any(other.startswith(f"{players}.v") for other in imported(path)), module


def test_every_folder_is_a_layer():
    names = {module for module, _ in modules()}
    assert len(names) > 100
    for layer in LAYERS:
        assert layer in names, layer
    for folder in (path.parent for top in ("envs", "agents") for path in (ROOT / top).glob("*/__init__.py")):
        assert ".".join(("stichwerk", *folder.relative_to(ROOT).parts)) in LAYERS, folder


OF_A_GAME = (
    "stichwerk.envs.bridges.",
    "stichwerk.envs.games.",
    "stichwerk.envs.*_v0",
    "stichwerk.agents.builtin.rules",
    "stichwerk.agents.solver.",
    "stichwerk.agents.equilibrium.",  # of Schnapsen and Sixty-six
    "stichwerk.agents.external.vu_schnapsen",
    "stichwerk.agents.evaluation.bench",  # whose deals, opponents and hashes stay as they were published
)
"""Modules that are about one game each, or hold what was measured in each."""
EVERYDAY = {
    *[
        "alone",
        "answers",
        "best",
        "calls",
        "continue",
        "dealt",
        "drawn",
        "draws",
        "game",
        "gone",
        "held",
        "lacking",
        "level",
        "name",
        "offer",
        "offered",
        "opening",
        "outcome",
        "played",
    ],
    *["points", "pool", "proof", "public", "score", "seen", "sheet", "signal", "table", "taken", "together"],
    *["trick", "void"],
    *["play", "hand", "trump"],  # which all games may have: `docs/howto/add_a_game.md`
}
"""Words of games that mean something else too in the suite."""
BY_DEFAULT = "schnapsen_v0"  # the game of a command that names none


def test_no_module_names_a_verb_or_a_field_of_a_game():
    """What is particular to a game stands in its folder."""
    specs = [GAMES[env_id] for env_id in OWN_GAMES]
    actions = {word for spec in specs for action in spec.actions for word in (str(action), action.verb)}
    fields = {field.name for spec in specs for field in spec.state.own} - EVERYDAY
    words = ({*actions, *fields, *OWN_GAMES} - EVERYDAY) - {BY_DEFAULT}
    assert {"meld", "kontra", "bid 2", "indicator", "closed_by", "gaigel_v0"} <= words
    wrong = []
    for module, path in modules():
        if any(fnmatch(f"{module}.", f"{each}*") for each in OF_A_GAME):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words
            if text or (isinstance(node, ast.Attribute) and node.attr in fields):
                wrong.append(f"{module}, line {node.lineno}: {ast.unparse(node)}")
    assert not wrong, "\n".join(wrong)

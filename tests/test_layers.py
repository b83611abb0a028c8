"""The folders stand on each other in one order, which the page on the architecture draws."""

import ast
from collections.abc import Iterator
from pathlib import Path

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
    "stichwerk.envs",
    "stichwerk.envs.testing",
    "stichwerk.agents.base",
    "stichwerk.agents.spec",
    "stichwerk.agents.networks",
    "stichwerk.agents.builtin",
    "stichwerk.agents.solver",
    "stichwerk.agents.search",
    "stichwerk.agents.external",
    "stichwerk.agents.registry",
    "stichwerk.agents",
    "stichwerk.agents.provenance",
    "stichwerk.agents.envs",
    "stichwerk.agents.language",
    "stichwerk.agents.evaluation",
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

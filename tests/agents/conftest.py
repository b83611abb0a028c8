"""What the tests of agents share: a game, one finished training run, and modules from outside."""

import sys

import pytest

from stichwerk.agents import provenance
from stichwerk.envs import make_game
from tests.agents.support import command, write_config


@pytest.fixture(scope="session")
def game():
    """Ordinary Schnapsen."""
    return make_game("schnapsen_v0")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a run that went through without a break."""
    folder = tmp_path_factory.mktemp("finished")
    status, out, err = command("train.py", write_config(folder), "--run", "run", cwd=folder)
    assert (status, err) == (0, ""), out
    return folder / "run"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """`module(source)`: a module `my_module` in the present folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> None:
        (tmp_path / "my_module.py").write_text(source)
        sys.modules.pop("my_module", None)
        provenance._hash_of.cache_clear()

    yield write
    sys.modules.pop("my_module", None)

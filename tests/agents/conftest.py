"""What the tests of agents share: a game, and one finished training run."""

import pytest

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

"""How tests are shared out among processes (`pytest -n 2 --dist loadgroup`), and the fixtures that tests of
several folders use.

Some tests run where only the packages of the environments are installed. Fixtures that need more import it
themselves.
"""

import os
import shutil
import signal
import sys
import threading

import pytest

from stichwerk.envs import make_game
from stichwerk.envs.games import GAMES, OWN_GAMES

# A game's functions take minutes to compile: two processes that test it at the same time would both do so,
# one after the other finds them on disk. Games of one declaration share their functions.
GROUPS = {env_id.rpartition("_v")[0]: next(iter(GAMES[env_id].env_ids)) for env_id in OWN_GAMES}


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# In the background of a script SIGINT is ignored, which processes inherit: tests that interrupt would hang.
IN_MAIN_THREAD = threading.current_thread() is threading.main_thread()
if IN_MAIN_THREAD and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before torch is imported: threads of several processes would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items):
    """Tests that name a game stay together, unless a mark says where they belong; the others fill gaps."""
    for item in items:
        group = next((group for name, group in GROUPS.items() if name in item.nodeid), None)
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def game():
    """Ordinary Schnapsen."""
    return make_game("schnapsen_v0")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a run that went through without a break."""
    from tests.agents.support import command, write_config

    folder = tmp_path_factory.mktemp("finished")
    status, out, err = command("train.py", write_config(folder), "--run", "run", cwd=folder)
    assert (status, err) == (0, ""), out
    return folder / "run"


@pytest.fixture(scope="module")
def browser():
    """A real browser: Chromium, where it and Playwright are installed."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """`module(source)`: a module `my_module` in the present folder."""
    from stichwerk.agents import provenance

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(source: str) -> None:
        (tmp_path / "my_module.py").write_text(source)
        sys.modules.pop("my_module", None)
        provenance._modules_hash.cache_clear()

    yield write
    sys.modules.pop("my_module", None)

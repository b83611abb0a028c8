"""How tests are shared out (`pytest -n 2 --dist loadscope` gives each process a file at a time), and the
fixtures that tests of several folders use.

Some tests run where only the packages of the environments are installed. Fixtures that need more import it
themselves.
"""

import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from stichwerk.envs import make_game
from stichwerk.envs.games import GAMES, OWN_GAMES

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# In the background of a script SIGINT is ignored, which processes inherit: tests that interrupt would hang.
IN_MAIN_THREAD = threading.current_thread() is threading.main_thread()
if IN_MAIN_THREAD and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before torch is imported: threads of several processes would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


REFUSALS = Path(__file__).with_name("refusals")


def pytest_addoption(parser):
    parser.addoption("--write", action="store_true", help="write tests/refusals anew instead of comparing")


@pytest.fixture
def refusals(request, tmp_path):
    """`refusals(name, refuse)`: `refuse` answers each input in `refusals/NAME.yaml` with the line beside it.

    An input is the key, or what stands there as `given`, or a value of `made` by that key, for inputs that
    YAML cannot hold. In a written line `…` stands for what depends on versions and machines.
    """

    def check(name: str, refuse: Callable[[Any], str], made: dict[str, Any] | None = None) -> None:
        file = REFUSALS / f"{name}.yaml"
        cases = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
        made, cases = made or {}, {**dict.fromkeys(made or {}, ""), **cases}
        differ, wrong = [], []
        for key, case in cases.items():
            parts = case if isinstance(case, dict) else {"given": made.get(key, key), "says": case}
            try:
                says = refuse(parts["given"]).replace(str(tmp_path), "FOLDER")
                assert says.count("\n") <= 1, says
            except (AssertionError, pytest.fail.Exception) as error:
                wrong.append(f"{key}\n  {error}")
                continue
            says = says.rstrip("\n").removeprefix("error: ")
            for env_id in {*GAMES} - {*OWN_GAMES}:  # of the examples, if another test has imported them
                says = says.replace(f", {env_id}", "")
            pattern = ".*".join(re.escape(part) for part in parts["says"].split("…"))
            if not re.fullmatch(pattern, says):
                differ.append(f"{key}\n  written: {parts['says']}\n  now:     {says}")
                cases[key] = {**case, "says": says} if isinstance(case, dict) else says
        assert not wrong, "\n".join(["These are not refused as they should:", *wrong])
        if request.config.getoption("write"):
            text = yaml.safe_dump(cases, sort_keys=False, allow_unicode=True, width=150)
            file.write_text(text, encoding="utf-8")
        else:
            assert not differ, "\n".join(
                [*differ, "If this is meant: pytest -n0 --write, and read the difference"]
            )

    return check


LONG = "test_browser.py", "test_training.py", "test_compiled.py", "test_sweep.py", "test_search.py"


def pytest_collection_modifyitems(items):
    """Files that take long begin first, so that no process is left alone with one at the end."""
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(scope="session")
def game():
    """Ordinary Schnapsen."""
    return make_game("schnapsen_v0")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a run that went through without a break."""
    from stichwerk.commands import train
    from tests.agents.support import here, write_config

    folder = tmp_path_factory.mktemp("finished")
    assert here(train.main, write_config(folder), "--run", folder / "run") == 0
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
def visit(browser):
    """`visit(link, script)`: a page that runs a script first. Nothing in it may fail, or ask anybody else."""
    contexts, faults = [], []

    def opened(link: str, script: str = "", **settings: Any) -> Any:
        contexts.append(browser.new_context(**settings))
        contexts[-1].add_init_script(script)
        page, host = contexts[-1].new_page(), link.split("/")[2]
        page.set_default_timeout(180_000)  # something may have to be compiled
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: line.type == "error" and faults.append(line.text))
        page.on("request", lambda asked: asked.url.split("/")[2] == host or faults.append(asked.url))
        page.goto(link)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


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

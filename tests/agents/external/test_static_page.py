"""The network plays in a real browser, as it does in Python, on recorded decisions and for a host."""

import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread

import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.envs import make_game
from tests.agents.support import ROOT

RUNTIME = ROOT / "node_modules" / "onnxruntime-web" / "dist"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The address of the page, as any server of files gives it."""
    pytest.importorskip("onnxscript")
    if not RUNTIME.is_dir():
        pytest.skip("needs onnxruntime-web: `make axe` brings it")
    monkeypatch.syspath_prepend(ROOT / "examples" / "browser")
    import_module("static_page").main(deals=3, runtime=RUNTIME, out=tmp_path / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "site")) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.slow
def test_the_page(site, browser):
    game = make_game("schnapsen_v0")
    page = browser.new_page()
    faults: list[object] = []
    page.on("pageerror", lambda error: faults.append(error))
    page.goto(site)
    page.locator("main").wait_for(timeout=60_000)
    same, of = (int(word) for word in page.locator("#status").inner_text().split() if word.isdecimal())
    assert same >= 0.9 * of > 10

    page.locator("#choices button").first.click()
    page.locator("#answer").wait_for()
    assert " of 1 decisions" in page.locator("#verdict").inner_text()
    chances = [float(text.split()[0]) for text in page.locator("#scores td:last-child").all_inner_texts()]
    assert sum(chances) == pytest.approx(100, abs=0.5)
    assert chances == sorted(chances, reverse=True)
    page.get_by_role("button", name="Next decision").click()
    assert page.locator("#choices button:enabled").count() > 1

    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"ws://127.0.0.1:{free.getsockname()[1]}"
    page.locator("#url").fill(url)
    page.get_by_role("button", name="Connect").click()
    agents = (make_agent_for(text, game) for text in (f"engine:{url}", "ppo:schnapsen"))
    done = []
    playing = Thread(target=lambda: done.append(play_pair(game, *agents, Series(4, 1))))
    playing.start()
    while playing.is_alive():  # so the page's events are seen to
        page.wait_for_timeout(100)
    assert abs(done[0].mean) < 1
    assert int(page.locator("#played").inner_text().split()[-2]) > 10
    assert not faults

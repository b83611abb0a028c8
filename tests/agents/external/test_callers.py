"""Engines that connect by WebSocket, and the client in JavaScript and TypeScript."""

import json
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress

import pytest

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external import callers
from stichwerk.envs import make_game
from tests.agents.support import ROOT

client = pytest.importorskip("websockets.sync.client", reason="needs websockets")
ConnectionClosed = pytest.importorskip("websockets.exceptions").ConnectionClosed

GAME = make_game("schnapsen_v0")
ENGINES = ROOT / "examples" / "engines"
TYPESCRIPT = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
STRICT = "--strict --allowJs --checkJs --target es2022 --module nodenext --types node"
READY = {"event": "ready", "protocol": 1, "wants": []}
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
needs_typescript = pytest.mark.skipif(
    not TYPESCRIPT.is_file() or not shutil.which("node"), reason="needs TypeScript: `make axe` brings it"
)


@pytest.fixture
def url():
    """The address of a port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"ws://127.0.0.1:{free.getsockname()[1]}"


@contextmanager
def connected(url: str, origin: str | None = None, allowed: str = ""):
    callers.door(url, allowed)
    with client.connect(url, origin=origin) as connection:
        yield connection


def played(url: str, answer) -> object:
    """The result, or the error, of two deals of an engine that gives `answer(request)`. It connects again for
    each seating."""
    agent = make_agent_for(f"engine:{url},ms=2000", GAME, "mine")
    callers.door(url, "")
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(play_pair, GAME, agent, make_agent_for("rules", GAME), Series(2, 1))
        result.add_done_callback(lambda _: agent.close())
        while not result.done():
            with client.connect(url) as connection, suppress(TimeoutError, ConnectionClosed):
                while not result.done():
                    message = json.loads(connection.recv(1))
                    if message["event"] == "end":
                        break
                    connection.send(json.dumps(READY) if message["event"] == "game" else answer(message))
    return result.exception() or result.result()


def test_an_engine_by_websocket_plays_what_it_answers(url):
    def first(request):
        return json.dumps({"event": "move", "id": request["id"], "action": request["legal"][0]})

    result = played(url, first)
    assert getattr(result, "deals", 0) == 2, result


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("{}", "expected a message with its event"),
        ("hm", "got 'hm', not JSON"),
        (b"\xff", "got '�', not UTF-8"),
        ("", "ended its connection: 'an empty message'"),
        (" " * 1_000_001, "1009 (message too big)"),
    ],
    ids=["no event", "no JSON", "no UTF-8", "empty", "too long"],
)
def test_bad_messages_are_told_in_a_line(url, answer, expected):
    error = played(url, lambda request: answer)
    assert isinstance(error, AgentError)
    assert expected in str(error)
    assert "\n" not in str(error)


def test_an_engine_that_has_left_is_passed_over(url):
    with connected(url):
        pass
    with connected(url) as there:
        callers.door(url, "").caller(10).send([b"{}\n"])
        assert there.recv(10) == "{}"


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("https://other.example", False),
        ("null", False),
        ("http://localhost.example", False),
        ("http://127.0.0.1.example:80", False),
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("https://cards.example", True),
        (None, True),
    ],
)
def test_pages_connect_from_this_machine_and_from_an_origin_that_is_named(url, origin, is_allowed):
    expected = nullcontext() if is_allowed else pytest.raises(Exception, match="HTTP 403")
    with expected, connected(url, origin, "https://cards.example"):
        pass


def test_only_so_many_wait(url, monkeypatch):
    monkeypatch.setattr(callers, "MOST_WAITING", 1)
    with connected(url), connected(url) as second, pytest.raises(Exception, match="too many engines wait"):
        second.recv(10)


@pytest.mark.parametrize("text", ["ws://", "ws://127.0.0.1", "ws://127.0.0.1:70000", "ws://u@127.0.0.1:1/x"])
def test_addresses_that_are_none(text):
    with pytest.raises(AgentError, match="expected ws://HOST:PORT, such as"):
        play_pair(GAME, make_agent_for(f"engine:{text}", GAME), make_agent_for("rules", GAME), Series(2, 1))


def test_a_taken_port_and_an_engine_that_does_not_come(url, monkeypatch, capsys):
    agent, rules = make_agent_for(f"engine:{url}", GAME, "mine"), make_agent_for("rules", GAME)
    port = int(url.rpartition(":")[2])
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(AgentError, match=r"which is taken; expected a free one, such as \d+$"),
    ):
        play_pair(GAME, agent, rules, Series(2, 1))
    monkeypatch.setattr("stichwerk.agents.external.engine.LOADING", 0.1)
    with pytest.raises(AgentError, match=r"agent mine: got no connection at ws://.* in 0.1 s"):
        play_pair(GAME, agent, rules, Series(2, 1))
    assert capsys.readouterr().err == f"waiting for an engine at {url}\n"


# JavaScript and TypeScript


@needs_node
def test_the_client_plays_the_same_by_pipes_and_by_websocket(url):
    """The agent begins afresh in each seating, and its program waits in another connection."""
    command = ["node", str(ENGINES / "engine.mjs")]
    rules, results = make_agent_for("rules", GAME), []
    with subprocess.Popen([command[0], "--experimental-websocket", command[1], url]) as program:
        for each in (" ".join(command), url):
            results.append(
                play_pair(GAME, make_agent_for(f"engine:{each}", GAME, "mine"), rules, Series(4, 1))
            )
        program.kill()
    assert results[0] == results[1]


@needs_typescript
@pytest.mark.slow
def test_the_client_has_types(tmp_path):
    """A player in TypeScript is compiled and plays; a wrong name in one is found."""
    shutil.copytree(ENGINES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    bot = 'import { playByPipes, type Player } from "./client.mjs";\n'
    bot += 'const player: Player = { name: "first", wants: [], choose: ({ legal }) => legal[0] };\n'
    bot += "await playByPipes(player);\n"
    (tmp_path / "bot.mts").write_text(bot)
    (tmp_path / "wrong.mts").write_text(bot.replace("({ legal })", "({ legals })"))

    def compiled(*files: str) -> str:
        command = ["node", str(TYPESCRIPT), *STRICT.split(), "--outDir", "out", *files]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300).stdout

    assert compiled("bot.mts", "engine.mjs") == ""
    assert "'legals'" in compiled("wrong.mts")
    agent = make_agent_for(f"engine:node {tmp_path / 'out' / 'bot.mjs'}", GAME)
    assert play_pair(GAME, agent, make_agent_for("rules", GAME), Series(2, 1)).deals == 2

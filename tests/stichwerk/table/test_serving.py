"""The server from outside: its addresses, the browser that is opened, and idle connections."""

import asyncio
import gc
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from stichwerk.envs.games import make_game
from stichwerk.support.errors import InputError
from stichwerk.support.machine import browser
from stichwerk.support.machine.sockets import listening
from stichwerk.table.compiling import Needs, compile_apart
from stichwerk.table.serving import connections, server
from tests.started import start
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client, open_table

COMMAND = "-m", "stichwerk", "play", "schnapsen", "--against", "rules"


def free_port() -> int:
    with listening("127.0.0.1", 0) as listener:
        return listener.getsockname()[1]


@contextmanager
def playing(*words: str, **env: str):
    """The command with its link, once it serves; it is ended afterwards."""
    with start(*COMMAND, "--port", free_port(), *words, **env) as process:
        try:
            process.stdout.readline()
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()


def fetched(link: str) -> str:
    for _ in range(200):
        try:
            return httpx.get(link).text
        except httpx.ConnectError:
            time.sleep(0.05)
    pytest.fail(f"nothing is served at {link}")


# The browser


def pretend(folder: Path, name: str) -> Path:
    """A browser that stays until it is closed, and writes its process and its terminal to a file."""
    folder.mkdir(exist_ok=True)
    seen = folder / f"{name}.seen"
    program = f"#!/bin/sh\necho $$ $(tty) > {seen}.new\nmv {seen}.new {seen}\nexec sleep 100\n"
    (folder / name).write_text(program)
    (folder / name).chmod(0o755)
    return seen


@pytest.mark.parametrize("name", random.Random(7).sample(browser.TEXT_BROWSERS, 2))
@pytest.mark.parametrize("by_variable", [False, True])
def test_a_text_browser_is_not_opened(tmp_path, name, by_variable):
    seen = pretend(tmp_path / "bin", name)
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "TERM": "xterm", "DISPLAY": ""}
    if by_variable:
        env["BROWSER"] = f"{name} %s"
    begun = time.monotonic()
    asked = subprocess.run(
        [sys.executable, "-P", browser.__file__], input=b"http://x/", env=os.environ | env, timeout=30
    )
    assert (asked.returncode, seen.exists()) == (0, False)
    assert time.monotonic() - begun < 20


def test_the_page_is_served_while_a_browser_blocks(tmp_path):
    """One that `BROWSER` names, with a window or not: it gets the link, and no terminal."""
    seen = pretend(tmp_path / "bin", "mybrowser")
    with playing(BROWSER=f"{tmp_path / 'bin' / 'mybrowser'} %s", DISPLAY="") as (process, link):
        assert "<title>Stichwerk</title>" in fetched(link)
        for _ in range(200):
            if seen.exists():
                break
            time.sleep(0.05)
        number, terminal = seen.read_text().split(maxsplit=1)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        os.kill(int(number), signal.SIGTERM)
        assert terminal.strip() == "not a tty"


# Addresses


HOSTS = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "0.0.0.0",
    "0",
    "127.1",
    "127.0.0.2",
    "2130706433",
    "::1",
    "::",
]
HOSTS += ["::0", "0:0:0:0:0:0:0:1", socket.gethostname(), "", "a..b", "x" * 80, "192.0.2.1", "nosuch.invalid"]
HOSTS += ["224.0.0.1", "255.255.255.255", "ff02::1", "fe80::1%lo", "::ffff:127.0.0.1", "[::1]", "127.0.0.1 "]


def is_taken(host: str) -> bool:
    try:
        listening(host, 0).close()
    except InputError:
        return False
    return True


@pytest.mark.parametrize("host", HOSTS)
def test_links_of_accepted_hosts_reach_the_server(host):
    if not is_taken(host):
        with pytest.raises(
            InputError, match=rf"^host: got '{re.escape(host)}'; expected an address of this ma"
        ):
            listening(host, 0)
        return
    with served(host=host) as tables:
        page = tables.page(open_table(tables), 0)
        answer = httpx.get(page)
        assert (answer.status_code, "<title>Stichwerk</title>" in answer.text) == (200, True)
        socket = page.replace("http:", "ws:").replace("/table/", "/socket/")
        with connect(socket, origin=page[: page.index("/table")]):
            pass
        port = tables.at.rpartition(":")[2]
        called = f"[{host}]" if ":" in host else host
        assert httpx.get(page, headers={"Host": f"{called}:{port}"}).status_code == 200
        assert httpx.get(page, headers={"Host": f"example.com:{port}"}).status_code == 403


def test_usual_hosts_are_accepted_and_others_refused():
    assert all(map(is_taken, ("127.0.0.1", "localhost", "0.0.0.0")))
    assert not any(map(is_taken, ("", "224.0.0.1", "255.255.255.255", "192.0.2.1", "a..b")))


# Connections that do nothing


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(connections, "LOOK", 0.1)
    with served() as tables:
        yield tables


BEGINNINGS = [
    b"",
    b"G",
    b"GET /page/main.js HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA: ",
    b"\x16\x03\x01",
]
BEGINNINGS += [b"POST /open/x HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 9\r\n\r\n1"]
BEGINNINGS += [b"GET /page/main.js HTTP/1.1\r\nHost: HOST\r\n\r\nGET /p"]


def is_closed(peer: socket.socket) -> bool:
    """True if a server has closed a connection, after all that it has sent."""
    try:
        while peer.recv(65_536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def test_connections_without_a_request_are_closed(impatient):
    host, port = impatient.at.split(":")
    with ExitStack() as stack:
        peers = []
        for beginning in BEGINNINGS:
            peers.append(stack.enter_context(socket.create_connection((host, int(port)), 5)))
            peers[-1].sendall(beginning.replace(b"HOST", impatient.at.encode()))
        assert all(map(is_closed, peers))


def test_slow_requests_are_cut_off(impatient):
    host, port = impatient.at.split(":")
    with socket.create_connection((host, int(port)), 5) as peer:

        def drip() -> None:
            for byte in b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000:
                peer.sendall(bytes([byte]))
                time.sleep(0.02)

        with pytest.raises(ConnectionError):
            drip()


def test_an_open_page_stays_connected(impatient):
    table = open_table(impatient)
    with Client(impatient, table, 0) as client, httpx.Client() as http:
        client.turn()
        for _ in range(3):
            time.sleep(0.5)
            assert http.get(impatient.page(table, 0)).status_code == 200
        client.send(type="rules")
        assert client.next("rules")


def test_idle_connections_do_not_block_pages():
    """Many more than a server serves at once, from one machine; none of them sends anything."""
    with served() as tables, ExitStack() as stack:
        table, (host, port) = open_table(tables), tables.at.split(":")
        with Client(tables, table, 0) as early:
            early.turn()
            for number in range(300):
                stack.enter_context(socket.create_connection((host, int(port)), 5))
                if number % 100 == 99:
                    assert httpx.get(tables.page(table, 0)).status_code == 200
                    with Client(tables, table, 0) as late:
                        assert late.turn()
            early.send(type="rules")
            assert early.next("rules")


@pytest.mark.slow  # uvicorn waits 10 seconds
def test_a_socket_without_a_seat_is_closed(impatient):
    """Though the other side does not answer that it is closed."""
    host, port = impatient.at.split(":")
    head = f"GET /socket/x HTTP/1.1\r\nHost: {impatient.at}\r\nOrigin: http://{impatient.at}\r\n"
    head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    with socket.create_connection((host, int(port)), 30) as peer:
        peer.sendall(head.encode())
        assert is_closed(peer)


# What is asked and told


STRANGE = [float("nan"), float("inf"), -float("inf"), 10**400, -1, 1.5, True, [], {"a": [None]}, "x", "7"]


def refuse(word: str):
    raise AssertionError(f"{word} is no JSON")


def test_every_message_is_json(impatient):
    """For any request: Python reads and writes numbers that JSON does not have."""
    rng, table = random.Random(3), open_table(impatient)
    kinds = ("act", "next", "undo", "study", "record", "position", "again", "new", "exercise", "replace")
    fields = ("version", "action", "agents", "move", "all", "agent", "match", "number", "seat")
    with Client(impatient, table, 0) as client:
        client.turn()
        for kind in kinds:
            for _ in range(3):
                client.send(type=kind, **{name: rng.choice(STRANGE) for name in fields})
        for move in STRANGE:
            client.send(type="study", move=move)
            assert client.next("refusal", "study")["type"] == "refusal"
        client.send(type="rules")
        client.next("rules")
        for text in client.received:
            json.loads(text, parse_constant=refuse)


# The end


HANGS = """
import time


def make_agent(game):
    time.sleep(10**6)
"""


def test_an_interrupted_compilation_is_silent(module, capfd, recwarn):
    """As by Ctrl-C: the process is gone before the event loop is."""
    module(HANGS)

    async def cut_off():
        needs = Needs(["python:my_module:make_agent"])
        compiling = asyncio.create_task(compile_apart(make_game("schnapsen_v0"), needs))
        await asyncio.sleep(0.3)
        compiling.cancel()  # by uvicorn, and once more by asyncio

    asyncio.run(cut_off())
    time.sleep(0.5)
    gc.collect()
    assert capfd.readouterr().err == ""
    assert [str(each.message) for each in recwarn] == []


def test_a_compilation_times_out(module, monkeypatch):
    module(HANGS)
    monkeypatch.setattr("stichwerk.table.compiling.LONGEST", 0.5)
    begun = time.monotonic()
    asyncio.run(compile_apart(make_game("schnapsen_v0"), Needs(["python:my_module:make_agent"])))
    assert time.monotonic() - begun < 20


def test_names_of_links():
    for address, link in (
        ("0.0.0.0", "127.0.0.1"),
        ("::", "[::1]"),
        ("192.168.1.5", "192.168.1.5"),
        ("fd00::2", "[fd00::2]"),
    ):
        assert server.names_of(address, 8765, "nas.local")[0] == f"{link}:8765"
        assert "nas.local:8765" in server.names_of(address, 8765, "NAS.local")

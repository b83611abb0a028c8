"""The front door, the levels that it offers, tables that are kept in a folder, a server behind a proxy."""

import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

pytest.importorskip("starlette", reason="needs the extra play")
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import AgentError
from stichwerk.envs.games import OWN_GAMES, make_game
from stichwerk.support.errors import InputError
from stichwerk.table.opponents import LEVELS, agent_of_level, seat_names
from stichwerk.table.records.keeper import Keeper
from stichwerk.table.serving.service import Service, check_public
from stichwerk.table.table import Table
from tests.stichwerk.table.served import served

WISHES = {
    "env": "schnapsen_v0",
    "preset": "schnapsen",
    "rules": {},
    "people": 1,
    "level": "club",
    "match": True,
}


@pytest.fixture(scope="module")
def tables():
    with served() as running:
        yield running


def post(tables, kind: str, /, **fields) -> dict:
    origin = {"Origin": f"http://{tables.at}"}
    return httpx.post(f"http://{tables.at}/{kind}", json=fields, headers=origin, timeout=60).json()


def test_the_front_door_is_a_page(tables):
    page = httpx.get(f"http://{tables.at}/")
    assert page.headers["content-type"].startswith("text/html")
    assert "door.js" in page.text


def test_the_lobby_lists_all_games_with_rules_and_levels(tables):
    lobby = post(tables, "lobby", tables=[])
    games = {game["env"]: game for game in lobby["games"]}
    assert set(OWN_GAMES) <= set(games)
    assert lobby["levels"] == list(LEVELS)
    assert games["gaigel_v0"]["seats"] == [3, 4, 6]
    assert "serbian_club" in [each["name"] for each in games["preferans_v0"]["presets"]]
    for game in games.values():
        rules = make_game(game["env"]).rules
        for option in game["options"]:
            assert getattr(rules, option["name"]) == option["default"]


def test_a_table_is_opened_and_found_again(tables):
    answer = post(tables, "begin", **WISHES)
    (link,) = answer["links"]
    secret = link.rpartition("/")[2]
    room, seat = tables.rooms.find(secret)
    assert (room.table.episode, seat) == ("match", 0)
    assert room.table.names[1].endswith(" (club)")
    (known,) = post(tables, "lobby", tables=[secret, "nothing"])["tables"]
    assert (known["secret"], known["deals"]) == (secret, 0)


def test_own_rules_people_and_exercises(tables):
    wishes = {
        **WISHES,
        "env": "gaigel_v0",
        "preset": "",
        "rules": {"players": 3, "dissle": False},
        "people": 2,
    }
    links = post(tables, "begin", **wishes)["links"]
    table = tables.rooms.find(links[1].rpartition("/")[2])[0].table
    assert (table.people, table.game.rules.players, table.game.rules.dissle) == ((0, 1), 3, False)
    (link,) = post(tables, "begin", **WISHES, exercise=2)["links"]
    assert tables.rooms.find(link.rpartition("/")[2])[0].table.start.exercise


@pytest.mark.parametrize(
    "change",
    [
        {"env": "whist"},
        {"env": "os:path"},
        {"preset": "none such"},
        {"rules": {"players": 9}},
        {"people": 3},
        {"people": 0},
        {"level": "godlike"},
        {"exercise": 99},
        {"match": 1},
        {"color": "red"},
    ],
)
def test_wishes_that_cannot_be_are_refused(tables, change):
    count = len(tables.rooms._rooms)
    answer = post(tables, "begin", **{**WISHES, **change})
    assert answer["type"] == "refusal"
    assert len(tables.rooms._rooms) == count


def test_other_pages_open_no_tables(tables):
    answer = httpx.post(f"http://{tables.at}/begin", json=WISHES, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_of_too_many_tables_the_oldest_idle_one_goes():
    with served(most=2) as running:
        secrets = [post(running, "begin", **WISHES)["links"][0].rpartition("/")[2] for _ in range(3)]
        assert [running.rooms.find(secret) is None for secret in secrets] == [True, False, False]


# Levels


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_each_game_has_an_agent_for_each_level(env_id):
    game = make_game(env_id)
    texts = [agent_of_level(level, game) for level in LEVELS]
    assert len(set(texts)) == len(LEVELS)
    for text in texts:
        make_agent_for(text, game)


def test_rules_without_a_network_have_levels_too():
    game = make_game("schnapsen_v0", "sixty_six_german")
    for level in LEVELS:
        make_agent_for(agent_of_level(level, game), game)


def test_weakened_networks_forget_and_waver_but_do_not_blunder():
    game = make_game("schnapsen_v0")
    sharp, weak = (make_agent_for(f"ppo:schnapsen{more}", game) for more in ("", ",softness=6,forgets=all"))
    table = Table(game, [sharp, sharp], seed=5)
    differ = 0
    while not table.result:
        _, turn = table.asked()
        if turn.mask.sum() > 1:
            likely = sharp.log_probabilities(turn.observation(game), turn.mask)[0]
            choices = {int(weak.act(turn)[0]) for _ in range(30)}
            differ += len(choices) > 1
            assert all(turn.mask[0, choice] for choice in choices)
            if not table.played:  # nothing to forget yet: what is far worse is never played
                assert min(likely[choice] for choice in choices) >= likely.max() - 12.01
        table.move_agent()
    assert differ


@pytest.mark.parametrize("settings", ["softness=0.5", "forgets=some", "greedy=yes,softness=2"])
def test_weaknesses_are_checked(settings):
    with pytest.raises(AgentError):
        make_agent_for(f"ppo:schnapsen,{settings}", make_game("schnapsen_v0"))


def test_names_of_seats_are_different_persons():
    import random

    names = seat_names([None, "a", "b", "a"], "club", random.Random(1))
    assert names[0] == "player_0"
    assert len(set(names)) == 4


# Tables that are kept


def test_kept_tables_go_on_after_the_server(tmp_path):
    service = Service(hosts=("x",), keep=str(tmp_path / "tables"))
    rooms = service.rooms()
    table = Table(make_game("schnapsen_v0"), [None, "random"], "match", seed=4)
    rooms.open_at_door(table)
    table.move_agents()
    table.act(0, str(table.legal(0)[0]))
    rooms.keeper.keep(table)
    (file,) = (tmp_path / "tables").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    later = service.rooms()
    assert later.open_kept() == 1
    room, seat = later.find(table.secrets[0])
    assert room.table.message(seat) == table.message(0)
    later._close(room)
    assert not list((tmp_path / "tables").iterdir())


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "x.table.json").write_text("{")
    with pytest.raises(InputError, match=r"x\.table\.json"):
        list(Keeper(tmp_path).kept())


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="keep"):
        Keeper(tmp_path / "x")


# Behind a proxy


@contextmanager
def proxy(to: str):
    """A proxy in front of a server: bytes go through as they are, with the names that clients use."""
    host, _, port = to.rpartition(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65_536):
                other.sendall(data)
        except OSError:
            pass
        finally:
            other.close()

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection((host, int(port)))
            for pair in ((client, server), (server, client)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


PUBLIC = "https://cards.example.org/club"


def test_a_server_behind_a_proxy_with_a_path():
    with served(public=PUBLIC) as running, proxy(running.at) as port:
        at, host = f"http://127.0.0.1:{port}/club", {"Host": "cards.example.org"}
        assert "door.js" in httpx.get(f"{at}/", headers=host).text
        assert httpx.get(f"{at}/page/style.css", headers=host).status_code == 200
        own = {**host, "Origin": "https://cards.example.org"}
        (link,) = httpx.post(f"{at}/begin", json=WISHES, headers=own, timeout=60).json()["links"]
        assert httpx.get(f"{at}{link}", headers=host).status_code == 200
        address = f"ws://cards.example.org/club/socket/{link.rpartition('/')[2]}"
        through = socket.create_connection(("127.0.0.1", port))
        with connect(address, origin="https://cards.example.org", sock=through, proxy=None) as page:
            assert json.loads(page.recv(timeout=20))["type"] == "table"
        through = socket.create_connection(("127.0.0.1", port))
        with pytest.raises(InvalidStatus):
            connect(address, origin="http://cards.example.org", sock=through, proxy=None)


DOCKER = Path(__file__).parents[3] / "docs" / "howto" / "docker.md"
AROUND = """daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/cert; ssl_certificate_key {folder}/key;
    {example}
  }}
}}"""


@contextmanager
def nginx(folder: Path, to: str):
    """nginx with TLS and the lines of the guide, in front of a server; yields its port."""
    example = re.search(r"```nginx\n(.*?)```", DOCKER.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert "http://127.0.0.1:8765" in example
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = AROUND.format(folder=folder, port=port, example=example.replace("127.0.0.1:8765", to))
    (folder / "conf").write_text(words.replace("/cards/", "/club/"))
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=cards.example.org"]
    subprocess.run(
        [*new, "-keyout", folder / "key", "-out", folder / "cert"], check=True, capture_output=True
    )
    process = subprocess.Popen(["nginx", "-p", folder, "-e", folder / "error.log", "-c", folder / "conf"])
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.skipif(not (shutil.which("nginx") and shutil.which("openssl")), reason="needs nginx and openssl")
def test_the_example_of_nginx_serves_a_table_with_tls_below_a_path(tmp_path):
    with served(public=PUBLIC) as running, nginx(tmp_path, running.at) as port:
        at, host = f"https://127.0.0.1:{port}/club", {"Host": "cards.example.org"}
        own = {**host, "Origin": "https://cards.example.org"}
        assert "door.js" in httpx.get(f"{at}/", headers=host, verify=False).text
        (link,) = httpx.post(f"{at}/begin", json=WISHES, headers=own, verify=False, timeout=60).json()[
            "links"
        ]
        assert httpx.get(f"{at}{link}", headers=host, verify=False).status_code == 200
        trusting = ssl.create_default_context(cafile=tmp_path / "cert")
        address = f"wss://cards.example.org/club/socket/{link.rpartition('/')[2]}"
        through = socket.create_connection(("127.0.0.1", port))
        with connect(address, origin=own["Origin"], sock=through, ssl=trusting, proxy=None) as page:
            assert json.loads(page.recv(timeout=20))["type"] == "table"


@pytest.mark.parametrize("name", ["X-Forwarded-Host", "Forwarded", "X-Forwarded-Prefix"])
def test_forwarded_headers_are_not_believed(tables, name):
    value = "host=cards.example.org" if name == "Forwarded" else "cards.example.org"
    headers = {name: value, "Origin": "https://cards.example.org", "X-Forwarded-Proto": "https"}
    assert httpx.post(f"http://{tables.at}/lobby", json={"tables": []}, headers=headers).status_code == 403
    headers = {name: value, "Host": "cards.example.org"}
    assert httpx.get(f"http://{tables.at}/", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "text",
    ["cards", "ftp://a.b", "https://", "https://a@b.c", "https://a.b/?x", "https://A.b", "https://a.b:0/"],
)
def test_public_addresses_are_checked(text):
    with pytest.raises(InputError, match="public"):
        check_public(text)

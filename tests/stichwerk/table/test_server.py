"""The server of tables: secrets, hosts, limits, and all that crosses the wire."""

import asyncio
import json
import random
import re
import signal
import socket
import time
from contextlib import ExitStack

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from stichwerk.commands import play
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import make_game
from stichwerk.envs.render.svg import card_svg
from stichwerk.support.errors import InputError
from stichwerk.support.machine.sockets import listening
from stichwerk.table.protocol import NO_SEAT, TOO_MANY_PAGES
from stichwerk.table.serving import server
from stichwerk.table.serving.room import MOST_PAGES, MOST_SHOWN
from stichwerk.table.serving.rooms import MOST_BESIDE, Rooms
from stichwerk.table.serving.service import Service
from stichwerk.table.table import Table
from tests.agents.support import here
from tests.envs.support import VARIANTS, Variant, slowly
from tests.started import start
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_table import play as played

GARBAGE = [
    "",
    "x",
    "[]",
    "null",
    "{}",
    '{"type": "fly"}',
    '{"type": ["act"]}',
    '{"type": "act"}',
    '{"type": "act", "version": "1", "action": "play hA"}',
    '{"type": "act", "version": 1e9, "action": 5}',
    '{"type": "act", "action": {"a": [1]}}',
    "[" * 500,
    '{"type": "next"}',
    "\x00",
    '{"type": "' + "x" * 2100 + '"}',
    b"\xff\xfe",
]


@pytest.fixture(scope="module")
def tables():
    with served() as running:
        yield running


def open_table(tables, env_id="schnapsen_v0", seats=(None, "random"), **settings) -> Table:
    table = Table(make_game(env_id), seats, seed=3, **settings)
    tables.rooms.open(table)
    return table


class Client:
    """A page, in lines of JSON."""

    def __init__(self, tables, table: Table, seat: int, **settings):
        settings = {"origin": f"http://{tables.at}", **settings}
        self.seat, self.received = seat, []
        self._stack = ExitStack()
        self.socket = self._stack.enter_context(connect(tables.socket(table, seat), **settings))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._stack.close()

    def send(self, **request):
        self.socket.send(json.dumps(request))

    def next(self, *kinds: str) -> dict:
        """The next message of these kinds."""
        while True:
            text = self.socket.recv(timeout=60)
            self.received.append(text)
            message = json.loads(text)
            if not kinds or message["type"] in kinds:
                return message

    def flood(self) -> None:
        """Send until the connection ends."""
        for _ in range(2_000):
            self.send(type="rules")
        self.drain()

    def drain(self) -> None:
        """Read until the connection ends."""
        while True:
            self.next()

    def turn(self) -> dict:
        """The next position in which the seat is to act, or the deal is over."""
        while True:
            message = self.next("table")
            if message["legal"] or message["result"]:
                return message


def test_before_the_game_is_compiled_a_hint_is_given_and_a_review_says_how_long():
    with served() as tables:
        tables.rooms.seconds_left = lambda game: 9.0
        table = open_table(tables)
        with Client(tables, table, 0) as client:
            client.turn()
            client.send(type="hint")
            assert client.next("hint")["action"] in table.legal(0)
            client.send(type="review")
            told = client.next("refusal")["text"]
            assert told == "The review of decisions will be ready in about 9 seconds."


def test_a_deal_is_played_over_the_socket(tables):
    table, rng = open_table(tables), random.Random(1)
    with Client(tables, table, 0) as client:
        while not (message := client.turn())["result"]:
            client.send(type="act", version=message["version"], action=rng.choice(message["legal"])["name"])
        assert sum(message["result"]["points"]) == 0
        client.send(type="review")
        moves = [each["move"] for each in client.next("review")["decisions"]]
        assert all(1 <= move <= len(message["log"]) for move in moves)
        with Client(tables, table, 0) as later:
            assert [each["move"] for each in later.next("review")["decisions"]] == moves
        for move in (None, 0, "1", 999):
            client.send(type="again", move=move)
            assert "move: got" in client.next("refusal")["text"]
        for move in moves:
            client.send(type="again", move=move)
            link = client.next("open")["link"]
            (room, seat) = tables.rooms.find(link.rpartition("/")[2])
            assert (seat, len(room.table.deals()[-1].moves)) == (0, move - 1)
        client.send(type="next")
        assert client.turn()["deals_played"] == 1
        client.send(type="review")
        assert "during a deal" in client.next("refusal")["text"]
        client.send(type="hint")
        assert client.next("hint")["action"] in table.legal(0)
        client.send(type="rules")
        assert "66" in client.next("rules")["text"]
        client.send(type="record")
        assert '"event": "deal"' in client.next("record")["text"]
    link = tables.page(table, 0).replace("/table/", "/record/")
    for asked, face in (("", "french"), ("?face=german", "german"), ("?face=<x>", "french")):
        page = httpx.get(link + asked, timeout=60).text
        assert f'id="stichwerk-{face}-back"' in page
        assert '"words":"player_0: Play ' in page
        assert "play s" not in page


def test_deals_of_the_record_are_numbered_by_their_place(tables):
    """Among people too, whose records hold no numbers, and where a page leaves out the first deals."""
    game = make_game(
        "schnapsen_v0", {"pack": ["sA", "sK", "sQ", "sJ", "hT", "hQ"], "hand_size": 1, "goal": 30}
    )
    table, rng = Table(game, [None, None], seed=3), random.Random(1)
    tables.rooms.open(table)
    link = tables.page(table, 0).replace("/table/", "/record/")
    for number in range(1, MOST_SHOWN + 2):
        list(played(table, rng))
        if number in (2, MOST_SHOWN + 1):
            titles = re.findall(r'"title":"(\d+)\. ', httpx.get(link, timeout=60).text)
            assert titles == [str(place) for place in range(max(number - MOST_SHOWN, 0) + 1, number + 1)]
        for seat in table.people:
            table.next_deal(seat)


@pytest.mark.parametrize("variant", [VARIANTS[0], *VARIANTS[-4:]], ids=str)
def test_no_message_names_a_hidden_card(tables, variant: Variant):
    """Everybody is a person here, and all that each of them is sent is read."""
    table, rng = Table(variant.game, [None] * variant.game.seats, seed=4), random.Random(1)
    tables.rooms.open(table)
    clients = [Client(tables, table, seat) for seat in table.people]
    last = [client.next("table") for client in clients]
    looked = 0
    while not table.result:
        turn = table.turn
        state = table.env.copy_state()
        for client, message in zip(clients, last, strict=True):
            assert message["seat"] == client.seat
            assert bool(message["legal"]) == (client.seat == turn)
            told = json.dumps({**message, "legal": []}, ensure_ascii=False)
            for card in variant.model.hidden_cards(table.game, state, client.seat):
                assert f'"{card}"' not in told
                assert pretty(card) not in told
                looked += 1
        action = rng.choice(last[turn]["legal"])["name"]
        clients[turn].send(type="act", version=last[turn]["version"], action=action)
        last = [client.next("table") for client in clients]
    for client in clients:
        text = "".join(client.received)
        assert not any(secret in text for secret in table.secrets.values())
        assert str(int(table.env.copy_state()["seed"][0])) not in text
        client.close()
    assert looked > 20


def opened(tables, table: Table, **asked) -> dict:
    """The answer to a text that is opened."""
    url = tables.page(table, 0).replace("/table/", "/open/")
    return httpx.post(url, json=asked, headers={"Origin": f"http://{tables.at}"}, timeout=60).json()


def test_positions_open_further_tables(tables):
    table, rooms = open_table(tables), len(tables.rooms._rooms)
    with Client(tables, table, 0) as client:
        client.turn()
        client.send(type="position")
        line = client.next("position")["text"]
        client.send(type="position", all=True)
        assert client.next("position")["text"] == table.position(0, all_cards=True)
    assert line == table.position(0)
    first = opened(tables, table, text=line, deal=1)["link"]
    with Client(tables, tables.rooms.find(first.rpartition("/")[2])[0].table, 0) as beside:
        assert beside.turn()["log"] == table.message(0)["log"]
        for _ in range(MOST_BESIDE):
            assert opened(tables, table, text=line, deal=1, step=None)["link"].startswith("/table/")
        beside.next("closed")
        with pytest.raises(ConnectionClosed):
            beside.drain()
    assert len(tables.rooms._rooms) == rooms + MOST_BESIDE
    assert tables.rooms.find(first.rpartition("/")[2]) is None


def test_exercises_need_a_table_without_other_people(tables):
    table, two = open_table(tables), open_table(tables, seats=(None, None))
    with Client(tables, table, 0) as client, Client(tables, two, 0) as other:
        client.send(type="rules")
        exercises = client.next("rules")["exercises"]
        client.send(type="exercise", number=2)
        opened, seat = tables.rooms.find(client.next("open")["link"].rpartition("/")[2])
        assert opened.table.message(seat)["exercise"]["title"] == "When to close"
        for number in (0, len(exercises) + 1, "1", None):
            client.send(type="exercise", number=number)
            assert re.match("exercise|number: got", client.next("refusal")["text"])
        other.send(type="rules")
        assert other.next("rules")["exercises"] == []
        other.send(type="exercise", number=1)
        assert "with other people" in other.next("refusal")["text"]


def test_another_table_is_opened_from_the_page(tables):
    table, two = open_table(tables, seats=(None, "random")), open_table(tables, seats=(None, None))
    with Client(tables, table, 0) as client, Client(tables, two, 0) as other:
        for agent, match, seats in (("same", False, (None, "random")), ("rules", True, (None, "rules"))):
            client.send(type="new", agent=agent, match=match)
            room, seat = tables.rooms.find(client.next("open")["link"].rpartition("/")[2])
            assert (room.table.seats, seat, room.table.start) == (seats, 0, None)
            assert room.table.episode == ("match" if match else "deal")
        for agent in ("python:os:getcwd", "engine:ls", "ppo:/tmp"):
            client.send(type="new", agent=agent)
            assert (
                "expected one of same, search:schnapsen,worlds=0,few=400, ppo:"
                in client.next("refusal")["text"]
            )
        other.send(type="new", agent="rules")
        assert "with other people" in other.next("refusal")["text"]


def test_invalid_texts_are_not_opened(tables):
    table, two = open_table(tables), open_table(tables, seats=(None, None))
    other = Table(make_game("gaigel_v0"), [None, *["random"] * 3], seed=1).position(0)
    for asked, fault in (
        ({}, "text: got nothing; expected text"),
        ({"text": 5, "deal": 1}, "text: got 5; expected text"),
        ({"text": "x", "deal": 1}, "line 1: got 'x'"),
        ({"text": "x", "deal": 0}, "deal: got 0; expected a whole number from 1"),
        ({"text": "x", "deal": True}, "deal: got True"),
        ({"text": "x", "deal": 1, "step": -1}, "step: got -1; expected a whole number from 0"),
        ({"text": other, "deal": 1}, "got one of gaigel_v0; expected schnapsen_v0"),
        ({"text": "x" * 1_000_001, "deal": 1}, "text: got more than 1,000,000 bytes"),
    ):
        assert fault in opened(tables, table, **asked)["text"]
    assert "with other people" in opened(tables, two, text="x", deal=1)["text"]
    url = tables.page(table, 0).replace("/table/", "/open/")
    for origin in ({}, {"Origin": "http://example.com"}):
        assert httpx.post(url, json={}, headers=origin).status_code == 403
    assert (
        httpx.post(f"http://{tables.at}/open/x", headers={"Origin": f"http://{tables.at}"}).status_code == 404
    )


def test_a_new_connection_resumes_the_table(tables):
    table = open_table(tables)
    with Client(tables, table, 0) as client:
        before = client.turn()
    with Client(tables, table, 0) as client:
        assert client.turn() == before
        client.send(type="act", version=before["version"], action=before["legal"][0]["name"])
        after = client.turn()
    with Client(tables, table, 0) as client:
        assert client.turn() == after


def test_invalid_requests_change_nothing(tables):
    table = open_table(tables, seats=(None, None))
    with Client(tables, table, 0) as one, Client(tables, table, 1) as two:
        position = one.next("table")
        assert two.next("table")["version"] == position["version"]
        turn = table.turn
        for text in GARBAGE:
            (one, two)[1 - turn].socket.send(text)
            assert (one, two)[1 - turn].next("refusal")["text"]
        other = (one, two)[1 - turn]
        other.send(type="act", version=position["version"], action="play hA")
        assert "it is the turn of" in other.next("refusal")["text"]
        own = (one, two)[turn]
        own.send(type="act", version=position["version"] - 1, action=str(table.legal(turn)[0]))
        assert "The table has changed" in own.next("refusal")["text"]
        for request in ({"type": "undo"}, {"type": "hint"}, {"type": "position"}):
            own.send(**request)
            assert "with other people" in own.next("refusal")["text"]
        assert table.version == position["version"]
        own.send(type="act", version=position["version"], action=str(table.legal(turn)[0]))
        assert own.next("table")["version"] == other.next("table")["version"] == position["version"] + 1


def test_a_flood_closes_only_its_connection(tables):
    table = open_table(tables, seats=(None, None))
    with Client(tables, table, 0) as calm, Client(tables, table, 1) as wild:
        position = calm.next("table")
        with pytest.raises(ConnectionClosed) as end:
            wild.flood()
        assert end.value.rcvd is None or end.value.rcvd.code == server.TOO_MANY
        calm.send(type="rules")
        assert calm.next("rules")
        assert table.version == position["version"]


def test_an_oversized_message_closes_the_connection(tables):
    with Client(tables, open_table(tables), 0) as client:
        client.socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            client.drain()


def status_of(url: str, **settings) -> int:
    with pytest.raises(InvalidStatus) as refused, connect(url, **settings):
        pass
    return refused.value.response.status_code


def code_of(url: str, **settings) -> int:
    """With what a connection is closed that no table serves."""
    with pytest.raises(ConnectionClosed) as end, connect(url, **settings) as socket:
        socket.recv(timeout=60)
    return end.value.rcvd.code


def test_secrets_hosts_and_origins_are_checked(tables):
    table = open_table(tables)
    right, origin = tables.socket(table, 0), f"http://{tables.at}"
    assert 400 <= status_of(right.removesuffix(table.secrets[0]), origin=origin) < 500
    for secret in ("x", table.secrets[0][:-1], "%00", "a" * 500):
        assert code_of(f"{right.rpartition('/')[0]}/{secret}", origin=origin) == NO_SEAT
        assert httpx.get(f"http://{tables.at}/table/{secret}").status_code == 404
        for place in ("record", "cards"):
            assert httpx.get(f"http://{tables.at}/{place}/{secret}").status_code == 404
    for other in (None, "http://example.com", "null", f"https://{tables.at}"):
        assert status_of(right, origin=other) == 403
    assert status_of(right, origin=origin, additional_headers={"Host": "example.com"}) in (400, 403)
    page = tables.page(table, 0)
    assert httpx.get(page, headers={"Host": "example.com"}).status_code == 403
    assert httpx.get(page).status_code == 200
    assert httpx.get(page.replace("127.0.0.1", "localhost")).status_code == 200
    for path in ("/page/../server.py", "/page/%2e%2e/server.py", "/page/server.py", "/table/"):
        assert httpx.get(f"http://{tables.at}{path}").status_code == 404
    assert httpx.post(page).status_code == 403
    assert httpx.post(page, headers={"Origin": origin}).status_code == 405


def test_a_server_at_all_addresses_answers_to_local_names():
    """As in a container whose port is published."""
    with served(host="0.0.0.0") as tables:
        page = tables.page(open_table(tables), 0)
        assert httpx.get(page).status_code == 200
        assert httpx.get(page.replace("127.0.0.1", "localhost")).status_code == 200
        assert httpx.get(page, headers={"Host": "example.com"}).status_code == 403
    assert server.names_of("0.0.0.0", 8765)[0] == "127.0.0.1:8765", "in links"


def test_clients_leave_out_port_80():
    assert server.names_of("127.0.0.1", 80)[0] == "127.0.0.1:80", "in links"
    assert "127.0.0.1" not in server.names_of("127.0.0.1", 8080)
    rooms = Rooms()
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    rooms.open(table)
    app = server.make_app(rooms, Service(hosts=tuple(server.names_of("127.0.0.1", 80))))

    async def statuses() -> list[int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            hosts = ("127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "127.0.0.1:8080", "example.com")
            links = [f"http://{host}/table/{table.secrets[0]}" for host in hosts]
            return [
                (await client.get(link, headers={"Host": host})).status_code
                for host, link in zip(hosts, links, strict=True)
            ]

    assert asyncio.run(statuses()) == [200, 200, 200, 200, 403, 403]


def test_pages_may_request_only_their_server(tables):
    page = httpx.get(tables.page(open_table(tables), 0))
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "server" not in page.headers
    for name in ("main.js", "style.css"):
        assert httpx.get(f"http://{tables.at}/page/{name}").headers["x-content-type-options"] == "nosniff"


def test_the_page_draws_cards_as_pictures_do(tables):
    table = open_table(tables)
    answer = httpx.get(tables.page(table, 0).replace("/table/", "/cards/"))
    assert answer.headers["content-type"].startswith("text/javascript")
    cards = json.loads(answer.text.partition(" = ")[2].partition(";\n")[0])
    assert cards.keys() == {"french", "german", "hungarian"}
    assert cards["german"].keys() == {"", *table.game.pack.names}
    assert cards["french"]["hK"] == card_svg("hK", "french")


def test_pages_of_a_seat_are_limited(tables):
    table = open_table(tables)
    clients = [Client(tables, table, 0) for _ in range(MOST_PAGES)]
    for client in clients:
        client.next("table")
    assert code_of(tables.socket(table, 0), origin=f"http://{tables.at}") == TOO_MANY_PAGES
    for client in clients:
        client.close()
    for _ in range(100):  # until the server has noticed
        try:
            with Client(tables, table, 0) as client:
                assert client.next("table")
            return
        except ConnectionClosed:
            time.sleep(0.05)
    pytest.fail("the seat stayed full")


def test_tables_of_a_server_are_limited():
    rooms = Rooms(most=1)
    rooms.open(Table(make_game("schnapsen_v0"), [None, None]))
    with pytest.raises(InputError, match="tables: got 2; expected at most 1"):
        rooms.open(Table(make_game("schnapsen_v0"), [None, None]))


def test_a_taken_port_is_refused_with_a_free_one(capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert here(play.main, "schnapsen", "--port", port, "--no-browser") == 2
    err = capsys.readouterr().err
    assert f"port: got {port}, which is taken; expected a free one, such as " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("ending", "status"), [("SIGINT", 130), ("SIGTERM", 143), *slowly(("SIGHUP", 143))])
def test_the_command_serves_until_a_signal_ends_it(ending, status, tmp_path):
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    listener.close()
    words = "play", "schnapsen", "--against", "rules", "--no-browser", "--port", port
    record = tmp_path / "own.jsonl"
    with start("-m", "stichwerk", *words, "--seat", 1, "--record", record) as process:
        process.stdout.readline()
        link = process.stdout.readline().split()[-1]
        for _ in range(100):
            try:
                assert "<title>Stichwerk</title>" in httpx.get(link).text
                break
            except httpx.ConnectError:
                time.sleep(0.05)
        process.send_signal(getattr(signal, ending))
        try:
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == status
    assert "Traceback" not in err
    assert '"event": "deal"' in record.read_text()

"""Tables that another process goes on with, and games that are played interpreted until they are compiled."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from stichwerk.envs.games import make_game
from stichwerk.support.errors import InputError
from stichwerk.table import cold
from stichwerk.table.newest import NewestNetwork
from stichwerk.table.positions.exercises import exercise_of
from stichwerk.table.positions.position import position_in, position_of
from stichwerk.table.records.saved import restored, saved
from stichwerk.table.table import Table
from tests.stichwerk.table.test_watch import run_folder


def again(table: Table) -> Table:
    """The table as another process has it."""
    return restored(json.loads(json.dumps(saved(table))))


def play(table: Table, steps: int, rng: random.Random) -> None:
    for _ in range(steps):
        table.move_agents()
        if table.result:
            table.next_deal(0)
        else:
            table.act(0, str(rng.choice(table.legal(0))))
            if rng.random() < 0.1:
                table.undo(0)
    table.move_agents()


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize(("env_id", "agent"), [("schnapsen_v0", "ppo:schnapsen"), ("gaigel_v0", "random")])
def test_a_restored_table_goes_on_with_the_same_cards_and_choices(env_id, agent, episode):
    game = make_game(env_id)
    table = Table(game, [None, *[agent] * (game.seats - 1)], episode, seed=3)
    play(table, 25, random.Random(1))
    other = again(table)
    assert other.secrets == table.secrets
    for each in (table, other):
        play(each, 25, random.Random(2))
    assert other.message(0) == table.message(0)
    assert other.record() == table.record()


def test_a_deal_that_is_over_stays_shown():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    while not table.result:
        play(table, 1, random.Random(1))
    other = again(table)
    assert other.message(0) == table.message(0)
    other.undo(0)
    assert other.turn == 0


def test_a_covered_seat_stays_its_persons():
    """Also with another agent, and after a restart: whoever plays on sees no more than before."""
    table = Table(make_game("schnapsen_v0"), [None, None], seed=1)
    with pytest.raises(InputError, match="replace: got seat 1, which a person plays"):
        table.replace_agent(1, "rules")
    table.cover(1)
    table.replace_agent(1, "random")
    for each in (table, restored(saved(table))):
        assert each.people == (0, 1)
        assert each.role == "together"
        assert each.covered == {1}
    table.uncover(1)
    assert not table.agents


def test_start_positions_are_kept():
    game = make_game("schnapsen_v0")
    start = position_of(game, exercise_of(game, 2))
    seats = [None if seat == start.person else "random" for seat in (0, 1)]
    table = Table(start.game, seats, start=start)
    assert again(table).message(start.person) == table.message(start.person)
    played = Table(game, [None, "random"], seed=3)
    play(played, 4, random.Random(1))
    deal = played.last_deal()
    before = deal.moves[2].__class__(deal.moves[2].seat, deal.moves[2].action, values={"claim": 1.0})
    begun = position_in(game, deal.__class__(**{**vars(deal), "moves": (*deal.moves[:2], before)}), 2)
    assert begun.before
    assert again(Table(game, [None, "random"], start=begun)).start.before == before


def test_the_network_of_a_training_is_not_kept(tmp_path):
    game = make_game("schnapsen_v0")
    run_folder(tmp_path, game, 1)
    assert saved(Table(game, [None, NewestNetwork(tmp_path, game)], seed=1)) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 0}, "format"),
        ({"actions": ["fly"]}, "fly"),
        ({"seats": 7}, "damaged"),
        ({"actions": ["play sA"] * 3}, ""),
    ],
)
def test_a_damaged_table_is_refused(change, told):
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    with pytest.raises(InputError, match=told):
        restored({**saved(table), **change})


# A first start


def test_a_game_is_warm_until_a_file_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not cold.is_warm("")
    cold.note_warm("gaigel_v0")
    assert cold.is_warm("gaigel")
    assert cold.is_warm("")
    assert not cold.is_warm("schnapsen")
    monkeypatch.setattr(cold, "stamp", lambda: "another")
    assert not cold.is_warm("gaigel")


def test_a_game_of_an_installed_package_is_warm(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "stichwerk_compiled").mkdir()
    (tmp_path / "stichwerk_compiled" / f"{cold.stamp()}-gaigel_v0.warm").touch()
    assert not cold.is_warm("gaigel")
    monkeypatch.syspath_prepend(tmp_path)
    assert cold.is_warm("gaigel")
    assert not cold.is_warm("schnapsen")


@pytest.mark.parametrize("size", [cold.SHORT_RECORD, cold.SHORT_RECORD + 1])
def test_short_records_are_replayed_interpreted(tmp_path, monkeypatch, size):
    monkeypatch.setattr(os, "environ", {})
    (tmp_path / "deals.jsonl").write_bytes(b" " * size)
    cold.begin_with_record([str(tmp_path / "deals.jsonl"), "--step", "3"])
    assert os.environ == ({cold.DISABLE: "1"} if size == cold.SHORT_RECORD else {})


@pytest.mark.parametrize(
    ("words", "interpreted"),
    [
        (["schnapsen"], True),
        (["schnapsen", "--against", "rules", "--match"], True),
        (["schnapsen", "--against", "search:schnapsen"], False),
        (["schnapsen", "--against=rollout"], False),
        (["--watch", "runs/1"], False),
    ],
)
def test_what_begins_interpreted(tmp_path, monkeypatch, words, interpreted):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cold, "begun_cold", False)
    monkeypatch.setattr(os, "environ", {**os.environ})
    os.environ.pop(cold.DISABLE, None)
    cold.begin(words)
    assert cold.begun_cold == interpreted


@pytest.mark.slow
def test_the_first_deal_is_played_before_anything_is_compiled(tmp_path):
    """Then another process goes on with the table, at the same link."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    from tests.stichwerk.table.test_serving import free_port

    port, record = free_port(), tmp_path / "deals.jsonl"
    words = ["play", "schnapsen", "--port", str(port), "--no-browser", "--record", str(record)]
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "OMP_NUM_THREADS": "1"}
    begun = subprocess.Popen(
        [sys.executable, "-m", "stichwerk", *words], stdout=subprocess.PIPE, text=True, env=env
    )
    link = [begun.stdout.readline() for _ in range(2)][-1].split()[-1]
    assert not list(tmp_path.glob("kept/**/*.nbc"))
    address, origin = (
        link.replace("http", "ws", 1).replace("/table/", "/socket/"),
        link.partition("/table")[0],
    )
    rng, deals, ends = random.Random(1), 0, 0
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and not (ends and deals > 1):
        try:
            with connect(address, origin=origin, proxy=None) as socket:
                while not (ends and deals > 1):
                    message = json.loads(socket.recv(timeout=60))
                    if message["type"] != "table":
                        continue
                    if message["result"] and message["result"]["waits_for"]:
                        deals = message["deals_played"]
                        time.sleep(1)
                        socket.send(json.dumps({"type": "next"}))
                    elif message["legal"]:
                        action = rng.choice(message["legal"])["name"]
                        asked = {"type": "act", "action": action, "version": message["version"]}
                        socket.send(json.dumps(asked))
        except ConnectionClosed:
            ends += 1
    assert ends == 1
    begun.send_signal(signal.SIGTERM)
    assert begun.wait(30) in (0, 143, -signal.SIGTERM)
    assert record.read_text().count('"event": "result"') == deals

"""Agents that never answer, or fail, at one table of a server with several."""

import random
import threading
import time

import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from stichwerk.table.opponents import offered_opponents
from stichwerk.table.table import Table
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client, open_table

PATIENCE = 0.3
AGENTS = """
import time

ANSWERS = 0  # from this answer on the agent hangs


class Hangs:
    def __init__(self, wait):
        self.wait, self.answers = wait, 0

    def act(self, turns):
        self.answers += 1
        if self.answers > ANSWERS:
            self.wait()
        return turns.mask.argmax(axis=1)


def until_told():
    while not told:
        time.sleep(0.01)


def for_ever():
    while True:
        pass


def fails():
    raise ValueError("out of order")


told = []
sleeping = lambda game: Hangs(lambda: time.sleep(10**6))
busy = lambda game: Hangs(for_ever)
late = lambda game: Hangs(until_told)
failing = lambda game: Hangs(fails)
"""


@pytest.fixture(scope="module")
def tables():
    with served(patience=PATIENCE) as running:
        yield running


def to_the_agent(client: Client) -> None:
    """Act until the agent is to act."""
    message = client.next("table")
    while message["legal"]:
        client.send(type="act", version=message["version"], action=message["legal"][0]["name"])
        message = client.next("table")


def until_stalled(client: Client) -> dict:
    """The message that an agent does not answer."""
    while not (told := client.next("stalled"))["text"]:
        pass
    return told


def to_the_end(client: Client, message: dict | None = None) -> None:
    """Play a deal by chance, from a position that was told already or from the next one."""
    rng, message = random.Random(1), message or client.turn()
    while not message["result"]:
        if message["legal"]:
            client.send(type="act", version=message["version"], action=rng.choice(message["legal"])["name"])
        message = client.turn()


@pytest.mark.parametrize("maker", ["sleeping", "busy", "failing"])
def test_a_hanging_or_failing_agent_is_replaced(tables, module, maker):
    module(AGENTS)
    name = f"python:my_module:{maker}"
    table, other = open_table(tables, seats=(None, name)), open_table(tables)
    with Client(tables, table, 0) as one, Client(tables, other, 0) as two:
        to_the_agent(one)
        told = until_stalled(one)
        assert name in told["text"]
        assert ("out of order" if maker == "failing" else "has not answered for 0.3 seconds") in told["text"]
        assert told["agents"] == list(offered_opponents(table.game))
        to_the_end(two)
        one.send(type="rules")  # the table itself goes on too
        assert "66" in one.next("rules")["text"]
        with Client(tables, table, 0) as late:
            assert late.next("stalled")["text"] == told["text"]
        one.send(type="replace", agent="python:os:getcwd")
        assert "expected one of" in one.next("refusal")["text"]
        one.send(type="replace", agent="random")
        assert one.next("stalled") == {"type": "stalled", "text": "", "agents": []}
        to_the_end(one)
        one.send(type="replace", agent="rules")
        assert "expected it when one does not answer" in one.next("refusal")["text"]
    assert table.seats == (None, "random")
    assert table.names == ("player_0", "random")


def test_late_answers_are_played(tables, module):
    module(AGENTS)
    table = open_table(tables, seats=(None, "python:my_module:late"))
    with Client(tables, table, 0) as client:
        to_the_agent(client)
        until_stalled(client)
        import my_module

        my_module.told.append(True)
        answered = client.next("stalled", "table")
        assert answered["type"] == "table"
        assert client.next("stalled")["text"] == ""
        to_the_end(client, answered)


def test_undo_while_the_agent_thinks(tables, module):
    module(AGENTS)
    table = open_table(tables, seats=("python:my_module:late", None))
    with Client(tables, table, 1) as client:
        begun = client.next("table")
        assert begun["legal"], "the person begins in this deal"
        client.send(type="act", version=begun["version"], action=begun["legal"][0]["name"])
        client.next("table")
        client.send(type="undo")
        back = client.next("table")
        assert back["log"] == []
        import my_module

        my_module.told.append(True)
        to_the_end(client, back)


def test_watched_agents_are_replaced(tables, module):
    module(AGENTS)
    table = open_table(tables, seats=("python:my_module:sleeping",) * 2)
    with Client(tables, table, SPECTATOR) as client:
        client.send(type="step", version=client.next("table")["version"])
        until_stalled(client)
        client.send(type="look", seat=1)  # others may look on meanwhile
        assert client.next("table")["seat"] == 1
        client.send(type="replace", agent="random")
        version = client.next("table")["version"]
        client.send(type="step", version=version)
        assert client.next("table")["version"] == version + 1


def test_ratings_time_out(module):
    module(AGENTS)
    with served(patience=PATIENCE, studied=["python:my_module:sleeping"]) as tables:
        table, other = open_table(tables), open_table(tables)
        with Client(tables, table, 0) as one, Client(tables, other, 0) as two:
            one.turn()
            for agent, kind in (("sleeping", "refusal"), ("sleeping", "refusal"), (None, "study")):
                agents = ["random"] if agent is None else [f"python:my_module:{agent}"]
                one.send(type="study", agents=agents if agent else None)
                told = one.next("refusal", "study")
                assert told["type"] == kind, told
                if agent:
                    assert told["text"] == "agents: got no answer; expected one in 0.3 seconds"
            to_the_end(two)


def test_threads_of_replaced_agents_end(tables, module):
    module(AGENTS)
    table = open_table(tables, seats=(None, "python:my_module:busy"))
    with Client(tables, table, 0) as client:
        to_the_agent(client)
        until_stalled(client)
        before = threading.active_count()
        client.send(type="replace", agent="random")
        client.next("table")
        for _ in range(200):
            if threading.active_count() < before:
                return
            time.sleep(0.02)
    pytest.fail("the agent thinks on")


def test_a_replacement_plays_as_from_the_start():
    """Its chance derives from the seed and the seat."""
    game = make_game("schnapsen_v0")
    tables = [Table(game, [None, who], seed=5) for who in ("random", "rules")]
    tables[1].replace_agent(1, "random")
    for table in tables:
        rng = random.Random(2)
        while not table.result:
            table.move_agents()
            if not table.result:
                table.act(0, str(rng.choice(table.legal(0))))
    assert tables[0].record() == tables[1].record()
    with pytest.raises(InputError):
        tables[1].replace_agent(1, "nonsense")
    assert tables[1].seats == (None, "random")

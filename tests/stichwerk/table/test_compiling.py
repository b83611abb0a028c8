"""Compilation for one table, while others go on."""

import asyncio
import os
import random
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.jit.compiled import compiled
from stichwerk.table.compiling import Needs, NotCompiled, compile_apart, no_compiling
from stichwerk.table.table import Table
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client, open_table

AGENT = """
import numpy as np

from stichwerk.envs.jit.compiled import compiled


@compiled
def last(mask):
    return np.flatnonzero(mask)[-1]


def make_agent(game):
    return lambda observation, mask: last(mask)
"""


@pytest.fixture
def tables():
    with served() as running:
        yield running


AT_A_TABLE = """
import random

from stichwerk.envs import make_game
from stichwerk.table import study
from stichwerk.table.ratings import AgentRatings, state_at
from stichwerk.table.table import Table

game, rng = make_game("schnapsen_v0"), random.Random(7)
table = Table(game, [None, "ismcts:worlds=50"], "match", seed=7)
ratings = AgentRatings(game)
while not table.result:
    table.move_agents()
    if table.result:
        break
    for all_cards in (False, True):
        ratings.at(state_at(table, 0), ["ismcts:worlds=50"], all_cards)
    table.act(0, str(rng.choice(table.legal(0))))
study.review(game, table.deals()[-1], 0)
table.record(0)
"""


def act(client: Client) -> None:
    """Let a person act once."""
    message = client.turn()
    client.send(type="act", version=message["version"], action=message["legal"][0]["name"])


def test_other_tables_go_on_during_compilation(tables, module):
    module(AGENT)
    slow, other = open_table(tables, seats=(None, "python:my_module:make_agent")), open_table(tables)
    person_first = slow.turn == 0
    with Client(tables, slow, 0) as one, Client(tables, other, 0) as two:
        if person_first:
            act(one)
        while "python:my_module:make_agent" not in (told := one.next("compiling")["text"]):
            pass  # the game has to be compiled before its agent
        assert told.startswith("Compiling python:my_module:make_agent before its first use here")
        assert told.endswith("which takes up to half a minute …")
        act(two)
        assert two.turn()["log"]
        last = sys.modules["my_module"].last
        assert not last.signatures
        with Client(tables, slow, 0) as late:
            assert late.next()["type"] == "table"
            assert late.next("compiling")["text"] == told
        assert one.next("compiling")["text"] == ""
        assert one.turn()["version"] > slow.begun_at
    # The first call was refused; the second found what another process had compiled.
    assert [sum(counts.values()) for counts in (last.stats.cache_misses, last.stats.cache_hits)] == [1, 1]


def guarded(function, value) -> None:
    """Call a function as the guard of an agent does."""
    try:
        function(value)
    except Exception as error:
        raise ValueError("crashed") from error


def test_no_compiling_refuses_without_a_fallback(module):
    module(AGENT)
    from my_module import last

    mask, found = np.ones(3, np.int8), []
    with pytest.raises(NotCompiled), no_compiling():
        last(mask)
    with pytest.raises(NotCompiled), no_compiling():
        guarded(last, mask)
    with no_compiling():
        thread = threading.Thread(target=lambda: found.append(last(mask)))
        thread.start()
        thread.join()
        assert [*found, last(mask)] == [2, 2]


def test_uncached_functions_are_compiled_at_once():
    namespace = {"compiled": compiled}
    exec("@compiled\ndef twice(number):\n    return 2 * number", namespace)
    with no_compiling():
        assert namespace["twice"](4) == 8


def test_a_refused_compilation_keeps_the_random_state(monkeypatch):
    tables = [Table(make_game("schnapsen_v0"), ["random", "random"], seed=4) for _ in range(2)]
    agent = tables[0].agents[tables[0].turn]
    act = type(agent).act

    def refused(self, turns):
        act(self, turns)
        raise NotCompiled

    monkeypatch.setattr(type(agent), "act", refused)
    with pytest.raises(NotCompiled):
        tables[0].move_agent()
    monkeypatch.undo()
    for table in tables:
        table.move_agents()
    assert tables[0].record() == tables[1].record()


@pytest.mark.parametrize("seats", [[None, "random"], [None, None], ["random", "random"]])
def test_an_action_refused_for_compilation_is_played_once(seats, monkeypatch):
    """The next deal of a match is a function apart, which the action before it needs."""
    game, chance = make_game("schnapsen_v0"), [random.Random(1), random.Random(1)]
    waits, goes_on = tables = [Table(game, seats, "match", seed=1) for _ in range(2)]
    course, refusals = waits.env._course, iter([True])
    deal = course._deal

    def refused_once(loop):
        if next(refusals, False):
            raise NotCompiled
        return deal(loop)

    monkeypatch.setattr(course, "_deal", refused_once)
    while not goes_on.result:
        for table, rng in zip(tables, chance, strict=True):
            seat = table.turn
            move = table.move_agent
            if seat in table.people:
                move = partial(table.act, seat, str(rng.choice(table.legal(seat))))
            before = table.record()
            try:
                move()
            except NotCompiled:
                assert table.record() == before
                move()
    assert next(refusals, None) is None
    assert waits.record() == goes_on.record()
    assert [table.message(0)["result"]["points"] for table in tables] == [[*goes_on.result.points]] * 2
    assert waits.message(0)["scene"] == goes_on.message(0)["scene"]
    if waits.is_study:
        for table in tables:
            table.undo(0)
        assert waits.record() == goes_on.record()


@pytest.mark.slow
def test_the_other_process_compiles_all_that_a_table_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    needs = Needs(["ismcts:worlds=50"], study=True, review=True)
    asyncio.run(compile_apart(make_game("schnapsen_v0"), needs))
    kept = {file.name for file in tmp_path.rglob("*.nbc")}
    assert len(kept) > 50
    subprocess.run([sys.executable, "-c", AT_A_TABLE], env=os.environ, check=True, capture_output=True)
    assert {file.name for file in tmp_path.rglob("*.nbc")} == kept

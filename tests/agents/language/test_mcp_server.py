"""`stichwerk serve mcp`: an assistant's tools, called over stdin and stdout where the package is there."""

import asyncio
import os
import random
import sys

import pytest

from stichwerk import __version__
from stichwerk.agents.language.answers import read_answer
from stichwerk.agents.language.mcp_server import DealServer
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.support.errors import InputError
from tests.agents.support import NOISY


def test_the_tools_play_a_deal():
    server = DealServer("schnapsen_v0", "random")
    for tool in (server.look, server.hint):
        with pytest.raises(InputError, match="no deal is under way: call new_deal"):
            tool()
    question = server.new_deal(seat=0, seed=3)
    assert question.endswith(server.look())
    assert question == server.new_deal(seat=0, seed=3)
    assert f". {server.hint()}\n" in question
    for _ in range(100):
        if "The deal is over." in (told := server.act(server.hint())):
            break
    assert told == server.look()
    with pytest.raises(InputError, match="the deal is over: call new_deal"):
        server.act("1")


@pytest.mark.parametrize("chance", range(4))
def test_no_session_sees_a_deal_from_two_places(chance):
    """Neither from two seats nor in two games, whose cards may lie in the same order."""
    rng, server = random.Random(chance), DealServer("schnapsen_v0", "random")
    places: dict[int, tuple[str, int]] = {}
    for _ in range(12):
        env_id, seed = rng.choice(list(OWN_GAMES)), rng.randrange(4)
        seat = rng.choice([None, *range(make_game(env_id).seats)])
        named = rng.choice([seat, None if seat is None else f"player_{seat}"])
        known = places.get(seed)
        if known is None or (known[0] == env_id and seat in (None, known[1])):
            question = server.new_deal(env_id, named, seed)
            places.setdefault(seed, (env_id, seat or 0))
            assert f"You are player_{places[seed][1]}" in question
            continue
        before = server.look()
        with pytest.raises(InputError, match=rf"seed: got {seed} for .* it was dealt in {known[0]} to seat"):
            server.new_deal(env_id, named, seed)
        assert server.look() == before
    assert len(places) == 4
    assert DealServer("schnapsen_v0", "random").new_deal(seat=1, seed=0), "another session"


def test_an_action_may_be_a_json_number():
    one, two = DealServer("schnapsen_v0", "random"), DealServer("schnapsen_v0", "random")
    for server in (one, two):
        server.new_deal(seed=3)
    assert one.act(2) == two.act("2")
    with pytest.raises(InputError, match="got '99'; expected a number from 1"):
        read_answer(99, ["play hA"])
    with pytest.raises(InputError, match="got True; expected text, or a number"):
        read_answer(True, ["play hA"])


def test_a_refused_deal_leaves_the_one_under_way():
    server = DealServer("schnapsen_v0", "random")
    server.new_deal()
    seen = server.look()
    for words, fault in (
        ({"env": "os:schnapsen_v0"}, "expected an environment id"),
        ({"env": "whist_v0"}, "expected one of"),
        ({"seat": 2}, "seat: got 2; expected 0 to 1"),
        ({"seed": -1}, "seed: got -1; expected a whole number"),
    ):
        with pytest.raises(InputError, match=fault):
            server.new_deal(**words)
    assert server.look() == seen


def test_the_rules_hold_for_any_name_of_the_game():
    server = DealServer("schnapsen_v0", "random", rules="schnapsen_tournament")
    question = server.new_deal(seat=0, seed=3)
    assert question != DealServer("schnapsen_v0", "random").new_deal(seat=0, seed=3)
    for name in ("schnapsen_v0", "schnapsen"):
        assert server.new_deal(name, seat=0, seed=3) == question


def test_wrong_options_are_refused_at_once():
    for words in ({"env": "whist_v0"}, {"opponents": "nobody"}, {"hint": "nobody"}, {"rules": "whist"}):
        with pytest.raises(InputError):
            DealServer(**words)


def test_a_client_plays_over_standard_input_and_output(tmp_path, monkeypatch):
    """With an opponent that prints and reads whenever it can."""
    mcp = pytest.importorskip("mcp", reason="the extra mcp is for an environment of its own")
    (tmp_path / "noisy.py").write_text(NOISY)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    async def play() -> tuple[list[str], list[str]]:
        words = ["-m", "stichwerk", "serve", "mcp", "--opponents", "python:noisy:make"]
        server = mcp.StdioServerParameters(command=sys.executable, args=words, env=environment)
        async with mcp.Client(server) as client:
            assert client.server_info.version == __version__
            tools = (await client.list_tools()).tools
            told = []
            for name, given in (
                ("new_deal", {"seat": 0, "seed": 3}),
                ("hint", {}),
                ("act", {"action": 1}),
                ("look", {}),
                ("new_deal", {"env": "whist_v0"}),
            ):
                result = await client.call_tool(name, given)
                told.append(f"{'error ' if result.is_error else ''}{result.content[0].text}")
            return [tool.name for tool in tools], told

    names, told = asyncio.run(play())
    assert names == ["new_deal", "look", "act", "hint"]
    monkeypatch.syspath_prepend(tmp_path)
    server = DealServer("schnapsen_v0", "python:noisy:make")
    assert told[:4] == [server.new_deal(seat=0, seed=3), server.hint(), server.act("1"), server.look()]
    assert told[4].startswith("error ")
    assert "got 'whist_v0'; " in told[4]

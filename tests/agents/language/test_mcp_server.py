"""`stichwerk serve mcp`: an assistant's tools, called over stdin and stdout where the package is there."""

import asyncio
import os
import sys

import pytest

from stichwerk.agents.language.mcp_server import DealServer
from stichwerk.support.errors import InputError


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


def test_a_client_plays_over_standard_input_and_output():
    mcp = pytest.importorskip("mcp", reason="the extra mcp is for an environment of its own")

    async def play() -> tuple[list[str], list[str]]:
        words = ["-m", "stichwerk", "serve", "mcp", "--opponents", "random"]
        server = mcp.StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with mcp.Client(server) as client:
            tools = (await client.list_tools()).tools
            told = []
            for name, given in (
                ("new_deal", {"seat": 0, "seed": 3}),
                ("hint", {}),
                ("act", {"action": "ACTION: 1"}),
                ("look", {}),
                ("new_deal", {"env": "whist_v0"}),
            ):
                result = await client.call_tool(name, given)
                told.append(f"{'error ' if result.is_error else ''}{result.content[0].text}")
            return [tool.name for tool in tools], told

    names, told = asyncio.run(play())
    assert names == ["new_deal", "look", "act", "hint"]
    server = DealServer("schnapsen_v0", "random")
    assert told[:4] == [server.new_deal(seat=0, seed=3), server.hint(), server.act("1"), server.look()]
    assert told[4].startswith("error ")
    assert "got 'whist_v0'; " in told[4]

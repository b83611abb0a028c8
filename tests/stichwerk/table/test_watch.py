"""Agents that play among themselves, and those who look on."""

import json
import os
import random

import pytest

from stichwerk.agents.core.agent import AgentError
from stichwerk.agents.networks.saved import manifest_for, write_network
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.table.newest import NewestNetwork, trained_game
from stichwerk.table.table import Table
from stichwerk.table.terminal import Terminal
from tests.envs.support import each_variant
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client


@each_variant
def test_a_spectator_sees_one_seat_unless_all_cards_are_asked_for(variant):
    """The true state is exchanged for another that the seat cannot tell apart."""
    table, rng = Table(variant.game, ["random"] * variant.game.seats, seed=5), random.Random(1)
    hidden = changed = 0
    for _ in range(30):
        state, seat = table.env.copy_state(), rng.randrange(table.game.seats)
        told = json.dumps(table.message(seat), ensure_ascii=False)
        if not table.result:
            world = variant.model.redeal(table.game, state, seat, rng)
            changed += variant.model.world(table.game, world) != variant.model.world(table.game, state)
            true, table.env._course.states = table.env._course.states, world
            assert json.dumps(table.message(seat), ensure_ascii=False) == told
            table.env._course.states = true
            everything = json.dumps(table.message(SPECTATOR), ensure_ascii=False)
            for card in variant.model.hidden_cards(table.game, state, seat):
                assert f'"{card}"' not in told
                assert pretty(card) not in told
                hidden += f'"{card}"' in everything
        assert table.message(seat)["legal"] == []
        table.go_on()
    assert changed
    assert hidden > 20


def test_agents_go_on_from_deal_to_deal():
    table = Table(make_game("schnapsen_v0"), ["random", "rules"], seed=1)
    while table.deals_played < 3:
        table.go_on()
    assert [deal.points is None for deal in table.deals()] == [False] * 3
    assert table.names == ("random", "rules")


def test_a_spectator_steps_and_chooses_what_to_see():
    with served() as tables:
        table = Table(make_game("schnapsen_v0"), ["random", "rules"], seed=3)
        tables.rooms.open(table)
        with Client(tables, table, SPECTATOR) as one, Client(tables, table, SPECTATOR) as two:
            message = one.next("table")
            assert (message["seat"], message["watched"], message["legal"]) == (0, True, [])
            assert two.next("table") == message
            for client in (one, two):
                client.send(type="step", version=message["version"])
            after = one.next("table")
            assert after["version"] == message["version"] + 1
            assert two.next("table") == after
            two.send(type="look", seat=1)
            assert two.next("table")["scene"]["hands"][0]["seat"] == 1
            two.send(type="look", seat=None)
            seen = two.next("table")
            assert seen["version"] == after["version"]
            assert all(all(hand["cards"]) for hand in seen["scene"]["hands"])
            for request in (
                {"type": "look", "seat": 2},
                {"type": "act", "action": "close"},
                {"type": "undo"},
            ):
                one.send(**request)
                assert "expected" in one.next("refusal")["text"]
            one.send(type="position")
            assert "[seat player_0]" in one.next("position")["text"]
            two.send(type="position")
            assert "[seat " not in two.next("position")["text"]
            assert one.received[0] != two.received[-1]


def run_folder(path, game, seed: int, **facts) -> None:
    """A network of random weights, as a training writes its last one."""
    import torch

    from stichwerk.agents.networks.network import PolicyNetwork

    torch.manual_seed(seed)
    network = PolicyNetwork(game.encoding("summary").size, [8], len(game.actions))
    write_network(path / "last", network.arrays(), manifest_for(game, "summary", [8], **facts))
    os.utime(path / "last" / "manifest.json", ns=(seed, seed))


def test_the_newest_network_is_loaded(tmp_path):
    game = make_game("schnapsen_v0")
    with pytest.raises(AgentError, match="which has no network; expected a run folder with one"):
        trained_game(tmp_path)
    run_folder(tmp_path, game, 1, updates=7, decisions=14_336)
    assert trained_game(tmp_path).env_id == "schnapsen_v0"
    agent = NewestNetwork(tmp_path, game)
    table = Table(game, [agent, agent], seed=1)
    first = agent._player
    assert table.message(SPECTATOR)["learned"] == "update 7, 14,336 decisions"
    table.go_on()
    assert agent._player is first
    run_folder(tmp_path, game, 2, decisions=20_480)  # as earlier versions have written it
    table.go_on()
    assert table.message(0)["learned"] == "20,480 decisions"
    second = agent._player
    assert second is not first
    (tmp_path / "last" / "weights.safetensors").write_bytes(b"half")
    os.utime(tmp_path / "last" / "manifest.json", ns=(3, 3))
    table.go_on()
    assert agent._player is second
    run_folder(tmp_path, game, 4)
    table.go_on()
    assert table.message(0)["learned"] == ""
    assert agent._player is not second


def test_the_terminal_names_the_network(tmp_path, capsys):
    game = make_game("schnapsen_v0")
    run_folder(tmp_path, game, 1, updates=7, decisions=14_336)
    table = Table(game, [None, NewestNetwork(tmp_path, game)], seed=1)
    Terminal(table, lambda: None).run()
    assert "The network plays as it did after update 7, 14,336 decisions." in capsys.readouterr().out

"""Agents' ratings at the table: by the view of the seat alone, unless all cards are asked for."""

import random
import re

import pytest

from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.envs.games import make_game
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from stichwerk.table.ratings import AgentRatings, Hints, decisions, ratings_data, state_at
from stichwerk.table.table import Table
from stichwerk.table.terminal import Terminal
from stichwerk.table.words import told_hint
from tests.envs.support import each_variant
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client
from tests.stichwerk.table.test_table import play, seated

ENOUGH = 12  # decisions of a variant


@each_variant
def test_ratings_do_not_depend_on_hidden_cards(variant):
    """The true state is exchanged for another that the seat cannot tell apart, and a record for that of the
    seat."""
    rng, looked, changed = random.Random(1), 0, 0
    agents = ["random", "rollout:worlds=8", *(["rules"] if has_rule_player(variant.env_id) else [])]
    for seat in range(variant.game.seats):
        table = seated(variant, [seat])
        ratings, game = AgentRatings(table.game), table.game
        for _ in play(table, rng):
            if looked < ENOUGH * (seat + 1):
                state = state_at(table, seat)
                world = variant.model.redeal(game, state, seat, rng)
                changed += variant.model.world(game, world) != variant.model.world(game, state)
                told = [ratings_data(game, ratings.at(each, agents)) for each in (state, world)]
                assert told[0] == told[1]
                looked += 1
        seen, replay = table.deals(seat)[-1], RecordReplay(game)
        for move, _ in list(decisions(table, seat))[:3]:
            states = state_at(table, seat, move), replay.at(seen, move - 1)
            told = [ratings_data(game, ratings.at(each, agents)) for each in states]
            assert told[0] == told[1]
    assert changed


def test_exact_values_by_all_cards_need_a_request():
    table = Table(make_game("schnapsen_v0"), [None, "rules"], seed=2)
    table.move_agents()
    ratings = AgentRatings(table.game)
    heads = [
        ratings_data(table.game, ratings.at(state_at(table, 0), ["rules"], each))["heads"]
        for each in (False, True)
    ]
    assert heads == [["rules"], ["rules", "exact"]]


def test_decisions_of_other_seats_are_refused():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=2)
    table.move_agents()
    assert list(decisions(table, 0)) == []
    with pytest.raises(InputError, match="move: got 1; expected none, as the seat has not played yet"):
        state_at(table, 0, 1)
    for _ in play(table, random.Random(1)):
        pass
    own = [number for number, _ in decisions(table, 0)]
    assert own
    other = next(number for number in range(1, 20) if number not in own)
    for move in (0, other, "1", True):
        with pytest.raises(InputError, match="expected one of"):
            state_at(table, 0, move)
    with pytest.raises(InputError, match="when the seat is not to act"):
        state_at(table, 0)


def test_a_page_asks_only_offered_agents():
    with served() as tables:
        table = Table(make_game("schnapsen_v0"), [None, "rules"], seed=2)
        tables.rooms.studied = ("random",)
        tables.rooms.open(table)
        with Client(tables, table, 0) as client:
            client.turn()
            client.send(type="study")
            message = client.next("study")
            assert message["chosen"] == ["random"]
            assert message["offered"][:3] == ["random", "search:schnapsen,worlds=0,few=400", "ppo:schnapsen"]
            assert "rows" not in message
            client.send(type="study", agents=["random", "rules"], move=None)
            message = client.next("study")
            assert message["heads"] == ["random", "rules"]
            assert len(message["rows"]) == len(table.legal(0))
            for agents in ([], ["engine:ls"]):
                client.send(type="study", agents=agents)
                assert (
                    "expected some of random, search:schnapsen,worlds=0,few=400"
                    in client.next("refusal")["text"]
                )


def test_a_spectator_asks_about_the_shown_seat():
    with served() as tables:
        table = Table(make_game("schnapsen_v0"), ["rules", "rules"], seed=2)
        tables.rooms.open(table)
        with Client(tables, table, SPECTATOR) as client:
            client.next("table")
            client.send(type="look", seat=1 - table.turn)
            client.next("table")
            client.send(type="study", agents=["rules"])
            assert "when the seat is not to act" in client.next("refusal")["text"]
            for seat in (table.turn, None):
                client.send(type="look", seat=seat)
                client.next("table")
                client.send(type="study", agents=["rules"])
                assert client.next("study")["heads"] == ["rules"]


def test_the_terminal_prints_ratings(capsys):
    lines = iter(["study", "study rules", "study 99", "study nobody", "study all", None])
    table = Table(make_game("schnapsen_v0"), [None, "rules"], seed=2)
    Terminal(table, lambda: next(lines), studied=("random",)).run()
    out = capsys.readouterr().out
    assert "random" in out
    assert f"{100 / len(table.legal(0)):.0f} %" in out
    assert "move: got 99" in out
    assert "agent: got 'nobody'" in out
    assert "exact" in out


def test_a_hint_gives_its_reason_in_numbers_that_hidden_cards_do_not_change():
    game = make_game("schnapsen_v0")
    table = Table(game, [None, "rules"], seed=4)
    table.move_agents()
    turn, hints = table.turn_to_rate(0), Hints(game)
    rating, odds = hints.of(turn)
    assert odds is not None
    assert ((odds.wins >= 0) & (odds.wins <= 1)).all()
    assert (odds.worst <= odds.means).all()
    told = told_hint(game, rating, odds)
    assert re.match(r".*: wins in \d+ of 100 possible deals, [+-]\d\.\d\d game points on average", told)
    again = told_hint(game, *Hints(game).of(table.turn_to_rate(0)))
    assert again == told

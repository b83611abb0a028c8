"""A game of others has buttons, refusals and exercises of its own at a real table."""

import random
import sys
from dataclasses import replace

import numpy as np
import pytest

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.verbs import Verb
from stichwerk.table.positions.exercises import exercises_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.table import Table
from tests.agents.support import ROOT
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_exercises import check_answer
from tests.stichwerk.table.test_server import Client

ID = "hearts:hearts_v0"
NO_HEARTS = "no heart goes to the first trick while you hold other cards"


@pytest.fixture(scope="module")
def hearts():
    sys.path.insert(0, str(ROOT / "examples" / "hearts"))
    yield make_game(ID, {"hearts_at_once": False})
    sys.path.pop(0)


@pytest.fixture(scope="module")
def tables():
    with served() as running:
        yield running


def sit(tables, game, seed: int) -> Table:
    table = Table(game, [None, "random", "random", "random"], seed=seed)
    tables.rooms.open(table)
    return table


def test_refusals_name_the_rules_of_the_game(hearts, tables):
    """In the first trick of some deals the person asks for cards that may not be played."""
    found, rng = set(), random.Random(1)
    for seed in range(6):
        with Client(tables, sit(tables, hearts, seed), 0) as client:
            message = client.turn()
            hand, trick = message["scene"]["hands"][0]["cards"], [card for _, card in message["trick"]]
            allowed = {action["card"] for action in message["legal"]}
            assert {action["label"] for action in message["legal"]} == {f"Play {pretty(c)}" for c in allowed}
            for card in [*rng.sample(sorted({*hand} - allowed), 3), hearts.pack.names[seed]]:
                if card in allowed:
                    continue
                client.send(type="act", version=message["version"], action=f"play {card}")
                reason, possible = client.next("refusal")["text"].split("; possible now: ")
                assert {*possible.split()} == {*map(pretty, allowed)}
                led = trick[0] if trick else ""
                if card not in hand:
                    assert reason == f"{pretty(card)} is not in your hand"
                elif led and any(each[0] == led[0] for each in hand):
                    assert reason.startswith("you must follow ")
                    assert card[0] != led[0]
                else:
                    assert (reason, card[0]) == (NO_HEARTS, "h")
                    assert any(each[0] != "h" for each in hand)
                found.add(reason.split()[1])
    assert found == {"is", "must", "heart"}


def test_exercises_are_asked_and_judged(hearts, tables):
    with Client(tables, sit(tables, hearts, 1), 0) as client:
        client.send(type="rules")
        assert client.next("rules")["exercises"] == ["Duck", "Lead low"]
        client.send(type="exercise", number=1)
        opened, seat = tables.rooms.find(client.next("open")["link"].rpartition("/")[2])
    with Client(tables, opened.table, seat) as client:
        message = client.turn()
        assert "A heart lies in the trick" in message["exercise"]["question"]
        client.send(type="act", version=message["version"], action="play c2")
        assert client.next("table")["verdict"].startswith("Right. The two cannot take the trick.")


@pytest.mark.slow
def test_exercises_have_one_best_action(hearts):
    for exercise in exercises_of(hearts):
        check_answer(hearts, exercise)


def test_other_processes_find_the_game_of_an_exercise(hearts):
    for exercise in exercises_of(hearts):
        assert position_of(hearts, exercise).game.address == ID


def test_a_game_declares_its_buttons(hearts):
    verbs = {"play": Verb("Lay"), "play hQ": Verb("The lady of hearts")}
    game = replace(hearts, spec=replace(hearts.spec, verbs=verbs))
    assert [game.label(name) for name in ("play hA", "play hQ")] == ["Lay ♥A", "The lady of hearts"]
    with pytest.raises(ValueError, match="game: got verb 'plai'; expected verbs or names of its actions"):
        replace(hearts.spec, verbs={"plai": Verb("Play")})


@pytest.mark.parametrize(
    ("verbs", "said"),
    [
        ({}, "the rules do not allow `{}` now"),
        ({"play": Verb("Play", needs="suit is followed")}, "suit is followed"),
    ],
)
def test_a_game_without_reasons_gets_neutral_ones(hearts, verbs, said):
    game = replace(hearts, spec=replace(hearts.spec, why_not=None, verbs=verbs))
    env, rng, reasons = CardGameEnv(ID, {"hearts_at_once": False}), random.Random(2), 0
    env.reset(seed=2)
    for _ in range(16):
        seat, view = int(env.agent_selection[-1]), env.view(env.agent_selection)
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = [game.actions[action] for action in np.flatnonzero(mask)]
        for action in rng.sample(game.actions, 12):
            if action not in legal:
                held = view[0].hand[seat] >> game.pack.index[action.card] & 1
                expected = said.format(action) if held else f"{pretty(action.card)} is not in your hand"
                assert game.why_not(view, seat, legal, action) == expected
                reasons += bool(held)
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert reasons > 5

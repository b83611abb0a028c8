"""Costs of decisions: exact where the seat could tell all cards, with verdicts in solved public states."""

import random

import pytest

from stichwerk.envs.games import GAMES, make_game
from stichwerk.table.positions.exercises import exercise_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.study import decisions_data, review, told_costs
from stichwerk.table.table import Table
from tests.agents.evaluation.test_verdicts import DECKS, GAME, led
from tests.envs.support import slowly
from tests.stichwerk.table.test_table import play


def after(number: int, choice: str) -> Table:
    """A deal of Schnapsen played on from an exercise by a choice."""
    game = make_game("schnapsen_v0")
    start = position_of(game, exercise_of(game, number))
    seats = [None if seat == start.person else "random" for seat in (0, 1)]
    table = Table(start.game, seats, seed=1, start=start)
    table.act(start.person, choice)
    for _ in play(table, random.Random(1)):
        pass
    return table


def test_costs_are_exact_when_all_cards_are_known():
    table = after(3, "play hK")
    (seat,) = table.people
    judged, costly = review(table.game, table.deals()[-1], seat, table.begun_at)
    place = table.begun_at
    (first,) = (each for each in costly if each.move == place + 1)
    assert (first.action, first.best, first.margin, first.word) == ("play hK", "meld d", 0, "mistake")
    values = judged.moves[place].values
    assert values.keys() >= {"play hK", "meld d", "claim"}
    assert first.cost == first.luck == values["meld d"] - values["play hK"] == 3
    assert told_costs(table.game, [first]) == [
        f"move {place + 1}, Play ♥K: mistake. On average Marriage in ♦ diamonds gains 3, exactly; "
        "as the cards lay, Marriage in ♦ diamonds gains 3."
    ]


def test_the_best_choice_and_earlier_moves_are_not_listed():
    table = after(3, "meld d")
    (seat,) = table.people
    _, costly = review(table.game, table.deals()[-1], seat, table.begun_at)
    assert all(each.move > table.begun_at + 1 for each in costly)


@pytest.mark.parametrize(
    "env_id", ["schnapsen_v0", *slowly(*(each for each in GAMES if each != "schnapsen_v0"))]
)
def test_only_own_decisions_get_values(env_id):
    game = make_game(env_id)
    table, rng = Table(game, [None, *["random"] * (game.seats - 1)], seed=6), random.Random(1)
    for _ in play(table, rng):
        pass
    judged, costly = review(game, table.deals()[-1], 0)
    assert all(move.seat == 0 for move in judged.moves if move.values)
    assert {judged.moves[each.move - 1].action for each in costly} <= {
        move.action for move in judged.moves if move.values
    }
    for each in costly:
        assert each.costs or each.luck > 0
    for decision, shown in zip(costly, decisions_data(game, table.deals()[-1], 0, costly), strict=True):
        offered = {each["name"] for each in shown["position"]["legal"]}
        assert {decision.action, decision.instead} <= offered
        assert shown["line"][0]["words"] == game.label(decision.instead)
        assert len(shown["position"]["log"]) <= decision.move - 1  # others may have acted face down


def test_verdicts_are_told_in_words():
    judged, costly = review(GAME, led(DECKS[1], "close"), 0)
    assert judged.moves[0].values.keys() == {"play sA", "play sK", "close"}
    assert told_costs(GAME, costly) == [
        "move 1, Close the stock: mistake. On average Play ♠A gains 3.33; as the cards lay, Play ♠A gains 5. "
        "Equilibrium: Play ♠A 50 %, Play ♠K 50 %."
    ]
    _, costly = review(GAME, led(DECKS[0], "play sA"), 0)
    assert told_costs(GAME, costly)[0].startswith(
        "move 1, Play ♠A: unlucky. On average nothing is better; as the cards lay, Close the stock gains 1."
    )
    assert review(GAME, led(DECKS[2], "play sA"), 0)[1] == []

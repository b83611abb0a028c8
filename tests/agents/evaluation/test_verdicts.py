"""Verdicts on decisions in solved public states, on a pack of six cards."""

import random
from dataclasses import replace

import numpy as np
import pytest

from stichwerk.agents.equilibrium import solve_equilibrium
from stichwerk.agents.evaluation.playing import verdicts
from stichwerk.agents.evaluation.playing.verdicts import LEAST, SMALL, Verdict, verdicts_of
from stichwerk.agents.solver import solve
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.table.table import Table
from tests.stichwerk.table.test_table import play

GAME = make_game("schnapsen_v0", SMALL)
REPLAY = RecordReplay(GAME)
# Player 0 leads from ♠A ♠K, and ♠Q is turned up: the other three cards are two hands' worth of doubt.
DECKS = [
    ("sK", "sA", "hK", "hA", "sQ", "hQ"),
    ("sK", "sA", "hQ", "hA", "sQ", "hK"),
    ("sK", "sA", "hQ", "hK", "sQ", "hA"),
]


def led(deck: tuple[str, ...], action: str) -> DealRecord:
    return DealRecord(1, deck, {"score": [0, 0]}, (Move(0, action),))


def verdict(deck: tuple[str, ...], action: str) -> Verdict:
    (found,) = verdicts_of(GAME, led(deck, action), 0).values()
    return found


def test_words_tell_mistakes_from_luck():
    assert [verdict(deck, "play sA").word for deck in DECKS] == ["unlucky", "right", "right"]
    assert [verdict(deck, "close").word for deck in DECKS] == ["lucky", "mistake", "mistake"]


def test_costs_are_means_over_the_hands_that_were_possible():
    closed = [verdict(deck, "close") for deck in DECKS]
    exact = [solve(GAME, REPLAY.at(led(deck, "close"), 0)) for deck in DECKS]
    mean = np.mean([each["play sA"] - each["close"] for each in exact])
    assert [each.cost for each in closed] == pytest.approx([mean] * 3, abs=LEAST / 10)
    assert [each.luck for each in closed] == [max(each.values()) - each["close"] for each in exact]
    assert closed[0].chances["close"] < LEAST


def test_all_but_luck_depends_on_what_was_known():
    first, *others = (verdict(deck, "play sA") for deck in DECKS)
    assert all(replace(each, better=first.better, luck=first.luck) == first for each in others)
    assert len({each.luck for each in others} | {first.luck}) > 1


def test_decisions_are_found_by_actions_and_hand():
    found = solve_equilibrium(GAME, REPLAY.at(led(DECKS[0], "close"), 0))
    for each in found.decisions():
        hand = sum(1 << GAME.pack.names.index(card) for card in each.hand)
        again = found.decision(each.path, each.seat, hand)
        assert again is not None
        assert (again.path, again.actions) == (each.path, each.actions)
        assert np.array_equal(again.values, each.values, equal_nan=True)
    assert found.decision(["close", "close"], 0, 0) is None
    assert found.decision([], 0, 0) is None


def test_whole_deals_are_judged_for_their_seat():
    for seed in range(8):
        table = Table(GAME, [None, None], seed=seed)
        for _ in play(table, random.Random(seed)):
            pass
        deal = table.deals()[-1]
        for seat in (0, 1):
            for number, found in verdicts_of(GAME, deal, seat).items():
                move, states = deal.moves[number], REPLAY.at(deal, number)
                assert move.seat == seat
                assert len(found.values) > 1
                assert found.values.keys() == found.chances.keys() <= {*REPLAY.legal(states)}
                assert found.cost >= 0 <= found.luck
                assert sum(found.chances.values()) == pytest.approx(1)
                assert (found.word in ("mistake", "lucky")) == (found.cost >= LEAST)
                assert (found.word in ("mistake", "unlucky")) == (found.luck > 0)
                # what the equilibrium does often costs nothing
                assert found.chances[move.action] < 0.1 or found.cost < LEAST


def test_a_tree_that_is_too_large_is_tried_once_a_trick(monkeypatch):
    tries = []

    def tried(game, states, **limits):
        tries.append(max(int(cards).bit_count() for cards in states[0]["hand"]))
        return solve_equilibrium(game, states, **limits)

    monkeypatch.setattr(verdicts, "EDGES", 1)
    monkeypatch.setattr(verdicts, "solve_equilibrium", tried)
    table = Table(GAME, [None, None], seed=3)
    for _ in play(table, random.Random(3)):
        pass
    deal = table.deals()[-1]
    assert verdicts_of(GAME, deal, 0) == {}
    assert tries == sorted({*tries}, reverse=True) != []


def test_matches_and_other_games_have_none():
    deal = replace(led(DECKS[0], "close"), match={"score": [5, 0]})
    assert verdicts_of(GAME, deal, 0) == {}
    gaigel = make_game("gaigel_v0")
    table = Table(gaigel, [None] * gaigel.seats, seed=1)
    assert verdicts_of(gaigel, table.deals()[-1], 0) == {}

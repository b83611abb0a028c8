"""Ratings keep their promises in every pairing. Of 100 fields of equal agents at most 5 tell any two apart,
and of 100 intervals 95 hold the truth. The results are drawn, so that there can be many fields."""

from typing import get_args

import numpy as np
import pytest

from stichwerk.agents.evaluation.playing.tournament import Pairing, Tournament, expected
from stichwerk.agents.evaluation.playing.workers import LineUp
from stichwerk.agents.evaluation.statistics.ratings import Ratings
from stichwerk.envs import make_game

DEALS = 60
FIELDS = {
    "three equal": np.zeros(3),
    "six equal": np.zeros(6),
    "two of three equal": np.array([0.1, 0.1, -0.2]),
    "six unequal": np.array([0.3, 0.27, 0.12, 0.1, -0.2, -0.59]),
}
POINTS = np.array([-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3])  # as duplicate deals bring them
CHANCES = np.array([1, 4, 9, 6, 60, 6, 9, 4, 1]) / 100


class Field:
    """Tournaments whose points are drawn: ratings, what the cards of a deal do for each agent at all tables
    alike, and chance."""

    def __init__(self, game, pairing: Pairing, true: np.ndarray, seed: int):
        self.true, self.random = true, np.random.default_rng(seed)
        line_up = LineUp(game.env_id, "", tuple((name, "random") for name in "abcdef"[: len(true)]))
        self.begun = Tournament(line_up, game, pairing, DEALS, seed=seed, block=DEALS)
        self.expected = [expected(game, table, len(true)) for table in self.begun.tables]

    def ratings(self) -> Ratings:
        tournament, cards = self.begun, self.random.normal(0, 0.5, (DEALS, len(self.true)))
        for results, (shares, weights) in zip(tournament.results, self.expected, strict=True):
            chance = self.random.choice(POINTS, (DEALS, len(shares)), p=CHANCES)
            chance -= (chance @ weights)[:, None]
            results.sums, results.deals = results.sums[:0], results.deals[:0]
            results.add((self.true + cards) @ shares.T + chance)
        return tournament.ratings()


def kept(game, pairing: Pairing, true: np.ndarray, fields: int, seed: int) -> tuple[float, float, float]:
    """The share of fields in which any equal agents are told apart; that of intervals that hold the truth,
    and its standard error."""
    drawn, false, held = Field(game, pairing, true, seed), [], []
    for _ in range(fields):
        found = drawn.ratings()
        equal = true[:, None] == true
        false.append((equal & ~found.alike).any())
        held.append((abs(found.points - true) <= found.margins).mean())
    return float(np.mean(false)), float(np.mean(held)), float(np.std(held)) / fields**0.5


def check(game, pairing: Pairing, field: str, fields: int, seed: int) -> str:
    """Three standard errors are allowed."""
    false, held, error = kept(game, pairing, FIELDS[field], fields, seed)
    assert false <= 0.05 + 3 * (0.05 * 0.95 / fields) ** 0.5
    assert abs(held - 0.95) <= 3 * error
    return f"{pairing}, {field}: {100 * false:.1f} % told apart, {100 * held:.1f} % held"


each_pairing = pytest.mark.parametrize("pairing", get_args(Pairing))
each_field = pytest.mark.parametrize("field", FIELDS)


@each_pairing
@each_field
def test_promises(pairing, field):
    check(make_game("schnapsen_v0"), pairing, field, 60, seed=1)


@pytest.mark.parametrize("rules", [{"players": 3}, {}], ids=["three seats", "partners"])
def test_promises_at_tables_of_more_seats(rules):
    check(make_game("gaigel_v0", rules), "mixed", "six equal", 60, seed=2)


@pytest.mark.slow
@each_pairing
@pytest.mark.parametrize("field", ["three equal", "six equal", "six unequal"])
@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0"])
def test_promises_in_many_fields(pairing, field, env_id, capsys):
    says = check(make_game(env_id), pairing, field, 1_000, seed=3)
    with capsys.disabled():
        print(f"\n{env_id}, {says}")

"""Whole deals of small packs, beside OpenSpiel."""

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.equilibrium.cfr import Solving
from stichwerk.agents.equilibrium.whole import nash_conv, whole_deals
from stichwerk.envs import InputError, make_game

FOUR = {"pack": ["sA", "sT", "hA", "hT"], "hand_size": 1, "goal": 10}
SIX = {"pack": ["sA", "sK", "sQ", "hA", "hT", "hJ"], "hand_size": 1, "goal": 15}


def uniform(tree):
    numbers = np.diff(tree.slots)
    return 1 / np.repeat(numbers, numbers)


@pytest.mark.parametrize("rules", [FOUR, pytest.param(SIX, marks=pytest.mark.slow)])
def test_openspiel_finds_the_same_best_response_to_random_play(rules):
    best_response = pytest.importorskip("stichwerk.agents.evaluation.statistics.best_response")
    game = make_game("schnapsen_v0", rules)
    ours = np.mean([nash_conv(tree, uniform(tree)) for tree, _ in whole_deals(game)])
    theirs = best_response.exploitability(game, make_agent_for("random", game))
    assert ours == pytest.approx(2 * theirs, abs=1e-5)


def test_the_solver_comes_to_an_equilibrium_of_whole_deals():
    for tree, states in whole_deals(make_game("schnapsen_v0", FOUR), "s"):
        solving = Solving(tree)
        solving.run(100)
        assert 0 <= nash_conv(tree, solving.average()) + 1e-6 < 1e-3 < nash_conv(tree, uniform(tree))
        assert (states["seat"] == tree.owners).all()


def test_a_full_pack_is_refused(game):
    with pytest.raises(InputError, match="worlds; expected at most 20,000"):
        next(whole_deals(game))

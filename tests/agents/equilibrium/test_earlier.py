"""Equilibria one trick earlier, beside those of the whole tree at once."""

import numpy as np
import pytest

from stichwerk.agents.equilibrium import solve_equilibrium
from stichwerk.agents.equilibrium.earlier import EarlierTrick
from stichwerk.envs import InputError, make_game
from stichwerk.envs.engine.replay import Replay

ONE = {"pack": ["sA", "sK", "sQ", "hA", "hT", "hJ"], "hand_size": 1, "goal": 15}
TWO = {
    "pack": ["sA", "sK", "sQ", "sJ", "hA", "hT", "hK", "hQ"],
    "hand_size": 2,
    "goal": 40,
    "schneider_max": 22,
}


@pytest.mark.parametrize("rules", [ONE, pytest.param(TWO, marks=pytest.mark.slow)])
def test_the_value_is_that_of_the_whole_tree(rules):
    game = make_game("schnapsen_v0", rules)
    cards = [game.pack.parse(name) for name in game.deck]
    start = Replay(game).deal([*cards[:-4], cards[-1], *cards[-4:-1]], 0)
    whole = solve_equilibrium(game, start, gap=1e-3, laid_open=0)
    solved, leader = EarlierTrick(game, start, laid_open=0), int(start[0]["seat"])
    gaps = []
    for _ in range(2):
        solved.run(30)
        strategies = solved.averages()
        best = [solved.response_value(strategies, seat) for seat in (0, 1)]
        gaps.append(sum(best))
    assert gaps[1] < min(gaps[0] + 1e-6, 2e-3)
    value = (best[leader] - best[1 - leader]) / 2
    assert value == pytest.approx(whole.value, abs=(gaps[1] + whole.gap) / 2 + 1e-4)
    trees = [solved.trick.tree, *(rest.solving.tree for rest in solved.rests)]
    numbers = [np.diff(tree.slots) for tree in trees]
    uniform = [1 / np.repeat(each, each) for each in numbers]
    assert solved.response_value(uniform, leader) > best[leader]


def test_the_lead_before_the_last_draw_but_one_is_asked_for(game):
    start = Replay(game).deal([game.pack.parse(name) for name in game.deck], 0)
    with pytest.raises(InputError, match="expected a lead with 3 cards face down"):
        EarlierTrick(game, start, laid_open=3)

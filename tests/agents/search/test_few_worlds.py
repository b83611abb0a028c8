"""Positions in which few worlds are possible: all of them are found, and what is played there is best over
them."""

from dataclasses import replace

import numpy as np
import pytest

from stichwerk.agents.base import Turns
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.evaluation.matches import play_pair
from stichwerk.agents.search.few_worlds import MOST, FewWorlds, shares_of
from stichwerk.agents.search.guided import GuidedPlayer, first_of_best
from stichwerk.envs import make_game
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import ppo_agent

pytestmark = pytest.mark.xdist_group("search")

GAME = make_game("schnapsen_v0")


@pytest.fixture(scope="module")
def late() -> tuple[Lanes, np.ndarray]:
    """Deals of random play, and those of them whose open stock has two cards left."""
    lanes, player = Lanes(GAME, 200), RandomAgent("random")
    player.seed(1)
    lanes.seed(1)
    lanes.start()
    for _ in range(9):
        lanes.step(player.act(Turns.of(lanes, lanes.all)))
    states = lanes.states
    last_two = (states["tricks"].sum(axis=1) == 4) & (states["closed_by"] == NONE)
    return lanes, np.flatnonzero(last_two)


@pytest.fixture(scope="module")
def player() -> GuidedPlayer:
    return GuidedPlayer("search", GAME, ppo_agent(GAME), worlds=0)


def test_all_worlds_before_the_stock_is_exhausted(late):
    lanes, which = late
    assert len(which) > 20
    for lane in which:
        view, seat = lanes.views[lane : lane + 1], int(lanes.seats[lane])
        state, other = lanes.states[lane], 1 - seat
        worlds, shares = FewWorlds(GAME).find(view, seat, seed=3)
        held = int(state.hand[other])
        unseen = held | 1 << int(state.deck[state.top])
        possible = {unseen & ~(1 << card) for card in range(len(GAME.pack)) if unseen >> card & 1}
        hands = {int(world.hand[other]) for world in worlds}
        assert held in hands
        assert hands <= possible
        assert hands == possible or view[0].shown[other] or view[0].missing[other], "none can be ruled out"
        assert len(hands) == len(worlds) <= MOST
        assert shares == pytest.approx(np.full(len(worlds), 1 / len(worlds)))


def test_shares_of_worlds():
    assert shares_of(np.array([40, 30, 26, 32])) == pytest.approx([0.25] * 4)
    twice_as_likely = np.array([127, 64, 65])
    assert shares_of(twice_as_likely) == pytest.approx(twice_as_likely / 256)


def test_many_worlds_are_not_looked_for():
    lanes = Lanes(GAME, 20)
    lanes.seed(2)
    lanes.start()
    few = FewWorlds(GAME)
    for lane in lanes.all:
        assert few.find(lanes.views[lane : lane + 1], int(lanes.seats[lane]), seed=4) is None


def test_the_best_action_over_all_worlds(late, player):
    lanes, which = late
    turns = Turns.of(lanes, which)
    chosen = player.think(turns, np.full(len(which), 5))
    better = 0
    for lane, action in zip(which, chosen, strict=True):
        turn = replace(turns, which=np.array([lane]))
        rating = player.rate(turn)
        if rating.values is None or (rating.margins > 0).any() or rating.probabilities is None:
            continue
        values = dict(zip(rating.actions, rating.values, strict=True))
        assert values[action] == pytest.approx(max(values.values()), abs=1e-6)
        better += values[action] > values[rating.actions[rating.probabilities.argmax()]] + 0.1
    assert better > 5, "than what the network would play"


def test_of_equal_actions_the_likeliest():
    log_policy = np.log([0.2, 0.5, 0.3])
    assert first_of_best(np.array([1.0, 0.0, 1.0]), log_policy) == 2
    assert first_of_best(np.array([1.0, 1.0, 1.0]), log_policy) == 1


def test_without_sampled_worlds_the_network_decides(player):
    lanes = Lanes(GAME, 50)
    lanes.seed(6)
    lanes.start()
    turns = Turns.of(lanes, lanes.all)
    policy = player.guide.log_probabilities(lanes.observation, lanes.mask)
    assert (player.act(turns) == policy.argmax(axis=1)).all()
    rating = player.rate(replace(turns, which=np.array([0])))
    assert rating.values is None
    assert rating.chosen == policy[0].argmax()


def test_it_wins_from_its_network():
    network = ppo_agent(GAME)
    result = play_pair(GAME, GuidedPlayer("search", GAME, network, worlds=0), network, deals=300, seed=7)
    assert result.low > 0.05

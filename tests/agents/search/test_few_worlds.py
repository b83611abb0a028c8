"""Positions in which few worlds are possible: they are found, and what is played there is best over them."""

from dataclasses import replace

import numpy as np
import pytest

from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.search.few_worlds import FEW, FewWorlds, most_different, shares_of
from stichwerk.agents.search.guided import GuidedPlayer, estimates, first_of_best
from stichwerk.envs import make_game
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import ppo_agent

GAME = make_game("schnapsen_v0")


def at_trick(tricks: int, moves: int) -> tuple[Lanes, np.ndarray]:
    """Deals of some moves of random play, and those of them with an open stock and so many tricks taken."""
    lanes, player = Lanes(GAME, 200), RandomAgent("random")
    player.seed(1)
    lanes.seed(1)
    lanes.start()
    for _ in range(moves):
        lanes.step(player.act(Turns.of(lanes, lanes.all)))
    states = lanes.states
    return lanes, np.flatnonzero((states["tricks"].sum(axis=1) == tricks) & (states["closed_by"] == NONE))


@pytest.fixture(scope="module")
def late() -> tuple[Lanes, np.ndarray]:
    """Those whose open stock has two cards left."""
    return at_trick(4, moves=9)


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
        assert len(hands) == len(worlds) <= FEW
        assert shares == pytest.approx(np.full(len(worlds), 1 / len(worlds)))


@pytest.fixture(scope="module")
def earlier() -> tuple[Lanes, np.ndarray]:
    """Those whose open stock has four cards left."""
    return at_trick(3, moves=7)


def test_hundreds_of_worlds_can_be_few(earlier):
    """Hand and order of the stock can be 336, if nothing is known."""
    lanes, which = earlier
    assert len(which) > 20
    for lane in which:
        view, seat = lanes.views[lane : lane + 1], int(lanes.seats[lane])
        assert FewWorlds(GAME).find(view, seat, seed=9) is None
        found = FewWorlds(GAME, 400).find(view, seat, seed=9)
        assert found
        possible, shares = found
        stock = slice(int(lanes.states[lane].top), len(GAME.pack))
        kinds = {(int(world.hand[1 - seat]), *world.deck[stock].tolist()) for world in possible}
        assert FEW < len(kinds) == len(possible) <= most_different(400, 256)
        assert shares == pytest.approx(np.full(len(possible), 1 / len(possible)))


@pytest.mark.parametrize("worlds", [2, 8, 400, 1000])
def test_chance_hardly_hides_few_worlds(worlds):
    random, draws = np.random.default_rng(worlds), 256
    bound = most_different(worlds, draws)
    different = np.array([len(set(random.integers(worlds, size=draws))) for _ in range(300)])
    assert (different > bound).mean() < 0.02
    if worlds == 400:
        twice = np.array([len(set(random.integers(2 * worlds, size=draws))) for _ in range(300)])
        assert (twice <= bound).mean() < 0.5


def test_a_budget_holds_for_few_worlds_too(earlier, monkeypatch):
    lanes, which = earlier
    turns = Turns.of(lanes, which)

    def worlds_tried(**settings) -> list[int]:
        player, tried = GuidedPlayer("search", GAME, ppo_agent(GAME), worlds=0, few=400, **settings), []
        play_each = player.playouts.play_each

        def counted(worlds, *rest):
            tried[-1] += len(worlds)
            return play_each(worlds, *rest)

        monkeypatch.setattr(player.playouts, "play_each", counted)
        for lane in turns.which[:20]:
            tried.append(0)
            player.act(replace(turns, which=np.array([lane])))
        return tried

    assert max(worlds_tried()) == 128
    assert set(worlds_tried(nodes=1)) <= {0, 8}, "0 with a single legal action"


def test_more_than_eight_worlds_are_weighed_by_what_the_others_did(earlier):
    (lanes, which), told = earlier, 0
    player = GuidedPlayer("search", GAME, ppo_agent(GAME), worlds=0, few=400)
    for lane in which[:5]:
        view, seat = lanes.views[lane : lane + 1], int(lanes.seats[lane])
        worlds = player._worlds_of(view, seat, 1)
        some, log_weights = worlds.draw(0, worlds.most)
        likely = player.log_likelihood(view, some, seat)
        assert log_weights - log_weights[0] == pytest.approx(likely - likely[0])
        told += np.ptp(likely) > 0
    assert told


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


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ([[0, 1], [1, 0], [0, 1.5], [1, 0]], [True, True]),
        ([[0, 1], [0, 1.1], [0, 1], [0, 1.1]], [False, True]),
    ],
)
def test_what_may_yet_turn_out_to_be_best_is_tried_on(values, left):
    even, alike = np.full(4, 1 / 4), np.log([0.5, 0.5])
    assert estimates(np.array(values), even, alike, 0.1)[1].tolist() == left


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
    result = play_pair(GAME, GuidedPlayer("search", GAME, network, worlds=0), network, Series(150, seed=7))
    assert result.low > 0


@pytest.mark.slow
def test_a_search_of_hundreds_of_worlds_wins_from_its_network():
    network = ppo_agent(GAME)
    more = GuidedPlayer("search", GAME, network, worlds=0, few=400)
    more.seed(1)
    assert play_pair(GAME, more, network, Series(600, seed=7)).low > 0.06

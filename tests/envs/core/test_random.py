"""Random numbers: spread evenly, independent of each other, and the same in every process."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from numba import config

from stichwerk.envs import make_vec
from stichwerk.envs.core.random import below, lane_seeds, random_card, shuffle, start_random
from tests.envs.support import Variant, each_variant, spread_evenly

LANES = 500 if config.DISABLE_JIT else 5_000  # interpreted they are slow


def generator(seed: int, stream: int = 0) -> np.record:
    state = np.zeros(1, np.dtype((np.record, [("random", np.int64)])))[0]
    start_random(state, np.int64(seed), stream)
    return state


def test_every_order_of_four_cards_is_equally_likely():
    state, orders = generator(1), dict.fromkeys(permutations(range(4)), 0)
    for _ in range(24 * 200):
        cards = np.arange(4)
        shuffle(state, cards, 4)
        orders[tuple(cards.tolist())] += 1
    assert spread_evenly(np.array(list(orders.values())))


def dealt(variant: Variant, seed: int) -> np.ndarray:
    """The states of many lanes after their first deal, as a game really deals it."""
    vec = make_vec(variant.env_id, LANES, variant.rules)
    vec.reset(seed=seed)
    return vec.lanes.states


@each_variant
def test_every_card_is_dealt_to_every_place_equally_often(variant):
    game, states = variant.game, dealt(variant, seed=1)
    decks = states["deck"][:, : len(game.deck)]
    seen = np.zeros((len(game.deck), len(game.pack.names)))
    for place, cards in enumerate(decks.T):
        seen[place] = np.bincount(cards, minlength=len(game.pack.names))
    counts = seen[:, [game.pack.index[name] for name in dict.fromkeys(game.deck)]]
    assert counts.sum() == decks.size, "a card that is not of this pack was dealt"
    assert all(spread_evenly(row) for row in counts), "by place"
    assert all(spread_evenly(row) for row in counts.T), "by card"
    assert spread_evenly(np.bincount(states["dealer"], minlength=game.seats)), "each seat deals as often"


@each_variant
def test_neighbours_in_the_deck_are_independent(variant):
    """A weak generator shows between cards that are drawn one after the other."""
    game = variant.game
    decks = dealt(variant, seed=2)["deck"][:, : len(game.deck)]
    for one, two in pairwise(range(len(game.deck))):
        different = decks[decks[:, one] != decks[:, two]]
        assert spread_evenly(np.bincount(different[:, one] < different[:, two], minlength=2))


def test_deals_of_one_seed_and_seeds_of_one_deal_are_independent():
    for states in (
        [generator(7, stream) for stream in range(4000)],
        [generator(seed) for seed in range(4000)],
    ):
        assert len({int(state.random) for state in states}) == 4000
        assert spread_evenly(np.bincount([below(state, 20) for state in states], minlength=20))


@pytest.mark.parametrize("bound", [1, 2, 3, 20, 24, 48])
def test_random_numbers_below_a_bound(bound):
    state = generator(3)
    drawn = np.bincount([below(state, bound) for _ in range(200 * bound)])
    assert len(drawn) == bound
    assert bound == 1 or spread_evenly(drawn)


def test_the_generator_never_stands_still():
    """A state of zero would give zeros for ever."""
    for seed in (0, 1, -1, 2**62, 2**63 - 1):
        state = generator(seed, stream=seed & 0xFFFF)
        numbers = {below(state, 2**31) for _ in range(50)}
        assert state.random != 0
        assert len(numbers) == 50


def test_a_random_card_of_a_set():
    state, cards = generator(4), 0b1011_0010_0001
    drawn = [random_card(state, np.int64(cards)) for _ in range(1000)]
    counts = np.bincount(drawn, minlength=12)
    assert {card for card in range(12) if counts[card]} == {0, 5, 8, 9, 11}
    assert spread_evenly(counts[counts > 0])


def test_lane_seeds_do_not_depend_on_how_many_lanes_there_are():
    many = lane_seeds(5, 1000)
    for lanes in (1, 2, 3, 500):
        assert (lane_seeds(5, lanes) == many[:lanes]).all()
    assert len(set(many.tolist())) == 1000
    assert (many >= 0).all()
    assert not set(lane_seeds(6, 1000).tolist()) & set(many.tolist()), "neighbouring seeds share no lane"
    assert lane_seeds(None, 1) != lane_seeds(None, 1)

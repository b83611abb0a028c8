"""What every game stands on: random numbers, packs of cards, sets of cards, rule options and encodings."""

import json
import re
from dataclasses import FrozenInstanceError, dataclass
from itertools import pairwise, permutations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs import RulesError, make_game, make_vec
from stichwerk.envs.core.cards import Pack, bit, count, first, pretty
from stichwerk.envs.core.random import below, lane_seeds, random_card, shuffle, start_random
from stichwerk.envs.core.text import counted, results
from stichwerk.envs.spec.options import Options, option
from tests.envs.support import OBSERVATIONS, each_variant, positions, spread_evenly

CARD_SETS = st.integers(0, 2**24 - 1)


# Random numbers


def generator(seed: int, stream: int = 0) -> np.record:
    state = np.zeros(1, np.dtype((np.record, [("random", np.int64)])))[0]
    start_random(state, seed, stream)
    return state


def test_every_order_of_four_cards_is_equally_likely():
    state, orders = generator(1), dict.fromkeys(permutations(range(4)), 0)
    for _ in range(24 * 200):
        cards = np.arange(4)
        shuffle(state, cards, 4)
        orders[tuple(cards.tolist())] += 1
    assert spread_evenly(np.array(list(orders.values())))


@each_variant
def test_every_card_is_dealt_to_every_place_equally_often(variant):
    """The first deal of many lanes, as a game really deals it."""
    game = variant.game
    vec = make_vec(variant.env_id, 5_000, variant.rules)
    vec.reset(seed=1)
    decks = vec.lanes.states["deck"][:, : len(game.deck)]
    seen = np.zeros((len(game.deck), len(game.pack.names)))
    for place, cards in enumerate(decks.T):
        seen[place] = np.bincount(cards, minlength=len(game.pack.names))
    counts = seen[:, [game.pack.index[name] for name in dict.fromkeys(game.deck)]]
    assert counts.sum() == decks.size, "a card that is not of this pack was dealt"
    assert all(spread_evenly(row) for row in counts), "by place"
    assert all(spread_evenly(row) for row in counts.T), "by card"
    assert spread_evenly(np.bincount(vec.lanes.states["dealer"], minlength=game.seats)), (
        "each seat deals as often"
    )


@each_variant
def test_neighbours_in_the_deck_are_independent(variant):
    """A weak generator shows between cards that are drawn one after the other."""
    game = variant.game
    vec = make_vec(variant.env_id, 5_000, variant.rules)
    vec.reset(seed=2)
    decks = vec.lanes.states["deck"][:, : len(game.deck)]
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


# Cards


@pytest.mark.parametrize("ranks", ["ATKQJ9", "ATKQJ7", "AKQJT987"])
def test_a_pack_runs_suit_by_suit_from_the_strongest_card(ranks):
    pack = Pack(ranks)
    assert pack.names[:2] == ("sA", "s" + ranks[1])
    assert len(pack.names) == len(set(pack.names)) == 4 * len(ranks)
    assert [name[0] for name in pack.names] == sorted((name[0] for name in pack.names), key="shdc".index)
    assert [pack.parse(name) for name in pack.names] == list(range(4 * len(ranks)))
    assert pack.cards(pack.mask(["hA", "sA"])) == ["sA", "hA"]
    assert pack.mask([]) == 0
    for wrong in ("s1", "", "As", None, 3, ["sA"]):
        with pytest.raises(ValueError, match="unknown card") as refusal:
            pack.parse(wrong)
        assert repr(wrong) in str(refusal.value)
        assert "sA" in str(refusal.value)


def test_pretty_cards():
    assert [pretty(name) for name in ("sA", "hT", "dQ", "c9")] == ["♠A", "♥T", "♦Q", "♣9"]


@given(CARD_SETS)
def test_sets_of_cards(cards):
    members = [card for card in range(24) if cards >> card & 1]
    assert count(np.int64(cards)) == len(members)
    assert sum(int(bit(card)) for card in members) == cards
    if members:
        assert first(np.int64(cards)) == members[0]


# Options


@dataclass(frozen=True)
class Rules(Options):
    """A game that nobody plays."""

    jokers: int = option(2, "jokers in the pack", "-", minimum=0)
    order: Literal["high", "low"] = option("high", "which rank is strongest", "-")
    open_hands: bool = option(False, "everybody sees everything", "-")
    pack: tuple[str, ...] | None = option(None, "the cards", "-")

    PRESETS = {"plain": {}, "wild": {"jokers": 4, "order": "low"}}

    def __post_init__(self):
        self.check()


def test_rules_are_made_from_presets_dicts_and_rules():
    assert Rules.make(None, "wild") == Rules.make("wild", "plain") == Rules(jokers=4, order="low")
    assert Rules.make({"jokers": 1}, "wild") == Rules(jokers=1, order="low")
    assert Rules.make({"preset": "plain", "jokers": 1}, "wild") == Rules(jokers=1)
    assert Rules.make(Rules(jokers=9), "plain") == Rules(jokers=9)
    assert Rules.make({"pack": ["sA"]}, "plain").pack == ("sA",)


def test_rules_go_through_json():
    for rules in (Rules(), Rules(jokers=0, order="low", open_hands=True, pack=("sA", "hA"))):
        assert Rules.make(json.loads(json.dumps(rules.as_dict())), "wild") == rules


def test_rules_know_their_preset():
    assert Rules().preset_name() == "plain"
    assert Rules(jokers=4, order="low").preset_name() == "wild"
    assert Rules(jokers=3).preset_name() is None


def test_rules_are_coded_by_position_or_number():
    rules = Rules(jokers=3, order="low", open_hands=True)
    assert [rules.code(name, getattr(rules, name)) for name in ("jokers", "order", "open_hands")] == [3, 1, 1]


def test_rules_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Rules().jokers = 1


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ({"jokers": -1}, "a whole number from 0 to 10000"),
        ({"jokers": 10_001}, "a whole number from 0 to 10000"),
        ({"jokers": True}, "a whole number from 0 to 10000"),
        ({"order": "middle"}, "high / low"),
        ({"open_hands": 1}, "True / False"),
        ({"pack": "sA"}, "a list of card names or none"),
    ],
    ids=str,
)
def test_a_wrong_value_is_answered_by_what_is_allowed(value, allowed):
    with pytest.raises(RulesError) as refusal:
        Rules(**value)
    [(name, wrong)] = value.items()
    assert str(refusal.value) == f"rule option {name}: got {wrong!r}; expected {allowed}"


@each_variant
def test_presets_are_presets(variant):
    rules = make_game(variant.env_id, variant.preset).rules
    assert rules == type(rules).make(variant.preset, variant.preset)
    assert (
        rules.PRESETS[variant.preset].items()
        <= {name: getattr(rules, name) for name in rules.as_dict()}.items()
    )
    assert rules == type(rules).make(json.loads(json.dumps(rules.as_dict())), variant.preset)


# Encodings


@each_variant
def test_features_tile_the_vector(variant):
    game = variant.game
    for encoding in (*game.encodings.values(), game.perfect):
        ends = [0, *(where.stop for where in encoding.slices.values())]
        assert [where.start for where in encoding.slices.values()] == ends[:-1]
        assert ends[-1] == encoding.size
        named = encoding.named(np.arange(encoding.size))
        assert np.concatenate(list(named.values())).tolist() == list(range(encoding.size))
        assert all(feature.meaning for feature in encoding.features)


@each_variant
def test_features_of_cards_suits_and_actions_have_the_size_they_claim(variant):
    game = variant.game
    unit = {"card": len(game.pack.names), "suit": 4, "action": len(game.actions), "value": 1}
    for encoding in (*game.encodings.values(), game.perfect):
        for feature in encoding.features:
            assert feature.size % unit[feature.per] == 0, feature.name


@each_variant
def test_schemas_tell_encodings_apart(variant):
    game = variant.game
    encodings = [*game.encodings.values(), game.perfect]
    assert set(game.encodings) == set(OBSERVATIONS)
    assert len({encoding.schema for encoding in encodings}) == len(encodings)


# Texts


def test_numbers_in_texts():
    assert [counted(number, "card") for number in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert results([-0.0, 1.5]) == "over      player_0 +0, player_1 +1.5"
    assert results([-1e-9, -2], "+z.3f") == "over      player_0 +0.000, player_1 -2.000"


@each_variant
def test_one_card_is_no_cards(variant):
    """Until a deal is over, in what every seat sees."""
    env = variant.env(render_mode="ansi")
    texts = [
        env.game.text(env.view(agent), seat)
        for _ in positions(env, seed=5)
        for seat, agent in enumerate(env.possible_agents)
    ]
    assert not any(re.search(r"\b1 (cards|tricks|points)\b", text) for text in texts)

"""Suits are alike: a position and the same with its suits renamed are one to a network."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from stichwerk.agents.networks.symmetry import ORDERS, SuitSymmetry
from stichwerk.envs.core.actions import Action, card_actions, suit_actions
from stichwerk.envs.core.cards import Pack
from stichwerk.envs.spec.encoding import Encoding, Feature
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import Options
from stichwerk.support.errors import InputError
from tests.envs.support import VARIANTS, choose, each_observation, legal, over, positions

SUITS = "shdc"
each_variant = pytest.mark.parametrize(
    "variant", [variant for variant in VARIANTS if not variant.game.spec.suits_ranked], ids=str
)


def renamed(name: str, suits: dict[str, str]) -> str:
    """`play sA` or `meld s` with the suit renamed; `close` and `open trump` have none."""
    verb, _, what = name.partition(" ")
    return f"{verb} {suits[what[0]]}{what[1:]}" if what[:1] in suits and len(what) <= 2 else name


def twins(variant, observation: str, rng: random.Random):
    """Two environments at the start of one deal, the second with its suits renamed, and the new names."""
    suits = dict(zip(SUITS, rng.sample(SUITS, 4), strict=True))
    env, twin = variant.env(observation=observation), variant.env(observation=observation)
    deck = rng.sample(env.game.deck, len(env.game.deck))
    env.reset(options={"deck": deck, "dealer": 0})
    twin.reset(options={"deck": [suits[card[0]] + card[1] for card in deck], "dealer": 0})
    return env, twin, suits


def canonical(env, symmetry: SuitSymmetry):
    seen = env.observe(env.agent_selection)
    return symmetry.canonical(seen["observation"][None], seen["action_mask"][None])


@each_variant
@each_observation
def test_renamed_suits_make_no_difference(variant, observation):
    rng = random.Random(f"{variant} {observation}")
    symmetry = SuitSymmetry(variant.game, variant.game.encoding(observation))
    for _ in range(6):
        env, twin, suits = twins(variant, observation, rng)
        while not over(env):
            (ours, mask, _), (theirs, twin_mask, _) = canonical(env, symmetry), canonical(twin, symmetry)
            assert not [name for name, differs in env.encoding.named(ours != theirs).items() if differs.any()]
            assert (mask == twin_mask).all()
            action = choose(env, rng)
            env.step(action)
            twin.step(renamed(action, suits))


@each_variant
@each_observation
def test_canonical_names_lead_back_to_the_table(variant, observation):
    env = variant.env(observation=observation)
    symmetry = SuitSymmetry(env.game, env.encoding)
    for agent in positions(env, seed=1, episodes=3):
        ours, mask, order = canonical(env, symmetry)
        suits = {SUITS[place]: SUITS[suit] for place, suit in enumerate(ORDERS[order[0]])}
        hand = [
            f"play {env.game.pack.names[card]}"
            for card in np.flatnonzero(env.encoding.named(ours[0])["hand"])
        ]
        held = env.game.pack.cards(int(env.view(agent)[0].hand[env.possible_agents.index(agent)]))
        assert sorted(renamed(name, suits) for name in hand) == sorted(f"play {card}" for card in held)
        choices = np.flatnonzero(mask)
        names = [env.action_names[action] for action in symmetry.true_actions(choices, order)]
        assert names == [renamed(env.action_names[action], suits) for action in choices]
        assert sorted(names) == sorted(legal(env))


@each_observation
def test_nothing_is_lost(observation, game):
    """Under every order features and actions only change places, and masks go along with actions."""
    symmetry = SuitSymmetry(game, game.encoding(observation))
    rng = np.random.default_rng(1)
    numbers = rng.permuted(
        np.tile(np.arange(game.encoding(observation).size, dtype=np.float32), (2000, 1)), axis=1
    )
    marks = rng.permuted(np.tile(np.arange(len(game.actions), dtype=np.int8), (2000, 1)), axis=1)
    ours, mask, orders = symmetry.canonical(numbers, marks)
    assert set(orders) == set(range(len(ORDERS))), "every order comes up"
    assert (np.sort(ours) == np.sort(numbers)).all()
    actions = np.arange(len(game.actions))
    for row, order in enumerate(orders):
        true = symmetry.true_actions(actions, np.full(len(actions), order))
        assert (symmetry.canonical_actions(true, np.full(len(actions), order)) == actions).all()
        assert (np.sort(true) == actions).all()
        assert (marks[row, true] == mask[row]).all()


def test_trumps_come_first(game):
    """So that a network finds them in one place."""
    encoding = game.encoding("summary")
    symmetry = SuitSymmetry(game, encoding)
    for suit in range(4):
        vector = np.zeros((1, encoding.size), np.float32)
        vector[0, encoding.slices["trump"]][suit] = 1
        ours, _, orders = symmetry.canonical(vector, np.zeros((1, len(game.actions)), np.int8))
        assert ORDERS[orders[0]][0] == suit
        assert encoding.named(ours[0])["trump"].tolist() == [1, 0, 0, 0]


# What a game declares is enough


class Little(Options):
    """Rules of a game that is only declared."""

    PACK = Pack("AKQJT98765")  # 40 cards

    @property
    def sides(self):
        return (0, 1)


PLAYS = card_actions("play", Little.PACK.names)
ACTIONS = (*PLAYS, *suit_actions("meld"), Action("close"))
FEATURES = (
    Feature("trump", 4, "", "suit"),
    Feature("hand", 80, "two copies of each card", "card"),
    Feature("score", 3, ""),
    Feature("last", 45, "", "action"),
)


def declared(actions=ACTIONS, features=FEATURES, ranked=False):
    spec = SimpleNamespace(actions=actions, pack=Little.PACK, suits_ranked=ranked)
    game = Game("little_v0", spec, Little())
    return game, Encoding("summary", features, None)


def test_another_pack_is_renamed_by_its_structure():
    """`play h3` and the like: no rank has a meaning here."""
    game, encoding = declared()
    symmetry = SuitSymmetry(game, encoding)
    vector = np.zeros((1, encoding.size), np.float32)
    seen = encoding.named(vector[0])
    seen["trump"][SUITS.index("h")] = 1
    seen["hand"][40 + Little.PACK.index["d5"]] = 1
    seen["score"][:] = 7, 8, 9
    seen["last"][game.action_index["play h5"]] = 1
    mask = np.zeros((1, len(game.actions)), np.int8)
    mask[0, [game.action_index[name] for name in ("play h6", "play c5", "meld d", "close")]] = 1
    ours, our_mask, orders = symmetry.canonical(vector, mask)
    assert [SUITS[suit] for suit in ORDERS[orders[0]]] == list("hdsc"), "trumps, then the longer suit"
    ours = encoding.named(ours[0])
    assert np.flatnonzero(ours["trump"]).tolist() == [0]
    assert np.flatnonzero(ours["hand"]).tolist() == [40 + Little.PACK.index["h5"]]
    assert ours["score"].tolist() == [7, 8, 9]
    assert game.actions[ours["last"].argmax()] == "play s5"
    legal = np.flatnonzero(our_mask[0])
    assert {game.actions[action] for action in legal} == {"play s6", "play c5", "meld h", "close"}
    true = symmetry.true_actions(legal, np.repeat(orders, len(legal)))
    assert set(true) == set(np.flatnonzero(mask[0]))


FAULTS = {
    "card": ({"actions": (*PLAYS[:-1], *suit_actions("meld"))}, ["'play d5'", "'play c5'"]),
    "suit": ({"actions": (*PLAYS, Action("meld", suit="h"))}, ["'meld h'"]),
    "per card": ({"features": (Feature("piles", 60, "", "card"),)}, ["'piles'", "60", "40"]),
    "per suit": ({"features": (Feature("voids", 6, "", "suit"),)}, ["'voids'", "6", "4"]),
    "per action": ({"features": (Feature("last", 46, "", "action"),)}, ["'last'", "46", "45"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_renamed_is_refused(fault):
    changes, words = FAULTS[fault]
    with pytest.raises(InputError) as caught:
        SuitSymmetry(*declared(**changes))
    message = str(caught.value)
    assert "\n" not in message
    for word in ("little_v0", *words):
        assert word in message


def test_ranked_suits_need_no_twins():
    game, encoding = declared((*PLAYS, Action("bid", suit="h")), FEATURES[:3], ranked=True)
    symmetry = SuitSymmetry(game, encoding)
    rng = np.random.default_rng(1)
    vectors = rng.random((50, encoding.size), np.float32)
    masks = rng.integers(0, 2, (50, len(game.actions)), np.int8)
    ours, our_masks, orders = symmetry.canonical(vectors, masks)
    assert (ours == vectors).all()
    assert (our_masks == masks).all()
    actions = rng.integers(0, len(game.actions), 50)
    assert (symmetry.true_actions(actions, orders) == actions).all()

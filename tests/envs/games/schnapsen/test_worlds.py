"""On small packs every world can be listed: `resample` must draw exactly those, and evenly."""

import random
from collections import Counter
from itertools import islice, permutations

import numpy as np
import pytest

from stichwerk.envs import SetupError, schnapsen_v0, sixty_six_v0
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.records import to_plain
from tests.envs.games.schnapsen import model
from tests.envs.support import few, positions, replay_options, spread_evenly, true_state

PACK = ["sA", "sK", "sQ", "sJ", "hA", "hK", "hQ", "hJ", "dA", "dJ"]
RULES = {
    "open": {},
    "closing": {"close_window": "either", "exchange_window": "either", "claim_window": "after_trick"},
    "ten": {"last_trick": "ten", "claim_window": "any_turn"},
    "loose": {"must_head": False, "first_marriage_counts": "that_trick"},
    "safe": {"claims": "safe", "claim_window": "after_trick", "goal": 20},
    "telling": {
        "exchange_window": "after_trick"
    },  # a stop before the draw tells that the trick's winner can exchange
}


def sight(env, agent: str) -> dict:
    """All that the seat sees of this deal."""
    view = env.view(agent)[0]
    return {**to_plain(view, env.game.spec.state), "log": log_entries(view)}


def all_worlds(env, agent: str) -> set[tuple]:
    """Every world that could have led to what the seat sees, found by dealing each deck and playing the
    log."""
    seat, state = env.possible_agents.index(agent), true_state(env)
    options = replay_options(env.game, state)
    deck, known = (
        options["deck"],
        model.names(state[0].dealt[seat]) | {env.game.pack.names[state[0].turned_up]},
    )
    places = [
        place for place, card in enumerate(deck) if card not in known
    ]  # the other first hand, then the stock
    twin = schnapsen_v0.raw_env(env.game.rules.as_dict())
    worlds, seen = set(), sight(env, agent)
    for cards in permutations([deck[place] for place in places]):
        if list(cards[:3]) != sorted(cards[:3]):
            continue  # the order inside a first hand makes no other world
        for place, card in zip(places, cards, strict=True):
            deck[place] = card
        try:
            twin.reset(options=options)
        except SetupError:
            continue  # these cards could not have been played
        if sight(twin, agent) == seen:
            worlds.add(model.world(env.game, true_state(twin)))
    return worlds


def has_to_guess(env, agent: str) -> bool:
    """Whether the seat still has cards to guess."""
    return len(model.unknown(env.game, true_state(env)[0], env.possible_agents.index(agent))) > 1


def assert_worlds_come_up_evenly(env, agent: str) -> None:
    worlds = all_worlds(env, agent)
    drawn = Counter(model.world(env.game, env.resample(agent, seed)) for seed in range(20 * len(worlds)))
    assert set(drawn) == worlds
    assert spread_evenly(np.array(list(drawn.values())))


@pytest.mark.parametrize("rules", few(3, RULES))
def test_all_worlds_come_up_evenly(rules):
    env, rng = schnapsen_v0.raw_env({**RULES[rules], "pack": PACK, "hand_size": 3}), random.Random(31)
    guessers = (rng.choice(env.possible_agents) for _ in positions(env, seed=31, episodes=50, share=0.4))
    for agent in islice((agent for agent in guessers if has_to_guess(env, agent)), 15):
        assert_worlds_come_up_evenly(env, agent)


def test_an_exchanged_card_may_have_been_dealt_or_drawn():
    """Player 0 drew the jack and exchanged it; player 1 cannot tell when it was drawn."""
    env = schnapsen_v0.raw_env({"pack": PACK, "hand_size": 3})
    deck = ["hA", "dA", "hK", "hQ", "sA", "dJ", "sQ", "sJ", "hJ", "sK"]
    env.reset(options={"deck": deck, "dealer": 1, "actions": ["play hA", "play hQ", "exchange"]})
    assert_worlds_come_up_evenly(env, "player_1")


def test_a_stop_that_only_the_exchange_card_allows_dates_it():
    """`continue` at a stop that exists for the exchange alone proves that the card had come by then.

    Forehand wins tricks 1 and 3 and stops both times, so forehand held the nine of trumps from the deal on.
    """
    env = sixty_six_v0.raw_env({"preset": "sixty_six_german", "exchange_window": "either"})
    deck = "dT dJ sJ sA sQ hJ dQ cA c9 dK s9 hA cJ cK cQ hK cT dA d9 sK hT h9 sT hQ"
    actions = ["play sJ", "play hJ", "continue", "play dJ", "play hA", "exchange"]
    env.reset(options={"deck": deck.split(), "dealer": 0, "actions": actions})
    again = sixty_six_v0.raw_env(env.game.rules)
    for seed in range(300):
        world = env.resample("player_0", seed)
        again.reset(seed=seed, options=replay_options(env.game, world))
        assert again.view("player_0").tobytes() == env.view("player_0").tobytes()

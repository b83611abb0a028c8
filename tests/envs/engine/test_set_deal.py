"""Set deals: the cards, the dealer and the first actions of a deal given by the caller."""

import random

import pytest

from tests.envs.support import (
    EPISODES,
    assert_same,
    decisions,
    each_variant,
    each_variant_with,
    over,
    positions,
    replay_options,
    true_state,
)


@each_variant
def test_any_position_can_be_reached_by_a_set_deal(variant):
    env, again = variant.env(observation="history"), variant.env(observation="history")
    for _ in positions(env, seed=61, episodes=2, share=0.3):
        again.reset(options=replay_options(env.game, true_state(env)))
        assert again.agent_selection == env.agent_selection
        for agent in env.possible_agents:
            assert_same(again.observe(agent), env.observe(agent))


@each_variant
def test_actions_may_play_the_deal_to_its_end(variant):
    env, again = variant.env(), variant.env()
    for seed in range(5):
        env.reset(seed=seed)
        for _ in decisions(env, random.Random(seed)):
            pass
        again.reset(options=replay_options(env.game, true_state(env)))
        assert over(again)
        assert again.rewards == env.rewards
        assert again.terminations == env.terminations
        for agent in again.agent_iter():
            assert again.last()[1] == env.rewards[agent]
            again.step(None)


@each_variant
def test_the_dealer_by_number_and_by_name(variant):
    env = variant.env()
    for seat, agent in enumerate(env.possible_agents):
        for dealer in (seat, agent):
            env.reset(seed=62, options={"dealer": dealer})
            assert true_state(env)[0].dealer == seat


@each_variant
def test_the_deck_is_dealt_as_it_stands(variant):
    env = variant.env()
    deck = list(env.game.deck)
    random.Random(63).shuffle(deck)
    env.reset(seed=63, options={"deck": deck})
    assert replay_options(env.game, true_state(env))["deck"] == deck


@each_variant_with(episode=EPISODES)
def test_deals_after_a_set_deal_are_the_seeds_own(variant, episode):
    env, plain = variant.env(episode=episode), variant.env(episode=episode)
    env.reset(seed=64, options={"deck": list(env.game.deck), "dealer": 0})
    plain.reset(seed=64)
    for each in (env, plain):
        for _ in decisions(each, random.Random(64)):
            if true_state(each)[0].deal_number == 1:
                break
        if episode == "deal":
            each.reset()
    assert true_state(env)[0].deal_number == 1
    assert true_state(env)[0].deck.tolist() == true_state(plain)[0].deck.tolist()


@each_variant
@pytest.mark.parametrize(
    "options",
    [None, {}, {"deck": None, "dealer": None, "match": None, "actions": None}, {"actions": []}],
    ids=repr,
)
def test_nothing_set_is_an_ordinary_deal(variant, options):
    env, plain = variant.env(), variant.env()
    env.reset(seed=65, options=options)
    plain.reset(seed=65)
    assert env.snapshot() == plain.snapshot()

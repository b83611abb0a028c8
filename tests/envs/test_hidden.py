"""No seat is told what it may not know, and `resample` draws fairly from all that the seat must hold
possible."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.replay import Replay, same_position
from tests.envs.support import (
    EPISODES,
    OBSERVATIONS,
    assert_same,
    each_game,
    each_variant,
    each_variant_with,
    model_of,
    positions,
    replay_options,
    spread_evenly,
    thoroughly,
    true_state,
)


def onlookers(variant, episode="deal") -> list:
    """Environments that can show one state in both encodings, and as text."""
    return [
        variant.env(episode=episode, observation=observation, render_mode="ansi")
        for observation in OBSERVATIONS
    ]


@each_variant_with(every=True, episode=EPISODES)
def test_hidden_cards_change_nothing_that_a_seat_gets(variant, episode):
    env, rng = variant.env(episode=episode), random.Random(1)
    truth, fiction = onlookers(variant, episode), onlookers(variant, episode)
    changed = 0
    for _ in positions(env, seed=21, share=0.3):
        state = true_state(env)
        for seat, agent in enumerate(env.possible_agents):
            world = variant.model.redeal(env.game, state, seat, rng)
            changed += variant.model.world(env.game, world) != variant.model.world(env.game, state)
            for true, other in zip(truth, fiction, strict=True):
                true.set_state(state)
                other.set_state(world)
                assert_same(true.observe(agent), other.observe(agent))
                assert true.view(agent).tobytes() == other.view(agent).tobytes()
                assert true.infos == other.infos
            true.render_seat = other.render_seat = seat
            assert true.render() == other.render()
    assert changed > 10


@each_variant_with(every=True, episode=EPISODES)
def test_no_seat_can_tell_which_deal_of_which_seed_it_has(variant, episode):
    """The same cards are dealt to others in another seating, and a small seed can be found by trying."""
    env, other = (variant.env(episode=episode, render_mode="ansi") for _ in range(2))
    for _ in positions(env, seed=29, share=0.2):
        elsewhere = true_state(env)
        for name in ("seed", "random", "deal_number"):
            assert all(env.view(agent)[name] == 0 for agent in env.possible_agents)
            elsewhere[name] += 7
        other.set_state(elsewhere)
        for seat, agent in enumerate(env.possible_agents):
            env.render_seat = other.render_seat = seat
            assert env.view(agent).tobytes() == other.view(agent).tobytes()
            assert env.render() == other.render()


@each_variant_with(episode=EPISODES)
def test_the_other_seats_cards_do_change_what_they_get(variant, episode):
    """The counter-check: the same fictions are noticed by the seats whose cards were exchanged."""
    env, other, rng = variant.env(episode=episode), variant.env(episode=episode), random.Random(2)
    noticed = 0
    for _ in positions(env, seed=22, episodes=6, share=0.5):
        other.set_state(variant.model.redeal(env.game, true_state(env), 0, rng))
        noticed += any(
            (env.observe(agent)["observation"] != other.observe(agent)["observation"]).any()
            for agent in env.possible_agents[1:]
        )
    assert noticed > 5


@each_variant_with(episode=EPISODES)
def test_infos_hold_nothing_but_deal_points(variant, episode):
    env = variant.env(episode=episode)
    for _ in positions(env, seed=23, episodes=2):
        assert {key for info in env.infos.values() for key in info} <= {"deal_points", "deals"}


@each_variant_with(every=True, episode=EPISODES)
def test_resampled_worlds_agree_with_what_the_seat_knows(variant, episode):
    env = variant.env(episode=episode)
    truth, fiction = onlookers(variant, episode), onlookers(variant, episode)
    for step, _ in enumerate(positions(env, seed=24, episodes=2, share=0.3)):
        for agent in env.possible_agents:
            world = env.resample(agent, seed=step)
            variant.model.check(env.game, world)
            for true, other in zip(truth, fiction, strict=True):
                true.set_state(true_state(env))
                other.set_state(world)
                assert_same(true.observe(agent), other.observe(agent))
                assert true.view(agent).tobytes() == other.view(agent).tobytes()


@each_variant
def test_a_resampled_deal_can_be_played_to_the_same_position(variant):
    """The strongest check: the dealt deck of a world, played with the logged actions, gives its hands and the
    seat's whole history."""
    env, again = variant.env(observation="history"), variant.env(observation="history")
    for step, _ in enumerate(positions(env, seed=25, episodes=4, share=0.5)):
        for agent in env.possible_agents:
            world = env.resample(agent, seed=step)
            again.reset(options=replay_options(env.game, world))
            assert_same(again.observe(agent), env.observe(agent))
            assert variant.model.world(env.game, true_state(again)) == variant.model.world(env.game, world)


@each_variant
def test_true_states_are_told_from_what_a_seat_is_shown(variant):
    env = variant.env(episode="match")
    replay = Replay(env.game)
    for step, _ in enumerate(positions(env, seed=27, episodes=1, share=0.1)):
        state = env.copy_state()
        assert replay.is_true(state)
        for agent in env.possible_agents:
            assert replay.is_true(env.resample(agent, seed=step))
            view = env.view(agent)
            assert same_position(view[0], state[0]) or not replay.is_true(view)


@each_game
@thoroughly
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_resampled_deals_can_be_played_under_any_rules(env_id, data, seed):
    rules = data.draw(model_of(env_id).rules(), "rules")
    env, again = (CardGameEnv(env_id, rules, observation="history") for _ in range(2))
    replay = Replay(env.game)
    for agent in positions(env, seed, share=0.3):
        onlooker = data.draw(st.sampled_from(env.possible_agents))
        world = env.resample(onlooker, seed)
        assert replay.is_true(world)
        again.reset(options=replay_options(env.game, world))
        assert again.agent_selection == agent
        assert_same(again.observe(onlooker), env.observe(onlooker))
        assert model_of(env_id).world(env.game, true_state(again)) == model_of(env_id).world(env.game, world)


@each_variant
def test_resampling_leaves_the_table_alone_and_repeats_itself(variant):
    env = variant.env()
    for step, agent in enumerate(positions(env, seed=26, share=0.3)):
        before = env.snapshot()
        one, two, three = (env.resample(agent, seed) for seed in (step, step, step + 1))
        assert env.snapshot() == before
        assert one.tobytes() == two.tobytes()
        assert one[0].seed != three[0].seed, "the deals to come are drawn anew as well"


@each_variant
def test_the_truth_comes_up_no_more_often_than_chance(variant):
    """A seat that resamples many times must hit the true hands exactly as often as a blind guess would."""
    env = variant.env()
    chances, hits = [], 0
    for _ in positions(env, seed=27, episodes=6):
        state = true_state(env)
        for seat, agent in enumerate(env.possible_agents):
            chance = variant.model.chance_of_truth(env.game, state, seat)
            if 0.01 < chance < 1:
                worlds = [env.resample(agent, seed) for seed in range(50)]
                hits += sum(world[0].hand.tolist() == state[0].hand.tolist() for world in worlds)
                chances += [chance] * 50
    assert len(chances) > 300
    mean = np.sum(chances)
    deviation = np.sqrt(np.sum([chance * (1 - chance) for chance in chances]))
    assert abs(hits - mean) < 4 * deviation


def test_an_uneven_spread_is_noticed():
    rng = np.random.default_rng(0)
    assert spread_evenly(np.bincount(rng.integers(0, 12, 2400), minlength=12))
    assert not spread_evenly(np.bincount(np.minimum(rng.integers(0, 13, 2400), 11), minlength=12))


@each_variant
def test_finished_deals_are_looked_at_with_the_same_care(variant):
    """After the last step too, an onlooker is not shown the other hands."""
    env, other = variant.env(), variant.env()
    for seed in range(20):
        for _ in positions(env, seed):
            pass
        for seat, agent in enumerate(env.possible_agents):
            other.set_state(variant.model.redeal(env.game, true_state(env), seat, random.Random(seed)))
            assert_same(env.observe(agent), other.observe(agent))


@each_variant_with(observation=OBSERVATIONS)
def test_views_do_not_depend_on_the_encoding(variant, observation):
    env, plain = variant.env(observation=observation), variant.env()
    for _ in positions(env, seed=28, share=0.3):
        plain.restore(env.snapshot())
        for agent in env.possible_agents:
            assert plain.view(agent).tobytes() == env.view(agent).tobytes()

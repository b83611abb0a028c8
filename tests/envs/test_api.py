"""The environments keep PettingZoo's contract, and what they promise beyond it."""

import random

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

from stichwerk.envs import IllegalAction, InputError, make_vec
from tests.envs.support import (
    EPISODES,
    OBSERVATIONS,
    assert_same,
    by_sight_everywhere,
    decisions,
    each_variant,
    each_variant_with,
    every_variant,
    legal,
    over,
    positions,
    true_state,
)


@each_variant_with(observation=OBSERVATIONS, maker=["raw_env", "env"])
@pytest.mark.filterwarnings("ignore:unknown reset option 'options'")  # which PettingZoo's test passes
def test_pettingzoo_api(variant, observation, maker):
    api_test(getattr(variant.module, maker)(variant.rules, observation=observation), num_cycles=300)


@each_variant_with(observation=OBSERVATIONS, maker=["raw_env", "env"])
def test_pettingzoo_seed(variant, observation, maker):
    seed_test(
        lambda: getattr(variant.module, maker)(variant.rules, observation=observation, episode="match"),
        num_cycles=500,
    )


@each_variant
@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo 1.27 is the first with a registry"
)
def test_registered_with_pettingzoo(variant):
    env = pettingzoo.make(
        "aec", f"stichwerk/{variant.env_id.replace('_v', '-v')}", rules=variant.rules, episode="match"
    )
    env.reset(seed=1)
    assert env.unwrapped.game.rules == variant.game.rules
    assert env.unwrapped.episode == "match"
    assert env.metadata["name"] == variant.env_id


@each_variant_with(observation=OBSERVATIONS, episode=EPISODES)
def test_spaces_hold_what_every_seat_observes(variant, observation, episode):
    env = variant.env(observation=observation, episode=episode)
    for acting in positions(env, seed=3, share=0.3):
        assert env.state_space.contains(env.state())
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].dtype == np.int8
            assert seen["action_mask"].any() == (agent == acting), "only the seat to act has legal actions"
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents), (
        "nobody acts when all is over"
    )


@each_variant_with(observation=OBSERVATIONS)
def test_last_gives_what_observe_gives(variant, observation):
    env = variant.env(observation=observation)
    for agent in positions(env, seed=4):
        given, reward, terminated, truncated, info = env.last()
        assert_same(given, env.observe(agent))
        assert (reward, terminated, truncated, info) == (0, False, False, {})
        before = {other: env.observe(other) for other in env.possible_agents}
        given["observation"][:] = given["action_mask"][:] = (
            7  # what one caller does to its arrays changes nothing elsewhere
        )
        for other in env.possible_agents:
            assert_same(env.observe(other), before[other])


@each_variant_with(episode=EPISODES)
def test_rewards_come_with_the_last_step_and_deals_sum_to_zero(variant, episode):
    env = variant.env(episode=episode)
    for seed in range(5):
        env.reset(seed=seed)
        deal_points = []
        for _ in decisions(env, random.Random(seed)):
            assert not any(env.rewards.values())
            if env.infos[env.agent_selection]:
                deal_points.append([env.infos[agent]["deal_points"] for agent in env.agents])
        rewards = [env.rewards[agent] for agent in env.possible_agents]
        deal_points.append([env.infos[agent]["deal_points"] for agent in env.agents])
        assert np.sum(deal_points, axis=1) == pytest.approx(0)
        assert rewards == [
            env.last()[1] if agent == env.agent_selection else env.rewards[agent]
            for agent in env.possible_agents
        ]
        assert len(deal_points) == true_state(env)[0].deals_done
        if episode == "deal":
            assert [rewards] == deal_points
        else:
            assert max(rewards) > 0 > min(rewards), "a match is won and lost"


@each_variant
def test_all_seats_end_together(variant):
    env = variant.env()
    env.reset(seed=5)
    for _ in decisions(env, random.Random(5)):
        assert not any(env.truncations.values())
    assert all(env.terminations.values())
    paid = {}
    for agent in env.agent_iter():
        observation, paid[agent], terminated, truncated, _info = env.last()
        assert terminated
        assert not truncated
        assert not observation["action_mask"].any()
        env.step(None)
    assert set(paid) == set(env.possible_agents)
    assert sum(paid.values()) == pytest.approx(0)
    assert env.agents == []


FIRST = ["observe", "last", "agent_iter", "step", "state", "view", "render"]


@each_variant_with(maker=["raw_env", "env"], call=FIRST)
def test_before_the_first_reset_there_is_nothing_to_do(variant, maker, call):
    env = getattr(variant.module, maker)(variant.rules, render_mode="ansi")
    arguments = {"observe": ["player_0"], "view": ["player_0"], "step": [0]}.get(call, [])
    with pytest.raises(InputError, match=r"^the environment has not been reset: call reset first$"):
        getattr(env, call)(*arguments)
    assert not hasattr(env, "rewards")


@each_variant_with(maker=["raw_env", "env"], way=["restore", "set_state"])
def test_a_restored_environment_needs_no_reset(variant, maker, way):
    first = variant.env()
    first.reset(seed=12)
    first.step(legal(first)[0])
    env = getattr(variant.module, maker)(variant.rules)
    env.restore(first.snapshot()) if way == "restore" else env.set_state(first.copy_state())
    assert_same(env.last()[0], first.last()[0])
    for _ in env.agent_iter():
        env.step(None if over(env) else legal(env)[0])
    assert env.agents == []


@each_variant
def test_nobody_steps_once_all_are_out(variant):
    env = variant.env()
    env.reset(seed=13)
    for _ in decisions(env, random.Random(13)):
        pass
    for _ in env.agent_iter():
        env.step(None)
    for call in (lambda: env.step(None), lambda: env.step(0), env.last):
        with pytest.raises(InputError, match=r"^the episode is over and every agent has had its last step"):
            call()
    env.reset()
    assert env.last()[1:] == (0, False, False, {}) or env.infos["player_0"]


@each_variant_with(action=[True, False, np.True_])
def test_truths_are_no_actions(variant, action):
    env = variant.env()
    env.reset(seed=14)
    with pytest.raises(IllegalAction, match=f"^action {action!r} is not legal"):
        env.step(action)


@each_variant
def test_a_reset_without_a_seed_deals_on(variant):
    env = variant.env()
    env.reset(seed=6)
    first = true_state(env)[0]
    env.reset()
    second = true_state(env)[0]
    assert (first.seed, first.deal_number) == (second.seed, 0)
    assert second.deal_number == 1
    assert first.deck.tolist() != second.deck.tolist()


@every_variant
def test_render_shows_each_seat_its_own_cards_only(variant):
    envs = [variant.env(render_mode="ansi", render_seat=agent) for agent in variant.env().possible_agents]
    for seat, env in enumerate(envs):
        for _ in positions(env, seed=7, share=0.3):
            text = env.render()
            for card in variant.model.hidden_cards(env.game, true_state(env), seat):
                assert card not in text
                assert card.translate(str.maketrans("shdc", "♠♥♦♣")) not in text
        assert env.render().splitlines()[-1].startswith("over")


@each_variant
def test_render_follows_the_seat_to_act(variant):
    env = variant.env(render_mode="ansi")
    fixed = {agent: variant.env(render_mode="ansi", render_seat=agent) for agent in env.possible_agents}
    for agent in positions(env, seed=8, share=0.3):
        fixed[agent].restore(env.snapshot())
        assert env.render() == fixed[agent].render()


@each_variant
def test_render_for_people_prints_after_every_step(variant, capsys):
    env, quiet = variant.env(render_mode="human"), variant.env(render_mode="ansi")
    for each in (env, quiet):
        each.reset(seed=9)
    for _ in range(3):
        assert capsys.readouterr().out == quiet.render() + "\n\n"
        action = legal(env)[0]
        env.step(action)
        quiet.step(action)


@each_variant
def test_actions_go_by_id_and_by_name(variant):
    by_id, by_name = variant.env(), variant.env()
    for env in (by_id, by_name):
        env.reset(seed=10)
    while not over(by_name):
        action = legal(by_name)[-1]
        by_name.step(action)
        by_id.step(np.int64(by_id.action_names.index(action)))
        assert by_id.snapshot() == by_name.snapshot()


@each_variant
def test_action_names_are_the_same_under_every_rule(variant):
    env = variant.env()
    assert env.action_names == variant.module.raw_env().action_names
    assert len(set(env.action_names)) == len(env.action_names) == env.action_space(env.possible_agents[0]).n
    assert env.unwrapped.action_names == make_vec(variant.env_id, 1, variant.rules).action_names
    assert variant.module.env(variant.rules).unwrapped.action_names == env.action_names


@each_variant_with(observation=OBSERVATIONS)
def test_vector_environment_keeps_its_contract(variant, observation):
    vec = make_vec(variant.env_id, 5, variant.rules, observation=observation, seed=1)
    seen, info = vec.reset(seed=2)
    assert info == {}
    assert vec.metadata["autoreset_mode"].name == "SAME_STEP"
    ended = 0
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert vec.observation_space.contains(seen)
        assert seen["action_mask"].any(axis=1).all(), "a finished lane has been dealt anew"
        assert vec.action_space.contains(vec.action_space.sample(tuple(seen["action_mask"])))
        actions = [rng.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]]
        assert vec.action_space.contains(np.array(actions))
        seen, rewards, terminations, truncations, info = vec.step(actions)
        assert (rewards.dtype, rewards.shape) == (np.float32, (5, variant.game.seats))
        assert (terminations.dtype, terminations.shape) == (np.bool_, (5,))
        rounding = 1e-6 * max(1, float(abs(rewards).max()))  # of float32 numbers
        assert rewards.sum(axis=1) == pytest.approx(0, abs=rounding)
        assert not rewards[~terminations].any()
        assert (info["deal_points"][terminations] == rewards[terminations]).all()
        assert not truncations.any()
        ended += terminations.sum()
    assert ended > 10


@each_variant_with(copy=[True, False], mode=["same_step", "next_step"])
def test_arrays_of_the_vector_environment_are_copies_or_shared(variant, copy, mode):
    """Copies stay as they are. Otherwise each name stands for one buffer, which nobody may write to."""
    vec = make_vec(variant.env_id, 5, variant.rules, seed=1, copy=copy, autoreset=mode)
    names = ("observation", "action_mask", "seats", "rewards", "terminations", "truncations")
    kept, then = [], []
    seen, _ = vec.reset()
    given = [*seen.values(), vec.seats]
    for _ in range(50):
        kept.append(given)
        then.append([array.tobytes() for array in given])
        seen, rewards, terminations, truncations, info = vec.step(by_sight_everywhere(seen))
        given = [*seen.values(), vec.seats, rewards, terminations, truncations, *info.values()]
        assert all(array.flags.writeable == copy for array in given)
    same = [[array.tobytes() for array in arrays] == was for arrays, was in zip(kept, then, strict=True)]
    assert all(same) == copy
    for place in range(len(names)):
        columns = [arrays[place] for arrays in kept[1:]]
        assert all(np.shares_memory(columns[0], column) != copy for column in columns[1:])

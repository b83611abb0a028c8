"""Random play under random rules: what holds in every position of every deal."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs import IllegalAction, make_game, make_vec
from stichwerk.envs.aec import CardGameEnv
from tests.envs.support import (
    EPISODES,
    by_sight_everywhere,
    decisions,
    each_game,
    each_variant,
    each_variant_with,
    legal,
    model_of,
    over,
    positions,
    thoroughly,
    true_state,
)


@each_game
@thoroughly
@given(data=st.data(), seed=st.integers(0, 2**32), episode=st.sampled_from(EPISODES))
def test_what_holds_in_every_position(env_id, data, seed, episode):
    model = model_of(env_id)
    env = CardGameEnv(env_id, data.draw(model.rules(), "rules"), episode)
    game, mask = env.game, np.zeros(len(env.action_names), np.int8)
    env.reset(seed=seed)
    for step, agent in enumerate(decisions(env, random.Random(seed))):
        state = true_state(env)
        if episode == "deal" or step % 4 == 0:  # matches are long
            model.check(game, state)
        mask[:] = 0
        game.spec.legal(game.rules_record[0], state[0], mask)
        seen = env.observe(agent)["action_mask"]
        assert seen.any(), "a decision without a legal action"
        assert (seen == mask).all(), "the mask depends on what the seat cannot know"
        assert state[0].log_size < len(state[0].log), "no room to write down the next action"
        assert not any(env.rewards.values())
    state = true_state(env)
    model.check(game, state)
    assert state[0].deal_points.sum() == pytest.approx(0)
    assert [env.rewards[agent] for agent in env.possible_agents] == state[0].reward[: game.seats].tolist()
    assert state[0].deals_done == state[0].deal_number + 1
    assert not env.observe(env.agent_selection)["action_mask"].any()


@each_game
def test_random_rules_cover_every_option(env_id):
    model, drawn = model_of(env_id), set()

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(model.rules())
    def collect(rules):
        drawn.update((name, str(value)) for name, value in rules.items())

    collect()
    options = make_game(env_id).rules.as_dict()
    assert {name for name, _ in drawn} == set(options)
    assert all(len({value for name, value in drawn if name == option}) > 1 for option in options)


@each_variant_with(episode=EPISODES)
def test_an_illegal_action_is_refused_and_changes_nothing(variant, episode):
    env = variant.env(episode=episode)
    for agent in positions(env, seed=41, share=0.2):
        mask, before = env.observe(agent)["action_mask"], env.snapshot()
        for action in np.flatnonzero(mask == 0):
            for said in (int(action), env.action_names[action]):
                with pytest.raises(IllegalAction) as refusal:
                    env.step(said)
                message = str(refusal.value)
                assert env.action_names[action] in message
                assert agent in message
                assert message.split("legal: ")[1].split(", ") == legal(env)
        assert env.snapshot() == before


@each_variant_with(action=[-1, 10_000, "play s1", "", 1.0, None, np.array([1, 2])])
def test_an_unknown_action_is_refused_and_changes_nothing(variant, action):
    env = variant.env()
    env.reset(seed=42)
    before = env.snapshot()
    with pytest.raises(IllegalAction) as refusal:
        env.step(action)
    assert repr(action) in str(refusal.value)
    assert env.snapshot() == before


@each_variant
def test_lanes_refuse_an_illegal_action_before_any_lane_moves(variant):
    vec = make_vec(variant.env_id, 8, variant.rules, seed=43)
    seen, _ = vec.reset(seed=43)
    for _ in range(30):
        actions = by_sight_everywhere(seen)
        before = vec.lanes.states.copy()
        illegal = int(np.flatnonzero(seen["action_mask"][5] == 0)[0])
        for wrong in (illegal, -1, len(vec.action_names)):
            with pytest.raises(IllegalAction) as refusal:
                vec.step([*actions[:5], wrong, *actions[6:]])
            assert "lane 5" in str(refusal.value)
            assert f"player_{vec.seats[5]}" in str(refusal.value)
            assert all(
                vec.action_names[action] in str(refusal.value)
                for action in np.flatnonzero(seen["action_mask"][5])
            )
        assert (vec.lanes.states == before).all()
        seen, *_ = vec.step(actions)


@each_variant_with(actions=[0, [0], [0] * 9, [[0] * 8]])
def test_lanes_refuse_what_is_not_one_action_each(variant, actions):
    vec = make_vec(variant.env_id, 8, variant.rules)
    vec.reset(seed=44)
    before = vec.lanes.states.copy()
    with pytest.raises(ValueError, match="action"):
        vec.step(actions)
    assert (vec.lanes.states == before).all()


@each_variant
def test_every_kind_of_action_occurs(variant):
    """Random play is worth something only if it reaches all that the rules offer."""
    env, played = variant.env(episode="match"), set()
    in_the_pack = {
        name
        for name in env.action_names
        if name.removeprefix("play ") in env.game.deck or not name.startswith("play ")
    }
    possible = in_the_pack - variant.model.switched_off(env.game)
    for seed in range(600):
        for _ in positions(env, seed):
            played |= set(legal(env))
        assert over(env)
        if seed >= 29 and possible - played <= variant.model.SELDOM:
            break
    assert possible - played <= variant.model.SELDOM
    assert played <= possible

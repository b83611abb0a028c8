"""Games in RLlib, and its policies as agents.

Where RLlib is not installed, tests/test_rllib.py runs these in an environment that has it.
"""

import numpy as np
import pytest

pytest.importorskip("ray.rllib.env.multi_agent_env", exc_type=ImportError)

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from examples import rllib_schnapsen
from stichwerk.agents.core.agent import AgentError
from stichwerk.agents.external.policies import from_rllib
from stichwerk.agents.external.rllib import MaskedModule
from stichwerk.commands import eval as evaluation
from stichwerk.envs import InputError, make_game
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.rllib import RllibEnv
from tests.agents.support import here

CONFIGS = [
    {"env": "schnapsen_v0"},
    {"env": "schnapsen_v0", "episode": "match"},
    {"env": "gaigel_v0", "rules": {"players": 3}},
    {"env": "snapszer_v0", "observation": "history"},
]
TINY = {
    "runners": 2,
    "envs_per_runner": 4,
    "iterations": 2,
    "decisions": 256,
    "minibatch": 64,
    "widths": (8,),
    "deals": 20,
}


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_play_is_that_of_the_aec_environment(config):
    env, aec = (
        RllibEnv(config),
        CardGameEnv(config["env"], config.get("rules"), config.get("episode", "deal")),
    )
    rng = np.random.default_rng(1)
    seen, _ = env.reset(seed=5)
    aec.reset(seed=5)
    over = False
    while not over:
        ((actor, view),) = seen.items()
        assert actor == aec.agent_selection
        assert env.observation_spaces[actor].contains(view)
        assert (view["action_mask"] == aec.observe(actor)["action_mask"]).all()
        action = int(rng.choice(np.flatnonzero(view["action_mask"])))
        aec.step(action)
        seen, rewards, terminated, truncated, infos = env.step({actor: action})
        over = terminated["__all__"]
        assert over == all(aec.terminations.values())
        assert not truncated["__all__"]
        assert infos == {agent: info for agent, info in aec.infos.items() if info}
        assert rewards == (aec.rewards if over else {actor: 0.0})
    assert seen == {}
    assert any(rewards.values())


def test_rllibs_own_check():
    """It draws any action, and is content where that is a legal one."""
    env = RllibEnv(CONFIGS[0])
    for number in range(100):
        view = env.reset(seed=42)[0]
        ((actor, seen),) = view.items()
        env.get_action_space(actor).seed(number)
        drawn = env.get_action_space(actor).sample()
        if seen["action_mask"][drawn]:
            env.get_action_space(actor).seed(number)
            check_multiagent_environments(env)
            return
    raise AssertionError("no legal action was drawn")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "env_config: got no env; expected env"),
        ({"env": "schnapsen_v0", "preset": "x"}, "unknown 'preset'"),
        ({"env": "whist_v0"}, "environment: got .whist_v0"),
    ],
)
def test_a_wrong_configuration(config, message):
    with pytest.raises(InputError, match=message):
        RllibEnv(config)


def test_wrong_actions():
    env = RllibEnv(CONFIGS[0])
    with pytest.raises(InputError, match="call reset"):
        env.step({"player_0": 0})
    ((actor, seen),) = env.reset(seed=1)[0].items()
    other = next(agent for agent in env.possible_agents if agent != actor)
    for actions in ({}, {other: 0}, {actor: 0, other: 0}):
        with pytest.raises(InputError, match=f"expected one, of {actor}"):
            env.step(actions)
    with pytest.raises(InputError, match="not legal"):
        env.step({actor: int(np.argmin(seen["action_mask"]))})


def module(widths=(8,)) -> MaskedModule:
    env = RllibEnv(CONFIGS[0])
    return MaskedModule(
        observation_space=env.observation_spaces["player_0"],
        action_space=env.action_spaces["player_0"],
        model_config={"widths": list(widths)},
    )


def test_the_module_draws_legal_actions_only():
    env, policy = RllibEnv(CONFIGS[0]), module()
    ((_, seen),) = env.reset(seed=1)[0].items()
    batch = {name: torch.from_numpy(array[None]) for name, array in seen.items()}
    out = policy.forward_exploration({Columns.OBS: batch})
    chances = torch.softmax(out[Columns.ACTION_DIST_INPUTS], dim=1)[0]
    assert ((chances > 0).numpy() == (seen["action_mask"] == 1)).all()
    assert policy.compute_values({Columns.OBS: batch}).shape == (1,)
    with pytest.raises(InputError, match="widths"):
        module(widths=(0,))


def test_a_policy_of_another_game_is_refused(tmp_path):
    with pytest.raises(AgentError, match="the model takes observations in shape"):
        from_rllib(module(), make_game("gaigel_v0"))
    with pytest.raises(AgentError, match="not a playable checkpoint"):
        from_rllib(tmp_path, make_game("schnapsen_v0"))


def test_a_policy_where_there_is_none_to_choose(tmp_path):
    game, alone = make_game("schnapsen_v0"), module()
    alone.save_to_path(tmp_path / "module")
    from_rllib(tmp_path / "module", game)
    for given in (alone, tmp_path / "module"):
        with pytest.raises(AgentError, match="policy 'both_seats': got"):
            from_rllib(given, game, policy="both_seats")


def test_trained_with_two_runners_and_played(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rllib_schnapsen.main(**TINY)
    assert "points per deal against rules:0.1" in capsys.readouterr().out
    agents = "trained=python:examples.rllib_schnapsen:trained", "random"
    assert here(evaluation.main, "--agents", *agents, "--deals", 10) == 0
    assert "trained" in capsys.readouterr().out
    with pytest.raises(AgentError, match="expected one of both_seats"):
        from_rllib(rllib_schnapsen.OUT, make_game("schnapsen_v0"), policy="another")

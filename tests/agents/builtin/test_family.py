"""Networks with the rules as features play their game under any rules, and stand in for others by name."""

import shutil

import numpy as np
import pytest

from stichwerk.agents import AgentError, make_agent, registry
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.networks.saved import manifest_for, write_network
from stichwerk.agents.registry import ALIASES, SHIPPED_FOLDER, network_of, shipped_network
from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import random_network

SMALL_PACK = {"pack": ["sA", "sT", "sK", "hA", "hT", "hK", "dA", "dT"], "hand_size": 2, "goal": 40}


def save(folder, game):
    arrays = random_network(game, "rules").arrays()
    write_network(folder, arrays, manifest_for(game, "rules", (8,), greedy=True))
    return folder


@pytest.fixture
def family(tmp_path, monkeypatch):
    """A folder of shipped networks: two for one rule set each, and one for all rules of their game."""
    for name in ("schnapsen", "sixty_six"):
        shutil.copytree(SHIPPED_FOLDER / name, tmp_path / name)
    save(tmp_path / "schnapsen_family", make_game("schnapsen_v0"))
    monkeypatch.setattr(registry, "SHIPPED_FOLDER", tmp_path)
    monkeypatch.setattr(registry, "SHIPPED", ("schnapsen", "schnapsen_family", "sixty_six"))
    registry._family.cache_clear()
    yield tmp_path
    registry._family.cache_clear()


@pytest.mark.parametrize(
    ("env_id", "rules"),
    [
        ("schnapsen_v0", "schnapsen_tournament"),
        ("schnapsen_v0", SMALL_PACK),
        ("sixty_six_v0", None),
        ("sixty_six_v0", "sixty_six_bulgarian"),
    ],
)
def test_any_rules_of_the_game(tmp_path, env_id, rules):
    """At a table that shows the summary it writes its own observations, as in lanes that show them."""
    folder = save(tmp_path / "network", make_game("schnapsen_v0"))
    agent = make_agent(f"ppo:{folder}", env_id, rules)
    env = CardGameEnv(env_id, rules)
    env.reset(seed=3)
    lanes = Lanes(env.game, 1, observation="rules")
    lanes.seed(0)
    lanes.states[:] = env.copy_state()
    lanes.observe(lanes.all)
    while not any(env.terminations.values()):
        action = agent.act_in(env)
        assert action == agent.act(Turns.of(lanes, lanes.all))[0]
        env.step(action)
        lanes.step(np.array([action]), restart=False)


def test_another_game_is_refused_in_one_line(tmp_path):
    folder = save(tmp_path / "network", make_game("schnapsen_v0"))
    with pytest.raises(AgentError, match=r"does not fit: its env is 'schnapsen_v0'.*'gaigel_v0'") as refused:
        make_agent(f"ppo:{folder}", "gaigel_v0")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_any_number_of_players(tmp_path, players):
    folder = save(tmp_path / "network", make_game("gaigel_v0"))
    agent = make_agent(f"ppo:{folder}", "gaigel_v0", {"players": players})
    env = CardGameEnv("gaigel_v0", {"players": players})
    env.reset(seed=1)
    assert env.observe(env.agent_selection)["action_mask"][agent.act_in(env)]


@pytest.mark.parametrize("observation", ["rules", "summary"])
def test_a_network_counts_points_that_observations_leave_out(tmp_path, observation):
    """Who remembers all tricks can count alone: it plays as where its side's points are shown."""
    game = make_game("gaigel_v0", {"players": 3})
    arrays = random_network(game, observation).arrays()
    write_network(tmp_path / "network", arrays, manifest_for(game, observation, (8,), greedy=True))
    lanes, counted, chance = [], False, np.random.default_rng(1)
    for shown in ("own", "off"):
        each = Lanes(make_game("gaigel_v0", {"players": 3, "show_points": shown}), 20)
        each.seed(1)
        each.start()
        lanes.append(
            (each, make_agent(f"ppo:{tmp_path / 'network'}", "gaigel_v0", each.game.rules.as_dict()))
        )
    for _ in range(40):
        chosen = [agent.act(Turns.of(each, each.all)) for each, agent in lanes]
        np.testing.assert_array_equal(*chosen)
        steps = np.array([chance.choice(np.flatnonzero(mask)) for mask in Turns.of(each, each.all).mask])
        for each, _ in lanes:
            each.step(steps)
            counted |= bool((each.states["points"] > 0).any())
    assert counted


def test_the_name_of_a_game_stands_for_the_network_that_plays_it_best(tmp_path, monkeypatch):
    shutil.copytree(SHIPPED_FOLDER / "gaigel3", tmp_path / "gaigel3")
    save(tmp_path / "gaigel_family", make_game("gaigel_v0"))
    monkeypatch.setattr(registry, "SHIPPED_FOLDER", tmp_path)
    monkeypatch.setattr(registry, "SHIPPED", ("gaigel3", "gaigel_family"))
    registry._family.cache_clear()
    played = {
        "gaigel3": {"players": 3},
        "gaigel_family": {"players": 4},
    }
    for folder, rules in played.items():
        assert network_of("ppo:gaigel", make_game("gaigel_v0", rules)) == tmp_path / folder
    assert (
        network_of("ppo:gaigel", make_game("gaigel_v0", {"players": 3, "dissle": False})).name
        == "gaigel_family"
    )
    assert network_of("ppo:gaigel") == tmp_path / "gaigel_family"
    with pytest.raises(AgentError, match="does not fit: its env is 'gaigel_v0'"):
        make_agent("ppo:gaigel", "schnapsen_v0")
    registry._family.cache_clear()


@pytest.mark.parametrize(
    ("env_id", "rules", "name", "folder"),
    [
        ("schnapsen_v0", None, "schnapsen", "schnapsen"),
        ("schnapsen_v0", "schnapsen_vu", "schnapsen", "schnapsen_family"),
        ("sixty_six_v0", None, "sixty_six", "sixty_six"),
        ("sixty_six_v0", "sixty_six_greek", "sixty_six", "schnapsen_family"),
    ],
)
def test_a_network_of_any_rules_stands_in(family, env_id, rules, name, folder):
    game = make_game(env_id, rules)
    assert shipped_network(game) == name
    assert network_of(f"search:{name}", game) == family / folder
    assert network_of(f"ppo:{name}") == family / name, "without a game its own"
    agent = make_agent(f"ppo:{name}", env_id, rules)
    assert isinstance(agent, NetworkAgent)
    assert agent.observation == ("rules" if folder == "schnapsen_family" else "summary")


def test_names_with_a_version_stand_for_one_network(family):
    assert network_of("ppo:schnapsen-0.3", make_game("schnapsen_v0")) == family / "schnapsen"
    with pytest.raises(AgentError, match="its rules close_window is 'on_lead', here it must be 'never'"):
        make_agent("ppo:schnapsen-0.3", "schnapsen_v0", "schnapsen_vu")
    assert {*ALIASES.values()} <= {folder.name for folder in SHIPPED_FOLDER.iterdir()}


def test_a_game_that_no_shipped_network_plays(family):
    assert shipped_network(make_game("snapszer_v0")) is None

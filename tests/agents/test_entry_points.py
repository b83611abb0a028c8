"""Games and rule-based players of other packages are trained, measured and played like the suite's own."""

import json
import os
from dataclasses import replace

import pytest
import yaml

from stichwerk.agents import AgentError, make_agent, make_agent_for, register_rule_player
from stichwerk.agents.builtin.rules import PLAYERS, find_rule_player, rule_players
from stichwerk.agents.builtin.rules import schnapsen as player
from stichwerk.agents.training.config import baselines
from stichwerk.agents.training.config_files import find_config, load_config
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train
from stichwerk.envs import GAMES, InputError, make_game
from stichwerk.envs.games.schnapsen import GAME as SCHNAPSEN
from stichwerk.envs.spec.game import Game
from tests.agents.support import ROOT, command, here, read_rows, write_config
from tests.envs.support import each_game, python

CLUB = """
from dataclasses import replace
from stichwerk.envs.games.schnapsen import GAME as SCHNAPSEN

GAME = replace(SCHNAPSEN, env_ids={"club_v0": "schnapsen"}, title="Club Schnapsen")
"""
PLAYER = """
print("clubplayer is loaded")
from stichwerk.agents.builtin.rules.schnapsen import choose
"""
ENTRY_POINTS = """
[stichwerk.games]
club_v0 = clubgame:GAME
[stichwerk.rule_players]
club_v0 = clubplayer:choose
broken_v0 = clubplayer:think
"""
BRIEF = [
    *("--decisions", "512", "--lanes", "16", "--steps", "16", "--widths", "8"),
    *("--evaluate-deals", "20", "--final-deals", "30"),
]


@pytest.fixture
def club(tmp_path, monkeypatch):
    """A folder on the path with a game that has no rule-based player."""
    (tmp_path / "clubgame.py").write_text(CLUB)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    return tmp_path


@pytest.fixture
def installed(club):
    """The same as an installed package with entry points, and with a rule-based player."""
    (club / "clubplayer.py").write_text(PLAYER)
    facts = club / "club-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    return club


@pytest.fixture
def own_players():
    """The players that a test registers are forgotten after it."""
    with PLAYERS.replaced({}):
        yield


@pytest.fixture
def club_game(own_players):
    """Schnapsen under another environment id, which nobody has registered."""
    spec = replace(SCHNAPSEN, env_ids={"club_v0": "schnapsen"})
    return Game("club_v0", spec, spec.rules.make(None, "schnapsen"))


# Without a rule-based player


@pytest.mark.slow
def test_a_game_by_module_without_rule_player_is_trained_and_measured(club):
    """Against random play alone; its plain id stands in all that is written."""
    status, out, err = command("train.py", "clubgame:club_v0", *BRIEF, cwd=club)
    assert (status, err) == (0, ""), out
    run = club / "runs" / "club-1"
    asked = yaml.safe_load((run / "config.yaml").read_text())
    assert asked["game"]["env"] == "clubgame:club_v0"
    assert asked["pool"]["opponents"] == {"latest": 0.7, "past": 0.3}
    (evaluation,) = (row for row in read_rows(run) if row["kind"] == "evaluation")
    assert {name for name in evaluation if name.endswith("_mean")} == {"random_mean"}
    results = json.loads((run / "results.json").read_text())
    assert results["env"] == "club_v0"
    assert [pair["b"] for pair in results["pairs"]] == ["random"]
    assert json.loads((run / "best" / "manifest.json").read_text())["env"] == "club_v0"

    agents = "--agents", f"ppo:{run / 'best'}", "random", "--deals", 30
    status, out, err = command("eval.py", "--env", "clubgame:club_v0", *agents, "--out", "out", cwd=club)
    assert (status, err) == (0, ""), out
    measured = json.loads((club / "out" / "results.json").read_text())
    assert measured["env"] == "club_v0"
    assert measured["pairs"] == [{**results["pairs"][0], "a": f"ppo:{run / 'best'}"}]


@pytest.mark.parametrize(
    ("main", "words"),
    [
        (train.main, ["clubgame:club_v0", *BRIEF, "--opponents", "{latest: 0.5, rules: 0.5}"]),
        (evaluation.main, ["--env", "clubgame:club_v0", "--agents", "rules", "random"]),
    ],
)
def test_rules_for_a_game_without_rule_player(main, words, club, monkeypatch, capsys):
    monkeypatch.syspath_prepend(club)
    monkeypatch.chdir(club)
    with GAMES.replaced({}):
        assert here(main, *words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "no rule-based player of club_v0" in err
    assert "schnapsen_v0" in err
    assert not (club / "runs").exists()


def test_rules_are_no_baseline_of_a_game_without_them(club_game):
    assert baselines(club_game) == ("random",)
    assert baselines(make_game("schnapsen_v0")) == ("rules:0.1", "random")
    with pytest.raises(AgentError, match="club_v0"):
        make_agent_for("rules", club_game)


# With one


def test_a_registered_player_plays(club_game):
    register_rule_player("club_v0", player.choose)
    assert "club_v0" in rule_players()
    assert baselines(club_game) == ("rules:0.1", "random")
    assert make_agent_for("rules", club_game).name == "rules"


@pytest.mark.parametrize("choose", [print, None, "choose", lambda rules, view, seat: 0])
def test_a_player_that_cannot_be_registered(choose, own_players):
    with pytest.raises(InputError, match="schnapsen_v0"):
        register_rule_player("schnapsen_v0", choose)
    assert find_rule_player("schnapsen_v0") is player.choose


def test_an_installed_player_is_loaded_when_it_is_asked_for(installed):
    program = """
from stichwerk.agents import make_agent
from stichwerk.agents.builtin.rules import rule_players
print("club_v0" in rule_players(), "asks")
print(make_agent("rules", "club_v0").name)
"""
    assert python(program).splitlines() == ["True asks", "clubplayer is loaded", "rules"]


def test_an_installed_player_that_is_not_there(installed):
    program = """
from stichwerk.agents.builtin.rules import find_rule_player
try:
    find_rule_player("broken_v0")
except ValueError as error:
    print(type(error).__name__, error)
"""
    last = python(program).splitlines()[-1]
    assert last.startswith("AgentError the rule-based player of broken_v0 cannot be loaded: ")
    assert "think" in last


@pytest.mark.slow
def test_installed_games_are_trained_against_their_player(installed):
    config = write_config(installed, env="club_v0", opponents="", decisions=512)
    status, out, err = command("train.py", config, cwd=installed)
    assert (status, err) == (0, ""), out
    run = installed / "runs" / "small-1"
    assert yaml.safe_load((run / "config.yaml").read_text())["pool"]["opponents"]["rules:0.1"] == 0.3
    pairs = json.loads((run / "results.json").read_text())["pairs"]
    assert [pair["b"] for pair in pairs] == ["rules:0.1", "random"]


def test_environments_import_no_agents():
    program = (
        "import sys, stichwerk.envs; print([name for name in sys.modules if 'stichwerk.agents' in name])"
    )
    assert python(program) == "[]"


# Configs and agents by environment id


@each_game
def test_every_game_has_a_config(env_id):
    name, config = find_config(env_id, ROOT / "configs")
    assert config == load_config(ROOT / "configs" / f"{name}.yaml")
    assert env_id == f"{name}_v0" == config.game.env


def test_a_config_holds_the_whole_id_however_it_was_named():
    """So that a run begun under one name goes on under another."""
    configs = [find_config(word, ROOT / "configs")[1] for word in ("sixty-six", "sixty_six", "sixty_six_v0")]
    assert [config.game.env for config in configs] == ["sixty_six_v0"] * 3
    _, config = find_config("stichwerk.envs.games.schnapsen:sixty-six", ROOT / "configs")
    assert config.game.env == "stichwerk.envs.games.schnapsen:sixty_six_v0"


def test_a_module_before_the_id_changes_nothing():
    module = "stichwerk.envs.games.schnapsen"
    agent = make_agent("rules", f"{module}:schnapsen_v0")
    assert agent.name == "rules"
    name, config = find_config(f"{module}:sixty_six_v0", ROOT / "configs")
    assert (name, config.game.env) == ("sixty_six", f"{module}:sixty_six_v0")
    assert config.game.rules == load_config(ROOT / "configs" / "sixty_six.yaml").game.rules

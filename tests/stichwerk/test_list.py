"""`stichwerk list` names what the other commands take, and all of it is taken."""

from stichwerk.agents import make_agent_for
from stichwerk.agents.registry import KINDS, shipped_networks
from stichwerk.agents.training.config_files import CONFIGS, load_config
from stichwerk.commands import list as listing
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from tests.agents.support import here


def listed(subject, *words, capsys):
    """The cells of each row."""
    assert here(listing.main, subject, *words) == 0
    lines = capsys.readouterr().out.splitlines()
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]


def test_games(capsys):
    names = [row[0] for row in listed("games", capsys=capsys)]
    assert [name for name in names if name in OWN_GAMES] == list(OWN_GAMES)


def test_each_game_has_its_own_name(capsys):
    titles = {row[0]: row[1] for row in listed("games", capsys=capsys)}
    assert (titles["schnapsen_v0"], titles["sixty_six_v0"]) == ("Schnapsen", "Sixty-six")
    assert make_game("sixty_six_v0").title == "Sixty-six"


def test_every_preset_makes_a_game(capsys):
    rows = [row for row in listed("presets", capsys=capsys) if row[0]]  # a long source takes lines of its own
    assert len(rows) > 15
    for env_id, preset, source in rows:
        assert make_game(env_id, preset).env_id == env_id
        assert source or env_id not in OWN_GAMES


def test_agents_of_a_game(capsys):
    names = [row[0] for row in listed("agents", "--env", "schnapsen", capsys=capsys)]
    assert {"random", "rules or rules:VERSION", "ppo:schnapsen"} <= set(names)
    assert "ppo:snapszer" not in names
    make_agent_for("ppo:schnapsen", make_game("schnapsen_v0"))


def test_bots_of_the_platform_are_agents_of_schnapsen_alone(capsys):
    assert [row[1] for row in listed("agents", capsys=capsys) if row[0] == "vu:BOT"] == ["schnapsen_v0"]
    assert "vu:BOT" not in [row[0] for row in listed("agents", "--env", "gaigel_v0", capsys=capsys)]


def test_all_agents(capsys):
    text = " ".join(row[0] for row in listed("agents", capsys=capsys))
    for name in (*(kind.form for kind in KINDS.values()), *(f"ppo:{name}" for name in shipped_networks())):
        assert name in text


def test_configs_can_be_loaded(capsys):
    rows = listed("configs", "--env", "gaigel_v0", capsys=capsys)
    assert len(rows) == 6
    for name, env_id, _ in rows:
        assert load_config(CONFIGS / f"{name}.yaml").game.env == env_id

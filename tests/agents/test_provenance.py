"""What results say of their origin changes with whatever decides them, and with nothing else."""

import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import stichwerk
from stichwerk.agents import provenance as provenance_module
from stichwerk.agents.provenance import (
    agents_hash,
    commit,
    fingerprint,
    provenance,
    result_hashes,
    training_hash,
)
from stichwerk.agents.registry import KINDS, SHIPPED_FOLDER
from stichwerk.envs import make_game
from tests.envs.support import python, slowly

GAME = make_game("schnapsen_v0")
CHECKOUT = Path(stichwerk.__file__).resolve().parents[1]
FEW = 4  # games, since they are played interpreted
PRINT = f"""
from stichwerk.agents import provenance
from stichwerk.envs import make_game
print(provenance.fingerprint(make_game("schnapsen_v0"), ["rules:0.1"], games={FEW}))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the suite's code that may be edited."""
    shutil.copytree(CHECKOUT / "stichwerk", tmp_path / "stichwerk", symlinks=True)
    for folder in ("envs", "agents", "support", "configs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=ignored)
    return tmp_path


def fingerprint_in(copy: Path) -> str:
    """What a process that runs this copy, interpreted, has for a fingerprint."""
    return python(PRINT, cwd=copy, NUMBA_DISABLE_JIT="1", PATH="")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, "the test is out of date"
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_fingerprint_survives_moves_and_names(copy):
    """Interpreted, in another folder, with another name of a module and of a function, it is the same."""
    expected = fingerprint(GAME, ["rules:0.1"], games=FEW)
    (copy / "envs/games/family.py").rename(copy / "envs/games/relatives.py")
    for file in [*(copy / "envs").rglob("*.py"), *(copy / "agents").rglob("*.py")]:
        text = file.read_text(encoding="utf-8").replace("games.family", "games.relatives")
        file.write_text(text.replace("card_points", "points_of_cards"), encoding="utf-8")
    assert fingerprint_in(copy) == expected


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "envs/games/schnapsen/features.py",
            "out[at.trump + view.trump] = 1",
            "out[at.trump + view.trump] = 2",
        ),
        *slowly(
            ("agents/builtin/rules/v0_1/schnapsen.py", "return", "return 1 *"),
            ("envs/games/family.py", "11, 10, 4, 3, 2, 0", "11, 10, 4, 3, 9, 0"),
            ("envs/games/schnapsen/scoring.py", "claimer if right else opponent", "claimer"),
            ("envs/core/deal.py", "shuffle(state, state.deck, rules.deck_size)", "pass"),
        ),
    ],
    ids=["an encoding", "nothing", "card points", "claims", "the shuffle"],
)
def test_a_fingerprint_changes_with_what_the_game_does(file, old, new, copy):
    edit(copy / file, old, new)
    same = "1 *" in new
    assert (fingerprint_in(copy) == fingerprint(GAME, ["rules:0.1"], games=FEW)) == same


def test_a_rule_based_player_counts_where_it_plays():
    codes = [
        fingerprint(GAME, agents)
        for agents in (["random", "past"], ["rules:0.1"], ["rules"], ["rules", "rules:0.1"])
    ]
    assert len(set(codes)) == 4
    assert fingerprint(GAME, ["rollout:worlds=10"]) == fingerprint(GAME, ["rules"])
    assert fingerprint(GAME, ["rules:0.0"]) == codes[0], "it is refused elsewhere"


def test_games_and_rules_have_fingerprints_of_their_own():
    games = [make_game("schnapsen_v0"), make_game("schnapsen_v0", {"goal": 50}), make_game("sixty_six_v0")]
    assert len(set(map(fingerprint, games))) == 3


def test_networks_among_the_opponents_count(tmp_path):
    """Other weights in the same place make another run; so do others behind a search."""
    folder = tmp_path / "network"
    shutil.copytree(SHIPPED_FOLDER / "schnapsen-0.1", folder)
    texts = f"ppo:{folder}", f"search:{folder},worlds=4"
    before = [training_hash(GAME, [text, "past"]) for text in texts]
    weights = folder / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    assert all(training_hash(GAME, [text, "past"]) != code for text, code in zip(texts, before, strict=True))
    assert training_hash(GAME, ["ppo:nowhere"]) == training_hash(GAME, ["past"]), "it is refused elsewhere"


def test_another_version_makes_another_run(monkeypatch):
    before = training_hash(GAME)
    monkeypatch.setattr(stichwerk, "__version__", "99.0")
    assert training_hash(GAME) != before


def test_every_search_is_known_as_one():
    searches = {name for name, kind in KINDS.items() if "worlds" in kind.settings}
    assert {name for name, kind in KINDS.items() if kind.searches} == searches


def test_what_agents_are_besides_code_of_the_suite(tmp_path, monkeypatch):
    """Networks, also those by which a search plays, and modules of others."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "first_player.py").write_text("make_agent = 1")
    (tmp_path / "second_player.py").write_text("make_agent = 2")
    agents = (
        "random",
        *("ppo:schnapsen", "ppo:sixty_six", "search:sixty_six,ms=5", "rollout:schnapsen-0.1"),
        *("python:first_player:make_agent", "python:second_player:make_agent"),
    )
    hashes = {agent: agents_hash([agent]) for agent in (*agents, "rollout:worlds=5")}
    assert hashes["random"] == hashes["rollout:worlds=5"]
    assert hashes["ppo:sixty_six"] == hashes["search:sixty_six,ms=5"]
    assert len(set(hashes.values())) == len(agents) - 1


def test_what_results_say_of_their_origin():
    origin = provenance(GAME)
    assert origin == {**result_hashes(GAME), "commit": commit()}
    assert origin.keys() == {"version", "chance", "commit", "rules_hash", "code_hash", "agents_hash"}
    other = provenance(make_game("schnapsen_v0", {"goal": 50}))
    assert other["rules_hash"] != origin["rules_hash"]


def test_the_commit_of_a_checkout(tmp_path, monkeypatch):
    """With `+` where files differ from it; there is none outside a checkout."""
    monkeypatch.setattr(stichwerk, "__file__", str(tmp_path / "stichwerk" / "__init__.py"))

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "-C", str(tmp_path), *words],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert commit.__wrapped__() == ""
    (tmp_path / "notes.txt").write_text("first")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "All")
    assert commit.__wrapped__() == git("rev-parse", "HEAD")[:12]
    (tmp_path / "notes.txt").write_text("second")
    assert commit.__wrapped__() == git("rev-parse", "HEAD")[:12] + "+"


PLAYER = '''
"""Words."""
from clubplayer.numbers import VALUE

def make_agent(game):
    return VALUE
'''


def test_a_custom_module_counts_with_all_of_its_package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "clubplayer"
    package.mkdir()
    (package / "__init__.py").write_text("CLUBS = 1\n")
    (package / "player.py").write_text(PLAYER)
    (package / "numbers.py").write_text("VALUE = 1\n")

    def code() -> str:
        provenance_module._modules_hash.cache_clear()
        return agents_hash(["python:clubplayer.player:make_agent"])

    before = code()
    (package / "player.py").write_text(PLAYER.replace("Words", "Other words") + "# Words.\n")
    assert code() == before
    for name, content in (("numbers", "VALUE = 2\n"), ("__init__", "CLUBS = 2\n")):
        (package / f"{name}.py").write_text(content)
        assert code() != before
        before = code()
    module = sys.modules["clubplayer.numbers"]
    for content in (b"\x7fELF\0one", b"\x7fELF\0two"):  # compiled: its bytes count
        module.__file__ = str(package / f"numbers{EXTENSION_SUFFIXES[0]}")
        (package / f"numbers{EXTENSION_SUFFIXES[0]}").write_bytes(content)
        assert code() != before
        before = code()
    for name in [name for name in sys.modules if name.startswith("clubplayer")]:
        del sys.modules[name]

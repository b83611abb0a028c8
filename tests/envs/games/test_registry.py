"""Games are found by their declaration: the suite's own, those of installed packages, and those that are
registered."""

import json
import random
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pettingzoo
import pytest

from stichwerk.envs import GAMES, InputError, make_game, make_vec, register_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.envs.games.schnapsen import GAME
from tests.envs.support import python, slowly

BRISCOLA = Path(__file__).parents[3] / "examples" / "briscola"


@pytest.fixture
def installed(tmp_path) -> Path:
    """A folder on whose path the example game is installed."""
    shutil.copy(BRISCOLA / "briscola.py", tmp_path)
    info = tmp_path / "stichwerk_briscola-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stichwerk-briscola\nVersion: 0.1.0\n")
    declared = tomllib.loads((BRISCOLA / "pyproject.toml").read_text())["project"]["entry-points"]
    (info / "entry_points.txt").write_text(
        "\n".join(
            line
            for group, entries in declared.items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
        )
    )
    return tmp_path


INSTALLED = """
import json, sys
import pettingzoo
import stichwerk.envs

seen = ["briscola" in sys.modules, "briscola_v0" in stichwerk.envs.GAMES]
env = pettingzoo.make("aec", "stichwerk/briscola-v0", episode="match")
env.reset(seed=1)
vec = stichwerk.envs.make_vec("briscola_v0", 3)
print(json.dumps([*seen, env.metadata["name"], vec.reset()[0]["action_mask"].sum(axis=1).tolist()]))
"""


def test_a_game_of_an_installed_package(installed):
    """It is known by its entry point alone, and imported when it is asked for."""
    printed = python(INSTALLED, PYTHONPATH=str(installed))
    assert json.loads(printed) == [False, True, "briscola_v0", [3, 3, 3]]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("raise SystemExit", "SystemExit (briscola.py:1)"),
        *slowly(
            ("import no_such_module", "No module named 'no_such_module'"),
            ("def briscola(:", "SyntaxError: invalid syntax (briscola.py, line 1)"),
            ("GAME = cards", "NameError: name 'cards' is not defined (briscola.py:1)"),
        ),
    ],
)
def test_a_broken_package_harms_nobody_else(source, says, installed):
    (installed / "briscola.py").write_text(source)
    program = """
from stichwerk.envs import make_game
make_game("schnapsen_v0")
try:
    make_game("briscola_v0")
except ValueError as error:
    print(error)
"""
    message = python(program, PYTHONPATH=str(installed))
    assert message.startswith(f"environment 'briscola_v0' cannot be loaded: {says}")


CACHED = """
from stichwerk.envs.jit.compiled import code_stamp
import briscola
print(briscola.beats(0, 1, 3), len(briscola.beats.stats.cache_hits), code_stamp(briscola.beats.py_func)[:8])
"""
LOOPS_CACHED = """
from stichwerk.envs import make_vec
vec = make_vec("briscola_v0", 8)
seen = vec.reset(seed=1)[0]
print(sum(vec.step(seen["action_mask"].argmax(axis=1))[1][:, 0].clip(0).sum() for _ in range(60)))
"""


def other_beats(installed: Path) -> None:
    """Change a rule of Briscola: the lower card wins."""
    source = (installed / "briscola.py").read_text()
    (installed / "briscola.py").write_text(source.replace("return answer < led", "return answer > led"))


@pytest.mark.slow
def test_a_changed_source_of_the_package_is_noticed(installed):
    def play() -> list[str]:
        return python(CACHED, PYTHONPATH=str(installed), NUMBA_CACHE_DIR="").split()

    first, again = play(), play()
    assert first[:2] == ["True", "0"]
    assert again == ["True", "1", first[2]], "what has not changed comes from the cache"
    other_beats(installed)
    changed = play()
    assert changed[:2] == ["False", "0"]
    assert changed[2] != first[2]


@pytest.mark.slow
def test_loops_over_a_changed_source_are_compiled_again(installed):
    def play() -> str:
        return python(LOOPS_CACHED, PYTHONPATH=str(installed), NUMBA_CACHE_DIR="")

    first = play()
    assert play() == first
    other_beats(installed)
    assert play() != first


@pytest.fixture
def forgotten():
    """The games that a test registers are forgotten after it."""
    with GAMES.replaced({}):
        yield


@pytest.mark.usefixtures("forgotten")
def test_a_registered_game():
    spec = replace(GAME, env_ids={"heads_up_v3": "schnapsen_tournament"})
    register_game(spec)
    register_game(spec)  # once more is no harm
    assert make_game("heads_up_v3").rules.preset_name() == "schnapsen_tournament"
    assert make_vec("heads_up_v3", 2).reset()[0]["action_mask"].any(axis=1).all()
    env = pettingzoo.make("aec", "stichwerk/heads_up-v3")
    env.reset(seed=1)
    assert env.unwrapped.game.env_id == "heads_up_v3"


@pytest.mark.usefixtures("forgotten")
def test_an_id_with_a_hyphen():
    register_game(replace(GAME, env_ids={"heads-up_v3": "schnapsen_tournament"}))
    assert make_game("heads-up_v3").env_id == "heads-up_v3"


def test_an_id_that_is_taken():
    with pytest.raises(InputError, match="'schnapsen_v0' is taken"):
        register_game(replace(GAME))


@pytest.mark.parametrize(
    ("env_id", "words"),
    [
        ("whist_v0", ["environment: got 'whist_v0'", "schnapsen_v0"]),
        ("no_such_module:whist_v0", ["'no_such_module:whist_v0'", "No module named 'no_such_module'"]),
        ("json:whist_v0", ["environment: got 'json:whist_v0'; module json has no GAME; ", "schnapsen_v0"]),
        (":", ["environment: got ':'"]),
        (".json:whist_v0", ["'.json:whist_v0'", "cannot be loaded"]),
        (make_game("schnapsen_v0"), ["environment: got Game; expected an id"]),
        (None, ["environment: got NoneType; expected an id"]),
    ],
)
def test_an_id_that_is_unknown(env_id, words):
    with pytest.raises(InputError) as refusal:
        make_game(env_id)
    for word in words:
        assert word in str(refusal.value)


def test_a_folder_in_place_of_a_module(tmp_path, monkeypatch):
    (tmp_path / "whist").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError) as refusal:
        make_game("whist:whist_v0")
    assert f"the folder {tmp_path / 'whist'}, found as module whist, has no GAME" in str(refusal.value)


def test_what_is_no_game():
    with pytest.raises(InputError, match="a GameSpec, not str"):
        register_game("briscola")


@pytest.mark.parametrize("name", ["sixty-six", "sixty_six", "sixty_six_v0", "sixty-six-v0"])
def test_names_stand_for_the_newest_version(name):
    assert make_game(name).env_id == "sixty_six_v0"
    assert make_vec(f"stichwerk.envs:{name}", 2).game.env_id == "sixty_six_v0"


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_games_are_found_by_what_people_call_them(env_id):
    """By title and other names, in any case and with any marks."""
    spec, rng = GAMES[env_id], random.Random(1)
    for name in (spec.title_of(env_id), *spec.other_names.get(env_id, ())):
        for mark in (" ", "-", "_", ""):
            typed = "".join(rng.choice([each.upper(), each.lower()]) for each in name.replace(" ", mark))
            assert make_game(typed).env_id == env_id, typed
    assert make_game("66").env_id == "sixty_six_v0"


@pytest.mark.usefixtures("forgotten")
def test_the_newest_version_is_the_highest():
    register_game(replace(GAME, env_ids=dict.fromkeys(("sixty_six_v9", "sixty_six_v10"), "schnapsen")))
    assert make_game("sixty-six").env_id == "sixty_six_v10"
    assert make_game("sixty-six-v9").env_id == "sixty_six_v9"


def test_a_replaced_game_comes_back():
    other = replace(GAME, title="Another game")
    with GAMES.replaced({"schnapsen_v0": other}):
        assert make_game("schnapsen_v0").spec is other
    assert make_game("schnapsen_v0").spec is GAME


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"schnapsen_v0": "briscola"}, "a GameSpec, not str"),
        ({"whist_v0": GAME}, "environment id 'whist_v0': got a game with the ids schnapsen_v0"),
    ],
)
def test_what_cannot_replace_a_game(entries, says):
    with pytest.raises(InputError, match=says), GAMES.replaced(entries):
        pass
    assert "whist_v0" not in GAMES


def test_a_game_with_one_id_that_is_taken_is_not_added_at_all():
    with pytest.raises(InputError, match="'schnapsen_v0' is taken"):
        register_game(replace(GAME, env_ids=dict.fromkeys(("heads_up_v4", "schnapsen_v0"), "schnapsen")))
    assert "heads_up_v4" not in GAMES

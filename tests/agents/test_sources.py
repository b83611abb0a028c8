"""The hash of the code changes with whatever decides a result, and with nothing else."""

import shutil
import sys
from dataclasses import replace
from importlib.machinery import EXTENSION_SUFFIXES

import pytest

from stichwerk.agents import sources
from stichwerk.agents.kinds import KINDS, PLAYERS
from stichwerk.agents.sources import game_code, provenance, run_code
from stichwerk.envs import make_game
from stichwerk.envs.games.schnapsen import GAME as SCHNAPSEN

GAME = make_game("schnapsen_v0")


@pytest.fixture
def edit(monkeypatch):
    """`edit(module, old, new)`: the source of a module is another one, as far as hashes are concerned."""
    kept = sources._source

    def change(name: str, old: str, new: str) -> None:
        def source(module):
            text = kept(module)
            if module.__name__ == f"stichwerk.{name}":
                assert old.encode() in text, "the test is out of date"
                text = text.replace(old.encode(), new.encode())
            return text

        monkeypatch.setattr(sources, "_source", source)
        sources._hash_of.cache_clear()

    yield change
    monkeypatch.undo()
    sources._hash_of.cache_clear()


# A module, what is changed there, and whose hash that changes.
EDITS = {
    "jacks are worth 9": ("envs.games.family", "11, 10, 4, 3, 2, 0", "11, 10, 4, 3, 9, 0", "game and run"),
    "a rule": ("envs.games.schnapsen.scoring", "claimer if right else opponent", "claimer", "game and run"),
    "an encoding": ("envs.games.schnapsen.features", "= 1", "= 2", "game and run"),
    "the frame": ("envs.core.course", "shuffle(state, state.deck, rules.deck_size)", "pass", "game and run"),
    "the rule-based player": ("agents.rules.schnapsen", "return", "return 1 +", "game and run"),
    "its rule-based player of 0.1": ("agents.rules.schnapsen_0_1", "return", "return 1 +", "game and run"),
    "the learner": ("agents.training.learner", "gamma=1.0", "gamma=0.9", "run"),
    "when snapshots join": ("agents.training.learner", "past_every == 0", "past_every == 1", "run"),
    "the learner's lanes": ("agents.training.lanes", "+ 1) %", "+ 2) %", "run"),
    "the learner's environment": ("agents.training.selfplay", "np.tanh", "np.sinh", "run"),
    "advice": ("agents.training.advice", "np.zeros", "np.ones", "run"),
    "a comment": ("envs.games.family", "\n@compiled", "\n\n# Words.\n@compiled", "none"),
    "a docstring": ("envs.games.family", '"""All cards of a suit."""', '"""Of a suit: all."""', "none"),
    "another game": ("envs.games.gaigel.flow", "return", "return 1 +", "none"),
    "the text of the game": ("envs.games.schnapsen.text", "face down", "hidden", "none"),
    "a message": ("envs.core.errors", "LONGEST_VALUE = 2_000", "LONGEST_VALUE = 3_000", "none"),
    "the report": ("agents.matches.report", "by role", "by part", "none"),
    "the matches": ("agents.matches.arena", "deals: int", "deals: float", "run"),
    "what a run keeps": ("agents.training.callback", "first.high >=", "first.mean >=", "run"),
    "the AEC environment": ("envs.aec", "RENDER_MODES", "MODES", "none"),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_changes_the_hash(what, edit):
    before = game_code(GAME), run_code(GAME, ["rules"])
    *change, whose = EDITS[what]
    edit(*change)
    assert (game_code(GAME) != before[0]) == ("game" in whose)
    assert (run_code(GAME, ["rules"]) != before[1]) == ("run" in whose)


def test_networks_among_the_opponents_count(tmp_path):
    """Other weights in the same place make another run; so do others behind a search."""
    folder = tmp_path / "network"
    shutil.copytree(PLAYERS / "schnapsen-0.1", folder)
    texts = f"ppo:{folder}", f"search:{folder},worlds=4"
    before = [run_code(GAME, [text, "past"]) for text in texts]
    weights = folder / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    assert all(run_code(GAME, [text, "past"]) != code for text, code in zip(texts, before, strict=True))
    assert run_code(GAME, ["ppo:nowhere"]) == run_code(GAME, ["past"]), "it is refused elsewhere"


@pytest.mark.parametrize(
    ("opponents", "counts"),
    [
        (["latest", "past", "random"], False),
        (["past", "rules:0.1"], False),
        (["rules:0.1", "rules"], True),
        (["rules:0.2"], True),
        (["rollout:worlds=10"], True),
        (["search:schnapsen,worlds=10"], True),
        (["rules:0.0"], False),
    ],
)
def test_a_run_goes_by_the_versions_of_its_opponents(opponents, counts, edit):
    """A rule-based player that nobody meets may be mended while a training goes on."""
    before = run_code(GAME, opponents)
    edit(*EDITS["the rule-based player"][:3])
    assert (run_code(GAME, opponents) != before) == counts


@pytest.mark.parametrize("adviser", ["", "rules"])
@pytest.mark.parametrize(
    ("module", "counts"),
    [
        ("search.playouts", True),
        ("search.endings", True),
        ("search.solver.schnapsen", True),
        ("search.solver.gaigel", False),
        ("search.player", False),
        ("search.rollout", False),
        ("rules.schnapsen", True),
    ],
)
def test_an_adviser_counts_with_what_he_plays_on_by(module, counts, adviser, edit):
    before = run_code(GAME, ["rules:0.1"], adviser=adviser)
    edit(f"agents.{module}", "\nimport ", "\nimport random\nimport ")
    assert (run_code(GAME, ["rules:0.1"], adviser=adviser) != before) == (counts and bool(adviser))


@pytest.mark.parametrize("agent", ["rollout:worlds=10", "pimc", "search:schnapsen,ms=5"])
@pytest.mark.parametrize(
    "module",
    ["search.player", "search.playouts", "search.guided", "search.solver.kernel", "networks.symmetry"],
)
def test_results_of_searches_go_by_their_code(agent, module, edit):
    def hashes():
        return [game_code(GAME, [agent, "random"]), run_code(GAME, [agent]), game_code(GAME)]

    before = hashes()
    edit(f"agents.{module}", "\nimport ", "\nimport random\nimport ")
    assert [one == other for one, other in zip(before, hashes(), strict=True)] == [False, False, True]


@pytest.mark.parametrize(
    ("module", "changed"),
    [
        ("agents.search.solver.schnapsen", {"schnapsen_v0", "sixty_six_v0"}),
        ("agents.search.solver.gaigel", {"gaigel_v0"}),
        ("envs.games.gaigel.double", {"gaigel_v0"}),
    ],
)
def test_kernels_of_other_families_do_not_count(module, changed, edit):
    def hashes(code):
        games = map(make_game, ("schnapsen_v0", "sixty_six_v0", "gaigel_v0"))
        return {game.env_id: code(game, ["rollout:worlds=10", "pimc"]) for game in games}

    before = [hashes(code) for code in (game_code, run_code)]
    edit(module, "\nimport numpy as np", "\nimport numpy as np\n\nnp.seterr()")
    for earlier, later in zip(before, map(hashes, (game_code, run_code)), strict=True):
        assert {name for name in earlier if earlier[name] != later[name]} == changed


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
    hashes = {agent: provenance(GAME, [agent])["agents_hash"] for agent in (*agents, "rollout:worlds=5")}
    assert hashes["random"] == hashes["rollout:worlds=5"]
    assert hashes["ppo:sixty_six"] == hashes["search:sixty_six,ms=5"]
    assert len(set(hashes.values())) == len(agents) - 1


def test_what_results_say_of_their_origin():
    origin = provenance(GAME)
    assert origin.keys() == {"version", "rules_hash", "code_hash", "agents_hash"}
    other = provenance(make_game("schnapsen_v0", {"goal": 50}))
    assert other["rules_hash"] != origin["rules_hash"]
    assert other["code_hash"] == origin["code_hash"] != provenance(make_game("snapszer_v0"))["code_hash"]


CLUB = """
from numba import njit
from clubrules import CLUBS
from clubrules.numbers import VALUE

@njit
def deal(rules, state):
    state.random = CLUBS * VALUE
"""


def test_a_game_of_another_package_counts_with_its_own_sources(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "clubrules").mkdir()
    (tmp_path / "clubrules" / "__init__.py").write_text("CLUBS = 1\n")
    (tmp_path / "clubrules" / "flow.py").write_text(CLUB)
    (tmp_path / "clubrules" / "numbers.py").write_text("VALUE = 1\n")
    from clubrules.flow import deal  # type: ignore[import-not-found]

    game = replace(GAME, spec=replace(SCHNAPSEN, deal=deal))
    before = game_code(game)
    assert before != game_code(GAME)
    for name, content in (("numbers", "VALUE = 2\n"), ("__init__", "CLUBS = 2\n")):
        (tmp_path / "clubrules" / f"{name}.py").write_text(content)
        sources._hash_of.cache_clear()
        assert game_code(game) != before
        before = game_code(game)
    module, before = sys.modules["clubrules.numbers"], game_code(game)
    for content in (b"\x7fELF one", b"\x7fELF two"):  # compiled: its bytes count
        module.__file__ = str(tmp_path / f"numbers{EXTENSION_SUFFIXES[0]}")
        (tmp_path / f"numbers{EXTENSION_SUFFIXES[0]}").write_bytes(content)
        sources._hash_of.cache_clear()
        assert game_code(game) != before
        before = game_code(game)
    for name in [name for name in sys.modules if name.startswith("clubrules")]:
        del sys.modules[name]

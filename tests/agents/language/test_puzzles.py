"""Puzzles: positions that are played again, values of the solver, answers scored by value lost, a command."""

import gzip
import hashlib
import json
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stichwerk.agents.language.generator import Generator
from stichwerk.agents.language.puzzles import SHIPPED, Puzzle, read_answers, read_puzzle, read_puzzles
from stichwerk.agents.solver import solve
from stichwerk.commands.export import puzzles as command
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError
from tests.agents.support import here, nothing_changes
from tests.envs.support import slowly, thoroughly

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "language_models.md"


@pytest.fixture(scope="module")
def shipped() -> list[Puzzle]:
    return read_puzzles()


def first(shipped: list[Puzzle], env_id: str) -> Puzzle:
    return next(puzzle for puzzle in shipped if puzzle.env == env_id)


def test_the_shipped_file_is_that_of_the_page(shipped):
    digest = hashlib.sha256(gzip.decompress(SHIPPED.read_bytes())).hexdigest()
    assert digest in PAGE.read_text()
    assert SHIPPED.stat().st_size < 2_000_000
    assert Counter(puzzle.env for puzzle in shipped) == dict.fromkeys(OWN_GAMES, 200)
    kinds = Counter((puzzle.env, puzzle.kind) for puzzle in shipped)
    assert min(kinds.values()) > 20, kinds


@pytest.mark.parametrize("env_id", OWN_GAMES)
@pytest.mark.slow
def test_the_generator_makes_the_shipped_puzzles(shipped, env_id):
    assert Generator(make_game(env_id), 1).puzzle(0) == first(shipped, env_id)


@pytest.mark.parametrize("env_id", [OWN_GAMES[0], *slowly(*OWN_GAMES[1:])])
def test_a_position_is_played_again_to_the_same_values(shipped, env_id):
    some = [puzzle for puzzle in shipped if puzzle.env == env_id]
    for puzzle in sorted(some, key=lambda puzzle: puzzle.difficulty["cards"])[:5]:
        game, deal = puzzle.position()
        states = RecordReplay(game).check(deal)
        assert int(states[0].seat) == puzzle.seat
        assert solve(game, states) == puzzle.values


@pytest.mark.slow
@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_every_shipped_puzzle_is_solved_to_its_values(shipped, env_id):
    for puzzle in shipped:
        if puzzle.env == env_id:
            game, deal = puzzle.position()
            assert solve(game, RecordReplay(game).check(deal)) == puzzle.values, puzzle.id


def test_a_question_has_all_that_its_answer_depends_on(shipped):
    for env_id in OWN_GAMES:
        puzzle = first(shipped, env_id)
        game, deal = puzzle.position()
        assert puzzle.question.startswith(game.rules_text())
        for number, action in enumerate(puzzle.actions, start=1):
            assert f"\n{number}. {action}\n" in puzzle.question
        for move in deal.moves:
            assert move.action in puzzle.question
        cards = puzzle.question.partition("All cards:\n")[2].partition("\n\n")[0]
        hands = re.findall(r"^player_\d +(.*)$", cards, re.MULTILINE)
        assert len(hands) == game.seats
        assert "?" not in " ".join(hands)
        assert len(" ".join(hands).split()) == puzzle.difficulty["cards"]


def test_the_difficulty_is_that_of_the_values(shipped):
    for puzzle in shipped:
        ranked = sorted(set(puzzle.values.values()))
        assert puzzle.difficulty["gap"] == ranked[-1] - ranked[-2] > 0
        assert puzzle.difficulty["actions"] == len(puzzle.actions) == len(puzzle.values) > 1


def test_answers_are_scored_by_value_lost(shipped):
    puzzle = first(shipped, "schnapsen_v0")
    best, worst = max(puzzle.values.values()), min(puzzle.values.values())
    for number, (action, value) in enumerate(puzzle.values.items(), start=1):
        expected = (action, best - value, 1 - (best - value) / (best - worst))
        assert puzzle.score(f"ACTION: {number}") == expected
    assert puzzle.score("I resign") == (None, best - worst, 0)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"seat": None, "extra": 1}, "expected the fields id, env, kind"),
        ({"id": 3}, "puzzle id: got 3; expected a text"),
        ({"actions": [["play hA"], {"play": "hQ"}]}, "puzzle actions: got .*; expected two different names"),
        ({"values": {"play hA": 10**400}}, "puzzle values: got .*; expected a number for each action"),
        ({"actions": ["play hA"]}, "puzzle actions: got .*; expected two different names"),
        ({"values": {"play hA": 1}}, "puzzle values: got .*; expected a number for each action"),
        ({"difficulty": {"cards": "many"}}, "puzzle difficulty: got .*; expected numbers"),
        ({"record": "none"}, "puzzle record: got 'none'; expected events"),
    ],
)
def test_what_is_no_puzzle_is_refused(shipped, changes, fault):
    with pytest.raises(InputError, match=fault):
        read_puzzle({**json.loads(shipped[0].line()), **changes})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@thoroughly
@given(data=st.data())
@example(data=None)
def test_whatever_stands_in_a_puzzle_is_read_or_refused(shipped, data):
    """Each field may hold any value of JSON, also a list or a mapping where a name is expected."""
    puzzle = json.loads(shipped[0].line())
    if data is None:
        changes = {"actions": [{"a": 1}, ["play hA"]]}
    else:
        names = data.draw(st.lists(st.sampled_from([*puzzle]), min_size=1, max_size=2))
        changes = {name: data.draw(JSON | st.lists(JSON, min_size=2, max_size=3)) for name in names}
    with suppress(InputError):
        read_puzzle({**puzzle, **changes})


def test_games_that_cannot_be_solved_have_no_puzzles(monkeypatch):
    monkeypatch.syspath_prepend(PAGE.parents[2] / "examples" / "briscola")
    with pytest.raises(InputError, match="expected a game that the exact solver has a kernel for"):
        Generator(make_game("briscola:briscola_v0"))


# The command


def test_puzzles_are_written_and_gone_on_with(tmp_path, capsys):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "new" / "parts.jsonl"
    assert here(command.main, "--number", 4, "--seed", 7, "--out", whole) == 0
    assert f"{whole}: 4 puzzles of schnapsen_v0, seed 7" in capsys.readouterr().out
    assert here(command.main, "--number", 2, "--seed", 7, "--out", parts) == 0
    parts.write_text(parts.read_text() + '{"id": "schnap')  # as a crash may leave it
    with nothing_changes(tmp_path):
        assert here(command.main, "--number", 4, "--seed", 7, "--out", parts) == 2
        assert "which exists; expected a new file, or --resume" in capsys.readouterr().err
        for other in (("--seed", 8), ("--seed", 7, "--rules", "{claims: auto}"), ("--env", "snapszer_v0")):
            assert here(command.main, "--number", 4, *other, "--out", parts, "--resume") == 2
            assert "which other options have begun; expected a new file" in capsys.readouterr().err
    assert here(command.main, "--number", 4, "--seed", 7, "--out", parts, "--resume") == 0
    assert parts.read_text() == whole.read_text()


def test_few_cards_can_be_asked_for(tmp_path):
    assert here(command.main, "--number", 3, "--cards", 6, "--out", tmp_path / "few.jsonl") == 0
    few = read_puzzles(tmp_path / "few.jsonl")
    assert [puzzle.difficulty["cards"] <= 6 for puzzle in few] == [True] * 3


def test_answers_of_a_file_are_scored(shipped, tmp_path, capsys):
    puzzle, other = (first(shipped, env_id) for env_id in ("schnapsen_v0", "preferans_v0"))
    answers, file = tmp_path / "answers.jsonl", tmp_path / "puzzles.jsonl"
    file.write_text(puzzle.line() + other.line())
    best = max(puzzle.values, key=lambda action: puzzle.values[action])
    answers.write_text(json.dumps({"id": puzzle.id, "answer": f"I play {best}."}) + "\n")
    assert here(command.main, "--score", answers, file) == 0
    rows = [re.split(r"\s*│\s*", line) for line in capsys.readouterr().out.splitlines()]
    scores = {row[1]: row[3:8] for row in rows if len(row) > 7}
    assert scores["schnapsen_v0"] == ["1 of 1", "0", "100.0%", "0.000", "1.000"]
    assert scores["preferans_v0"] == ["0 of 1", "0", "-", "-", "-"]
    assert scores["all"][:2] == ["1 of 2", "0"]
    assert read_answers(answers, shipped) == {puzzle.id: f"I play {best}."}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"id": "x:1:0", "answer": "1"}', "line 1: got id 'x:1:0' of no puzzle"),
        ('{"id": "schnapsen_v0:1:0", "answer": 1.5}', "line 1: got .*; expected id and answer as texts"),
        ('{"id": "schnapsen_v0:1:0", "answer": "1"}\n' * 2, "line 2: got id 'schnapsen_v0:1:0' twice"),
        ("[", "line 1: not JSON"),
    ],
)
def test_wrong_files_of_answers_are_refused_in_one_line(tmp_path, capsys, content, fault):
    answers = tmp_path / "answers.jsonl"
    answers.write_text(content)
    with nothing_changes(tmp_path):
        assert here(command.main, "--score", answers) == 2
    err = capsys.readouterr().err
    assert re.search(fault, err)
    assert err.count("\n") == 1

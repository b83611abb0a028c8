"""`stichwerk bench`: a score that can be repeated, files that are checked, a leaderboard made of them."""

import json
from dataclasses import replace

import pytest

from stichwerk.agents.evaluation import bench as benchmark
from stichwerk.agents.evaluation.page import without_markup
from stichwerk.commands import bench
from stichwerk.support.numbers import in_points
from tests.agents.support import here, nothing_changes, tree

SMALL = replace(benchmark.SUITES["schnapsen"], deals=100)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A suite that a test can play."""
    monkeypatch.setitem(benchmark.SUITES, "schnapsen", SMALL)


@pytest.mark.parametrize("name", benchmark.SUITES)
def test_cards_and_opponents_are_those_of_this_version(name):
    benchmark.SUITES[name].check()


def test_a_suite_that_has_changed_is_refused(monkeypatch, capsys):
    for change, says in (
        ({"cards": "0" * 16}, "the cards have the hash"),
        ({"hashes": ("0", "1")}, "rules:0.1"),
    ):
        monkeypatch.setitem(benchmark.SUITES, "schnapsen", replace(SMALL, **change))
        assert here(bench.main, "random") == 2
        assert says in capsys.readouterr().err


def test_played_verified_and_listed(tmp_path, capsys):
    for alias in ("dice=random", "rules"):
        assert here(bench.main, alias, "--out", tmp_path / f"{alias[:4]}.json") == 0
    entry = json.loads((tmp_path / "rule.json").read_text())
    assert entry["low"] < entry["score"] < entry["high"]
    means = [opponent["mean"] for opponent in entry["opponents"]]
    assert entry["score"] == pytest.approx(sum(means) / 2)
    assert [len(blocks) for blocks in entry["blocks"]] == [2, 2]
    assert in_points(entry["score"], entry["score"] - entry["low"]) in capsys.readouterr().out
    assert here(bench.main, "--verify", tmp_path / "dice.json") == 0
    assert "100 of 100 deals against each opponent come out the same" in capsys.readouterr().out
    assert here(bench.main, "--leaderboard", tmp_path) == 0
    table, page = ((tmp_path / f"leaderboard.{kind}").read_text() for kind in ("md", "html"))
    assert table.index("| rules |") < table.index("| dice |")
    score = in_points(entry["score"], entry["score"] - entry["low"])
    assert score in table
    assert f"rules leads with {score}" in without_markup(page)
    with nothing_changes(tmp_path):
        assert here(bench.main, "rules", "--out", tmp_path / "rule.json") == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda entry: entry["blocks"][1].__setitem__(0, 7.0), "block 1 against ppo:schnapsen: got 7 points"),
        (lambda entry: entry.update(agent_hash="0"), "random has the hash"),
        (lambda entry: entry.update(bench="v0"), "expected a suite and a budget of v1"),
        (lambda entry: entry.update(score="high"), "got 'high' as score"),
        (lambda entry: entry.pop("blocks"), "got None as blocks"),
    ],
)
def test_files_that_do_not_hold(change, says, tmp_path, capsys):
    entry = benchmark.play_suite("schnapsen", "random", "random", "unlimited")
    change(entry)
    (tmp_path / "entry.json").write_text(json.dumps(entry))
    assert here(bench.main, "--verify", tmp_path / "entry.json") == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "bench: got nothing; expected an agent, --verify or --leaderboard"),
        (["rules", "--verify", "a.json"], "bench: got agent, verify"),
        (["rules", "--suite", "whist"], "suite: got 'whist'; expected one of schnapsen, sixty_six"),
        (["rules", "--budget", "2ms"], "budget: got '2ms'; expected one of unlimited, 20ms, 1ms"),
        (["human"], "'human'"),
        (["--leaderboard", "."], "got no results; expected files of stichwerk bench --out"),
        (["--verify", "a.json"], "a.json"),
    ],
)
def test_wrong_words(words, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert here(bench.main, *words) == 2
    assert says in capsys.readouterr().err
    assert tree(tmp_path) == {}

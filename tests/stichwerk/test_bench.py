"""`stichwerk bench`: a score that can be repeated, files that are checked, a leaderboard made of them."""

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from stichwerk.agents.evaluation import bench as benchmark
from stichwerk.agents.evaluation.page import without_markup
from stichwerk.commands import bench
from stichwerk.support.numbers import in_points
from tests.agents.support import ROOT, here, nothing_changes, tree

LEADERBOARD = sorted((ROOT / "docs/results/leaderboard").glob("*.json"))
SMALL = replace(benchmark.SUITES["schnapsen"], deals=100)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A suite that a test can play."""
    monkeypatch.setitem(benchmark.SUITES, "schnapsen", SMALL)


@pytest.fixture(scope="module")
def entry() -> dict[str, Any]:
    """What a random agent's results file holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(benchmark.SUITES, "schnapsen", SMALL)
        return benchmark.play_suite("schnapsen", "random", "random", "unlimited")


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
    assert "Column `hash`: of the agent's networks, custom modules and engine;" in table
    assert "bench.md" not in table, "which lies in a checkout alone"
    score = in_points(entry["score"], entry["score"] - entry["low"])
    assert score in table
    assert f"rules leads with {score}" in without_markup(page)
    with nothing_changes(tmp_path):
        assert here(bench.main, "rules", "--out", tmp_path / "rule.json") == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda entry: entry["blocks"][1].reverse(), "block 1 against ppo:schnapsen: got"),
        (lambda entry: entry.update(agent_hash="0"), "random has the hash"),
        (lambda entry: entry.update(bench="v0"), "expected a suite and a budget of v1"),
        (lambda entry: entry.update(score="high"), "got 'high' as score"),
        (lambda entry: entry.pop("blocks"), "got None as blocks"),
        (lambda entry: entry.update(deals=50), "got 50 as deals; expected 100"),
        (lambda entry: entry.update(blocks=[]), "as blocks; expected 2 numbers against each of rules:0.1"),
        (lambda entry: entry.update(blocks=[[], []]), "got [[], []] as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"].pop(), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].pop(), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].append(0.0), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].__setitem__(0, True), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].__setitem__(0, 10**400), "as blocks; expected 2 numbers"),
        (lambda entry: entry.update(opponents=None), "got () as opponents; expected ('rules:0.1',"),
        (lambda entry: entry["opponents"].reverse(), "as opponents; expected ('rules:0.1',"),
        (lambda entry: entry["opponents"][0].update(mean=1.5), "against rules:0.1: got 1.5 as mean"),
        (lambda entry: entry["opponents"][1].pop("low"), "against ppo:schnapsen: got None as low"),
        (lambda entry: entry["opponents"][1].update(low=-9.0), "against ppo:schnapsen: got -9 and"),
        (lambda entry: entry.update(score=9.5, low=9.4, high=9.6), "got 9.5 as score; expected -2."),
        (lambda entry: entry.update(low=entry["score"], high=entry["score"]), "as low and high; expected"),
        (
            lambda entry: entry.update(low=entry["score"] - 2, high=entry["score"] + 2),
            "got 4 from low to high; expected at most 0.",
        ),
    ],
)
def test_files_that_do_not_hold(change, says, entry, tmp_path, capsys):
    changed = deepcopy(entry)
    change(changed)
    (tmp_path / "entry.json").write_text(json.dumps(changed))
    assert here(bench.main, "--verify", tmp_path / "entry.json") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_a_leaderboard_has_no_entry_that_does_not_add_up(entry, tmp_path, capsys):
    (tmp_path / "entry.json").write_text(json.dumps(entry | {"score": 9.5, "low": 9.4, "high": 9.6}))
    with nothing_changes(tmp_path):
        assert here(bench.main, "--leaderboard", tmp_path) == 2
    assert "entry.json: got 9.5 as score; expected -2." in capsys.readouterr().err


def test_a_folder_is_no_place_for_a_results_file(tmp_path, capsys):
    with nothing_changes(tmp_path):
        assert here(bench.main, "random", "--force", "--out", tmp_path) == 2
    assert "a folder; expected a file" in capsys.readouterr().err


@pytest.mark.parametrize("path", LEADERBOARD, ids=lambda path: path.stem)
def test_the_numbers_of_the_leaderboards_fit_together(path, monkeypatch):
    monkeypatch.undo()
    benchmark.check_entry(benchmark.read_entry(path), path)


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
        (["--verify", "a.json", "--cluster", "auto"], "cluster: got it with --verify; expected one of"),
        (["--verify", "a.json", "--suite", "gaigel3"], "suite: got it with --verify; expected one of"),
        (["--verify", "a.json", "--out", "b.json"], "out: got it with --verify; expected one of"),
        (["--leaderboard", ".", "--budget", "1ms"], "budget: got it with --leaderboard; expected one of"),
        (["--leaderboard", ".", "--workers", "2"], "workers: got it with --leaderboard; expected one of"),
        (["--leaderboard", ".", "--force"], "force: got it with --leaderboard; expected one of"),
    ],
)
def test_wrong_words(words, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert here(bench.main, *words) == 2
    assert says in capsys.readouterr().err
    assert tree(tmp_path) == {}

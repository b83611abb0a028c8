"""`stichwerk bench`: a score that can be repeated, files that are checked, a leaderboard made of them."""

import json
import signal
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stichwerk.agents.evaluation.bench import checks as bench_checks
from stichwerk.agents.evaluation.bench import files as bench_files
from stichwerk.agents.evaluation.bench import suites as benchmark
from stichwerk.agents.evaluation.reports.page import without_markup
from stichwerk.agents.provenance import CHANCE
from stichwerk.commands import bench
from stichwerk.envs import InputError
from stichwerk.support.numbers import in_points
from tests.agents.support import ROOT, command, here, nothing_changes

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
    assert "2 of 2 blocks against each opponent come out the same" in capsys.readouterr().out
    words = "--verify-blocks", "1", "--verify-deals", "20", "--verify-seed", "7"
    assert here(bench.main, "--verify", tmp_path / "rule.json", *words, "--by", "Anna | Co") == 0
    out = capsys.readouterr().out
    assert "1 of 2 blocks against each opponent" in out
    assert "in 20 fresh deals agrees with the score of" in out
    assert "not checked: the agent's name and its time, version and commit, 1 blocks against" in out
    assert here(bench.main, "--leaderboard", tmp_path) == 0
    table, page = ((tmp_path / f"leaderboard.{kind}").read_text() for kind in ("md", "html"))
    assert table.index("| rules |") < table.index("| dice |")
    assert "Column `hash`: of the agent's networks, custom modules and engine;" in table
    assert "bench.md" not in table, "which lies in a checkout alone"
    score = in_points(entry["score"], entry["score"] - entry["low"])
    assert score in table
    assert f"rules leads with {score}" in without_markup(page)
    checked, unchecked = (row for row in table.splitlines() if row.startswith(("| 1", "| 2")))
    (check,) = map(json.loads, (tmp_path / "rule.checks.jsonl").read_text().splitlines())
    assert checked.split(" | ")[6:] == [
        "1 of 2",
        f"{in_points(check['mean'], check['margin'])} in 20",
        f"Anna &#124; Co, {check['when']} |",
    ]
    assert unchecked.endswith("| – | – | – |")
    with nothing_changes(tmp_path):
        assert here(bench.main, "rules", "--out", tmp_path / "rule.json") == 2
    assert "--force" in capsys.readouterr().err


def test_blocks_of_an_earlier_chance(tmp_path, capsys):
    """They come out the same where nobody draws; elsewhere fresh deals alone are played."""
    for alias, blocks in (("random", 0), ("rules", 2)):
        path = tmp_path / f"{alias}.json"
        assert here(bench.main, alias, "--out", path) == 0
        entry = json.loads(path.read_text())
        assert entry.pop("chance") == CHANCE
        path.write_text(json.dumps(entry))
        capsys.readouterr()
        assert here(bench.main, "--verify", path, "--by", "Anna") == 0
        out = capsys.readouterr().out
        assert ("blocks against each opponent come out the same" in out) == bool(blocks)
        assert ("2 blocks against each opponent" in out.partition("not checked:")[2]) == (not blocks)
        assert "chance" in out.partition("played by another version:")[2]
        assert json.loads((tmp_path / f"{alias}.checks.jsonl").read_text())["blocks"] == blocks
    with nothing_changes(tmp_path):
        words = "--verify-deals", "0", "--by", "Anna"
        assert here(bench.main, "--verify", tmp_path / "random.json", *words) == 2
    assert "expected fresh deals" in capsys.readouterr().err


DEADLY = """
import os, pathlib
LEFT = pathlib.Path("own.json.unfinished")

def make_agent(game):
    def act(observation, mask):
        if LEFT.exists() and pathlib.Path("armed").exists():
            os.kill(os.getpid(), 9)
        return int(mask.nonzero()[0][-1])
    return act
"""
SMALLER = """
import sys
from dataclasses import replace
from stichwerk.agents.evaluation.bench import suites as benchmark
from stichwerk.commands.bench import main
benchmark.SUITES["schnapsen"] = replace(benchmark.SUITES["schnapsen"], deals=100)
main(sys.argv[1:])
"""


def test_a_suite_goes_on_after_kill_9(module, tmp_path, capsys):
    module(DEADLY)
    words = ["python:my_module:make_agent", "--out", "own.json"]
    assert here(bench.main, *words) == 0
    whole = (tmp_path / "own.json").read_text()
    (tmp_path / "own.json").unlink()
    (tmp_path / "armed").touch()
    assert command("-c", SMALLER, *words)[0] == -signal.SIGKILL
    (tmp_path / "armed").unlink()
    left = (tmp_path / "own.json.unfinished").read_text()
    assert [len(points) for points in json.loads(left)["points"]] == [25, 0]
    for wrong, says in (
        (words, "--resume to continue it, or --force to begin again"),
        ([*words, "--resume", "--budget", "20ms"], "is of another entry: its budget is 'unlimited'"),
        ([*words, "--resume", "--force"], "got it with --force; expected one of them"),
    ):
        with nothing_changes(tmp_path):
            assert here(bench.main, *wrong) == 2
        assert says in capsys.readouterr().err
    assert here(bench.main, *words, "--resume") == 0
    assert (tmp_path / "own.json").read_text() == whole
    assert not (tmp_path / "own.json.unfinished").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda entry: entry["blocks"][1].reverse(), "against ppo:schnapsen: got"),
        (lambda entry: entry.update(agent_hash="0" * 16), "random has the agent_hash"),
        (lambda entry: entry.update(agents_hash="0" * 16), "random has the agents_hash"),
        (lambda entry: entry.update(agent_hash="0"), "got '0' as agent_hash; expected [0-9a-f]{16}"),
        (lambda entry: entry.update(bench="v0"), "got 'v0' as bench; expected v1"),
        (lambda entry: entry.update(budget=["1ms"]), "got ['1ms'] as budget; expected unlimited or"),
        (lambda entry: entry.update(score="high"), "got 'high' as score"),
        (lambda entry: entry.update(score=float("nan")), "got nan as score; expected a number"),
        (lambda entry: entry.pop("blocks"), "got no blocks"),
        (lambda entry: entry.update(more=1), "got 'more'; expected bench, suite,"),
        (lambda entry: entry.update(deals=50), "got 50 as deals; expected 100"),
        (lambda entry: entry.update(deals=100.0), "got 100.0 as deals; expected 100"),
        (lambda entry: entry.update(seed=True), "got True as seed; expected 2026"),
        (lambda entry: entry.update(cards="0" * 16), "as cards; expected c818360c53304a94"),
        (lambda entry: entry.update(agent="x" * 201), "as agent; expected a text of at most 200 characters"),
        (lambda entry: entry.update(agent=""), "got '' as agent"),
        (lambda entry: entry.update(blocks=[]), "as blocks; expected 2 numbers against each of rules:0.1"),
        (lambda entry: entry.update(blocks=[[], []]), "got [[], []] as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"].pop(), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].pop(), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].append(0.0), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].__setitem__(0, True), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].__setitem__(0, 10**400), "as blocks; expected 2 numbers"),
        (lambda entry: entry["blocks"][0].__setitem__(1, 150.5), "in block 2; expected -150 to 150, as 50"),
        (lambda entry: entry.update(opponents=None), "got None as opponents; expected rules:0.1 with"),
        (lambda entry: entry["opponents"].reverse(), "as opponents; expected rules:0.1 with"),
        (lambda entry: entry["opponents"][0].update(hash="0" * 16), "as opponents; expected rules:0.1 with"),
        (lambda entry: entry["opponents"][0].update(mean=1.5), "against rules:0.1: got 1.5 as mean"),
        (lambda entry: entry["opponents"][1].pop("low"), "against ppo:schnapsen: got no low"),
        (lambda entry: entry["opponents"][1].update(low=-9.0), "against ppo:schnapsen: got -9 and"),
        (lambda entry: entry.update(score=9.5, low=9.4, high=9.6), "got 9.5 as score; expected -2."),
        (lambda entry: entry.update(low=entry["score"], high=entry["score"]), "as low and high; expected"),
        (
            lambda entry: entry.update(low=entry["score"] - 0.3, high=entry["score"] + 0.3),
            "got 0.6 from low to high; expected at most 0.",
        ),
        (
            lambda entry: [
                each.update(low=each["mean"] - 2, high=each["mean"] + 2) for each in entry["opponents"]
            ],
            "as low and high; expected -2.",
        ),
    ],
)
def test_files_that_do_not_hold(change, says, entry, tmp_path, capsys):
    changed = deepcopy(entry)
    change(changed)
    assert says in refused(changed, tmp_path, capsys)


def refused(content: dict[str, Any] | str, folder: Path, capsys, *words: str) -> str:
    """The line with which a file is refused."""
    file = folder / "entry.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with nothing_changes(folder):
        status = here(bench.main, "--verify", file, "--verify-seed", "1", *words)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def test_a_key_twice_is_refused(entry, tmp_path, capsys):
    text = json.dumps(entry)
    assert "'score' 2 times" in refused(text.replace("{", '{"score": 9.5, ', 1), tmp_path, capsys)


def places_in(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths to all numbers and texts."""
    if isinstance(value, (dict, list)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return [place for name, part in parts for place in places_in(part, (*path, name))]
    return [path]


WRITTEN = st.text(st.characters(codec="utf-8"), max_size=30)
OTHER = st.one_of(
    st.floats(),
    st.integers(-(10**20), 10**20),
    st.booleans(),
    st.none(),
    WRITTEN,
    st.sampled_from([[], {}, 10**400]),
)
NAMED = {"agent", "version", "commit", "budget"}  # which the outcome says are not checked
ORIGIN = {"chance", "rules_hash", "code_hash"}  # of which it says that they differ here


@given(st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_single_change_is_refused_or_named(entry, tmp_path, capsys, data):
    """Numbers and texts drawn at random, also ones near the true value."""
    changed = deepcopy(entry)
    *path, last = place = data.draw(st.sampled_from(places_in(entry)))
    within: Any = changed
    for name in path:
        within = within[name]
    true = within[last]
    near = (
        [true + 1e-3, true - 0.5, -true] if type(true) in (int, float) else [true.upper() + "0", true[::-1]]
    )
    other = data.draw(st.one_of(st.sampled_from(near), OTHER).filter(lambda value: repr(value) != repr(true)))
    within[last] = other
    if isinstance(true, float) and type(other) in (int, float) and within_tolerance(true, other):
        return
    (tmp_path / "entry.json").write_text(json.dumps(changed))
    words = "--verify-seed", "1", "--verify-blocks", "0", "--verify-deals", "20"
    status = here(bench.main, "--verify", tmp_path / "entry.json", *words)
    out, err = capsys.readouterr()
    if status:
        assert (status, out, err.count("\n")) == (2, "", 1), place
    else:
        assert place[0] in NAMED | ORIGIN, place
        assert "not checked: the agent's name and its time, version and commit" in out
        assert place[0] in NAMED or f"{place[0]} differ here" in out


def within_tolerance(true: float, other: float) -> bool:
    return true - bench_files.TOLERANCE <= other <= true + bench_files.TOLERANCE


def forged(entry: dict[str, Any], true_blocks: int, points: float) -> dict[str, Any]:
    """A file whose first blocks are true; all numbers fit together."""
    suite, other = benchmark.SUITES[entry["suite"]], deepcopy(entry)
    for own, opponent in zip(other["blocks"], other["opponents"], strict=True):
        own[true_blocks:] = [points * benchmark.BLOCK] * (len(own) - true_blocks)
        opponent.update(around(np.array(own), suite, "mean"))
    other.update(around(np.mean(other["blocks"], axis=0), suite, "score"))
    return other


def around(blocks: np.ndarray, suite: benchmark.Suite, name: str) -> dict[str, float]:
    mean = blocks.sum() / suite.deals
    margin = 2 * ((blocks / benchmark.BLOCK - mean) ** 2).mean() ** 0.5 / (suite.deals - 1) ** 0.5
    return {name: mean, "low": mean - margin, "high": mean + margin}


def test_a_forger_cannot_know_which_blocks_are_played(entry, tmp_path, capsys):
    """The blocks that are true are the first half, as they were when the first ones were played."""
    content = forged(entry, 1, 2.5)
    (tmp_path / "entry.json").write_text(json.dumps(content))
    found = bench_files.read_entry(tmp_path / "entry.json")
    for seed in range(4):
        drawn = bench_checks.draw_blocks(found, seed, 1)
        words = "--verify-blocks", "1", "--verify-deals", "0", "--verify-seed", str(seed)
        status = here(bench.main, "--verify", tmp_path / "entry.json", *words)
        err = capsys.readouterr().err
        assert ("got 125 points" in err) == (status == 2) == (drawn != [[0], [0]]), drawn
    assert "block 2 against rules:0.1: got 125" in refused(
        content, tmp_path, capsys, "--verify-blocks", "all"
    )
    words = "--verify-blocks", "0", "--verify-deals", "20"
    assert "expected one at most" in refused(content, tmp_path, capsys, *words)


def test_all_blocks_are_drawn_equally_often(tmp_path, monkeypatch):
    monkeypatch.undo()
    path = LEADERBOARD[[each.stem for each in LEADERBOARD].index("schnapsen-rules")]
    entry = bench_files.read_entry(path)
    drawn = [
        number for seed in range(500) for own in bench_checks.draw_blocks(entry, seed, 4) for number in own
    ]
    counts = np.bincount(drawn, minlength=20)
    expected = len(drawn) / 20
    assert ((counts - expected) ** 2 / expected).sum() < 43.8  # chi-square, 19 degrees: one in a thousand
    other = replace(entry, digest=entry.digest[::-1])
    seeds = range(20)
    assert [bench_checks.draw_blocks(entry, seed, 4) for seed in seeds] != [
        bench_checks.draw_blocks(other, seed, 4) for seed in seeds
    ]


@pytest.mark.slow
def test_who_plays_with_open_cards_is_refused(tmp_path, monkeypatch, capsys):
    """Its blocks come out the same, but not its score in deals that it cannot look up."""
    monkeypatch.setitem(benchmark.SUITES, "schnapsen", replace(SMALL, deals=50))
    agent, file = "python:tests.stichwerk.cheat:make", tmp_path / "cheat.json"
    assert here(bench.main, f"cheat={agent}", "--out", file) == 0
    assert json.loads(file.read_text())["score"] > 0.5
    capsys.readouterr()
    assert here(bench.main, "--verify", file) == 2
    assert (
        "which runs code that the file names; expected the agent on the command line"
        in capsys.readouterr().err
    )
    words = agent, "--verify", file, "--verify-seed", "1"
    assert here(bench.main, *words, "--verify-deals", "0") == 0
    assert (
        "not checked: the agent's name and its time, version and commit, play with" in capsys.readouterr().out
    )
    assert here(bench.main, *words, "--verify-blocks", "0", "--verify-deals", "100") == 2
    assert "as 100 fresh deals of seed 1 have it" in capsys.readouterr().err


def test_a_true_score_is_refused_as_rarely_as_promised():
    """Scores and fresh deals of one distribution, skewed as game points are; a cheat's gain is found."""
    chance = np.random.default_rng(5)
    worth, shares = (
        np.array([-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3]),
        [0.02, 0.06, 0.12, 0.2, 0.3, 0.14, 0.08, 0.05, 0.03],
    )
    trials, suite = 2_000, replace(SMALL, deals=1_000)

    def refusals(gain: float) -> float:
        scores = chance.choice(worth, (trials, suite.deals), p=shares).mean(axis=1) + gain
        samples = chance.choice(worth, (trials, 200), p=shares)
        allowed = [bench_checks.most_apart(points, suite.deals, suite.game) for points in samples]
        return float((abs(scores - samples.mean(axis=1)) > allowed).mean())

    assert refusals(0.0) < 0.0075  # 0.002 is promised: 15 of 2,000 come once in ten thousand
    assert refusals(0.5) > 0.99


def test_fresh_deals_that_are_all_alike():
    """An agent that loses each deal is no reason to divide by 0, nor to take any score."""
    alike = np.full(200, -3.0)
    assert 0.01 < bench_checks.most_apart(alike, 1_000, SMALL.game) < 0.2


def test_a_leaderboard_has_no_entry_that_does_not_add_up(entry, tmp_path, capsys):
    (tmp_path / "entry.json").write_text(json.dumps(entry | {"score": 9.5, "low": 9.4, "high": 9.6}))
    with nothing_changes(tmp_path):
        assert here(bench.main, "--leaderboard", tmp_path) == 2
    assert "entry.json: got 9.5 as score; expected -2." in capsys.readouterr().err


@pytest.mark.parametrize("path", LEADERBOARD, ids=lambda path: path.stem)
def test_the_numbers_of_the_leaderboards_fit_together(path, monkeypatch):
    monkeypatch.undo()
    bench_files.read_entry(path)


@pytest.mark.parametrize("line", ["{}", '{"file": 1}', "[1]", "nonsense"])
def test_checks_that_are_damaged(line, entry, tmp_path, capsys):
    (tmp_path / "entry.json").write_text(json.dumps(entry))
    (tmp_path / "entry.checks.jsonl").write_text(line + "\n")
    with nothing_changes(tmp_path):
        assert here(bench.main, "--leaderboard", tmp_path) == 2
    assert "entry.checks.jsonl" in capsys.readouterr().err


def test_a_check_is_of_the_file_as_it_was(entry, tmp_path, capsys):
    file = tmp_path / "entry.json"
    file.write_text(json.dumps(entry))
    words = "--verify-blocks", "1", "--verify-deals", "20", "--verify-seed", "7"
    assert here(bench.main, "--verify", file, *words, "--by", "Anna") == 0
    assert bench_checks.read_check(bench_files.read_entry(file)).by == "Anna"
    file.write_text(json.dumps(entry | {"agent": "another"}))
    assert bench_checks.read_check(bench_files.read_entry(file)) is None
    with pytest.raises(InputError, match="which deals the suite"):
        bench_checks.verify(file, benchmark.SEED, 1, 20)

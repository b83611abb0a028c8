"""Results as text, as JSON and as pictures."""

import json

import pytest

from agents.arena import PairResult
from agents.report import draw_curve, draw_pairs, print_results, read_results, write_results
from tests.agents.support import is_picture

RESULTS = [
    PairResult("rules", "random", 500, mean=1.25, low=1.0, high=1.5, win_rate=0.8, win_low=0.75, win_high=0.85),
    PairResult("rules", "ppo:runs/a", 500, mean=-0.375, low=-0.5, high=-0.25, win_rate=0.4, win_low=0.375, win_high=0.425),
]


def test_the_cross_table_shows_both_directions(capsys):
    print_results(RESULTS)
    lines = capsys.readouterr().out.splitlines()
    rows = {name: " ".join(line for line in lines if name in line) for name in ("rules", "random", "ppo:runs/a")}
    text = " ".join(" ".join(lines).split())
    for cell in ("+1.250 ± 0.250", "-1.250 ± 0.250", "-0.375 ± 0.125", "+0.375 ± 0.125"):
        assert text.count(cell) == 1
    for share in ("80.0 ± 5.0 %", "20.0 ± 5.0 %", "40.0 ± 2.5 %", "60.0 ± 2.5 %"):
        assert text.count(share) == 1
    assert "+1.250" in rows["rules"]
    assert "-0.375" in rows["rules"]
    assert "-1.250" in rows["random"]
    assert "+0.375" in rows["ppo:runs/a"]
    assert "500 duplicate deals" in text


def test_results_come_back_from_their_file(tmp_path):
    path = tmp_path / "new" / "results.json"
    write_results(path, {"env": "schnapsen_v0", "seed": 3}, RESULTS)
    assert read_results(path) == RESULTS
    content = json.loads(path.read_text())
    assert (content["env"], content["seed"]) == ("schnapsen_v0", 3)
    entry = {"a": "rules", "b": "random", "deals": 500, "mean": 1.25, "low": 1.0, "high": 1.5, "win_rate": 0.8}
    assert content["pairs"][0] == {**entry, "win_low": 0.75, "win_high": 0.85}
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]


@pytest.mark.parametrize("pairs", [1, 2])
def test_bars(tmp_path, pairs):
    draw_pairs(tmp_path / "new" / "pairs.png", RESULTS[:pairs], "Schnapsen")
    assert is_picture(tmp_path / "new" / "pairs.png")


@pytest.mark.parametrize("evaluations", [1, 5])
def test_curve(tmp_path, evaluations):
    ends = {f"{name}_{end}": value for name in ("rules", "random") for end, value in (("mean", 1.0), ("low", 0.5), ("high", 1.5))}
    rows = [{"kind": "update", "decisions": 100, "kl": 0.1}]
    rows += [{"kind": "evaluation", "decisions": 100_000 * number, **ends} for number in range(1, evaluations + 1)]
    draw_curve(tmp_path / "curve.png", rows, ("rules", "random"), "PPO learns")
    assert is_picture(tmp_path / "curve.png")

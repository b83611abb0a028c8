"""Results as text, as JSON and as pictures."""

import json
from dataclasses import replace
from itertools import permutations
from xml.etree import ElementTree

import pytest

from stichwerk.agents.evaluation.reports.eval_page import claim_of
from stichwerk.agents.evaluation.reports.figures import curves_figure, pairs_figure, run_curves, seed_curves
from stichwerk.agents.evaluation.reports.report import (
    both_ways,
    print_results,
    print_seeds,
    print_together,
    ranking,
    read_results,
    write_results,
)
from stichwerk.agents.evaluation.statistics.tallies import PairResult, RoleResult
from stichwerk.support.figure import Figure

RESULTS = [
    PairResult(
        "rules", "random", 500, mean=1.25, low=1.0, high=1.5, win_rate=0.8, win_low=0.75, win_high=0.85
    ),
    PairResult(
        "rules",
        "ppo:runs/a",
        500,
        mean=-0.375,
        low=-0.5,
        high=-0.25,
        win_rate=0.4,
        win_low=0.375,
        win_high=0.425,
    ),
]


def test_everybody_against_everybody_in_both_directions(capsys):
    print_results(RESULTS, sides=2)
    lines = capsys.readouterr().out.splitlines()
    rows = {
        name: " ".join(line for line in lines if name in line) for name in ("rules", "random", "ppo:runs/a")
    }
    text = " ".join(" ".join(lines).split())
    for cell in ("+1.25 ± 0.25", "-1.25 ± 0.25", "-0.38 ± 0.12", "+0.38 ± 0.12"):
        assert text.count(cell) == 1
    for share in ("80.0 ± 5.0 %", "20.0 ± 5.0 %", "40.0 ± 2.5 %", "60.0 ± 2.5 %"):
        assert text.count(share) == 1
    assert "+1.25" in rows["rules"]
    assert "-0.38" in rows["rules"]
    assert "-1.25" in rows["random"]
    assert "+0.38" in rows["ppo:runs/a"]
    assert "500 duplicate deals" in text


def test_one_against_many(capsys):
    """Each with its interval and its deals: those that did not meet each other are in no ranking."""
    results = [replace(RESULTS[0], b=f"player {number}", deals=100 * number) for number in range(1, 6)]
    print_results(results, sides=2)
    rows = [row for row in capsys.readouterr().out.splitlines() if "player" in row]
    for number, row in enumerate(rows, start=1):
        assert all(
            cell in row for cell in (f"player {number}", "+1.25 ± 0.25", "80.0 ± 5.0 %", f" {number}00 ")
        )
    assert len(rows) == 5


def test_of_three_sides_one_says_nothing_of_another(capsys):
    """One among two others wins what both of these lose."""
    print_results(RESULTS, sides=3)
    out = capsys.readouterr().out
    assert "+1.25 ± 0.25" in out
    assert "-1.25" not in out
    assert "60.0 ±" not in out
    pairs = list(permutations([f"agent {number}" for number in range(5)], 2))
    results = [replace(RESULTS[0], a=a, b=b, mean=float(a[-1]) - 1) for a, b in pairs]
    ranks = ranking(both_ways(results, sides=3))
    assert [(rank.agent, rank.score.mean) for rank in ranks] == [
        (f"agent {number}", number - 1) for number in (4, 3, 2, 1, 0)
    ]


def test_a_stopped_evaluation_names_the_pairs_not_played(capsys):
    """Of three sides: the last agents have been others' opponents only."""
    pairs = list(permutations([f"agent {number}" for number in range(6)], 2))[:6]
    results = [replace(RESULTS[0], a=a, b=b) for a, b in pairs]
    print_results(results, sides=3)
    out = capsys.readouterr().out
    assert all(f"agent {number}" in out for number in range(6))
    (line,) = (line for line in out.splitlines() if "agent 5" in line)
    assert "–" in line
    drawn = words_of(pairs_figure(results * 2, 3, "Snapszer"))
    assert all(f"{number + 1} agent {number}" in drawn for number in range(6))


def test_results_come_back_from_their_file(tmp_path):
    path = tmp_path / "new" / "results.json"
    write_results(path, {"env": "schnapsen_v0", "seed": 3}, RESULTS)
    assert read_results(path) == RESULTS
    content = json.loads(path.read_text())
    assert (content["env"], content["seed"]) == ("schnapsen_v0", 3)
    entry = {
        "a": "rules",
        "b": "random",
        "deals": 500,
        "mean": 1.25,
        "low": 1.0,
        "high": 1.5,
        "win_rate": 0.8,
    }
    assert content["pairs"][0] == {**entry, "win_low": 0.75, "win_high": 0.85, "roles": []}
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]


ROLES = (
    RoleResult("rules", "caller", share=0.25, mean=0.5, low=0.25, high=0.75),
    RoleResult("rules", "alone", share=0.75, mean=-1.0, low=-1.5, high=-0.5),
    RoleResult("random", "caller", share=1.0, mean=-0.125, low=-0.25, high=0.0),
)


def test_roles_are_shown_for_both_and_come_back(capsys, tmp_path):
    results = [replace(RESULTS[0], roles=ROLES), RESULTS[1]]
    print_results(results, sides=2)
    rows = capsys.readouterr().out.splitlines()
    caller, alone = (next(row for row in rows if name in row) for name in ("caller", "alone"))
    assert "25.0 %  +0.50 ± 0.25" in caller
    assert "100.0 %  -0.12 ± 0.12" in caller
    assert "75.0 %  -1.00 ± 0.50" in alone
    assert alone.count("%") == 1, "random was never alone"
    write_results(tmp_path / "results.json", {}, results)
    assert read_results(tmp_path / "results.json") == results


def test_roles_without_an_interval_show_a_dash(capsys, tmp_path):
    rare = RoleResult("rules", "alone", share=0.0, mean=1280.0, low=None, high=None)
    results = [replace(RESULTS[0], roles=(*ROLES[:1], rare))]
    print_results(results, sides=2)
    print_together(results)
    rows = [row for row in capsys.readouterr().out.splitlines() if "alone" in row]
    assert len(rows) == 2
    assert all("0.0 %  +1280.00 ± –" in row for row in rows)
    write_results(tmp_path / "results.json", {}, results)
    assert read_results(tmp_path / "results.json") == results


def test_nothing_is_below_zero_by_nothing(capsys):
    print_results([replace(RESULTS[0], mean=-1e-9, low=-1e-4, high=1e-4)], sides=2)
    out = capsys.readouterr().out
    assert "-0.0000" not in out
    assert out.count("+0.0000 ± 0.0001") == 2


def test_names_with_brackets_are_shown_as_they_are(capsys):
    """To rich they would be styles."""
    result = replace(RESULTS[0], a="ppo:[red]a", b="ppo:[/b]:smile:")
    print_results([result], sides=2)
    print_together([result])
    out = capsys.readouterr().out
    assert out.count("ppo:[red]a") == 3
    assert out.count("ppo:[/b]:smile:") == 2


def test_a_row_for_each_agent_that_played_together(capsys):
    print_together([replace(RESULTS[0], roles=ROLES[:2]), replace(RESULTS[1], a="random", roles=ROLES[2:])])
    rows = capsys.readouterr().out.splitlines()
    rules, random = (next(row for row in rows if f"│ {name} " in row) for name in ("rules", "random"))
    assert "+1.25 ± 0.25" in rules
    assert "80.0 ± 5.0 %" in rules
    assert "-0.38 ± 0.12" in random
    assert sum("%  " in row for row in rows if "caller" in row) == 1


@pytest.mark.filterwarnings("error")
def test_seeds_and_their_mean(capsys):
    """Of one seed, and of seeds that all come to the same, there is no interval."""
    other = replace(RESULTS[0], mean=1.75)
    rows = {}
    for name, runs in (("one", RESULTS[:1]), ("same", [RESULTS[0]] * 2), ("two", [RESULTS[0], other])):
        print_seeds({seed: [result] for seed, result in enumerate(runs, start=1)})
        rows[name] = next(row for row in capsys.readouterr().out.splitlines() if " mean " in row)
    assert "+1.25 ± –" in rows["one"]
    assert "+1.25 ± –" in rows["same"]
    assert "+1.5 ± 3.2" in rows["two"]


def test_seeds_that_met_different_opponents(capsys):
    print_seeds({1: RESULTS, 2: [RESULTS[1]], 3: [RESULTS[1], replace(RESULTS[0], b="rules:0.1")]})
    out = capsys.readouterr().out
    assert out.count("against") == 1
    assert out.count("-0.38 ± 0.12") == 3


def words_of(figure: Figure) -> list[str]:
    """The texts that a picture shows, and those it tells whoever points at it."""
    return [each.text for each in ElementTree.fromstring(figure.svg()).iter() if each.text]


def test_a_row_for_each_of_a_few_pairs():
    words = words_of(pairs_figure(RESULTS, 2, "Schnapsen"))
    for expected in ("Schnapsen", "rules – random", "+1.25 ± 0.25", "rules – ppo:runs/a", "-0.38 ± 0.12"):
        assert expected in words


def test_one_against_many_has_a_row_each():
    results = [replace(RESULTS[0], b=f"player {number}") for number in range(30)]
    words = words_of(pairs_figure(results, 2, "Schnapsen"))
    assert all(f"rules – player {number}" in words for number in range(30))


def test_a_cell_for_each_of_many_pairs():
    """Between two sides a result is drawn for both of its agents."""
    pairs = [replace(RESULTS[0], a=f"agent {a}", b=f"agent {b}") for b in range(6) for a in range(b)]
    words = words_of(pairs_figure(pairs, 2, "Schnapsen"))
    assert words.count("+1.25") == words.count("-1.25") == 15
    assert "agent 0 – agent 5: +1.25" in words
    assert "agent 5 – agent 0: -1.25" in words
    assert words_of(pairs_figure(pairs, 3, "Snapszer")).count("-1.25") == 0


def rows_of(*decisions: int, **means: float) -> list[dict]:
    ends = {f"{name}_{end}": mean for name, mean in means.items() for end in ("mean", "low", "high")}
    return [{"kind": "evaluation", "decisions": at, **ends} for at in decisions]


def test_curves_have_a_point_for_each_evaluation():
    rows = [{"kind": "update", "decisions": 100, "kl": 0.1}, *rows_of(100_000, 200_000, rules=1.0)]
    assert run_curves(rows) == {"rules": [(100_000, 1.0, 1.0, 1.0), (200_000, 1.0, 1.0, 1.0)]}
    words = words_of(curves_figure(run_curves(rows), title="PPO learns"))
    assert {"PPO learns", "rules", "rules, 0.1: +1.000 ± 0.000", "decisions (millions)"} <= {*words}


def test_curves_of_seeds_have_what_all_runs_share():
    """One run was stopped off the grid, one met others."""
    stopped = [*rows_of(100, 200, rules=1.0, random=2.0), *rows_of(250, rules=5.0, random=2.0)]
    other = rows_of(100, 200, rules=2.0, ppo=3.0)
    assert seed_curves([stopped, other]) == {"rules": [(100, 1.5, 1.0, 2.0), (200, 1.5, 1.0, 2.0)]}
    assert seed_curves([other, stopped]) == seed_curves([stopped, other])


def test_random_actions_do_not_squash_a_curve():
    """They are left out, unless they are the only opponent."""

    def drawn(**means: float) -> str:
        return curves_figure(run_curves(rows_of(100_000, 200_000, **means))).svg()

    assert drawn(rules=0.5, random=2.0) == drawn(rules=0.5)
    assert len({drawn(random=2.0), drawn(random=1.0), drawn(rules=0.5)}) == 3


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (1.0, 1.5, "rules beats random by 1.25 ± 0.25 points."),
        (-1.5, -1.0, "rules loses to random by 1.25 ± 0.25 points."),
        (-0.1, 0.3, "rules and random cannot be told apart: +0.10 ± 0.20 points for the first."),
    ],
)
def test_claims_of_a_pair(low, high, says):
    result = replace(RESULTS[0], mean=(low + high) / 2, low=low, high=high)
    assert claim_of([result], 2, "points") == says


def test_the_best_may_stand_second_in_all_pairs():
    field = [replace(RESULTS[0], a=a, b=b) for a, b in (("x", "y"), ("x", "best"), ("y", "best"))]
    field[1:] = [replace(result, mean=-1.0, low=-1.1, high=-0.9) for result in field[1:]]
    assert claim_of(field, 2, "points") == "best has the highest mean over the others: +1.00 ± 0.10 points."

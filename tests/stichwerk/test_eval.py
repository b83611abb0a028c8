"""`eval.py` from end to end: one entry for every pair, reproducible, on disk and on the terminal."""

import csv
import json
import re
import shutil
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import stichwerk
from stichwerk.agents.evaluation.playing import matches
from stichwerk.agents.evaluation.reports.page import without_markup
from stichwerk.agents.networks.saved import read_network, write_network
from stichwerk.agents.provenance import provenance
from stichwerk.commands import eval as evaluation
from stichwerk.commands import tournament
from stichwerk.envs import make_game
from stichwerk.support.files import held_folder
from stichwerk.support.numbers import in_points
from tests.agents.support import (
    ROOT,
    SMALL,
    command,
    here,
    is_picture,
    nothing_changes,
    running,
    save_random_network,
    tree,
)


def strict(text: str):
    """JSON as other languages read it: without NaN and Infinity."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.slow
def test_every_pair_in_a_process_of_its_own(tmp_path, game, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_random_network(tmp_path / "network", game)
    agents = ["rules", "random", "ppo:network"]
    status, out, err = command(
        "eval.py", "--agents", *agents, "--deals", 40, "--seed", 7, "--out", "deep/out", cwd=tmp_path
    )
    assert (status, err) == (0, ""), out
    folder = tmp_path / "deep" / "out"
    files = {"results.json", "pairs.csv", "pairs.svg", "report.html"}
    assert {path.name for path in folder.iterdir()} == {".lock", *files}
    assert is_picture(folder / "pairs.svg")
    results = strict((folder / "results.json").read_text())
    settings = {name: value for name, value in results.items() if name != "pairs"}
    assert settings == {
        "agents": agents,
        "env": "schnapsen_v0",
        "rules": game.rules.as_dict(),
        "block": 0,
        "deals": 40,
        "episode": "deal",
        "keep_deals": False,
        "seed": 7,
        "together": False,
        "limit_ms": 0.0,
        "start_states": False,
        "out": "deep/out",
        **provenance(game, agents),
    }
    assert settings["version"] == stichwerk.__version__
    assert [(pair["a"], pair["b"]) for pair in results["pairs"]] == list(combinations(agents, 2))
    for pair in results["pairs"]:
        assert pair.keys() >= {"a", "b", "deals", "mean", "low", "high", "win_rate"}
        assert pair["deals"] == 40
        assert -3 <= pair["low"] < pair["mean"] < pair["high"] <= 3
        assert 0 <= pair["win_rate"] <= 1
        assert pair["win_low"] < pair["win_rate"] < pair["win_high"], "an interval may go beyond what can be"
        for mean in (pair["mean"], -pair["mean"]):
            assert in_points(mean, pair["mean"] - pair["low"]) in out
    assert results["pairs"][0]["mean"] > 1.5, "rules beat random play by far"


def test_the_same_seed_gives_the_same_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = (
        "--env",
        "sixty_six_v0",
        "--rules",
        "{claims: auto}",
        "--agents",
        "random",
        "rules",
        "--deals",
        30,
        "--out",
        "out",
        "--seed",
    )
    trees = []
    for seed in (1, 2, 1):
        assert here(evaluation.main, *words, seed, "--force") == 0
        trees.append(tree(tmp_path / "out"))
    assert trees[0]["results.json"] == trees[2]["results.json"] != trees[1]["results.json"]
    settings = strict((tmp_path / "out" / "results.json").read_text())
    assert settings["rules"]["claims"] == "auto"
    assert settings["rules"]["nines"] is True


def test_agrees_with_the_end_of_a_training_run(finished, tmp_path):
    """Same agent, deals and seed, hence the same numbers."""
    agents = [f"ppo:{finished / 'best'}", "rules:0.1", "random"]
    assert here(evaluation.main, "--agents", *agents, "--deals", SMALL["final_deals"], "--out", tmp_path) == 0
    ours = strict((tmp_path / "results.json").read_text())["pairs"]
    theirs = strict((finished / "results.json").read_text())["pairs"]
    assert [{**pair, "a": "ppo"} for pair in ours[:2]] == theirs


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert here(evaluation.main, "--agents", "rules", "random", "--deals", 10) == 0
    assert tree(tmp_path) == {}
    assert "random" in capsys.readouterr().out


def test_results_are_replaced_only_when_that_is_asked_for(tmp_path, capsys):
    words = "--agents", "rules", "random", "--deals", 10, "--out", tmp_path
    assert here(evaluation.main, *words) == 0
    with nothing_changes(tmp_path):
        assert here(evaluation.main, *words, "--seed", 2) == 2
    err = capsys.readouterr().err
    assert str(tmp_path / "results.json") in err
    assert "--force" in err
    assert here(evaluation.main, *words, "--keep-deals", "--force") == 0
    before = tree(tmp_path)
    assert here(evaluation.main, *words, "--seed", 2, "--force") == 0
    assert before.keys() - tree(tmp_path).keys() == {"deals.npz"}, "nothing of the earlier evaluation is left"
    assert tree(tmp_path) != before
    assert "force" not in strict((tmp_path / "results.json").read_text())


def test_two_evaluations_do_not_write_to_one_folder(tmp_path, capsys):
    words = "--agents", "rules", "random", "--deals", 10, "--out", tmp_path / "out"
    with held_folder(tmp_path / "out", "results"), nothing_changes(tmp_path):
        assert here(evaluation.main, *words) == 2
        assert here(evaluation.main, *words, "--resume") == 2
    err = capsys.readouterr().err
    assert err.count("is in use by another process: choose another with --out") == err.count("\n") == 2
    assert here(evaluation.main, *words) == 0


@pytest.mark.slow
def test_killed_and_resumed(tmp_path):
    """What is finished is kept, and not played again; the end is that of one evaluation."""
    words = "--agents", "random", "rules", "rules:0.1", "rollout:worlds=16", "--deals", 40
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert here(evaluation.main, *words, "--out", whole) == 0
    with running("eval.py", *words, "--out", cut, cwd=ROOT) as process:
        while not (cut / "results.json").is_file() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    kept = strict((cut / "results.json").read_text())
    assert 1 <= len(kept["pairs"]) < 6
    assert kept["stopped"] == "before the end"
    with nothing_changes(cut):
        assert here(evaluation.main, *words, "--out", cut, "--resume", "--seed", 2) == 2
    assert here(evaluation.main, *words, "--out", cut, "--resume") == 0
    ours, theirs = (strict((folder / "results.json").read_text()) for folder in (cut, whole))
    assert {**ours, "out": None} == {**theirs, "out": None}
    assert (cut / "pairs.csv").read_bytes() == (whole / "pairs.csv").read_bytes()


PLAYS_ONCE = """
from pathlib import Path
DONE = Path(__file__).with_name("out") / "results.json"
def make_agent(game):
    def act(observation, mask):
        assert not DONE.exists(), "it plays again"
        return int(mask.argmax())
    return act
"""


def test_pairs_that_are_there_are_not_played_again(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "plays_once.py").write_text(PLAYS_ONCE)
    out = tmp_path / "out"
    words = "--agents", "python:plays_once:make_agent", "random", "--deals", 10, "--out", out
    assert here(evaluation.main, *words) == 0
    with nothing_changes(out):
        assert here(evaluation.main, *words, "--resume") == 0
    assert here(evaluation.main, *words[:-1], tmp_path / "again") == 2
    assert "it plays again" in capsys.readouterr().err
    for damage in ("", "[]", "{}", '{"pairs": []}'):
        (out / "results.json").write_text(damage)
        assert here(evaluation.main, *words, "--resume") == 2
        assert f"damaged results {out / 'results.json'}" in capsys.readouterr().err


def test_a_seed_that_nobody_knows_beforehand(tmp_path):
    """It is written down, and the evaluation can be repeated with it."""
    words = "--agents", "rules", "random", "--deals", 10, "--out"
    seeds, pairs = [], []
    for name in ("one", "other"):
        assert here(evaluation.main, *words, tmp_path / name, "--seed", "random") == 0
        results = json.loads((tmp_path / name / "results.json").read_text())
        seeds.append(results["seed"])
        pairs.append(results["pairs"])
    assert seeds[0] != seeds[1]
    assert all(2**40 < seed < 2**63 for seed in seeds)
    assert here(evaluation.main, *words, tmp_path / "again", "--seed", seeds[0]) == 0
    assert json.loads((tmp_path / "again" / "results.json").read_text())["pairs"] == pairs[0]


def test_an_evaluation_goes_on_with_the_same_networks_only(finished, tmp_path, capsys):
    agent = Path(shutil.copytree(finished / "best", tmp_path / "agent"))
    words = "--agents", f"ppo:{agent}", "random", "--deals", 10, "--out", tmp_path / "out", "--resume"
    assert here(evaluation.main, *words) == 0
    arrays, manifest, _ = read_network(agent, make_game("schnapsen_v0"))
    write_network(agent, {name: -array for name, array in arrays.items()}, manifest)
    with nothing_changes(tmp_path):
        assert here(evaluation.main, *words) == 2
    assert "agents_hash" in capsys.readouterr().err


@pytest.mark.parametrize("earlier", [None, "1"])
@pytest.mark.parametrize("main", [evaluation.main, tournament.main])
def test_results_of_another_chance_are_not_gone_on_with(main, earlier, tmp_path, capsys):
    """As those of version 0.3, in which equal agents played the same games at every table."""
    words = "random", "rules", "--deals", 10, "--out", tmp_path
    assert here(main, *words) == 0
    file = tmp_path / "results.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chance": earlier}))
    with nothing_changes(tmp_path):
        assert here(main, *words, "--resume") == 2
    assert "its chance is " in capsys.readouterr().err


@pytest.mark.parametrize("method", [("--less-luck", 2), ("--sprt", "0,0.2"), ("--until", 0.2)], ids=str)
def test_an_evaluation_goes_on_by_the_same_method_only(method, tmp_path, capsys):
    """Also where the method is left out the second time."""
    words = "random", "rules", "--deals", 20, "--block", 10, "--out", tmp_path
    assert here(evaluation.main, *words, *method) == 0
    with nothing_changes(tmp_path):
        assert here(evaluation.main, *words, "--resume") == 2
    assert f"its {method[0][2:].replace('-', '_')} is " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "status", "says"),
    [
        (KeyboardInterrupt, 130, ""),
        (MemoryError, 2, "error: out of memory: ask for less\n"),
        (MemoryError("9 TiB"), 2, "error: out of memory: 9 TiB\n"),
        (OSError(28, "No space left on device"), 2, "error: standard output: No space left on device\n"),
    ],
    ids=str,
)
def test_a_command_that_fails_leaves_no_folder(fault, status, says, tmp_path, capsys):
    def main(arguments):
        with held_folder(tmp_path / "deep" / "out", "results", "--out"):
            raise fault

    assert here(main) == status
    assert tree(tmp_path) == {}
    assert capsys.readouterr().err == says


STOPS = """
def act(observation, mask):
    raise KeyboardInterrupt
def make_agent(game):
    return act
"""


def test_an_evaluation_that_is_stopped_leaves_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "stops.py").write_text(STOPS)
    words = "--agents", "python:stops:make_agent", "random", "--out", tmp_path / "deep" / "out"
    assert here(evaluation.main, *words) == 130
    assert not (tmp_path / "deep").exists()
    assert capsys.readouterr().err == ""


def test_an_agent_against_itself(tmp_path):
    """Twins are told apart, so that each has a row."""
    assert (
        here(evaluation.main, "--agents", "random", "rules", "random", "--deals", 10, "--out", tmp_path) == 0
    )
    pairs = strict((tmp_path / "results.json").read_text())["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == list(
        combinations(["random", "rules", "random#2"], 2)
    )
    assert pairs[0]["mean"] == pytest.approx(-pairs[2]["mean"], abs=1), "both are beaten"


def test_a_sequential_test_from_end_to_end(tmp_path, capsys):
    """It stops early, says why, keeps why, and goes on from there; the first mean is too far out."""
    words = "rules", "rules:0.1", "random", "--sprt", "0,0.2", "--deals", 4_000, "--out", tmp_path
    assert here(evaluation.main, *words) == 0
    out = capsys.readouterr().out
    content = strict((tmp_path / "results.json").read_text())
    assert (content["sprt"], content["alpha"], content["block"], content["deals"]) == (
        "0,0.2",
        0.05,
        500,
        4_000,
    )
    assert "until" not in content
    assert len(content["stops"]) == 3
    for pair, stopped in zip(content["pairs"], content["stops"], strict=True):
        assert (pair["a"], pair["b"], pair["deals"]) == (stopped["a"], stopped["b"], stopped["deals"])
        assert stopped["outcome"] == "upper"
        assert stopped["deals"] % 500 == 0
        assert stopped["llr"] >= stopped["llr_high"] == pytest.approx(2.944, abs=1e-3)
        assert pair["low"] < pair["mean"] < pair["high"]
        assert pair["mean"] <= stopped["raw_mean"] + 1e-6
        assert stopped["effect"] * stopped["deviation"] == pytest.approx(pair["mean"])
        assert (
            f"{stopped['a']} – {stopped['b']}: the upper effect is accepted after {stopped['deals']:,}" in out
        )
    with nothing_changes(tmp_path):
        assert here(evaluation.main, *words, "--resume") == 0
    content["stops"][0]["llr_limit"] = 1
    (tmp_path / "results.json").write_text(json.dumps(content))
    assert here(evaluation.main, *words, "--resume") == 2
    assert "damaged results" in capsys.readouterr().err


def test_the_page_has_what_the_files_have(tmp_path):
    words = "--env", "snapszer_v0", "rules", "random", "--deals", 20, "--worst", 1, "--seed", 3, "--out"
    assert here(evaluation.main, *words, tmp_path) == 0
    pair, _ = strict((tmp_path / "results.json").read_text())["pairs"]
    page = (tmp_path / "report.html").read_text()
    said = without_markup(page)
    assert re.search(r"rules beats random by \d+\.\d+ ± \d", said)
    assert f"{100 * pair['win_rate']:.1f} ±" in said
    assert {role["role"].replace("_", " ") in said for role in pair["roles"]} == {True}
    assert (
        "stichwerk eval rules random --env snapszer_v0 --deals 20 --seed 3 --worst 1 --out ANOTHER_FOLDER"
        in said
    )
    assert page.count("<iframe") == 1, "deals to step through"
    assert "http" not in page.split("<iframe")[0]


def test_a_comparison_until_its_interval_is_narrow(tmp_path, capsys):
    words = "rules", "random", "--until", 0.2, "--out", tmp_path
    assert here(evaluation.main, *words) == 0
    content = strict((tmp_path / "results.json").read_text())
    (pair,), (stopped,) = content["pairs"], content["stops"]
    assert 0 < pair["high"] - pair["mean"] <= 0.2
    assert (stopped["outcome"], stopped["llr"]) == ("narrow", None)
    assert "narrow enough after" in capsys.readouterr().out
    assert here(evaluation.main, *words, "--until", 1e-6, "--deals", 600, "--force") == 0
    assert "undecided after 600 deals; expected more --deals" in capsys.readouterr().out


def test_roles_are_reported_where_the_game_has_them(tmp_path, capsys):
    assert (
        here(
            evaluation.main,
            "--env",
            "snapszer_v0",
            "--agents",
            "rules",
            "random",
            "--deals",
            40,
            "--out",
            tmp_path,
        )
        == 0
    )
    pair, other_way = strict((tmp_path / "results.json").read_text())["pairs"]
    assert (other_way["a"], other_way["b"]) == (pair["b"], pair["a"])
    assert {(role["agent"], role["role"]) for role in pair["roles"]} >= {
        ("rules", "forehand"),
        ("random", "opponent"),
    }
    assert sum(
        role["share"] * role["mean"] for role in pair["roles"] if role["agent"] == "rules"
    ) == pytest.approx(pair["mean"], abs=1e-6)
    assert "partner" in capsys.readouterr().out


def test_all_agents_together(tmp_path, capsys):
    agents = "rules", "random", "random", "rules"
    words = "--env", "snapszer_v0", "--agents", *agents, "--together", "--deals", 10, "--out", tmp_path
    assert here(evaluation.main, *words) == 0
    results = strict((tmp_path / "results.json").read_text())
    assert results["together"] is True
    assert [entry["a"] for entry in results["pairs"]] == ["rules", "random", "random#2", "rules#2"]
    assert sum(entry["mean"] for entry in results["pairs"]) == pytest.approx(0, abs=1e-6)
    assert "every arrangement" in " ".join(capsys.readouterr().out.split())
    assert "<title>4 agents: snapszer_v0</title>" in (tmp_path / "report.html").read_text()


def test_pairs_as_csv_and_every_deal_as_npz(tmp_path):
    words = "--env", "gaigel_v0", "--agents", "rules", "dice=random", "chance=random", "--deals", 12
    assert here(evaluation.main, *words, "--keep-deals", "--out", tmp_path) == 0
    pairs = strict((tmp_path / "results.json").read_text())["pairs"]
    rows = list(csv.DictReader((tmp_path / "pairs.csv").open()))
    assert [(row["a"], row["b"], float(row["mean"])) for row in rows] == [
        (pair["a"], pair["b"], pair["mean"]) for pair in pairs
    ]
    with np.load(tmp_path / "deals.npz") as deals:
        assert deals["agents"].tolist() == [["rules", "dice"], ["rules", "chance"], ["dice", "chance"]]
        seatings = deals["seatings"]
        for number, pair in enumerate(pairs):
            points = deals[f"points_{number}"]
            assert points.shape == (12, *seatings.shape)
            own = points[:, seatings == 0]
            assert own.mean() == pytest.approx(pair["mean"], abs=1e-6)


def test_every_deal_of_agents_together(tmp_path):
    agents = "rules", "random", "random", "rules"
    words = "--env", "snapszer_v0", "--agents", *agents, "--together", "--deals", 4, "--keep-deals"
    assert here(evaluation.main, *words, "--out", tmp_path) == 0
    with np.load(tmp_path / "deals.npz") as deals:
        assert deals["agents"].tolist() == [["rules", "random", "random#2", "rules#2"]]
        assert deals["points_0"].shape == (4, 24, 4)


def test_matches(tmp_path, capsys):
    words = "--agents", "rules", "random", "--deals", 20, "--episode", "match", "--out", tmp_path
    assert here(evaluation.main, *words, "--keep-deals") == 0
    results = strict((tmp_path / "results.json").read_text())
    assert results["episode"] == "match"
    assert results["pairs"][0]["win_rate"] > 0.9
    assert "points per match" in " ".join(capsys.readouterr().out.split())
    assert here(evaluation.main, "--agents", "rules", "random", "--episode", "rubber") == 2
    assert "deal, match" in capsys.readouterr().err


def test_ten_agents_in_eighty_columns(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    agents = ["rules", *(f"a_player_with_a_long_name_{number}=random" for number in range(9))]
    assert here(evaluation.main, "--agents", *agents, "--deals", 4, "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.split("written:")[0].splitlines())
    first = next(line for line in out.splitlines() if " rules " in line)
    assert " 1 " in first, "the best comes first"
    assert sum("+" in line or "-" in line for line in out.splitlines()) >= 20
    assert is_picture(tmp_path / "pairs.svg")


def test_a_match_without_end(capsys, monkeypatch):
    monkeypatch.setattr(matches, "LONGEST_MATCH", 100)
    words = "--env", "preferans_v0", "--agents", "random", "random", "--deals", 2, "--episode", "match"
    assert here(evaluation.main, *words) == 2
    assert "a match of random and random#2 is not over after 100 deals" in capsys.readouterr().err


def test_of_three_sides_each_plays_alone_among_the_others(tmp_path):
    """Equals win alike, whichever stands first, and not half of the deals."""
    words = "--env", "gaigel_v0", "--rules", "{players: 3}", "--agents", "random", "random"
    assert here(evaluation.main, *words, "--deals", 300, "--out", tmp_path) == 0
    pairs = strict((tmp_path / "results.json").read_text())["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("random", "random#2"), ("random#2", "random")]
    one, other = pairs
    assert one["win_rate"] != other["win_rate"], "each has a chance of its own"
    assert abs(one["win_rate"] - other["win_rate"]) < 2 * (one["win_high"] - one["win_rate"])
    assert not pairs[0]["win_low"] < 0.5 < pairs[0]["win_high"]

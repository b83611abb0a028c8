"""`stichwerk tournament` from end to end: the same however it is played, stopped and gone on with."""

import csv
import json

import numpy as np
import pytest

from stichwerk.agents.evaluation.playing import tournament as playing
from stichwerk.agents.evaluation.reports.page import without_markup
from stichwerk.commands import tournament
from stichwerk.support.errors import InputError
from tests.agents.support import here, nothing_changes, tree

FIELD = "random", "rules", "rules:0.1", "dice=random"
WORDS = *FIELD, "--deals", 40, "--block", 10


def results(folder):
    return json.loads((folder / "results.json").read_text())


def test_files_and_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert here(tournament.main, *WORDS, "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.split("written:")[0].splitlines())
    content = results(tmp_path)
    assert [pair["deals"] for pair in content["pairs"]] == [40] * 6
    first, *_, last = content["ratings"]
    assert first["agent"] in ("rules", "rules:0.1")
    assert last["agent"] in ("random", "dice")
    assert first["low"] < first["points"] < first["high"]
    assert sum(row["points"] for row in content["ratings"]) == pytest.approx(0, abs=1e-9)
    assert sum(row["nash"] for row in content["ratings"]) == pytest.approx(1)
    assert f"{first['points']:+.2f}" in out
    for name, key in (("ratings.csv", "ratings"), ("pairs.csv", "pairs")):
        rows = list(csv.DictReader((tmp_path / name).open()))
        assert rows == [{name: str(value) for name, value in row.items()} for row in content[key]]
    page = (tmp_path / "report.html").read_text()
    words = without_markup(page)
    assert "http" not in page, "nothing is loaded from elsewhere"
    assert page.count("<svg") == 2
    for text in (*FIELD[:3], "dice", "seed 1", "schnapsen_v0", "stichwerk tournament random rules"):
        assert text in words


@pytest.mark.parametrize("pairing", ["all", "mixed"])
def test_stopped_and_resumed(pairing, tmp_path, monkeypatch):
    words = *WORDS, "--pairing", pairing, "--out"
    assert here(tournament.main, *words, tmp_path / "whole") == 0
    played, play_part = 0, playing.play_part

    def play_some(part):
        nonlocal played
        played += 1
        if played == 8:
            raise InputError("agent fails: got a fault")
        return play_part(part)

    monkeypatch.setattr(playing, "play_part", play_some)
    assert here(tournament.main, *words, tmp_path / "cut") == 2
    assert results(tmp_path / "cut")["stopped"] == "before the end"
    with nothing_changes(tmp_path / "cut"):
        assert here(tournament.main, *words, tmp_path / "cut") == 2
        assert here(tournament.main, *words, tmp_path / "cut", "--resume", "--seed", 2) == 2
    monkeypatch.undo()
    assert here(tournament.main, *words, tmp_path / "cut", "--resume") == 0
    ours, theirs = tree(tmp_path / "cut"), tree(tmp_path / "whole")
    assert ours["results.json"] == theirs["results.json"]
    assert ours["ratings.csv"] == theirs["ratings.csv"]


def test_a_later_commit_goes_on(tmp_path):
    words = "rules", "random", "--deals", 20, "--out", tmp_path
    assert here(tournament.main, *words) == 0
    (tmp_path / "results.json").write_text(json.dumps(results(tmp_path) | {"commit": "earlier"}))
    assert here(tournament.main, *words, "--resume") == 0


def test_any_number_of_processes(tmp_path):
    for workers in (1, 2):
        words = *WORDS, "--workers", workers, "--out", tmp_path / str(workers)
        assert here(tournament.main, *words) == 0
    ours, theirs = tree(tmp_path / "1"), tree(tmp_path / "2")
    assert ours["results.json"] == theirs["results.json"]


def test_the_pairing_that_results_chose_is_all(tmp_path, capsys):
    """Its intervals were too narrow. The results of an earlier version are not gone on with."""
    words = *WORDS, "--out", tmp_path
    assert here(tournament.main, *words, "--pairing", "least-known") == 0
    assert "--pairing least-known: plays all" in capsys.readouterr().err
    assert results(tmp_path)["pairing"] == "all"
    assert {pair["deals"] for pair in results(tmp_path)["pairs"]} == {40}
    (tmp_path / "results.json").write_text(json.dumps(results(tmp_path) | {"pairing": "least-known"}))
    with nothing_changes(tmp_path):
        assert here(tournament.main, *words, "--pairing", "least-known", "--resume") == 2
        assert "its pairing is 'least-known'" in capsys.readouterr().err


def test_a_gauntlet_and_tables_of_four(tmp_path, capsys):
    assert here(tournament.main, *WORDS, "--pairing", "gauntlet", "--out", tmp_path / "gauntlet") == 0
    assert {pair["a"] for pair in results(tmp_path / "gauntlet")["pairs"]} == {"random"}
    words = "--env", "gaigel_v0", "--pairing", "mixed", "--out", tmp_path / "mixed"
    assert here(tournament.main, *WORDS, *words) == 0
    content = results(tmp_path / "mixed")
    assert content["pairs"] == []
    assert {len(table["agents"]) for table in content["tables"]} == {4}
    assert content["ratings"][0]["agent"] in ("rules", "rules:0.1")
    points = np.array([row["points"] for row in content["ratings"]])
    assert points.sum() == pytest.approx(0, abs=1e-9)
    assert (tmp_path / "mixed" / "report.html").is_file()


def test_damaged_results(tmp_path, capsys):
    assert here(tournament.main, *WORDS, "--out", tmp_path) == 0
    (tmp_path / "tables.npz").write_bytes(b"PK\x03\x04 half")
    with nothing_changes(tmp_path):
        assert here(tournament.main, *WORDS, "--out", tmp_path, "--resume") == 2
    assert f"damaged results {tmp_path / 'tables.npz'}" in capsys.readouterr().err

"""`eval --records` and `--worst`: deals as records, and the costliest of each agent."""

import json
from collections import Counter
from pathlib import Path

import pytest

from stichwerk.agents.evaluation.keeper import Keeper
from stichwerk.agents.evaluation.matches import games_in_pair
from stichwerk.commands import eval as evaluation
from stichwerk.envs import make_game
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from tests.agents.support import here


def evaluated(folder: Path, *words) -> int:
    return here(evaluation.main, "--deals", 12, "--out", folder, *words)


def kept(folder: Path, name: str) -> list[DealRecord]:
    return [deal for _, deal in read_file(folder / name)]


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0"])
def test_all_deals_of_a_pair(env_id, tmp_path):
    """In every seating, with the points that the results have."""
    words = "--env", env_id, "--agents", "rules", "random", "--records", "--keep-deals"
    assert evaluated(tmp_path, *words) == 0
    deals, game = kept(tmp_path, "deals.jsonl"), make_game(env_id)
    seatings = games_in_pair(game, by_role=True)
    assert Counter(deal.number for deal in deals) == dict.fromkeys(range(12), seatings)
    for deal in deals:
        RecordReplay(game).check(deal)
    (pair,) = json.loads((tmp_path / "results.json").read_text())["pairs"]
    points = [deal.points[deal.players.index("rules")] for deal in deals if "rules" in deal.players]
    assert sum(points) / len(points) == pytest.approx(pair["mean"])
    assert not list(tmp_path.glob(".*.part"))


def test_the_costliest_deals_of_each_agent(tmp_path):
    """By what they brought it in the mean over its seats, the costliest first, in every seating."""
    assert evaluated(tmp_path, "--agents", "rules", "random", "--records", "--worst", 3) == 0
    deals, worst = kept(tmp_path, "deals.jsonl"), kept(tmp_path, "worst.jsonl")
    gains = Counter()
    for deal in deals:
        gains[deal.number] += deal.points[deal.players.index("rules")]
    dearest = sorted(gains, key=lambda number: (gains[number], number))[:3]
    best = sorted(gains, key=lambda number: (-gains[number], number))[:3]
    assert [deal.number for deal in worst] == [number for number in [*dearest, *best] for _ in range(2)]
    assert all(deal in deals for deal in worst)


def test_what_was_not_finished_is_not_kept(tmp_path):
    game = make_game("schnapsen_v0")
    file = tmp_path / "deals.jsonl"
    with Keeper(game, file):
        assert [path.name for path in tmp_path.iterdir()] == [".deals.jsonl.part"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--records"], "records needs a folder: add --out"),
        (["--worst", 3], "worst needs a folder: add --out"),
        (["--worst", -1], "worst: got -1; expected a whole number from 0"),
        (["--records", "--episode", "match", "--out", "x"], "got --episode match; expected deal"),
        (["--records", "--resume", "--out", "x"], "--resume: got it with --records; expected one of them"),
    ],
)
def test_wrong_words(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert here(evaluation.main, "--agents", "rules", "random", *words) == 2
    assert complaint in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

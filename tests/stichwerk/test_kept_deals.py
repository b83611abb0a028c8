"""`eval --records` and `--worst`: deals as records, and the costliest of each agent."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from stichwerk.agents.evaluation.keeper import Keeper
from stichwerk.agents.evaluation.matches import games_in_pair
from stichwerk.commands import eval as evaluation
from stichwerk.envs import CardGameEnv, make_game
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


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0"])
def test_all_deals_of_matches(env_id, tmp_path):
    """Each with the state of its match, in order: one that is set up leads to the next."""
    words = "--env", env_id, "--agents", "rules", "random", "--episode", "match", "--records", "--worst", 1
    assert evaluated(tmp_path, *words, "--deals", 3) == 0
    deals, game = kept(tmp_path, "deals.jsonl"), make_game(env_id)
    starts = [place for place, deal in enumerate(deals) if deal.number == 0]
    assert len(starts) == 3 * games_in_pair(game, by_role=False)
    env, won = CardGameEnv(env_id, episode="match"), []
    for deal, later in pairwise([*deals, None]):
        RecordReplay(game).check(deal)
        env.reset(options=deal.options())
        if later and later.number:
            assert (later.number, later.players) == (deal.number + 1, deal.players)
            assert (env.deals()[-1].match, env.deals()[-1].dealer) == (later.match, later.dealer)
        else:
            won.append(env.rewards[f"player_{deal.players.index('rules')}"])
    (pair,) = json.loads((tmp_path / "results.json").read_text())["pairs"]
    assert sum(won) / len(won) == pytest.approx(pair["mean"])
    worst = kept(tmp_path, "worst.jsonl")
    assert all(deal in deals for deal in worst)
    assert sum(deal.number == 0 for deal in worst) == 2 * games_in_pair(game, by_role=False)


def test_start_states_are_kept(tmp_path):
    words = "--env", "preferans_v0", "--agents", "rules", "random", "--records", "--start-states"
    assert evaluated(tmp_path, *words) == 0
    deals = kept(tmp_path, "deals.jsonl")
    assert len({str(deal.match) for deal in deals}) > 3
    for deal in deals:
        RecordReplay(make_game("preferans_v0")).check(deal)


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
        (["--records", "--resume", "--out", "x"], "--resume: got it with --records; expected one of them"),
    ],
)
def test_wrong_words(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert here(evaluation.main, "--agents", "rules", "random", *words) == 2
    assert complaint in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

"""`eval --records` and `--worst`: deals as records, and the costliest of each agent."""

import json
import signal
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from stichwerk.agents.evaluation.playing.keeper import Keeper
from stichwerk.agents.evaluation.playing.matches import games_in_pair
from stichwerk.commands import eval as evaluation
from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from tests.agents.support import command, here


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
    """By what they brought it, averaged over its seats, the costliest first, in every seating."""
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


def test_files_without_deals_are_taken_away(tmp_path):
    file = tmp_path / "deals.jsonl"
    with Keeper(make_game("schnapsen_v0"), file):
        assert [path.name for path in tmp_path.iterdir()] == ["deals.jsonl"]
    assert not list(tmp_path.iterdir())


DEADLY = """
import os, pathlib
import numpy as np
DEALS, AT = pathlib.Path("killed", "deals.jsonl"), int(os.environ.get("KILLED_AT", 10**9))

def make_agent(game):
    def act(observation, mask):
        if DEALS.exists() and DEALS.read_text().count('"event": "deal"') >= AT:
            os.kill(os.getpid(), 9)
        return int(np.flatnonzero(mask)[-1])
    return act
"""


@pytest.mark.parametrize(
    ("killed_at", "words"),
    [
        (30, ["--deals", 12, "--worst", 3]),  # in the second pair
        pytest.param(10, ["--deals", 12], marks=pytest.mark.slow),  # in the first one
        pytest.param(60, ["--deals", 12, "--env", "gaigel_v0"], marks=pytest.mark.slow),
        pytest.param(40, ["--deals", 4, "--episode", "match", "--worst", 1], marks=pytest.mark.slow),
    ],
)
def test_kill_9_and_resume(killed_at, words, module, tmp_path):
    """The deals that are over are in the file then, and the files come to the same bytes in the end."""
    module(DEADLY)
    words = ["--agents", "python:my_module:make_agent", "rules", "random", "--block", 3, "--records", *words]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert here(evaluation.main, *words, "--out", whole) == 0
    status, _, err = command("-m", "stichwerk", "eval", *words, "--out", "killed", KILLED_AT=str(killed_at))
    assert status == -signal.SIGKILL, err
    left = kept(killed, "deals.jsonl")
    assert len(left) >= killed_at
    assert left == kept(whole, "deals.jsonl")[: len(left)]
    with open(killed / "deals.jsonl", "a") as file:
        file.write('{"event": "deal", "dea')
    assert here(evaluation.main, *words, "--out", killed, "--resume") == 0
    names = {path.name for path in whole.iterdir()}
    assert {path.name for path in killed.iterdir()} == names
    for name in names - {"results.json", "report.html", ".lock"}:
        assert (killed / name).read_bytes() == (whole / name).read_bytes(), name
    pairs = [json.loads((each / "results.json").read_text())["pairs"] for each in (whole, killed)]
    assert pairs[0] == pairs[1]


def test_an_evaluation_that_fails_in_its_second_pair(module, tmp_path, capsys):
    """Its deals stay until the first pair of another one is over, and none goes on from what is damaged."""
    module("def make_agent(game):\n    return lambda observation, mask: 1 / 0\n")
    words = "--agents", "rules", "random", "python:my_module:make_agent"
    assert evaluated(tmp_path, *words, "--records") == 2
    file, results = tmp_path / "deals.jsonl", (tmp_path / "results.json").read_text()
    deals = file.read_text()
    assert len(kept(tmp_path, "deals.jsonl")) == 24
    for lines, more, complaint in (
        (20, ["--records"], "deals.jsonl: got 1 whole deals; expected 24, which were finished before"),
        (0, ["--records"], "deals.jsonl: got 0 whole deals; expected 24"),
        (10**4, [], "its records is True, here it must be None"),
        (10**4, ["--records", "--worst", 2], "its worst is None, here it must be 2"),
    ):
        file.write_text(left := "".join(deals.splitlines(keepends=True)[:lines]))
        capsys.readouterr()
        assert evaluated(tmp_path, *words, *more, "--resume") == 2
        assert complaint in capsys.readouterr().err
        assert (file.read_text(), (tmp_path / "results.json").read_text()) == (left, results)
    file.write_text(deals)
    assert evaluated(tmp_path, "--agents", *words[:1:-1], "--records", "--force") == 2
    assert file.read_text() == deals
    assert evaluated(tmp_path, "--agents", "random", "rules", "--records", "--force") == 0
    assert kept(tmp_path, "deals.jsonl")[0].players == ("random", "rules")
    assert not list(tmp_path.glob(".*.part"))

"""`stichwerk inspect regret --record`: the costly decisions of recorded deals, and their values."""

import re
from pathlib import Path

import numpy as np
import pytest

from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.regret import judge_deal, judge_decision
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.commands import eval as evaluation
from stichwerk.commands import show
from stichwerk.commands.inspect import regret
from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from tests.agents.support import here
from tests.envs.records.test_records import END, played
from tests.envs.support import over

FEW = "--worlds", 16


@pytest.fixture(scope="module")
def worst(tmp_path_factory) -> Path:
    """The costliest deals of the rule-based player and of one that plays at random."""
    folder = tmp_path_factory.mktemp("evaluation")
    words = "--agents", "rules", "random", "--deals", 12, "--worst", 2, "--out", folder
    assert here(evaluation.main, *words) == 0
    return folder / "worst.jsonl"


def test_an_evaluation_names_the_command(tmp_path, capsys):
    words = "--agents", "rules", "random", "--deals", 4, "--worst", 1, "--out", tmp_path
    assert here(evaluation.main, *words) == 0
    assert f"stichwerk inspect regret --record {tmp_path / 'worst.jsonl'}\n" in capsys.readouterr().out


def test_costly_decisions(worst, tmp_path, capsys):
    """The costliest first, with the moves that they name; the record gets the values, which `show` prints."""
    out = tmp_path / "judged.jsonl"
    assert here(regret.main, "--record", worst, "--most", 5, "--out", out, *FEW) == 0
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "±" in line]
    rows = [row for row in rows if len(row) == 6]
    deals = [deal for _, deal in read_file(worst)]
    judged = [deal for _, deal in read_file(out)]
    assert len(rows) == 5
    points = [float(row[-1].split()[0]) for row in rows]
    assert points == sorted(points, reverse=True)
    for deal, move, player, action, better, _ in rows:
        recorded = judged[int(deal) - 1]
        made = recorded.moves[int(move) - 1]
        assert (recorded.players[made.seat], made.action) == (player, action)
        assert better in made.values
    for before, after in zip(deals, judged, strict=True):
        assert before.options() == after.options()
        assert any(move.values for move in after.moves)
    assert here(show.main, out, "--deal", 1) == 0
    number, move = next((n, m) for n, m in enumerate(judged[0].moves, 1) if m.values)
    best = max(move.values, key=move.values.get)
    line = f"; move {number}, player_{move.seat} {move.action}: {best} {move.values[best]:+.2f}"
    text = capsys.readouterr().out
    assert line in text
    (tmp_path / "text").write_text(text)
    ((_, again),) = read_file(tmp_path / "text")
    assert again.options() == judged[0].options()
    assert here(show.main, out, "--deal", 1, "--step", number - 1) == 0
    assert re.search(rf"next +player_{move.seat} {move.action}: {best}", capsys.readouterr().out)
    assert here(show.main, out, "--html", tmp_path / "page.html") == 0
    assert f'["{best}","{move.values[best]:+.2f}"]' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0"])
def test_a_seats_record_has_its_own_decisions_judged(env_id):
    """No others: it does not know the cards behind them."""
    env = played(CardGameEnv(env_id), 4, END)
    (deal,) = env.deals()
    own = RecordReplay(env.game).for_seat(deal, 1)
    judge = RolloutPlayer("judge", env.game, worlds=4)
    judge.seed(1)
    known, _ = judge_deal(env.game, own, judge)
    assert {move.seat for move in known.moves if move.values} == {1}


def test_an_action_that_is_as_good_in_every_world_is_not_better():
    """Its mean may come out higher by rounding."""
    env = CardGameEnv("schnapsen_v0")
    judge = RolloutPlayer("judge", env.game, worlds=16)
    judge.seed(1)
    found = []
    for seed in range(8):
        env.reset(seed=seed)
        while not over(env):
            turn = Turns.at(env)
            actions = np.flatnonzero(turn.mask[0])
            if len(actions) > 1:
                decision = judge_decision(judge, turn.views, int(turn.all_seats[0]), actions, actions[0])
                if decision.better != actions[0]:
                    (better,) = decision.values[actions == decision.better]
                    found.append((better - decision.values[0], decision.margin))
            env.step(actions[0])
    assert found
    assert not [gain for gain, margin in found if abs(gain) < 1e-9 and margin == 0]


def test_a_record_is_replaced_where_that_is_asked_for(tmp_path):
    env = played(CardGameEnv("schnapsen_v0"), 4, END)
    record, out = tmp_path / "record.jsonl", tmp_path / "judged.jsonl"
    record.write_text(env.record())
    out.write_text("mine\n")
    assert here(regret.main, "--record", record, "--out", out, "--worlds", 2, "--force") == 0
    assert [deal.options() for _, deal in read_file(out)] == [deal.options() for deal in env.deals()]


class TwoActions(RolloutPlayer):
    """Has tried two actions out in four worlds."""

    def try_out(self, view, seat, actions, seed):
        return np.array([[0.0, 1.0], [0.0, -3.0], [0.0, 1.0], [0.0, -5.0]]), np.full(4, 1 / 4)


def test_half_of_the_worlds_choose_and_the_others_count():
    judge = TwoActions("judge", make_game("schnapsen_v0"), worlds=4)
    found = judge_decision(judge, None, 0, np.array([7, 9]), 7)
    assert (found.better, found.gain, found.values.tolist()) == (9, -4.0, [0.0, -1.5])

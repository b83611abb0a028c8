"""Action statistics is counted where they had a choice, and paid with what their deals brought."""

import csv

import numpy as np
import pytest

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.action_stats import action_kind, measure_actions
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.commands.inspect import actions as actions_command
from stichwerk.commands.inspect import regret as regret_command
from stichwerk.envs import make_game
from stichwerk.envs.games import OWN_GAMES as GAMES
from tests.agents.support import here, is_picture, nothing_changes

DEALS = 60


class Closer(Agent):
    """Closes as soon as it can; otherwise it plays at random."""

    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask.astype(float)
        mask[:, make_game("schnapsen_v0").action_index["close"]] *= 1e6
        return (self.random.random(mask.shape) * mask).argmax(axis=1)


def test_kinds():
    """Cards and suits do not count, bids do."""
    game = make_game("preferans_v0")
    kinds = {action_kind(action) for action in game.actions}
    assert {"play", "discard", "bid 2", "bid 8", "igra betl", "kontra", "pass"} <= kinds
    assert "play hA" not in kinds
    assert {"meld", "close"} < {action_kind(action) for action in make_game("schnapsen_v0").actions}


def test_what_is_always_done_is_chosen_always(game):
    statistics = measure_actions(game, Closer("closer"), RandomAgent("random"), DEALS, 1)
    found = {statistic.kind: statistic for statistic in statistics if not statistic.role}
    assert found["close"].chosen == 1
    assert found["close"].seats > DEALS / 2
    assert found["close"].offered <= 1, "a deal is closed once"
    assert found["claim"].chosen < 1


def test_points_are_those_of_the_deals(game):
    """The rule-based player claims when it has the goal: whoever has claimed has won one to three points."""
    player, other = RulesAgent("rules", game), RandomAgent("random")
    found = {statistic.kind: statistic for statistic in measure_actions(game, player, other, DEALS, 1)}
    claim = found["claim"]
    assert 1 < claim.low < claim.mean < claim.high < 3
    pair = play_pair(game, player, other, Series(DEALS, 1))
    lost = 2 * DEALS - claim.seats  # and the others have lost as much, if they have not won without a claim
    assert pair.mean <= (claim.mean * claim.seats + 3 * lost) / (2 * DEALS)
    assert found["play"].seats <= 2 * DEALS


def test_intervals_are_over_deals(game):
    """A player against itself wins in one seating what it loses in the other. Nearly every seat plays cards,
    so hardly anything is left of that; over single games the margin would be 0.15."""
    statistics = measure_actions(game, RulesAgent("rules", game), RulesAgent("rules", game), 300, 1)
    play = next(statistic for statistic in statistics if statistic.kind == "play")
    assert 0.96 * 600 < play.seats < 600
    assert 0 < play.mean - play.low < 0.06


def test_command(capsys):
    words = "--env", "schnapsen_v0", "--agents", "rules", "random", "--deals", 20
    assert here(actions_command.main, *words) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("close", "claim", "random", "all seats"))


def test_roles():
    """Each seat that chose something is counted under the one of these roles that it had."""
    player = RandomAgent("random")
    statistics = measure_actions(make_game("preferans_v0"), player, RandomAgent("random"), 40, 1)
    seats = {(statistic.role, statistic.kind): statistic.seats for statistic in statistics}
    for kind in ("pass", "come", "kontra", "declare 6"):
        parts = [seats.get((role, kind), 0) for role in ("declarer", "defender", "stayed out", "all pass")]
        assert sum(parts) == seats["", kind] > 0
    assert ("declarer", "come") not in seats, "it is never asked"
    assert seats["declarer", "declare 6"] > 0
    assert ("stayed out", "kontra") not in seats


def test_files_of_statistics_have_words_for_codes(tmp_path, capsys):
    words = "rules", "dice=random", "--env", "preferans_v0", "--deals", 4, "--out", tmp_path / "out"
    assert here(actions_command.main, *words) == 0
    out = capsys.readouterr().out
    assert "declare spades" in out
    assert "declare 2" not in out
    rows = list(csv.DictReader((tmp_path / "out" / "actions.csv").open()))
    assert {row["agent"] for row in rows} == {"rules", "dice"}
    said = {row["action"]: row["words"] for row in rows}
    assert said["declare 2"] == "declare spades"
    assert said["pass"] == "pass"
    assert 0 <= float(rows[0]["chosen"]) <= 1
    assert is_picture(tmp_path / "out" / "actions.svg")
    with nothing_changes(tmp_path):
        assert here(actions_command.main, *words) == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize("env_id", GAMES)
def test_words_are_for_actions_that_there_are(env_id):
    game = make_game(env_id)
    assert {*game.spec.action_words} <= {action_kind(action) for action in game.actions}


def test_files_of_regrets(tmp_path):
    words = "--deals", 4, "--worlds", 4, "--out", tmp_path / "out"
    assert here(regret_command.main, *words) == 0
    rows = list(csv.DictReader((tmp_path / "out" / "regret.csv").open()))
    assert {bool(row["phase"]) for row in rows} == {True, False}
    for row in rows:
        kind = row["kind"].replace("_", " ")
        phase = row["phase"].lower().replace("_", " ")
        assert row["decision"].startswith(f"{phase}: ") if phase else row["decision"] == kind
        assert float(row["low"]) <= float(row["mean"]) <= float(row["high"])
    assert is_picture(tmp_path / "out" / "regret.svg")

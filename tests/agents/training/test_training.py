"""Training from end to end, in processes of its own: what a run leaves behind, and that no interruption
changes it."""

import hashlib
import json
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import yaml
from filelock import FileLock
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from stable_baselines3.common.utils import set_random_seed

from stichwerk.agents import make_agent, make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.evaluation.reports.report import read_results
from stichwerk.agents.networks.saved import read_network
from stichwerk.agents.networks.tensors import out_of_memory
from stichwerk.agents.provenance import provenance, training_hash
from stichwerk.agents.training.callback import chance_of_its_own
from stichwerk.agents.training.config import TrainConfig, baselines
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.learner import Learner
from stichwerk.commands import train
from stichwerk.envs import InputError, make_game
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.support.files import LOCK, held_folder
from stichwerk.support.numbers import in_points
from tests.agents.support import (
    SMALL,
    Onlooker,
    after_step,
    assert_same_run,
    command,
    complaints,
    ctrl_c_after,
    here,
    is_picture,
    nothing_changes,
    read_rows,
    rewrite,
    running,
    set_nan,
    timeless,
    write_config,
)
from tests.envs.support import few

UPDATE = SMALL["lanes"] * SMALL["steps"]
END = 24 * UPDATE


# What a run leaves behind


def test_run_folder(finished):
    assert {path.name for path in finished.iterdir()} == {
        "config.yaml", "metrics.jsonl", "tensorboard", "checkpoint.safetensors",
        "best", "last", "results.json", "curve.svg", "report.html", ".lock",
    }  # fmt: skip
    for network in (finished / "best", finished / "last"):
        assert {path.name for path in network.iterdir()} == {"manifest.json", "weights.safetensors"}
    (events,) = (finished / "tensorboard").iterdir()
    assert events.stat().st_size > 1000
    assert is_picture(finished / "curve.svg")


def test_run_keeps_its_config(finished):
    kept = load_config(finished / "config.yaml")
    assert kept.as_dict() == load_config(finished.parent / "small.yaml").as_dict()
    written = yaml.safe_load((finished / "config.yaml").read_text())
    assert written["ppo"]["decisions"] == SMALL["decisions"]
    assert written["pool"]["opponents"] == {"latest": 0.5, "past": 0.25, "rules": 0.25}
    assert "device" not in written["execution"]


def test_a_run_folder_of_version_0_2_is_read(finished, tmp_path, capsys):
    """Its config has no groups, mappings as texts and old names."""
    run = shutil.copytree(finished, tmp_path / "run")
    old = {"lr_final_fraction": "rate_left", "start_states": "situations", "imitation_agent": "teacher"}
    values = load_config(run / "config.yaml").flat()
    assert values["opponents"] == "{latest: 0.5, past: 0.25, rules: 0.25}"
    flat = {"version": 1} | {old.get(name, name): value for name, value in values.items()}
    (run / "config.yaml").write_text(yaml.safe_dump(flat))
    assert here(train.main, finished.parent / "small.yaml", "--run", run, "--resume") == 0
    assert "was finished before" in capsys.readouterr().out


def test_metrics(finished):
    rows = read_rows(finished)
    updates = [row for row in rows if row["kind"] == "update"]
    evaluations = [row for row in rows if row["kind"] == "evaluation"]
    assert len(rows) == len(updates) + len(evaluations)
    assert [row["decisions"] for row in updates] == list(range(UPDATE, END + 1, UPDATE))
    assert [row["decisions"] // UPDATE for row in evaluations] == [5, 10, 15, 20, 24]
    for speed in ("decisions_per_second", "games_per_second", "processor_seconds"):
        assert all(row[speed] > 0 for row in updates)
    for name in (
        "kl",
        "explained_variance",
        "policy_loss",
        "value_loss",
        "negative_entropy",
        "learning_rate",
    ):
        assert len({row[name] for row in updates}) > 12, f"{name} changes as the policy does"
    assert {row["entropy_weight"] for row in updates} == {0.08}
    rates = [row["learning_rate"] for row in updates]
    assert rates == sorted(rates, reverse=True)
    assert rates == pytest.approx([4e-3 * (1 - update / 24) for update in range(24)])
    for row in evaluations:
        assert all(
            row[f"{name}_low"] <= row[f"{name}_mean"] <= row[f"{name}_high"]
            for name in ("rules:0.1", "random")
        )


def test_manifest(finished, game):
    for name in ("best", "last"):
        manifest = json.loads((finished / name / "manifest.json").read_text())
        assert manifest == {
            "format": 1,
            "env": "schnapsen_v0",
            "rules": game.rules.as_dict(),
            "observation": "summary",
            "schema": game.encoding("summary").schema,
            "actions": len(game.actions),
            "widths": [16],
            "greedy": True,
            "decisions": manifest["decisions"],
            "updates": manifest["decisions"] // UPDATE,
            "seed": 1,
            "sha256": hashlib.sha256((finished / name / "weights.safetensors").read_bytes()).hexdigest(),
        }
    assert manifest["decisions"] == END


def kept_evaluation(folder: Path) -> dict:
    """That of the last network whose interval reached the highest mean until then."""
    rows = [row for row in read_rows(folder) if row["kind"] == "evaluation"]
    highest = np.maximum.accumulate([row["rules:0.1_mean"] for row in rows])
    return [row for row, mean in zip(rows, highest, strict=True) if row["rules:0.1_high"] >= mean][-1]


def test_the_best_network_is_chosen_by_the_validation_deals(finished, game):
    best = kept_evaluation(finished)
    agent = make_agent(f"ppo:{finished / 'best'}", "schnapsen_v0")
    assert read_network(finished / "best", game).manifest["decisions"] == best["decisions"]
    result = play_pair(
        game, agent, RulesAgent("rules:0.1", game, "0.1"), Series(SMALL["evaluate_deals"], 1, Use.VALIDATION)
    )
    assert (result.mean, result.low, result.high) == (
        best["rules:0.1_mean"],
        best["rules:0.1_low"],
        best["rules:0.1_high"],
    )


def test_a_network_that_is_clearly_behind_is_not_kept(tmp_path, game):
    """This one begins strong, and forgets all in steps that are far too large."""
    begin = {"init": "ppo:schnapsen-0.1", "widths": [256, 256], "opponents": "{random: 1}"}
    config = write_config(
        tmp_path, **begin, learning_rate=1, decisions=2 * UPDATE, evaluate_every=1, evaluate_deals=100
    )
    assert here(train.main, config, "--run", tmp_path / "run") == 0
    before, *after = (row for row in read_rows(tmp_path / "run") if row["kind"] == "evaluation")
    assert all(row["rules:0.1_high"] < before["rules:0.1_low"] for row in after)
    assert read_network(tmp_path / "run" / "best", game).manifest["decisions"] == before["decisions"] == 0
    assert read_network(tmp_path / "run" / "last", game).manifest["decisions"] == 2 * UPDATE


def test_results_are_those_of_the_best_network_on_other_deals(finished, game):
    results = json.loads((finished / "results.json").read_text())
    origin = provenance(game)
    own = {"env", "rules", "seed", "start_states", "run_codes", "learned_on", "pairs"}
    assert results.keys() == {*own, *origin}
    assert results.items() >= origin.items()
    assert results["run_codes"] == [training_hash(game, ["rules", *baselines(game)])]
    (place,) = results["learned_on"]
    assert (place["device"], place["torch"]) == ("cpu", torch.__version__)
    assert (results["env"], results["rules"], results["seed"]) == ("schnapsen_v0", game.rules.as_dict(), 1)
    agent = make_agent(f"ppo:{finished / 'best'}", "schnapsen_v0")
    for entry, baseline in zip(
        results["pairs"], (RulesAgent("rules:0.1", game, "0.1"), RandomAgent("random")), strict=True
    ):
        again = play_pair(game, agent, baseline, Series(SMALL["final_deals"], 1, Use.TEST))
        assert entry == {**vars(again), "a": "ppo", "roles": []}


DRAWING = """
import torch

def make_agent(game):
    return lambda observation, mask: int((torch.rand(len(mask)).numpy() * mask).argmax())
"""


def test_opponents_of_evaluations_change_nothing_else(finished, tmp_path, monkeypatch, capsys):
    """Nor do networks among them, which draw weights when they are made, or custom agents that draw from the
    learner's chance. A run goes on with others, or with none, and meets new ones also after its end."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "drawing.py").write_text(DRAWING)
    measured = {"ppo:schnapsen-0.1": 10, "rollout:worlds=2": 6, "python:drawing:make_agent": 4}
    words = write_config(tmp_path, measured_against=measured), "--run", tmp_path / "run"
    with ctrl_c_after(3):
        assert here(train.main, *words, "--measured_against", "") == 130
    assert "--resume" in capsys.readouterr().out
    assert here(train.main, *words, "--resume") == 0
    for name in ("best", "last"):
        weights = (folder / name / "weights.safetensors" for folder in (finished, tmp_path / "run"))
        assert len({file.read_bytes() for file in weights}) == 1
    rows, fewer = (timeless(read_rows(folder)) for folder in (tmp_path / "run", finished))
    names = {f"{name}_{end}" for name in measured for end in ("mean", "low", "high")}
    assert [{name: row[name] for name in row if name not in names} for row in rows] == fewer
    assert sum(names <= row.keys() for row in rows) == 5
    played = {result.b: result.deals for result in read_results(tmp_path / "run" / "results.json")}
    assert played == {"rules:0.1": SMALL["final_deals"], "random": SMALL["final_deals"], **measured}
    assert capsys.readouterr().out.count(" ± ") == 1 + 2 * len(played), "heading and each one's intervals"
    assert here(train.main, *words, "--resume", "--measured_against", "{rules: 4}") == 0
    played = {result.b: result.deals for result in read_results(tmp_path / "run" / "results.json")}
    assert played == {"rules:0.1": SMALL["final_deals"], "random": SMALL["final_deals"], "rules": 4}


def test_evaluations_have_a_chance_of_their_own():
    def draw() -> tuple[float, ...]:
        return float(torch.rand(1)), np.random.randn(), random.gauss(0, 1), random.random()

    set_random_seed(1)
    expected = [draw(), draw()]
    set_random_seed(1)
    first = draw()
    with chance_of_its_own():
        draw()
    assert [first, draw()] == expected


def test_weights_fall_to_the_share_that_is_left():
    config = TrainConfig.of(
        learning_rate=0.4, lr_final_fraction=0.5, entropy_final_fraction=0.0, rollout_final_fraction=0.5
    )
    lefts = (1, 0.75, 0.5, 0.25)
    assert [config.ppo.learning_rates.at(left) for left in lefts] == pytest.approx([0.4, 0.35, 0.3, 0.25])
    assert [config.ppo.entropies.at(left) for left in lefts] == pytest.approx([0.08, 0.06, 0.04, 0.02])
    rollout_weights = config.rollout_targets.rollout_weights
    assert [rollout_weights.at(left) for left in lefts] == pytest.approx([0.5, 0.4375, 0.375, 0.3125])


def test_a_mapping_is_the_same_however_it_is_written():
    """So a run that was begun from the command line goes on from a file that says the same."""
    config = TrainConfig.of(
        opponents='{rules:  0.5, "latest": 0.5}', rules="{claims: auto, preset: schnapsen}"
    )
    assert config == TrainConfig.of(
        opponents="{latest: 0.5, 'rules': 0.5}", rules='{"preset": schnapsen, claims: auto}'
    )
    assert TrainConfig.of(rules="schnapsen_tournament").game.rules == "schnapsen_tournament"


def test_a_run_begins_with_another_network(finished, tmp_path, capsys):
    words = "--run", tmp_path / "run", "--init", f"ppo:{finished / 'last'}"
    config = write_config(tmp_path, decisions=UPDATE, learning_rate=1e-9)
    assert here(train.main, config, *words) == 0
    first = read_network(finished / "last", make_game("schnapsen_v0")).arrays
    last = read_network(tmp_path / "run" / "last", make_game("schnapsen_v0")).arrays
    for name, array in first.items():
        np.testing.assert_allclose(array, last[name], rtol=0, atol=1e-6)


def test_a_network_of_any_rules_begins_with_one_of_fewer_features(finished, tmp_path):
    """It plays as that one does: what it sees besides has no weight yet."""
    config = write_config(tmp_path, decisions=UPDATE, observation="rules", learning_rate=1e-9)
    assert here(train.main, config, "--run", tmp_path / "run", "--init", f"ppo:{finished / 'last'}") == 0
    game = make_game("schnapsen_v0")
    agents = [make_agent(f"ppo:{folder}/last", "schnapsen_v0") for folder in (finished, tmp_path / "run")]
    lanes = Lanes(game, 50)
    lanes.start()
    one, other = (
        agent.log_probabilities(Turns.of(lanes, lanes.all).observation(game, agent.observation), lanes.mask)
        for agent in agents
    )
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_run_goes_on_without_the_network_that_it_began_with(finished, tmp_path):
    source = shutil.copytree(finished / "last", tmp_path / "source")
    words = "--run", tmp_path / "run", "--init", f"ppo:{source}"
    config = write_config(tmp_path, decisions=UPDATE)
    assert here(train.main, config, *words) == 0
    shutil.rmtree(source)
    assert here(train.main, config, *words, "--decisions", 2 * UPDATE, "--resume") == 0
    assert read_rows(tmp_path / "run")[-1]["decisions"] == 2 * UPDATE


def test_imitation_plays_the_first_decisions(tmp_path):
    """And the network learns them, until it plays for itself."""
    config = write_config(tmp_path, decisions=8 * UPDATE, learning_rate=0.01, opponents="{latest: 1}", seed=3)
    taught = "--imitation-agent", "rules:0.1", "--imitation-decisions", 8 * UPDATE
    agree = []
    for name, words in (("imitation_decisions", taught), ("alone", ())):
        assert here(train.main, config, "--run", tmp_path / name, *words) == 0
        teacher = Onlooker(make_agent("rules:0.1", "schnapsen_v0"))
        play_pair(game := make_game("schnapsen_v0"), teacher, RandomAgent("random"), Series(50, 1))
        turns, moves = teacher.seen()
        pupil = make_agent_for(f"ppo:{tmp_path / name / 'last'}", game)
        agree.append(np.mean(pupil.act(turns) == moves))
    assert agree[0] > agree[1] + 0.1
    rows = [row for row in read_rows(tmp_path / "imitation_decisions") if row["kind"] == "update"]
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"], "the surprise at his moves"


def test_imitation_goes_on_where_it_was_stopped(tmp_path):
    """Also of an agent with chance of its own, and into the time after it."""
    lessons = {"imitation_agent": "random", "imitation_decisions": 3 * UPDATE}
    words = write_config(tmp_path, decisions=4 * UPDATE, **lessons), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    assert_a_break_changes_nothing(words, tmp_path, 2)


def test_rollout_targets_go_on_where_they_were_stopped(tmp_path):
    advice = {"rollout_policy": "rules:0.1", "rollout_final_fraction": 0.5}
    words = write_config(tmp_path, decisions=4 * UPDATE, **advice), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    assert_a_break_changes_nothing(words, tmp_path, 2)
    weights = [row["rollout_weight"] for row in read_rows(tmp_path / "whole") if row["kind"] == "update"]
    assert weights == pytest.approx([0.5 * (1 - number / 8) for number in range(4)])


def test_lanes_of_many_rules_go_on_where_they_were_stopped(tmp_path):
    """Also in the middle between two draws of rules, some of which have smaller packs."""
    shares = "{given: 0.2, defaults: 0.2, singles: 0.2, random: 0.4}"
    rules = {"observation": "rules", "rule_shares": shares, "rules_every": 3, "rollout_policy": "rules:0.1"}
    opponents = "{latest: 0.4, past: 0.2, random: 0.2, 'rules:0.1': 0.2}"
    config = write_config(tmp_path, decisions=8 * UPDATE, opponents=opponents, **rules)
    assert here(train.main, config, "--run", tmp_path / "whole") == 0
    assert_a_break_changes_nothing((config, "--run"), tmp_path, 5)
    for env_id, preset in (("schnapsen_v0", "schnapsen_vu"), ("sixty_six_v0", "sixty_six_greek")):
        assert make_agent(f"ppo:{tmp_path / 'whole' / 'best'}", env_id, preset)


def test_an_own_player_with_pythons_chance_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    (tmp_path / "chancy.py").write_text(
        "import random\n"
        "def make_agent(game):\n"
        "    return lambda observation, mask: random.choice(mask.nonzero()[0])\n"
    )
    monkeypatch.chdir(tmp_path)
    opponents = "{latest: 0.5, 'python:chancy:make_agent': 0.5}"
    words = write_config(tmp_path, decisions=4 * UPDATE, opponents=opponents), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    assert_a_break_changes_nothing(words, tmp_path, 2)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there(finished, tmp_path, capsys):
    """It is named before anything is written; `auto` does with what there is, and is the same run."""
    with nothing_changes(tmp_path):
        assert here(train.main, finished.parent / "small.yaml", "--run", tmp_path, "--device", "cuda") == 2
    err = capsys.readouterr().err
    assert err == "error: device: got 'cuda', but torch finds no GPU here; expected cpu or auto\n"
    words = "--run", finished, "--resume", "--device", "auto"
    with nothing_changes(finished.parent):
        assert here(train.main, finished.parent / "small.yaml", *words) == 0


def test_a_finished_run_goes_on_to_more_decisions(finished, tmp_path):
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    config = write_config(tmp_path, decisions=END + 2 * UPDATE)
    assert here(train.main, config, "--run", run, "--resume") == 0
    longer, before = timeless(read_rows(run)), timeless(read_rows(finished))
    assert longer[: len(before)] == before
    added = [(row["kind"], row["decisions"] - END) for row in longer[len(before) :]]
    both = "update", "evaluation"
    assert added == [(kind, number * UPDATE) for number in (1, 2) for kind in both]
    assert load_config(run / "config.yaml").ppo.decisions == END + 2 * UPDATE
    assert (run / "last/weights.safetensors").read_bytes() != (
        finished / "last/weights.safetensors"
    ).read_bytes()
    assert (run / "results.json").stat().st_mtime > (finished / "results.json").stat().st_mtime


def test_a_run_goes_on_with_the_same_shares_written_otherwise(tmp_path):
    config, run = write_config(tmp_path, decisions=UPDATE, opponents={"random": 1}), tmp_path / "run"
    assert here(train.main, config, "--run", run) == 0
    words = config, "--run", run, "--resume", "--opponents", "{random: 1.0}"
    with nothing_changes(tmp_path):
        assert here(train.main, *words) == 0
    assert here(train.main, *words, "--decisions", 2 * UPDATE) == 0
    assert read_rows(run)[-1]["decisions"] == 2 * UPDATE


def test_a_lost_checkpoint_is_not_replaced_by_a_new_run(finished, tmp_path, capsys):
    """Nor a lost network, or a checkpoint of another version, whether the run is over or not."""
    config = write_config(tmp_path)
    further = "--run", tmp_path / "run", "--resume", "--decisions", 2 * SMALL["decisions"]
    for what, fault in (
        (lambda run: (run / "checkpoint.safetensors").unlink(), "has lost its checkpoint.safetensors"),
        (lambda run: [(run / name).unlink() for name in ("checkpoint.safetensors", "results.json")], "lost"),
        (
            lambda run: shutil.rmtree(run / "best"),
            f"network {tmp_path / 'run' / 'best'}: got no manifest.json",
        ),
        (of_another_version, "was made by another version, it is of another format: the run cannot continue"),
    ):
        what(Path(shutil.copytree(finished, tmp_path / "run")))
        with nothing_changes(tmp_path):
            assert here(train.main, config, *further) == 2
        err = capsys.readouterr().err
        assert fault in err
        assert err.count("\n") == 1
        shutil.rmtree(tmp_path / "run")


def of_another_version(run: Path) -> None:
    path = run / "checkpoint.safetensors"
    with safe_open(path, "pt") as file:
        about = file.metadata()
    save_file(load_file(path), path, {**about, "format": "6"})


def test_a_tracker_that_cannot_begin_leaves_a_finished_run_alone(finished, tmp_path, monkeypatch, capsys):
    def init(**settings):
        raise RuntimeError("no network")

    monkeypatch.setitem(sys.modules, "trackio", SimpleNamespace(init=init))
    config, run = write_config(tmp_path), Path(shutil.copytree(finished, tmp_path / "run"))
    words = "--run", run, "--resume", "--tracker", "trackio", "--decisions", 2 * SMALL["decisions"]
    with nothing_changes(tmp_path):
        assert here(train.main, config, *words) == 2
    assert capsys.readouterr().err.startswith("error: tracker trackio: RuntimeError: no network")


def test_a_run_that_has_not_learned_anything_yet_goes_on(tmp_path, monkeypatch):
    """The first moves of Preferans are often lone ones, of which nothing is learned."""
    few = {
        "lanes": 2,
        "steps": 1,
        "minibatches": 1,
        "past_size": 0,
        "decisions": 30,
        "opponents": "{latest: 1}",
    }
    words = write_config(tmp_path, env="preferans_v0", **few, evaluate_deals=4, final_deals=4), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    checkpoint = load_file(tmp_path / "whole" / "checkpoint.safetensors")
    assert {"optimizer.0.exp_avg", "optimizer.0.exp_avg_sq"} <= checkpoint.keys()


def test_seeds_without_a_number(tmp_path, capsys):
    config = write_config(tmp_path)
    for words in (["--seeds"], ["--seeds="], ["--execution.seeds", ""]):
        with nothing_changes(tmp_path):
            assert here(train.main, config, "--run", tmp_path / "run", *words) == 2
        assert capsys.readouterr().err == "error: --seeds: got no value; expected one or more\n"


def test_a_file_is_no_run_folder(tmp_path, capsys):
    config = write_config(tmp_path)
    with nothing_changes(tmp_path):
        assert here(train.main, config, "--run", config, "--resume") == 2
    assert capsys.readouterr().err == f"error: run folder {config} is a file: choose another with --run\n"


def test_several_seeds(finished, tmp_path, capsys):
    """Each is the run that its seed alone gives; together they are a picture and a table."""
    words = write_config(tmp_path), "--run", tmp_path / "runs", "--seeds"
    with nothing_changes(tmp_path):
        assert here(train.main, *words, "1", "2", "--measured_against", "{human: 4}") == 2
    assert capsys.readouterr().err.count("'human'") == 1, "before the first begins"
    assert here(train.main, *words, "1", "2") == 0
    assert_same_run(tmp_path / "runs" / "1", finished)
    assert is_picture(tmp_path / "runs" / "curves.svg")
    assert "In the mean of" in (tmp_path / "runs" / "report.html").read_text()
    rows = [row for row in capsys.readouterr().out.splitlines() if re.match(r"│ +[12] │", row)]
    for row, seed in zip(rows, "12", strict=True):
        pair = json.loads((tmp_path / "runs" / seed / "results.json").read_text())["pairs"][0]
        assert in_points(pair["mean"], pair["mean"] - pair["low"]) in row
    with nothing_changes(tmp_path):
        assert here(train.main, *words, "3", "1") == 2, "before seed 3 begins: that of seed 1 is there"
        assert here(train.main, words[0], "--run", finished, "--resume", "--seeds", "1") == 2
    assert "got a run folder; expected a new one, or a seeds folder" in capsys.readouterr().err


def test_a_network_that_is_no_longer_finite_ends_the_run(tmp_path, capsys):
    config = write_config(tmp_path, opponents="{random: 1}", checkpoint_every=1, evaluate_every=100)
    with after_step(2 * SMALL["minibatches"], set_nan):
        assert here(train.main, config, "--run", tmp_path / "run") == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"no longer finite after {2 * UPDATE} decisions" in err
    assert "learning_rate" in err


def test_a_stop_is_heard_although_the_run_has_ended_badly(tmp_path, capsys):
    with ctrl_c_after(1), after_step(SMALL["minibatches"], set_nan):
        assert here(train.main, write_config(tmp_path), "--run", tmp_path / "run") == 130
    out, err = capsys.readouterr()
    assert "the same command with --resume begins again: there is no checkpoint yet" in out
    assert err == ""


def test_torch_without_memory():
    with pytest.raises(MemoryError, match="allocate"), out_of_memory():
        torch.empty(1 << 50)
    with pytest.raises(RuntimeError, match="something else"), out_of_memory():
        raise RuntimeError("something else")


# Again


def test_another_seed_gives_another_run(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert here(train.main, write_config(tmp_path, decisions=2 * UPDATE), "--seed", 2) == 0
    other = tmp_path / "runs" / "small-2"
    assert (other / "last/weights.safetensors").read_bytes() != (
        finished / "last/weights.safetensors"
    ).read_bytes()
    assert timeless(read_rows(other))[0] != timeless(read_rows(finished))[0]


def test_a_finished_run_is_shown_and_left_alone(finished, capsys):
    with nothing_changes(finished.parent):
        assert here(train.main, finished.parent / "small.yaml", "--run", finished, "--resume") == 0
    out = capsys.readouterr().out
    pair = json.loads((finished / "results.json").read_text())["pairs"][0]
    assert in_points(pair["mean"], pair["mean"] - pair["low"]) in out
    assert f"ppo:{finished / 'best'}" in out


@pytest.mark.parametrize(
    ("episode", "observation"), few(1, [("match", "history"), ("deal", "history"), ("match", "summary")])
)
def test_other_configs_learn_too(tmp_path, episode, observation):
    shape = {
        "episode": episode,
        "observation": observation,
        "opponents": "{random: 1}",
        "epochs": 2,
        "widths": [8, 8],
    }
    config = write_config(
        tmp_path,
        **shape,
        env="sixty_six_v0",
        rules={"claims": "auto"},
        decisions=3 * UPDATE,
        evaluate_every=2,
    )
    assert here(train.main, config, "--run", tmp_path / "run") == 0
    make_agent(f"ppo:{tmp_path / 'run' / 'best'}", "sixty_six_v0", {"claims": "auto"})
    assert json.loads((tmp_path / "run" / "best" / "manifest.json").read_text())["observation"] == observation


# One folder, one training, one code


@pytest.mark.slow
def test_two_started_at_the_same_moment(finished, tmp_path):
    """One of them trains; the other says so and changes nothing."""
    config, run = write_config(tmp_path), tmp_path / "run"
    with (
        running("train.py", config, "--run", run, cwd=tmp_path) as one,
        running("train.py", config, "--run", run, "--resume", cwd=tmp_path) as two,
    ):
        ends = [process.communicate(timeout=300) for process in (one, two)]
    refused, trained = sorted(zip((one, two), ends, strict=True), key=lambda each: -each[0].returncode)
    assert (refused[0].returncode, trained[0].returncode) == (2, 0)
    assert refused[1][1].startswith("error: run folder ")
    assert refused[1][1].count("\n") == 1
    assert trained[1][1] == ""
    assert_same_run(run, finished)


class MadeByAnother(type(Path())):
    """The path of a folder that another process makes and holds as soon as somebody has seen it missing."""

    def exists(self, **options) -> bool:
        there = super().exists(**options)
        if not there:
            self.mkdir()
            self.lock.acquire()
        return there

    @cached_property
    def lock(self) -> FileLock:
        return FileLock(self / LOCK, is_singleton=False)


def test_a_folder_that_another_has_just_made(tmp_path):
    """Between the look whether it is there and the lock: who is refused leaves it to the other."""
    path = MadeByAnother(tmp_path / "run")
    for _ in range(2):
        with pytest.raises(InputError, match="in use"), held_folder(path, "run"):
            pass
        assert (path / LOCK).is_file()
    path.lock.release()
    with held_folder(path, "run"):
        pass


def test_a_start_that_fails_leaves_no_folder(tmp_path, capsys):
    config, run = write_config(tmp_path), tmp_path / "deep" / "run"
    with nothing_changes(tmp_path), no_large_files():
        assert here(train.main, config, "--run", run) == 2
    assert capsys.readouterr().err == f"error: {run / 'config.yaml'}: File too large\n"


def test_an_opponent_that_fails_in_the_first_rollout_leaves_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "failing.py").write_text("def make_agent(game):\n    return lambda seen, mask: 1 // 0\n")
    config, run = (
        write_config(tmp_path, opponents={"python:failing:make_agent": 1}),
        tmp_path / "deep" / "run",
    )
    with nothing_changes(tmp_path):
        assert here(train.main, config, "--run", run) == 2
    assert "agent python:failing:make_agent crashed" in capsys.readouterr().err


@contextmanager
def no_large_files() -> Iterator[None]:
    """No file of this process gets more than a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_names_the_file(tmp_path, capsys):
    run = tmp_path / "run"
    run.mkdir()
    (run / ".last.part").touch()
    config = write_config(tmp_path, decisions=UPDATE)
    (run / ".checkpoint.safetensors.part").symlink_to("/dev/full")
    assert here(train.main, config, "--run", run) == 2
    assert capsys.readouterr().err == f"error: {run / 'checkpoint.safetensors'}: No space left on device\n"


def test_other_code_is_noticed(finished, tmp_path, capsys):
    config, run = write_config(tmp_path), Path(shutil.copytree(finished, tmp_path / "run"))
    (present,) = json.loads((finished / "results.json").read_text())["run_codes"]
    assert here(train.main, config, "--run", run, "--resume") == 0, "results need no code any more"
    assert "was finished before; delete it" in capsys.readouterr().out
    made_elsewhere(run)
    assert here(train.main, config, "--run", run, "--resume") == 0
    assert "was finished before, by other code than the present one; delete it" in capsys.readouterr().out
    beyond = "--decisions", 2 * SMALL["decisions"]
    with nothing_changes(tmp_path):
        assert here(train.main, config, "--run", run, "--resume", *beyond) == 2
    err = capsys.readouterr().err
    assert "--other-code" in err
    assert f"(another one, now {present})" in err
    assert err.count("\n") == 1
    assert here(train.main, config, "--run", run, "--resume", "--other-code", *beyond) == 0
    assert json.loads((run / "results.json").read_text())["run_codes"] == ["another one", present]


def made_elsewhere(run: Path) -> None:
    """Rewrite a finished run as one that other code has made on another machine."""

    def change(facts: dict) -> None:
        facts["learned_on"][0]["machine"] = "another machine"

    def change_checkpoint(tensors: dict, facts: dict) -> None:
        facts["codes"] = ["another one"]
        change(facts)

    rewrite(run / "checkpoint.safetensors", change_checkpoint)
    results = json.loads((run / "results.json").read_text())
    results["run_codes"] = ["another one"]
    change(results)
    (run / "results.json").write_text(json.dumps(results))


def test_what_a_run_has_learned_by_and_on_is_kept(finished, tmp_path, capsys):
    """It is measured again by whatever code and on whatever machine, and remains what it is; learning on
    elsewhere is written down."""
    config, run = write_config(tmp_path), Path(shutil.copytree(finished, tmp_path / "run"))
    made_elsewhere(run)
    here_too = json.loads((finished / "results.json").read_text())["learned_on"]
    before = json.loads((run / "results.json").read_text())
    assert here(train.main, config, "--run", run, "--resume", "--measured_against", "{rules: 4}") == 0
    results = json.loads((run / "results.json").read_text())
    for name in ("run_codes", "learned_on"):
        assert results[name] == before[name]
    more = "--other-code", "--decisions", END + UPDATE
    assert here(train.main, config, "--run", run, "--resume", *more) == 0
    assert "several commits, machines or versions" in capsys.readouterr().out
    learned_on = json.loads((run / "results.json").read_text())["learned_on"]
    assert learned_on == [*before["learned_on"], *here_too]


# Interruptions


def wait_for(process: subprocess.Popen, folder: Path, decisions: int) -> None:
    """Until the run has written its metrics up to so many decisions."""
    metrics, begun = folder / "metrics.jsonl", time.monotonic()
    while not metrics.exists() or not any(
        f'"decisions": {end},' in metrics.read_text() for end in range(decisions, END + 1, UPDATE)
    ):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - begun < 60, "no such metrics after a minute"
        time.sleep(0.005)


def assert_whole(folder: Path) -> None:
    """Every file is readable as it stands; only the metrics may end in a line cut off."""
    load_config(folder / "config.yaml")
    for line in (folder / "metrics.jsonl").read_text().split("\n")[:-1]:
        json.loads(line)
    for path in folder.rglob("*.json"):
        json.loads(path.read_text())
    for path in folder.rglob("*.safetensors"):
        with safe_open(path, "pt") as file:
            assert all(file.get_tensor(name).isfinite().all() for name in file.keys())  # noqa: SIM118 - not a dict


def test_killed_and_resumed(finished, tmp_path, capsys):
    """Until then the folder is in use. The best network is saved with its score, also where no checkpoint
    would be due."""
    config, folder = write_config(tmp_path, checkpoint_every=10**6), tmp_path / "run"
    with running("train.py", config, "--run", folder, cwd=tmp_path) as process:
        wait_for(process, folder, UPDATE)
        for words, says in ([], "already exists"), (["--resume"], "in use"):
            assert here(train.main, config, "--run", folder, *words) == 2
            err = capsys.readouterr().err
            assert says in err
            assert err.count("\n") == 1
        wait_for(process, folder, 10 * UPDATE)
        process.kill()
        process.communicate(timeout=10)
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "results.json").exists()
    assert_whole(folder)
    with safe_open(folder / "checkpoint.safetensors", "pt") as checkpoint:
        facts = json.loads(checkpoint.metadata()["facts"])
    kept = json.loads((folder / "best" / "manifest.json").read_text())["decisions"]
    rows = [row for row in read_rows(folder) if row["kind"] == "evaluation" and row["decisions"] <= kept]
    assert rows[-1]["decisions"] == kept == facts["decisions"]
    assert facts["highest"] == max(row["rules:0.1_mean"] for row in rows)
    assert here(train.main, config, "--run", folder, "--resume") == 0
    assert_same_run(folder, finished)
    assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize("words", few(1, [["--resume"], []]))
def test_killed_before_its_first_file_was_whole(tmp_path, words):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".config.yaml.part").write_text("version: 1\nenv: schn")
    assert here(train.main, write_config(tmp_path, decisions=UPDATE), "--run", folder, *words) == 0
    assert not list(folder.rglob("*.part"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_and_resumed(finished, tmp_path, number):
    config, folder = write_config(tmp_path), tmp_path / "run"
    with running("train.py", config, "--run", folder, cwd=tmp_path) as process:
        wait_for(process, folder, 4 * UPDATE)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, complaints(err)) == (130, "")
    assert "--resume" in out
    with safe_open(folder / "checkpoint.safetensors", "pt") as checkpoint:
        decisions = json.loads(checkpoint.metadata()["facts"])["decisions"]
    assert decisions == read_rows(folder)[-1]["decisions"] < END, "nothing learned is lost"
    assert_whole(folder)
    assert here(train.main, config, "--run", folder, "--resume") == 0
    assert_same_run(folder, finished)


@pytest.mark.slow
def test_in_the_background_of_a_script(tmp_path):
    """There Ctrl-C is ignored, and stays so; SIGTERM stops the run after its update."""
    config, folder = write_config(tmp_path), tmp_path / "run"
    own = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the process inherits
    try:
        with running("train.py", config, "--run", folder, cwd=tmp_path) as process:
            wait_for(process, folder, UPDATE)
            process.send_signal(signal.SIGINT)
            wait_for(process, folder, 3 * UPDATE)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
    finally:
        signal.signal(signal.SIGINT, own)
    assert (process.returncode, complaints(err)) == (130, "")
    assert "--resume" in out
    assert 3 * UPDATE <= read_rows(folder)[-1]["decisions"] < END


def test_a_snapshot_takes_the_place_of_the_oldest(game):
    config = TrainConfig.of(
        lanes=16, steps=16, minibatches=4, widths=(16,), past_size=3, opponents="{latest: 0.25, past: 0.75}"
    )
    learner, taken = Learner(config, game), []
    for number in range(6):
        with torch.no_grad():
            [*learner.network.parameters()][-1].fill_(number)
        learner.take_snapshot()
        taken.append({int([*each.parameters()][-1][0]) for each in learner.past})
    assert taken[2:] == [{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}]


def test_snapshots_that_must_win(tmp_path):
    """Only who wins as often as is asked takes the place of the oldest, and a break changes nothing."""
    words = write_config(tmp_path, promote=0.45, decisions=8 * UPDATE, past_every=1), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    offered = [row for row in read_rows(tmp_path / "whole") if row["kind"] == "snapshot"]
    assert [row["decisions"] for row in offered] == list(range(UPDATE, 8 * UPDATE + 1, UPDATE))
    assert all(row["promoted"] == (row["win_rate"] >= 0.45) for row in offered)
    assert {row["promoted"] for row in offered} == {0, 1}

    assert_a_break_changes_nothing(words, tmp_path, 5)


def test_a_player_that_searches_in_the_pool(tmp_path):
    opponents = "{latest: 0.75, 'rollout:worlds=2': 0.25}"
    brief = {"decisions": 4 * UPDATE, "evaluate_every": 2, "checkpoint_every": 100}
    words = write_config(tmp_path, opponents=opponents, **brief), "--run"
    assert here(train.main, *words, tmp_path / "whole") == 0
    assert_a_break_changes_nothing(words, tmp_path, 3)


def assert_a_break_changes_nothing(words, folder: Path, update: int) -> None:
    """A run that the user stops after this update, and resumes, is the same as the whole one."""
    with ctrl_c_after(update):
        assert here(train.main, *words, folder / "broken") == 130
    assert [row["decisions"] for row in read_rows(folder / "broken")][-1] == update * UPDATE
    assert here(train.main, *words, folder / "broken", "--resume") == 0
    assert_same_run(folder / "broken", folder / "whole")


@pytest.mark.slow
def test_killed_again_and_again(finished, tmp_path):
    """Also before the first checkpoint, between two checkpoints, and while a resumed run is starting."""
    config, folder, rng = write_config(tmp_path), tmp_path / "run", random.Random(1)
    for update in (1, 2, 5, 5, 9, 14):
        with running("train.py", config, "--run", folder, "--resume", cwd=tmp_path) as process:
            wait_for(process, folder, update * UPDATE)
            time.sleep(rng.uniform(0, 0.2))
            process.kill()
            _, err = process.communicate(timeout=10)
        assert (process.returncode, complaints(err)) == (-signal.SIGKILL, "")
        assert_whole(folder)
    status, out, err = command("train.py", config, "--run", folder, "--resume", cwd=tmp_path)
    assert (status, err) == (0, ""), out
    assert_same_run(folder, finished)
    assert not list(folder.rglob("*.part"))

"""Sweeps: the same proposals and trials however often they are cut short, scored by matches alone."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest
import yaml

from stichwerk.agents import make_agent
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.evaluation.reports.report import Score, read_results
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.sweep.space import Choices, Range, Space
from stichwerk.agents.sweep.study import Outcome, Rivals, Study, default_field, journal
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.run import code_of
from stichwerk.commands import sweep
from stichwerk.envs import make_game
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.support.errors import InputError
from stichwerk.support.machine.cluster import connect
from tests.agents.support import (
    ROOT,
    assert_same_run,
    ctrl_c_after,
    here,
    nothing_changes,
    running,
    write_config,
)

SPACE = {
    "learning_rate": {"low": 1e-3, "high": 1e-2, "log": True},
    "epochs": {"low": 1, "high": 2},
    "widths": [[8], [12, 8]],
}
GRID = (
    "{gae_lambda: {low: 8e-1, high: 1, step: 1e-1}, epochs: {low: 1e0, high: 1e1}, widths: [[1e2], [1_000]]}"
)
BRIEF = {"decisions": 768, "evaluate_every": 1, "evaluate_deals": 10, "final_deals": 2, "past_every": 1}
WORDS = "--space", json.dumps(SPACE), "--against", "random", "--deals", 20


def space_of(given: dict) -> Space:
    return Space.read(given, TrainConfig())


# What a sweep varies


def test_values_are_those_of_the_config():
    space = space_of({**SPACE, "opponents": [{"latest": 1}, {"latest": 0.5, "random": 0.5}]})
    labels = {"learning_rate": 0.002, "epochs": 2, "widths": "[12, 8]", "opponents": "{latest: 1}"}
    expected = {**labels, "widths": (12, 8), "opponents": {"latest": 1}}
    assert space.values(labels) == expected
    assert space.distributions().keys() == expected.keys()


def test_numbers_may_be_written_with_an_exponent():
    """YAML 1.1 takes them for texts."""
    read = space_of(sweep.read_space(GRID)).fields
    assert read == {
        "gae_lambda": Range(0.8, 1.0, step=0.1),
        "epochs": Range(1, 10),
        "widths": Choices({"[100]": (100,), "[1000]": (1_000,)}),
    }
    assert type(read["epochs"].high) is int


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], ["mapping of fields"]),
        ({"colour": [1, 2]}, ["'colour'", "learning_rate"]),
        ({"seed": [1, 2]}, ["'seed'", "learning_rate"]),
        ({"entropy": []}, ["entropy", "a list of different values"]),
        ({"entropy": [0.1, 0.1]}, ["entropy", "a list of different values"]),
        ({"entropy": {"low": 0.1}}, ["entropy", "low: 1e-3"]),
        ({"entropy": {"low": 0.2, "high": 0.1}}, ["0.2", "0.1"]),
        ({"entropy": {"low": 0, "high": 0.1, "log": True}}, ["log", "above 0"]),
        ({"entropy": {"low": 0.1, "high": 0.2, "step": 1}}, ["step", "a part of 0.1"]),
        ({"entropy": {"low": 0.1, "high": 0.25, "step": 0.1}}, ["step", "a part of 0.15"]),
        ({"rollout_weight": [0.5, 1]}, ["'rollout_weight'", "with rollout_policy"]),
        ({"imitation_decisions": [1_000, 2_000]}, ["'imitation_decisions'", "with imitation_agent"]),
        ({"epochs": {"low": 1, "high": 3, "step": 0.5}}, ["step", "a whole number"]),
        ({"epochs": {"low": 0, "high": 3}}, ["epochs: got 0", "1 to 1000"]),
        ({"widths": {"low": [8], "high": [16]}}, ["widths", "a list of values"]),
        ({"precision": ["float32", "float16"]}, ["'float16'", "bfloat16"]),
    ],
)
def test_spaces_that_cannot_be(given, words):
    with pytest.raises(InputError) as refused:
        space_of(given)
    assert all(word in str(refused.value) for word in words), refused.value


def test_what_needs_another_field_may_vary_with_it():
    alone = TrainConfig.of(opponents="{latest: 1}")
    with pytest.raises(InputError, match="'past_size' alone; expected it with opponents past"):
        Space.read({"past_size": [1, 2]}, alone)
    pools = [{"latest": 1}, {"latest": 0.5, "past": 0.5}]
    given = {
        "rollout_weight": [0.5, 1],
        "rollout_policy": ["rules", "rules:0.1"],
        "past_size": [1, 2],
        "opponents": pools,
    }
    assert Space.read(given, alone).fields.keys() == given.keys()
    assert space_of({"past_size": [1, 2]}).fields, "snapshots are opponents by default"


def test_shipped_space_is_right():
    for path in (ROOT / "configs" / "sweeps").glob("*.yaml"):
        assert space_of(sweep.read_space(str(path))).distributions()


# What is proposed


def outcome(params: dict) -> Outcome:
    """As if a trial's score were known by its values."""
    mean = -abs(params["learning_rate"] - 0.004) * 100 - params["epochs"]
    ends = {"mean": mean, "low": mean - 1, "high": mean + 1}
    wins = {"win_rate": 0.5, "win_low": 0.4, "win_high": 0.6}
    return Outcome({256: mean}, [PairResult("ppo", "random", deals=20, **ends, **wins)])


def proposals(folder, batch: int, cuts: int = 0, ends: tuple[int, ...] = (14,)) -> list[dict]:
    """What is run in a sweep of fourteen trials. With `cuts` a new process, as it were, takes over after
    every so many trials, the order within a batch turned round; with several `ends` it is asked for so many
    trials first, and then for more."""
    folder.mkdir()
    study, told = Study(folder, space_of(SPACE), 1, batch), 0
    for most in ends:
        while under_way := study.next_batch(most):
            for trial in under_way[:: -1 if cuts else 1]:
                study.tell(trial, outcome(trial.params))
                told += 1
                if cuts and told % cuts == 0:
                    study = Study(folder, space_of(SPACE), 1, batch)
                    break
        assert told == len(study.ranked()) == most
    return [trial.params for trial in study.trials()[:14]]


@pytest.mark.parametrize("batch", [1, 4])
def test_a_sweep_in_pieces_is_the_same(batch, tmp_path):
    whole = proposals(tmp_path / "whole", batch)
    assert len(whole) == 14
    assert len({str(params) for params in whole}) > 10
    assert proposals(tmp_path / "pieces", batch, cuts=3) == whole
    assert proposals(tmp_path / "further", batch, ends=(6, 7, 14)) == whole


def test_a_kill_while_values_are_drawn(tmp_path):
    """What was only begun is drawn again, and nobody counts it."""
    whole = proposals(tmp_path / "whole", 1)
    (tmp_path / "cut").mkdir()
    study = Study(tmp_path / "cut", space_of(SPACE), 1, 1)
    (first,) = study.next_batch(14)
    study.tell(first, outcome(first.params))
    study._study.ask()
    file = tmp_path / "cut" / Study.FILE
    (tmp_path / "cut" / f"{Study.FILE}.lock").symlink_to(file)
    with open(file, "a") as cut:
        cut.write('{"half a li')
    study = Study(tmp_path / "cut", space_of(SPACE), 1, 1)
    (second,) = study.next_batch(14)
    assert [trial.params for trial in study.trials()] == whole[:2]
    assert second.number == 2, "its folder is its own"


def test_the_rivals_of_a_batch_are_those_before_it(tmp_path):
    """Also of those that a kill has left for later."""
    study = Study(tmp_path, space_of(SPACE), 1, 4)
    for trial in study.next_batch(12):
        study.tell(trial, outcome(trial.params))
    second = study.next_batch(12)
    rivals = study.rivals(768)
    assert len(rivals.curves) == 4
    for trial in second[:2]:
        study.tell(trial, outcome(trial.params))
    study = Study(tmp_path, space_of(SPACE), 1, 4)
    assert study.next_batch(12) == second[2:]
    assert study.rivals(768) == rivals


# Runs in a process of its own, on a system without symbolic links.
SHARING = """
import os, sys
from pathlib import Path

def refuse(*arguments, **options):
    raise OSError(1, "no symbolic links here")

os.symlink = refuse
import optuna
from stichwerk.agents.sweep.study import journal

optuna.logging.set_verbosity(optuna.logging.WARNING)
file = Path(sys.argv[1])
study = optuna.create_study(storage=journal(file), study_name="sweep", load_if_exists=True)
study.add_trial(optuna.create_trial(value=0.0))
while len(study.trials) < 2:  # until the other process is there
    pass
for number in range(20):
    study.add_trial(optuna.create_trial(value=float(sys.argv[2]) + number))
"""


@pytest.mark.slow
def test_two_processes_share_a_study_without_symbolic_links(tmp_path):
    command = [sys.executable, "-c", SHARING, tmp_path / Study.FILE]
    pair = [subprocess.Popen([*command, first], stderr=subprocess.PIPE) for first in ("100", "200")]
    for process in pair:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    study = optuna.load_study(storage=journal(tmp_path / Study.FILE), study_name="sweep")
    values = [0, 0, *range(100, 120), *range(200, 220)]
    assert sorted(trial.value for trial in study.trials) == values
    assert [trial.number for trial in study.trials] == list(range(42))


@pytest.mark.slow
def test_a_sweep_without_symbolic_links(swept, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SHARING.partition("import optuna")[0])
    config = write_config(tmp_path, **BRIEF)
    words = ["-m", "stichwerk", "sweep", config, *WORDS, "--trials", 2, "--run", tmp_path / "sweep"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *map(str, words)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert_same_sweep(tmp_path / "sweep", swept)


def test_a_score_counts_every_opponent_alike():
    results = [*outcome({"learning_rate": 0.004, "epochs": 1}).results]
    results += outcome({"learning_rate": 0.004, "epochs": 2}).results
    assert Score.of(results) == Score(-1.5, 1.0)


def test_rivals_are_ahead_if_half_of_them_are():
    curves = tuple({256: mean, 512: 2 * mean} for mean in (0.1, 0.2, 0.3, 0.4))
    ahead = Rivals(curves, decisions=1024).are_ahead
    assert [ahead(256, mean) for mean in (0.24, 0.26)] == [True, False]
    assert [ahead(700, mean) for mean in (0.49, 0.51)] == [True, False], "as of their last validation"
    assert not ahead(255, -1.0), "too early"
    assert not Rivals(curves[:3], 1024).are_ahead(512, -1.0), "too few"


def test_the_field_by_default():
    fields = {name: default_field(make_game(name)) for name in ("schnapsen_v0", "gaigel_v0")}
    assert fields == {
        "schnapsen_v0": ("rules:0.1", "ppo:schnapsen-0.1", "rollout:worlds=20"),
        "gaigel_v0": ("rules:0.1", "rollout:worlds=20"),
    }


# From end to end


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The folder of a sweep of two trials."""
    folder = tmp_path_factory.mktemp("swept")
    config = write_config(folder, **BRIEF)
    assert here(sweep.main, config, *WORDS, "--trials", 2, "--run", folder / "sweep") == 0
    return folder / "sweep"


def test_each_trial_is_a_training_scored_by_matches(swept):
    for number in "01":
        run = swept / "trials" / number
        assert (run / "results.json").is_file()
        (match,) = read_results(run / "field.json")
        agent, game = make_agent(f"ppo:{run / 'best'}", "schnapsen_v0"), make_game("schnapsen_v0")
        seed = int(stream_seed(1, Use.SWEEP))
        again = play_pair(game, agent, make_agent("random", "schnapsen_v0"), Series(20, seed, Use.VALIDATION))
        assert (match.mean, match.low) == (again.mean, again.low)
    configs = [load_config(swept / "trials" / number / "config.yaml").flat() for number in "01"]
    differ = {name for name in configs[0] if configs[0][name] != configs[1][name]}
    assert "learning_rate" in differ
    assert differ <= SPACE.keys()


def test_the_best_trial_is_a_config(swept):
    scores = {n: read_results(swept / "trials" / n / "field.json")[0].mean for n in "01"}
    best = max(scores, key=scores.get)
    assert load_config(swept / "best.yaml") == load_config(swept / "trials" / best / "config.yaml")


def assert_same_sweep(one: Path, two: Path) -> None:
    for number in "01":
        assert_same_run(one / "trials" / number, two / "trials" / number)
        files = (folder / "trials" / number / "field.json" for folder in (one, two))
        assert len({file.read_text() for file in files}) == 1
    assert (one / "best.yaml").read_text() == (two / "best.yaml").read_text()
    studies = (Study(folder, space_of(SPACE), 1, 1) for folder in (one, two))
    ours, theirs = (
        [(t.number, t.params, t.value, t.intermediate_values) for t in study.trials()] for study in studies
    )
    assert ours == theirs


def test_stopped_and_resumed(swept, tmp_path, capsys):
    """Within the second trial; then the first is left alone, and the second goes on."""
    config, folder = write_config(tmp_path, **BRIEF), tmp_path / "sweep"
    words = config, *WORDS, "--run", folder
    assert here(sweep.main, *words, "--trials", 1) == 0
    first = (folder / "trials" / "0" / "field.json").stat().st_mtime_ns
    asked = yaml.safe_load((folder / sweep.ASKED).read_text())
    del asked["training"]["rollout_targets"]["rollout_floor"]  # which an earlier version did not know
    (folder / sweep.ASKED).write_text(yaml.safe_dump(asked))
    with ctrl_c_after(1):
        assert here(sweep.main, *words, "--trials", 2, "--resume") == 130
    with nothing_changes(tmp_path):
        assert here(sweep.main, *words, "--trials", 2) == 2
        assert here(sweep.main, *words, "--trials", 2, "--resume", "--deals", 30) == 2
    err = capsys.readouterr().err
    assert "--resume" in err
    assert "deals=20, not 30" in err
    assert here(sweep.main, *words, "--trials", 2, "--resume") == 0
    assert (folder / "trials" / "0" / "field.json").stat().st_mtime_ns == first
    assert_same_sweep(folder, swept)


@pytest.mark.slow
def test_killed_and_resumed(swept, tmp_path):
    """In each trial, and in one that goes on."""
    config, folder = write_config(tmp_path, **BRIEF), tmp_path / "sweep"
    words = config, *WORDS, "--trials", 2, "--run", folder, "--resume"
    for number in "011":
        metrics = folder / "trials" / number / "metrics.jsonl"
        before = metrics.read_text() if metrics.exists() else ""
        with running("-m", "stichwerk", "sweep", *words, cwd=tmp_path) as process:
            while not metrics.exists() or metrics.read_text() in ("", before):
                assert process.poll() is None, process.communicate()
                time.sleep(0.005)
            process.kill()
    assert here(sweep.main, *words) == 0
    assert_same_sweep(folder, swept)


@pytest.mark.slow
def test_trials_on_a_cluster_are_the_same(swept, tmp_path):
    """As long as all is drawn by chance, whatever the batch; then with the same batch."""
    config, folder = write_config(tmp_path, **BRIEF), tmp_path / "sweep"
    words = "--trials", 2, "--batch", 2, "--run", folder, "--cluster", "auto"
    try:
        assert here(sweep.main, config, *WORDS, *words) == 0
    finally:
        connect("auto").shutdown()
    for number in "01":
        assert_same_run(folder / "trials" / number, swept / "trials" / number)
    assert (folder / "best.yaml").read_text() == (swept / "best.yaml").read_text()


def test_trials_that_cannot_be_trained(tmp_path, capsys):
    """They are told with what was at fault, and the sweep goes on."""
    config = write_config(tmp_path, **BRIEF)
    words = "--space", "{lanes: [17, 19], minibatches: [32, 64]}", "--against", "random"
    assert here(sweep.main, config, *words, "--trials", 2, "--run", tmp_path / "sweep") == 2
    out, err = capsys.readouterr()
    assert "no trial of the sweep" in err
    assert err.count("\n") == 1
    assert out.count("a divisor of lanes") == 2
    assert "Best" not in out
    assert not (tmp_path / "sweep" / "best.yaml").exists()


def test_a_trial_that_is_given_up(tmp_path, capsys):
    """It is behind all before it. A stop is heard all the same, and the trial is given up when it goes on."""
    folder = tmp_path / "sweep"
    words = write_config(tmp_path, **BRIEF), *WORDS, "--prune", "--batch", 1, "--run", folder, "--resume"
    assert here(sweep.main, *words, "--trials", 1) == 0
    study = Study(folder, space_of(SPACE), 1, 1)
    results = read_results(folder / "trials" / "0" / "field.json")
    for most in range(2, 6):  # that nobody needs to train
        (trial,) = study.next_batch(most)
        study.tell(trial, Outcome({256: 99.0}, results))
        shutil.copytree(folder / "trials" / "0", folder / "trials" / str(trial.number))
    del study
    capsys.readouterr()
    with ctrl_c_after(1):
        assert here(sweep.main, *words, "--trials", 6) == 130
    assert "given up" not in capsys.readouterr().out
    assert here(sweep.main, *words, "--trials", 6) == 0
    assert "Trial 5: given up after 256 decisions" in capsys.readouterr().out


def test_values_that_come_again_have_the_score_that_they_had(tmp_path, capsys):
    """There are two pairs, so of three trials one comes again; it is not trained, in whatever batch it is."""
    config = write_config(tmp_path, **BRIEF)
    for batch in (1, 3):
        folder = tmp_path / f"sweep{batch}"
        words = "--space", "{epochs: [1, 2]}", "--against", "random", "--deals", 20, "--batch", batch
        assert here(sweep.main, config, *words, "--trials", 3, "--run", folder) == 0
        assert "the values of trial" in capsys.readouterr().out
        space = space_of({"epochs": [1, 2]})
        trials = Study(folder, space, 1, batch).trials()
        values = {trial.params["epochs"]: trial.value for trial in trials}
        assert [trial.value for trial in trials] == [values[trial.params["epochs"]] for trial in trials]
        assert len(list((folder / "trials").iterdir())) == len(values) <= 2


def test_scores_of_other_code_are_not_mixed(swept, tmp_path, capsys):
    """Nor of other players in the field; unless that is asked for, and then the sweep is of both."""
    folder = tmp_path / "sweep"
    shutil.copytree(swept, folder)
    words = swept.parent / "small.yaml", *WORDS, "--run", folder, "--trials", 2, "--resume"
    assert here(sweep.main, *words) == 0
    begun = yaml.safe_load((folder / sweep.ASKED).read_text())
    (folder / sweep.ASKED).write_text(yaml.safe_dump({**begun, "run_codes": ["another one"]}))
    with nothing_changes(folder):
        assert here(sweep.main, *words) == 2
    assert "--other-code" in capsys.readouterr().err
    assert here(sweep.main, *words, "--other-code") == 0
    assert here(sweep.main, *words) == 0


def test_code_that_only_a_choice_names_counts_too():
    game, space = (
        make_game("schnapsen_v0"),
        space_of({"rollout_policy": ["rules:0.1", "rules"], "epochs": [1, 2]}),
    )
    options = sweep.SweepOptions(training=TrainConfig().for_game(game))
    advised = (options.training.replace(rollout_policy=adviser) for adviser in ("rules:0.1", "rules"))
    # Version 0.1's player is among those that validate, whoever advises.
    expected = [*dict.fromkeys(code_of(config, game) for config in (options.training, *advised))]
    assert len(expected) == 2
    assert sweep.codes(options, space, game)["run_codes"] == expected


def test_matches_that_are_lost_are_played_again(swept, tmp_path):
    shutil.copytree(swept, tmp_path / "sweep")
    lost = tmp_path / "sweep" / "trials" / "1" / "field.json"
    lost.unlink()
    words = swept.parent / "small.yaml", *WORDS, "--run", tmp_path / "sweep", "--trials", 2, "--resume"
    assert here(sweep.main, *words) == 0
    assert lost.read_bytes() == (swept / "trials" / "1" / "field.json").read_bytes()


def test_what_a_machine_lacks_is_no_fault_of_the_values(tmp_path):
    config = load_config(write_config(tmp_path, device="cuda", **BRIEF))
    with pytest.raises(InputError, match="GPU"):
        sweep.run_trial(sweep.Trial(tmp_path / "trial", config, {}, ("random",), 10, Rivals()))


def test_without_optuna(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.chdir(tmp_path)
    config = write_config(tmp_path)
    with nothing_changes(tmp_path):
        assert here(sweep.main, config) == 2
    assert capsys.readouterr().err == 'error: optuna is not installed: pip install "stichwerk[sweep]"\n'

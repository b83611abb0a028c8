"""What the benchmarks of learning make of a run's files."""

import csv
import json
import shutil
import subprocess
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
import torch

from stichwerk.agents import make_agent_for
from stichwerk.agents.envs.learning import LearningLanes
from stichwerk.agents.evaluation.playing.regret import Regret
from stichwerk.agents.evaluation.reports.report import in_percent, read_results
from stichwerk.agents.training.config_files import load_config
from stichwerk.envs import InputError, make_game
from stichwerk.envs.engine.loops import loops_for
from stichwerk.support.numbers import in_points
from tests.agents.support import ROOT, is_picture, write_config


@pytest.fixture
def script(monkeypatch):
    """`script(name)`: a benchmark as a module, beside what it shares with the others."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module


def test_validations_by_minutes_of_learning(script):
    """It is the processor that counts, or the clock where not all tell the other; what else the metrics hold
    takes no time."""
    validation = {"rules:0.1_mean": -0.5, "rules:0.1_low": -0.6, "rules:0.1_high": -0.4, "random_mean": 1.0}
    rows = [
        {"kind": "update", "decisions": 600, "decisions_per_second": 10.0, "processor_seconds": 30.0},
        {"kind": "snapshot", "decisions": 600, "win_rate": 0.5, "promoted": 1},
        {"kind": "evaluation", "decisions": 600, **validation},
        {"kind": "update", "decisions": 1200, "decisions_per_second": 5.0, "processor_seconds": 60.0},
        {"kind": "evaluation", "decisions": 1200, **validation, "rules:0.1_mean": 0.5},
    ]
    old = [{name: row[name] for name in row if name != "processor_seconds"} for row in rows]
    benchmark = script("time_to_strength")
    for runs, minutes in (([rows], [0.5, 1.5]), ([old, rows], [1.0, 3.0])):
        curves = benchmark.curves_of(rows, benchmark.clock_of(runs))
        assert curves == {"rules:0.1": [(minutes[0], -0.5, -0.6, -0.4), (minutes[1], 0.5, -0.6, -0.4)]}


def test_validations_by_opponent(script):
    """Version 0.1.0 called by `rules` what is now `rules:0.1`; who names it now means today's."""
    benchmark = script("time_to_strength")
    update = {"kind": "update", "decisions": 600, "decisions_per_second": 10.0, "processor_seconds": 30.0}

    def over(**means: float) -> dict[str, float]:
        ends = {f"{name}_{end}": mean for name, mean in means.items() for end in ("mean", "low", "high")}
        rows = [update, {"kind": "evaluation", "decisions": 600, **ends}]
        curves = benchmark.curves_of(rows, benchmark.PROCESSOR)
        return {name: mean for name, [(_, mean, _, _)] in curves.items()}

    assert over(rules=0.25, random=2.0) == {"rules:0.1": 0.25}
    assert over(**{"rules:0.1": 0.25, "random": 2.0, "rules": 0.125}) == {"rules:0.1": 0.25, "rules": 0.125}


def test_each_checkout_has_its_decisions(script, tmp_path):
    benchmark = script("time_to_strength")
    with pytest.raises(InputError, match="1 --decisions for 2 --checkouts; expected one for each"):
        benchmark.main(benchmark.Options((tmp_path, ROOT), decisions=(1_000,)))
    with pytest.raises(InputError, match="expected checkouts by git"):
        benchmark.main(benchmark.Options((tmp_path,), decisions=(1_000,)))
    for name in ("train.py", ".git"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=f"checkout {tmp_path}: fatal"):
        benchmark.main(benchmark.Options((tmp_path,), decisions=(1_000,)))


def test_code_that_is_not_committed_is_another_version(script, tmp_path):
    """Whether it was changed or added."""
    version_of = script("time_to_strength").version_of
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x"]
    (tmp_path / "old.py").write_text("1")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    versions = [version_of(tmp_path)]
    for name in ("old.py", "new.py", "new.py"):
        with (tmp_path / name).open("a") as file:
            file.write("2")
        versions.append(version_of(tmp_path))
    assert len(set(versions)) == 4
    assert all(version.startswith(f"{versions[0]}-") for version in versions[1:])


@pytest.mark.slow
def test_both_loops_learn(script, tmp_path, capsys):
    benchmark = script("training")
    benchmark.main(
        benchmark.Options(str(write_config(tmp_path, imitation_agent="rules")), rounds=2, updates=1)
    )
    table = capsys.readouterr().out
    for loop in ("MaskablePPO", "PPO, float32", "PPO, bfloat16"):
        (row,) = (line for line in table.splitlines() if loop in line)
        speeds = [float(cell.replace(",", "")) for cell in row.split("│")[2:-1]]
        assert min(speeds) > 0


def test_the_parts_of_training_add_up(script, tmp_path, capsys, monkeypatch):
    benchmark = script("training")
    for owner, name in ((torch.Tensor, "backward"), (torch.nn.utils, "clip_grad_norm_")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # undone after the test
    config = str(write_config(tmp_path))
    benchmark.main(benchmark.Options(config, rounds=1, updates=1, parts=True, precision="float32"))
    rows = [line.split("│")[1:4] for line in capsys.readouterr().out.splitlines() if "│" in line]
    times = {part.strip(): float(each) for part, each, _ in rows}
    together = times.pop("together")
    assert sum(times.values()) == pytest.approx(together, abs=0.01 * len(rows))
    for part in ("play: layers", "play: step", "learn: backward", "learn: clipping, Adam"):
        assert 0 < times[part] < together


def test_the_card_of_a_player(script, finished, game):
    benchmark = script("reproduce")
    results = [replace(result, a="ppo:small") for result in read_results(finished / "results.json")]
    regrets = [Regret("close", "", "", "", 0.5, 0.02, 0.01, 0.03)]
    text = benchmark.card("small", finished, load_config(finished / "config.yaml"), game, results, regrets)
    kept = json.loads((finished / "best" / "manifest.json").read_text())["decisions"]
    facts = json.loads((finished / "results.json").read_text())
    (place,) = facts["learned_on"]
    for words in (
        "# `ppo:small`",
        "| Decisions | 6,000 |",
        f", one thread, in {place['precision']} |",
        f"| Machine | {place['machine']}; torch {place['torch']}, NumPy {place['numpy']} |",
        f"| Code | version {facts['version']}; commit `{place['commit']}`; fingerprint "
        f"`{facts['run_codes'][0]}` |",
        f"| Kept | the network after {kept:,}, the latest that was level with the best against `rules:0.1` "
        "on validation deals |",
        *(
            f"| `{r.b}` | {in_points(r.mean, r.margin)} | {in_percent(r.win_rate, r.win_low)} | {r.deals:,} |"
            for r in results
        ),
        "python eval.py --env schnapsen_v0 --agents ppo:small OPPONENT --deals DEALS",
        "| close | 0.50 | +0.020 ± 0.010 |",
    ):
        assert words in text


def test_a_player_against_a_search_by_its_own_network(script, finished, game):
    benchmark, config = script("reproduce"), load_config(finished / "config.yaml")
    results = benchmark.measured("small", finished, config, game, {"rules": 4, "search:{guide},worlds=2": 2})
    assert [(result.a, result.b, result.deals) for result in results] == [
        ("ppo:small", "rules", 4),
        ("ppo:small", "search:small,worlds=2", 2),
    ]


@pytest.mark.slow
def test_a_player_is_stored_with_its_card(script, finished, tmp_path):
    """From a run that is finished; the package is another folder here."""
    benchmark = script("reproduce")
    configs, package = tmp_path / "configs", tmp_path / "package"
    configs.mkdir()
    package.mkdir()
    shutil.copytree(finished, tmp_path / "runs" / "small")
    shutil.copy(finished / "config.yaml", configs / "small.yaml")
    others = configs, package, dict.fromkeys(("random", "rules:0.1", "rules"), 4), 2
    benchmark.main(benchmark.Options(runs=str(tmp_path / "runs")), *others)
    assert not list(package.iterdir()), "it was not to be stored"
    benchmark.main(benchmark.Options(("small",), str(tmp_path / "runs"), store=True), *others)
    assert {file.name for file in (package / "small").iterdir()} == {
        "README.md",
        "manifest.json",
        "weights.safetensors",
    }
    assert "Regret by kind of decision" in (package / "small" / "README.md").read_text()
    weights = (folder / "weights.safetensors" for folder in (package / "small", finished / "best"))
    assert len({file.read_bytes() for file in weights}) == 1
    assert (package / "small" / "README.md").read_text().count("# `ppo:small`\n") == 1


def test_wrong_words_for_strength_leave_no_folder(script, tmp_path):
    benchmark = script("strength")
    for words, fault in (
        ({"players": ("nonsense",)}, "agent: got 'nonsense'"),
        ({"seed": -1}, "seed: got -1"),
    ):
        with pytest.raises(InputError, match=fault):
            benchmark.main(benchmark.Options("schnapsen", out=tmp_path / "out", **words))
    assert not (tmp_path / "out").exists()


def test_strength_by_time(script, tmp_path, capsys):
    """A second run takes what the first has kept."""
    benchmark = script("strength")
    options = benchmark.Options(
        "schnapsen", (1, 2), 2, players=("rollout:ms={ms:g}",), field=("random", "rules"), out=tmp_path
    )
    benchmark.main(options)
    printed, kept = capsys.readouterr().out, (tmp_path / "schnapsen.jsonl").read_text()
    rows = [json.loads(line) for line in kept.splitlines()]
    assert [row["a"] for row in rows] == 3 * ["rollout:ms=1"] + 3 * ["rollout:ms=2"]
    assert all(row["took"] > 0 if "took" in row else -3 <= row["mean"] <= 3 for row in rows)
    assert is_picture(tmp_path / "schnapsen.svg")
    benchmark.main(options)
    assert capsys.readouterr().out == printed
    assert (tmp_path / "schnapsen.jsonl").read_text() == kept
    benchmark.main(replace(options, timed_deals=3, processor=True))
    timed = benchmark.rows_of(tmp_path / "schnapsen.jsonl")[len(rows) :]
    assert [(row["timed"], row["clock"]) for row in timed] == 2 * [(3, "processor")]
    of_other_code = [
        {**rows[0], "code": "other"},
        {name: rows[1][name] for name in rows[1] if name != "code"},
    ]
    (tmp_path / "schnapsen.jsonl").write_text("".join(json.dumps(row) + "\n" for row in of_other_code))
    benchmark.main(replace(options, ms=(1,)))
    assert [row["a"] for row in benchmark.rows_of(tmp_path / "schnapsen.jsonl")[2:]] == 3 * ["rollout:ms=1"]


def test_players_that_there_are_no_configs_of(script):
    benchmark = script("reproduce")
    with pytest.raises(InputError, match="no config 'whist': there are gaigel3, "):
        benchmark.main(benchmark.Options(names=("whist",)))


def test_files_of_action_statistics(script, tmp_path, capsys):
    """A file for each player; those in the docs have the columns that the script writes."""
    benchmark = script("actions")
    few = {"search": "rollout:worlds=2", "search_deals": 2, "out": tmp_path}
    benchmark.main(benchmark.Options(("schnapsen",), deals=3, **few))
    command = "stichwerk inspect actions --env schnapsen_v0 --rules 'schnapsen' --agents "
    commands = f"{command}ppo:schnapsen rules --deals 3\n{command}rollout:worlds=2 --deals 2\n"
    assert commands in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    rows = list(csv.DictReader(file.open()))
    assert file.name == "schnapsen.csv"
    assert [*dict.fromkeys((row["agent"], row["deals"]) for row in rows)] == [
        ("ppo:schnapsen", "3"),
        ("rules", "3"),
        ("rollout:worlds=2", "2"),
    ]
    assert {"close", "play"} <= {row["action"] for row in rows if row["role"] == "all seats"}
    assert all(0 <= float(row["chosen"]) <= 1 for row in rows)
    kept = sorted((ROOT / "docs" / "results" / "actions").glob("*.csv"))
    assert [each.stem for each in kept] == list(benchmark.checked_names(()))
    for each in kept:
        assert list(next(csv.DictReader(each.open()))) == list(rows[0])


def test_action_statistics_of_a_game_with_start_states(script, tmp_path, capsys):
    benchmark = script("actions")
    few = {"search": "rules:0.1", "search_deals": 2, "out": tmp_path}
    benchmark.main(benchmark.Options(("preferans3",), deals=2, **few))
    assert " --deals 2 --start-states\n" in capsys.readouterr().out
    assert "declare spades" in (tmp_path / "preferans3.csv").read_text()


def test_a_ceiling_is_learned_from_all_cards(script):
    """The learner sees what `state()` shows; hidden cards tell two states of the same view apart."""
    game = make_game("schnapsen_v0")
    lanes = script("ceilings").AllCardsLanes(game, 8, [], 1)
    lanes.start()
    seats, before = lanes.lanes.seats, lanes.observed(lanes.lanes.all)
    assert lanes.spaces[0].shape == lanes.own_turns().observations.shape[1:] == (game.perfect.size,)
    loops = loops_for(game, "summary")
    for lane in lanes.lanes.all:
        loops.resample(game.rules_record, lanes.lanes.states, lane, seats[lane], np.int64(5))
    after = lanes.observed(lanes.lanes.all)
    assert (before != after).any(axis=1).all()
    lanes.lanes.observe(lanes.lanes.all)
    ordinary = LearningLanes(game, 8, [], 1)
    ordinary.start()
    assert (lanes.lanes.observation == ordinary.lanes.observation).all()


def test_workers_wait_for_the_network_in_each_minibatch(script, tmp_path, capsys):
    """Four minibatches, each with six pieces of a second."""
    benchmark = script("workers")
    config = str(write_config(tmp_path, opponents="{latest: 1.0}"))
    benchmark.main(benchmark.Options(config, workers=(4,), rounds=1, latency=1e6))
    alone, four = (line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("│"))
    assert [alone[3], alone[9]] == ["16", "0"]
    assert [four[3], four[9]] == ["4", "24000"]


def test_distance_of_agents_on_a_small_pack(script):
    """Lone legal actions are not asked for; the table takes the last row of each training."""
    benchmark = script("small_packs")
    game = make_game("schnapsen_v0", {"pack": ["sA", "sT", "hA", "hT"], "hand_size": 1, "goal": 10})
    truth = benchmark.Truth(game, "")
    assert truth.nash_conv(make_agent_for("rules", game)) == pytest.approx(0, abs=1e-6)
    assert truth.nash_conv(make_agent_for("random", game)) == pytest.approx(2 * 0.781, abs=0.001)
    rows = [{"name": "x", "settings": {"seed": seed}, "drawn": at} for seed in (1, 2) for at in (3, seed)]
    assert [row["drawn"] for row in benchmark.ends(rows, "x")] == [1, 2]

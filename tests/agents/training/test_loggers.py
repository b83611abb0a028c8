"""Where a run's numbers go besides its own files."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

from stichwerk.agents.training.loggers import Tracker, run_key
from stichwerk.commands import train
from stichwerk.support.errors import InputError
from tests.agents.support import ROOT, here, nothing_changes, read_rows, write_config


def test_tensorboard_compares_runs_by_their_configs(finished):
    """Config and final numbers are on its page of hyperparameters, and the metrics among its scalars."""
    events = EventAccumulator(str(finished / "tensorboard")).Reload()
    contents = events.summary_metadata
    shown = {
        tag: HParamsPluginData.FromString(content.plugin_data.content)
        for tag, content in contents.items()
        if content.plugin_data.plugin_name == "hparams"
    }
    begun = shown["_hparams_/session_start_info"].session_start_info.hparams
    assert begun["learning_rate"].number_value == 4e-3
    assert begun["widths"].string_value == "[16]"
    metrics = {info.name.tag for info in shown["_hparams_/experiment"].experiment.metric_infos}
    assert "final/rules:0.1_mean" in metrics
    (final,) = events.Scalars("final/rules:0.1_mean")
    pairs = json.loads((finished / "results.json").read_text())["pairs"]
    assert final.value == pytest.approx(pairs[0]["mean"])
    evaluations = [row for row in read_rows(finished) if row["kind"] == "evaluation"]
    assert [(e.step, e.value) for e in events.Scalars("evaluation/random_mean")] == [
        (row["decisions"], pytest.approx(row["random_mean"])) for row in evaluations
    ]


@pytest.mark.parametrize("package", ["wandb", "trackio"])
def test_a_tracker_that_is_not_installed(package, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    config = write_config(tmp_path)
    with nothing_changes(tmp_path):
        assert here(train.main, config, "--run", tmp_path / "run", "--tracker", package) == 2
    assert capsys.readouterr().err == (
        f'error: {package} is not installed: pip install "stichwerk[{package}]"\n'
    )


def test_a_tracker_that_cannot_start(tmp_path, monkeypatch, capsys):
    def init(**settings):
        (tmp_path / "run" / "logs").mkdir()
        (tmp_path / "run" / "logs" / "debug.log").touch()
        raise RuntimeError("no network")

    monkeypatch.setitem(sys.modules, "trackio", SimpleNamespace(init=init))
    config = write_config(tmp_path)
    with nothing_changes(tmp_path):
        assert here(train.main, config, "--run", tmp_path / "run", "--tracker", "trackio") == 2
    err = capsys.readouterr().err
    assert err.startswith("error: tracker trackio: RuntimeError: no network")
    assert err.count("\n") == 1


def outside(package: str, folder: Path) -> Path:
    """A Python that has a package besides all that this one has."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "these.pth").write_text("\n".join(filter(None, sys.path)))
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", package], check=True)
    return folder / "bin" / "python"


@pytest.mark.slow
@pytest.mark.parametrize("package", ["wandb", "trackio"])
def test_a_tracker_gets_the_metrics(package, tmp_path):
    """Also of a run that was stopped and resumed; everything stays on this machine."""
    python = outside(package, tmp_path / "venv")
    config, run = write_config(tmp_path), tmp_path / "run"
    command = [python, ROOT / "train.py", config, "--run", run, "--tracker", package]
    places = {"HOME": str(tmp_path), "TRACKIO_DIR": str(tmp_path / "trackio"), "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=places) as process:
        try:
            for _ in range(6_000):
                if (run / "checkpoint.safetensors").exists():
                    break
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    key = (run / Tracker.FILE).read_text().strip()
    subprocess.run([*command, "--resume"], cwd=tmp_path, env=places, check=True)
    assert (run / Tracker.FILE).read_text().strip() == key
    if package == "wandb":
        pieces = [*run.glob("wandb/offline-run-*")]
        assert len(pieces) == 2
        assert all(piece.name.endswith(key) and any(piece.glob("*.wandb")) for piece in pieces)
        return
    words = "--project", "stichwerk", "--run", f"run-{key}", "--metric", "evaluation/random_mean", "--json"
    asked = [tmp_path / "venv" / "bin" / "trackio", "get", "metric", *words]
    told = subprocess.run(asked, env=places, check=True, capture_output=True, text=True).stdout
    values = [row["value"] for row in json.loads(told)["values"]]
    evaluations = [row["random_mean"] for row in read_rows(run) if row["kind"] == "evaluation"]
    assert values == pytest.approx(evaluations)


@pytest.mark.parametrize("damage", [b"../../elsewhere", b"\xff\xfe"])
def test_a_damaged_id_is_named(damage, tmp_path):
    (tmp_path / Tracker.FILE).write_bytes(damage)
    with pytest.raises(InputError, match=r"tracker\.txt"):
        run_key(tmp_path / Tracker.FILE)

"""Several workers of one training: the same lanes and the same minibatches as one worker has, the same digits
each time, and no loss of a process that changes them."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.settings import ConfigError
from stichwerk.commands import train
from tests.agents.support import (
    SMALL,
    assert_same_run,
    complaints,
    ctrl_c_after,
    here,
    read_rows,
    rewrite,
    running,
    write_config,
)

UPDATE = SMALL["lanes"] * SMALL["steps"]
TWO = {
    "workers": 2,
    "decisions": 7 * UPDATE,
    "past_every": 1,
    "promote": 0.3,
    "magnet": 0.1,
    "magnet_every": 2,
}


def small(**changes) -> TrainConfig:
    own = {"lanes": 16, "steps": 16, "minibatches": 2, "widths": (8,), "precision": "float32"}
    return TrainConfig.of(**{**own, **changes})


def test_workers_have_the_lanes_of_one(game):
    config = small(lanes=17)
    (whole,), parts = (
        [Learner(config.replace(workers=workers), game, rank) for rank in range(workers)]
        for workers in (1, 3)
    )
    for part in parts:
        own = slice(part.rank, None, 3)
        assert (part.env.lanes.states == whole.env.lanes.states[own]).all()
        assert (part.env.opponent_of == whole.env.opponent_of[own]).all()
        assert (part.env.learner == whole.env.learner[own]).all()
        assert part.ppo.batch_size == whole.ppo.batch_size
    first, second, third = (part.network.arrays() for part in parts)
    assert all((first[name] == second[name]).all() and (first[name] == third[name]).all() for name in first)
    assert len({agent.random.random() for part in parts for agent in part.agents["past"]}) == 6


@pytest.mark.parametrize("helper", [{"magnet": 0.1}, {"rollout_policy": "rules:0.1", "rollout_share": 0.5}])
def test_minibatches_of_all_workers_are_those_of_one(game, helper):
    """The losses of unequal parts add up to the loss of the whole, and so do the gradients."""
    ppo = Learner(small(**helper), game).ppo
    ppo.play()
    which = torch.from_numpy(ppo.rollout.learned).flatten().nonzero().squeeze(1)
    ppo.update(1.0)  # so that the policy is no longer the one that has played

    def loss(part: torch.Tensor) -> np.ndarray:
        ppo.policy.zero_grad()
        weight = 0.5 if "rollout_policy" in helper else 0.0
        value, terms = ppo._loss(
            *ppo.rollout.batch(part), 0.1, weight, whole._replace(share=len(part) / len(which))
        )
        value.backward()
        gradients = [each.grad.flatten() for each in ppo.policy.parameters()]
        return torch.cat([*gradients, value[None], torch.stack([*terms.values()])]).detach().numpy()

    (whole,) = ppo._minibatches([which])
    together = loss(which[:50]) + loss(which[50:])
    np.testing.assert_allclose(together, loss(which), rtol=1e-4, atol=1e-6)


def test_no_more_workers_than_lanes():
    with pytest.raises(ConfigError, match="config workers: got 17; expected at most 16"):
        small(workers=17)


def test_seeds_on_a_cluster_have_one_worker_each(tmp_path, capsys):
    words = "--workers", 2, "--seeds", 1, 2, "--cluster", "auto"
    assert here(train.main, write_config(tmp_path), *words) == 2
    assert "config workers: got 2; expected 1 for seeds on a cluster" in capsys.readouterr().err


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> Path:
    """A run of two workers."""
    folder = tmp_path_factory.mktemp("two")
    assert here(train.main, write_config(folder, **TWO), "--run", folder / "run") == 0
    return folder / "run"


@pytest.mark.slow
def test_a_stop_changes_nothing(two, tmp_path):
    words = write_config(tmp_path, **TWO), "--run", tmp_path / "run"
    with ctrl_c_after(4):
        assert here(train.main, *words) == 130
    assert read_rows(tmp_path / "run")[-1]["decisions"] == 4 * UPDATE
    assert here(train.main, *words, "--resume") == 0
    assert_same_run(tmp_path / "run", two)
    assert sum(row["kind"] == "snapshot" for row in read_rows(two)) == 7


def others_of(process) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("leads", [True, False])
def test_a_killed_worker_ends_the_run_and_changes_nothing(two, tmp_path, leads):
    words = write_config(tmp_path, **TWO), "--run", tmp_path / "run"
    with running("train.py", *words, cwd=tmp_path) as process:
        metrics = tmp_path / "run" / "metrics.jsonl"
        while not metrics.exists() or metrics.read_text().count('"update"') < 5:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        (other,) = others_of(process)
        os.kill(process.pid if leads else other, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    if leads:
        assert process.returncode == -signal.SIGKILL
    else:
        says = "error: worker 1 has ended with signal 9; the same command with --resume continues\n"
        assert (process.returncode, complaints(err)) == (2, says)
    end = time.monotonic() + 20
    while Path(f"/proc/{other}").exists():
        assert time.monotonic() < end, "a worker goes on alone"
        time.sleep(0.05)
    assert here(train.main, *words, "--resume") == 0
    assert_same_run(tmp_path / "run", two)


FAILING = """
from multiprocessing import parent_process
from stichwerk.envs import InputError

def make_agent(game):
    def act(observation, mask):
        if parent_process():
            raise InputError("no more cards")
        return int(mask.argmax())
    return act
"""


@pytest.mark.slow
def test_an_error_of_another_worker_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing.py").write_text(FAILING)
    opponents = {"latest": 0.5, "python:failing:make_agent": 0.5}
    words = write_config(tmp_path, workers=2, opponents=opponents), "--run", tmp_path / "run"
    assert here(train.main, *words) == 2
    assert "no more cards" in capsys.readouterr().err
    assert not (tmp_path / "run" / "config.yaml").exists()


@pytest.mark.slow
def test_altered_states_of_another_worker_are_refused(two, tmp_path, capsys):
    words = write_config(tmp_path, **TWO), "--run", tmp_path / "run"
    with ctrl_c_after(4):
        assert here(train.main, *words) == 130

    def alter(tensors, facts):
        tensors["worker.1.lanes.states"].view(-1)[100:200] ^= 1

    rewrite(tmp_path / "run" / "checkpoint.safetensors", alter)
    assert here(train.main, *words, "--resume") == 2
    assert "damaged checkpoint" in capsys.readouterr().err

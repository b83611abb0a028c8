"""Work on a cluster comes to the same as here, however many take part."""

import json
import operator
import os
import pickle
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from filelock import FileLock

from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing import workers as workers_module
from stichwerk.agents.evaluation.playing.workers import LineUp, SpreadPlayer
from stichwerk.agents.evaluation.reports.report import read_results
from stichwerk.agents.registry import SHIPPED_FOLDER
from stichwerk.agents.solver import PositionTooLarge
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train as training
from stichwerk.envs import InputError, make_game
from stichwerk.envs.core.random import check_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.support.extras import MissingExtra
from stichwerk.support.files import LOCK
from stichwerk.support.machine.cluster import ClusterError, connect, in_order, run_all, running_or_local
from tests.agents.support import assert_same_run, command, complaints, here, running, tree, write_config

SEEDS = [3, 1, 4, -1, 5]
TINY = {"lanes": 16, "steps": 16, "minibatches": 4, "widths": (8,)}


@pytest.fixture(scope="module")
def machines():
    """A cluster of one machine with one core, which another may join."""
    pytest.importorskip("ray")
    utilities = pytest.importorskip("ray.cluster_utils")
    cluster = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield cluster
    connect(cluster.address).shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def workers(request, machines) -> str:
    """The address of the cluster; all tests with one machine come first, then those with two."""
    if request.param == 2:
        machines.add_node(num_cpus=1)
    return machines.address


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("two machines", "expected auto, or an address such as ray://host:10001 or host:6379"),
        ("127.0.0.1:1", "'127.0.0.1:1' does not answer"),
        ("ray://127.0.0.1:1", "'ray://127.0.0.1:1' does not answer"),
    ],
)
def test_no_cluster_there(address, message):
    pytest.importorskip("ray")
    with pytest.raises(ClusterError, match=message):
        connect(address)


def test_a_cluster_that_was_killed_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert running_or_local() is None
    (tmp_path / "ray").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = "{}:{}".format(*head.getsockname())
        (tmp_path / "ray" / "ray_current_cluster").write_text(address)
        assert running_or_local() is None
    assert running_or_local() == "local"
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    assert running_or_local() is None, "it was asked for"


def test_no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r'pip install "stichwerk\[ray\]"'):
        connect("auto")


@pytest.fixture(params=["here", "there"])
def place(request) -> str:
    return "" if request.param == "here" else request.getfixturevalue("machines").address


def test_failures_stand_in_their_places_and_stop_nothing(place):
    told = {}
    outcomes = run_all(check_seed, SEEDS, place, told.__setitem__)
    assert outcomes == [told[number] for number in range(len(SEEDS))]
    assert [seed for seed in outcomes if isinstance(seed, int)] == [3, 1, 4, 5]
    assert str(outcomes[3]) == "seed: got -1; expected a whole number from 0"
    assert type(outcomes[3]) is InputError


def test_results_in_order_until_one_fails(place):
    results = in_order(check_seed, SEEDS, place)
    assert [next(results) for _ in range(3)] == [3, 1, 4]
    with pytest.raises(InputError, match="seed: got -1"):
        next(results)


def test_a_fault_of_the_code_is_raised(place):
    with pytest.raises(TypeError):
        run_all(operator.index, [1, "two", 3], place)


def test_a_worker_that_dies_takes_no_other_along(machines):
    (outcome,) = run_all(os._exit, [1], machines.address)
    assert isinstance(outcome, ClusterError)
    assert str(outcome).startswith("3 workers of the cluster have died of one task: ")
    assert run_all(abs, [-1, -2], machines.address) == [1, 2]


# A custom agent that plays the first legal action, and kills its process by kill -9 at some call: at which,
# and how often, stands in the folder that it works in. A worker imports it once, for all tests.
KILLER = """
import os, signal
from collections import Counter
from pathlib import Path

calls = Counter()

def make(game):
    def act(observation, mask):
        at, kills = map(int, Path("plan").read_text().split())
        calls[os.getcwd()] += 1
        with open("calls", "a") as file:
            file.write(".")
        if calls[os.getcwd()] == at and len(Path("kills").read_text()) < kills:
            with open("kills", "a") as file:
                file.write(".")
            os.kill(os.getpid(), signal.SIGKILL)
        return int(mask.argmax())

    return act
"""


def with_killer(folder: Path, at: int, kills: int) -> Path:
    """A folder with such an agent, `python:killer:make`."""
    folder.mkdir()
    (folder / "killer.py").write_text(KILLER)
    (folder / "plan").write_text(f"{at} {kills}")
    for name in ("calls", "kills"):
        (folder / name).touch()
    return folder


def test_a_block_whose_worker_is_killed_is_played_again(machines, tmp_path, monkeypatch):
    """In its middle; the blocks before it are not, and the results are those of an undisturbed evaluation."""
    words = "--agents", "python:killer:make", "rules", "--deals", 40, "--block", 10, "--out", "out"
    files, calls = [], []
    for name, kills in (("undisturbed", 0), ("disturbed", 2)):
        folder = with_killer(tmp_path / name, at=150, kills=kills)
        monkeypatch.chdir(folder)
        assert here(evaluation.main, *words, "--cluster", machines.address) == 0
        assert len((folder / "kills").read_text()) == kills
        calls.append(len((folder / "calls").read_text()))
        files.append({name: (folder / "out" / name).read_bytes() for name in ("pairs.csv", "pairs.svg")})
    assert files[0] == files[1]
    assert calls[0] < calls[1] <= calls[0] + 2 * 150, "what had been finished is not played again"


@pytest.mark.slow
def test_a_block_that_kills_every_worker_is_given_up(machines, tmp_path, monkeypatch, capsys):
    """The pair before it stays."""
    folder = with_killer(tmp_path / "killing", at=20, kills=100)
    monkeypatch.chdir(folder)
    words = "--agents", "rules", "random", "python:killer:make", "--deals", 20, "--block", 10, "--out", "out"
    assert here(evaluation.main, *words, "--cluster", machines.address) == 2
    *progress, error = capsys.readouterr().err.splitlines()
    assert error.startswith("error: 3 workers of the cluster have died of one task: ")
    assert all(line.startswith("playing: ") for line in progress)
    assert 3 <= len((folder / "kills").read_text()) <= 4 * 3, "and no more"
    (pair,) = read_results(folder / "out" / "results.json")
    assert (pair.a, pair.b) == ("rules", "random")


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_goes_on(machines, tmp_path, monkeypatch):
    others = "{latest: 0.5, 'python:killer:make': 0.5}"
    for name, kills in (("undisturbed", 0), ("disturbed", 1)):
        folder = with_killer(tmp_path / name, at=600, kills=kills)
        monkeypatch.chdir(folder)
        config = write_config(folder, opponents=others)
        assert here(training.main, config, "--run", "runs", "--seeds", 1, "--cluster", machines.address) == 0
        assert len((folder / "kills").read_text()) == kills
    assert_same_run(*(tmp_path / name / "runs" / "1" for name in ("undisturbed", "disturbed")))


def test_an_agent_that_fails_there_is_told_as_here(machines, tmp_path, monkeypatch, capsys):
    (tmp_path / "broken.py").write_text("def make(game):\n    return lambda observation, mask: 'sing'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    words = "--agents", "python:broken:make", "rules", "--deals", 10, "--out", tmp_path / "out"
    told = []
    for where in ((), ("--cluster", machines.address)):
        assert here(evaluation.main, *words, *where) == 2
        told.append(capsys.readouterr().err)
    assert told[0] == told[1]
    assert "got the answer 'sing'" in told[0]
    assert not (tmp_path / "out").exists()


MATCHES = "--agents", "random", "rules", "mine=random", "--deals", 25, "--keep-deals", "--out", "out"
BLOCKS = "--block", 10  # the last one is short


def matches(folder: Path, *words) -> dict[str, str]:
    """The files of some matches between agents that draw, played in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert here(evaluation.main, *MATCHES, *words) == 0
    return tree(folder / "out")


@pytest.fixture(scope="module")
def played_here(tmp_path_factory) -> dict[str, str]:
    return matches(tmp_path_factory.mktemp("here"), *BLOCKS)


def test_matches_are_the_same_as_here(workers, played_here, tmp_path):
    assert matches(tmp_path, *BLOCKS, "--cluster", workers) == played_here


def test_a_sequential_test_stops_where_it_does_here(machines, tmp_path):
    """The blocks that the cluster has begun beyond the stop count nowhere."""
    words = "rules", "random", "rules:0.1", "--sprt", "0,0.2", "--block", 50, "--deals", 2_000, "--out"
    assert here(evaluation.main, *words, tmp_path / "here") == 0
    assert here(evaluation.main, *words, tmp_path / "there", "--cluster", machines.address) == 0
    ours, theirs = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("here", "there"))
    assert ours["pairs"] == theirs["pairs"]
    assert ours["stops"] == theirs["stops"]
    assert {stop["deals"] for stop in ours["stops"]} < {*range(100, 2_000, 100)}


def test_blocks_count(played_here, tmp_path):
    assert matches(tmp_path) != played_here


def test_turns_are_thought_over_as_here(workers):
    game = make_game("schnapsen_v0")
    lanes = Lanes(game, 20)
    lanes.seed(1)
    lanes.start()
    line_up = LineUp("schnapsen_v0", "", (("rollout", "rollout:worlds=8"),))
    _, (alone,) = line_up.make()
    spread = SpreadPlayer(alone, line_up, workers)
    for agent in (alone, spread):
        agent.seed(7)
    for which in (np.arange(1, 20), np.arange(0), np.arange(3)):
        turns = Turns.of(lanes, which)
        assert spread.act(turns).tolist() == alone.act(turns).tolist()
    assert spread.random.bit_generator.state == alone.random.bit_generator.state


def test_networks_that_change_in_their_places(tmp_path):
    """A worker that has played with one makes another for the next evaluation."""
    shutil.copytree(SHIPPED_FOLDER / "schnapsen-0.1", tmp_path / "net")
    line_up = LineUp("schnapsen_v0", "", (("mine", f"ppo:{tmp_path / 'net'}"),))
    before = line_up.with_agents_hash()
    assert before == line_up.with_agents_hash() != line_up
    shutil.copytree(SHIPPED_FOLDER / "schnapsen", tmp_path / "net", dirs_exist_ok=True)
    assert line_up.with_agents_hash() != before


def test_another_cluster(machines):
    connect(machines.address)
    with pytest.raises(ClusterError, match=f"this process works on {machines.address}, and on no other"):
        connect("127.0.0.1:1")
    connect("auto")


def test_faults_that_come_from_another_process():
    """As a worker sends them."""
    fault = PositionTooLarge(1_000)
    assert str(pickle.loads(pickle.dumps(fault))) == str(fault)


def test_who_thinks_for_a_worker_that_has_died(machines, monkeypatch):
    lanes = Lanes(make_game("schnapsen_v0"), 3)
    lanes.start()
    line_up = LineUp("schnapsen_v0", "", (("rollout", "rollout:worlds=8"),))
    _, (alone,) = line_up.make()
    spread, turns = SpreadPlayer(alone, line_up, machines.address), Turns.of(lanes, lanes.all)
    monkeypatch.setattr(workers_module, "run_all", lambda *work: [ClusterError("it has died")])
    assert spread.act(turns).tolist() == alone.act(turns).tolist()


def test_who_of_a_run_thinks_on_a_cluster(machines):
    """Opponents, imitation agent and those that it is measured against, if they search, and nobody else."""
    others = "{latest: 0.25, past: 0.25, rules: 0.25, 'rollout:worlds=8': 0.25}"
    who = {
        "opponents": others,
        "imitation_agent": "ismcts:worlds=8",
        "measured_against": "{'pimc:worlds=2': 4}",
    }
    for cluster, spread in (("", 0), (machines.address, 3)):
        config = TrainConfig.of(**who, cluster=cluster, **TINY)
        learner = Learner(config, config.game.make())
        players = [agent for group in learner.agents.values() for agent in group] + [learner.imitation_agent]
        players += [agent for agent, _ in learner.field]
        assert sum(isinstance(player, SpreadPlayer) for player in players) == spread


def test_a_run_needs_others_that_search_for_a_cluster(tmp_path, capsys):
    words = write_config(tmp_path), "--run", tmp_path / "run", "--cluster", "auto"
    assert here(training.main, *words) == 2
    assert "or with agents in the config that search" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_run_against_players_that_search_is_the_same_as_here(machines, tmp_path):
    others = "{latest: 0.5, past: 0.25, 'rollout:worlds=4': 0.25}"
    config = write_config(
        tmp_path,
        opponents=others,
        imitation_agent="rollout:worlds=4",
        imitation_decisions=1_000,
        decisions=2_000,
        measured_against="{'rollout:worlds=2': 4}",
    )
    assert here(training.main, config, "--run", tmp_path / "alone") == 0
    assert here(training.main, config, "--run", tmp_path / "spread", "--cluster", machines.address) == 0
    assert_same_run(tmp_path / "alone", tmp_path / "spread")


@pytest.mark.slow
def test_workers_of_a_training_are_the_same_as_here(machines, tmp_path):
    config = write_config(tmp_path, workers=2, opponents="{latest: 0.5, past: 0.25, rules: 0.25}")
    assert here(training.main, config, "--run", tmp_path / "alone") == 0
    assert here(training.main, config, "--run", tmp_path / "spread", "--cluster", machines.address) == 0
    assert_same_run(tmp_path / "alone", tmp_path / "spread")


@pytest.fixture
def own_room(monkeypatch):
    """A folder for a cluster that no other test is to find: a short name, for its sockets are in it."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as room:
        monkeypatch.setenv("RAY_TMPDIR", room)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("own_room")
def test_guests_of_a_server_that_asks_for_a_token(played_here, tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", 32 * "s")
    port, guests = free_port(), free_port()
    begin = "-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus", 1
    ports = "--port", port, "--ray-client-server-port", guests, "--include-dashboard", "false"
    with running(*begin, *ports, cwd=tmp_path) as server:
        try:
            wait_for(guests)
            words = *MATCHES, *BLOCKS, "--cluster", f"ray://127.0.0.1:{guests}"
            status, _, err = command("eval.py", *words, cwd=tmp_path)
            assert status == 0, err
            assert tree(tmp_path / "out") == played_here
        finally:  # it ends its processes too
            server.terminate()
            server.communicate(timeout=60)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port: int) -> None:
    """Until somebody listens there."""
    for _ in range(600):
        with socket.socket() as guest:
            if guest.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"nobody listens at port {port}")


@pytest.mark.slow
def test_runs_are_the_same_as_here(workers, finished, tmp_path, capsys):
    """One seed's folder is in use elsewhere: that is told in a line, and the other's run is finished."""
    (tmp_path / "runs" / "2").mkdir(parents=True)
    words = write_config(tmp_path), "--run", tmp_path / "runs", "--seeds", 2, 1, "--cluster", workers
    with FileLock(tmp_path / "runs" / "2" / LOCK):
        assert here(training.main, *words) == 2
    assert_same_run(tmp_path / "runs" / "1", finished)
    out, err = capsys.readouterr()
    assert f"Seed 1: finished in {tmp_path / 'runs' / '1'}" in out
    # A slow machine prints the progress too.
    (error,) = [line for line in err.splitlines() if not line.startswith("training seeds:")]
    assert error.startswith("error: seed 2: run folder")


@pytest.mark.slow
def test_stopped_and_resumed(machines, finished, tmp_path):
    words = write_config(tmp_path), "--run", tmp_path / "runs", "--seeds", 1, 2, "--cluster", machines.address
    with running("train.py", *words, cwd=tmp_path) as process:
        metrics, begun = tmp_path / "runs" / "1" / "metrics.jsonl", time.monotonic()
        while not metrics.is_file() or metrics.read_text().count("\n") < 4:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() - begun < 120, "no metrics after two minutes"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, complaints(err)) == (130, "")
    assert "--resume" in out
    assert (tmp_path / "runs" / "1" / "checkpoint.safetensors").is_file()
    assert not (tmp_path / "runs" / "1" / "results.json").is_file()
    assert here(training.main, *words, "--resume") == 0
    assert_same_run(tmp_path / "runs" / "1", finished)

"""Work on a cluster comes to the same as here, however many take part."""

import operator
import os
import sys

import pytest

import stichwerk.commands.eval as evaluation
from stichwerk.agents.cluster import ClusterError, connect, in_order, run_all
from stichwerk.envs import InputError
from stichwerk.envs.core.extras import MissingExtra
from stichwerk.envs.core.random import check_seed
from tests.agents.support import here, tree

SEEDS = [3, 1, 4, -1, 5]


@pytest.fixture(scope="module")
def machines():
    """A cluster of one machine with one core; the tests add another."""
    pytest.importorskip("ray")
    utilities = pytest.importorskip("ray.cluster_utils")
    cluster = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield cluster
    connect(cluster.address).shutdown()
    cluster.shutdown()


@pytest.fixture
def machine(machines) -> str:
    """The address of the cluster."""
    return machines.address


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("two machines", "allowed is auto, or an address such as ray://host:10001 or host:6379"),
        ("127.0.0.1:1", "'127.0.0.1:1' does not answer"),
        ("ray://127.0.0.1:1", "'ray://127.0.0.1:1' does not answer"),
    ],
)
def test_no_cluster_there(address, message):
    pytest.importorskip("ray")
    with pytest.raises(ClusterError, match=message):
        connect(address)


def test_no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r'pip install "stichwerk\[ray\]"'):
        connect("auto")


@pytest.fixture(params=["here", "there"])
def place(request) -> str:
    return "" if request.param == "here" else request.getfixturevalue("machine")


def test_failures_stand_in_their_places_and_stop_nothing(place):
    told = {}
    outcomes = run_all(check_seed, SEEDS, place, told.__setitem__)
    assert outcomes == [told[number] for number in range(len(SEEDS))]
    assert [seed for seed in outcomes if isinstance(seed, int)] == [3, 1, 4, 5]
    assert str(outcomes[3]) == "seed -1: allowed is a whole number of at least 0"
    assert type(outcomes[3]) is InputError


def test_results_in_order_until_one_fails(place):
    results = in_order(check_seed, SEEDS, place)
    assert [next(results) for _ in range(3)] == [3, 1, 4]
    with pytest.raises(InputError, match="seed -1"):
        next(results)


def test_a_fault_of_the_code_is_raised(place):
    with pytest.raises(TypeError):
        run_all(operator.index, [1, "two", 3], place)


def test_a_worker_that_dies_takes_no_other_along(machine):
    (outcome,) = run_all(os._exit, [1], machine)
    assert isinstance(outcome, ClusterError)
    assert "a worker of the cluster has died" in str(outcome)
    assert run_all(abs, [-1, -2], machine) == [1, 2]


def test_matches_are_the_same_with_any_number_of_workers(machines, tmp_path, monkeypatch):
    """Agents that draw, with blocks of their own chance; the last block is a short one."""
    words = "--agents", "random", "rules", "mine=random", "--deals", 25, "--keep-deals", "--out", "out"
    there = "--cluster", machines.address
    ways = {
        "here": ["--block", 10],
        "one": ["--block", 10, *there],
        "two": ["--block", 10, *there],
        "whole": [],
    }
    for name, how in ways.items():
        if name == "two":
            machines.add_node(num_cpus=1)
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert here(evaluation.main, *words, *how) == 0
    assert tree(tmp_path / "here") == tree(tmp_path / "one") == tree(tmp_path / "two")
    assert tree(tmp_path / "here") != tree(tmp_path / "whole"), "the counter-check: blocks count"


def test_an_agent_that_fails_there_is_told_as_here(machine, tmp_path, monkeypatch, capsys):
    (tmp_path / "broken.py").write_text("def make(game):\n    return lambda observation, mask: 'sing'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    words = "--agents", "python:broken:make", "rules", "--deals", 10
    told = []
    for where in ((), ("--cluster", machine)):
        assert here(evaluation.main, *words, *where, "--out", tmp_path / "out") == 2
        told.append(capsys.readouterr().err)
    assert told[0] == told[1]
    assert "answers with 'sing'" in told[0]
    assert not (tmp_path / "out").exists()

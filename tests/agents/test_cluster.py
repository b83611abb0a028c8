"""Work on a cluster comes to the same as here, however many take part."""

import operator
import os
import sys

import pytest

from stichwerk.agents.cluster import ClusterError, connect, in_order, run_all
from stichwerk.envs import InputError
from stichwerk.envs.core.extras import MissingExtra
from stichwerk.envs.core.random import check_seed

SEEDS = [3, 1, 4, -1, 5]


@pytest.fixture(scope="module")
def machine():
    """The address of a cluster of one machine with two cores."""
    pytest.importorskip("ray")
    utilities = pytest.importorskip("ray.cluster_utils")
    cluster = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    yield cluster.address
    connect(cluster.address).shutdown()
    cluster.shutdown()


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

"""The oldest versions of the frameworks that pyproject.toml allows work."""

import pytest

from tests.environments import EXTRAS, PROJECT, SET_UP, make_environment, name_of, oldest, run_tests

FRAMEWORKS = ("gymnasium", "numba", "pettingzoo", "stable-baselines3", "sb3-contrib")
TESTS = (
    "tests/envs/test_api.py",
    "tests/agents/envs/test_selfplay.py",
    "tests/agents/training/test_training.py",
    "tests/agents/external/test_policies.py",
    "tests/agents/external/test_custom.py",
    "tests/agents/envs/test_single_seat.py",
)


def requirements() -> list[str]:
    """Those of the suite and its training, the frameworks at their lower bounds."""
    needed = [*PROJECT["dependencies"], *EXTRAS["eval"], *EXTRAS["train"]]
    pinned = oldest([each for each in needed if name_of(each) != PROJECT["name"]], FRAMEWORKS)
    assert sum("==" in each for each in pinned) == len(FRAMEWORKS)
    return pinned


@pytest.mark.slow
def test_the_oldest_frameworks(tmp_path):
    run_tests(make_environment(tmp_path / "venv", [*requirements(), *SET_UP]), *TESTS)

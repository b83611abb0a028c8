"""The rules are plain Python: interpreted and compiled they play the same game."""

from tests.envs.support import digest, python


def test_interpreted_and_compiled_rules_agree():
    interpreted = python("from tests.envs.support import digest; print(digest(1))", NUMBA_DISABLE_JIT="1")
    assert interpreted == digest(1)

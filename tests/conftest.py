"""How tests are shared out among processes (`pytest -n 2 --dist loadgroup`)."""

import os

import pytest

from stichwerk.envs.games import GAMES, OWN_GAMES

# A game's functions take minutes to compile: two processes that test it at the same time would both do so,
# one after the other finds them on disk. Games of one declaration share their functions.
GROUPS = {env_id.rpartition("_v")[0]: next(iter(GAMES[env_id].env_ids)) for env_id in OWN_GAMES}


# Before torch is imported: threads of several processes would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items):
    """Tests that name a game stay together, unless it is said with whom they belong; the others fill gaps."""
    for item in items:
        group = next((group for name, group in GROUPS.items() if name in item.nodeid), None)
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))

"""The rules are plain Python: interpreted and compiled they play the same game, and the compiled ones are those of the sources."""

import shutil
from pathlib import Path

import stichwerk
from tests.envs.support import digest, python


def test_interpreted_and_compiled_rules_agree():
    interpreted = python("from tests.envs.support import digest; print(digest(1))", NUMBA_DISABLE_JIT="1")
    assert interpreted == digest(1)


VALUE = """
import numpy as np
from stichwerk.envs.games.snapszer.play import STATE, value_against
from stichwerk.envs.games.snapszer.rules import SnapszerRules
print(value_against(SnapszerRules().record()[0], np.zeros(1, STATE)[0], 0), len(value_against.stats.cache_hits))
"""


def test_a_changed_file_is_noticed_by_those_who_call_it(tmp_path):
    """`value_against` calls `base_points` of another file; a copy of the suite in which that one changes must not use the old one."""
    shutil.copytree(Path(stichwerk.__file__).parent, tmp_path / "stichwerk", ignore=shutil.ignore_patterns("__pycache__"))
    family = tmp_path / "stichwerk" / "envs" / "games" / "family.py"

    def value() -> str:
        return python(VALUE, cwd=tmp_path, NUMBA_CACHE_DIR="")

    assert value() == "3 0"
    assert value() == "3 1", "the counter-check: what has not changed comes from the cache"
    family.write_text(family.read_text().replace("return 3\n", "return 7\n"))
    assert value() == "7 0"

"""Compiled code of an installed package: used where sources, Numba and processor agree, refused elsewhere."""

import pytest

from stichwerk.envs.jit.shipped import PACKAGE, level_here, settings, shipped
from tests.envs.jit.test_compiled import CLOSURES
from tests.envs.support import python

USE = """
from importlib import reload

import closures
import numba
from stichwerk.envs.jit import shipped

def play():
    function = reload(closures).doubled(closures.counter(3))
    print(function(10), len(function.stats.cache_hits))

play()
right, numba.__version__ = numba.__version__, "0.1"
play()
numba.__version__ = right
shipped.LEVELS.update(dict.fromkeys(shipped.LEVELS, ["an instruction to come"]))
shipped.shipped.cache_clear()
play()
"""


@pytest.mark.skipif(shipped() is not None or level_here() is None, reason="needs a level, and no package")
def test_shipped_code_is_used_where_all_agrees(tmp_path):
    """Then each time one thing differs: Numba's version, the processor, and the sources."""
    source, package = tmp_path / "closures.py", tmp_path / PACKAGE
    source.write_text(CLOSURES)
    package.mkdir()
    (package / "__init__.py").touch()

    def run(program: str, folder: str, **more: str) -> list[str]:
        kept = tmp_path / folder
        return python(program, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=str(kept), **more).splitlines()

    compile_it = "import closures; print(closures.doubled(closures.counter(3))(10))"
    (value,) = run(compile_it, "built", **settings(level_here()))
    for file in (tmp_path / "built").rglob("*.nbc"):
        file.rename(package / file.name)
    assert run(USE, "kept") == [f"{value} 1", f"{value} 0", f"{value} 0"]
    source.write_text(CLOSURES.replace("2 * count", "3 * count"))
    assert run(USE, "other")[0] == f"{int(value) // 2 * 3} 0"

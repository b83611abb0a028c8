"""Builds the wheel of compiled code: `make dist-compiled`.

GAMES names the games; without it all games of the suite are compiled, in the way of `stichwerk warm`.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from sysconfig import get_platform
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from stichwerk.envs.jit.shipped import LEVELS, PACKAGE, settings


class CompiledCode(BuildHookInterface):
    """Compiles games for each level of processors, and adds the files to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._kept = folder = Path(mkdtemp())
        warm = [sys.executable, "-m", "stichwerk", "warm", *os.environ.get("GAMES", "").split()]
        for level in LEVELS:
            environment = {**os.environ, **settings(level), "NUMBA_CACHE_DIR": str(folder)}
            subprocess.run(warm, env=environment, check=True)
        module = folder / "__init__.py"
        module.write_text('"""Compiled code of Stichwerk\'s games, which it finds here."""\n')
        kept = [module, *folder.rglob("*.nbc"), *folder.glob("*.warm")]
        build_data["force_include"] = {str(path): f"{PACKAGE}/{path.name}" for path in kept}
        build_data["tag"] = f"{_python()}-{_python()}-{_system()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._kept)


def _python() -> str:
    return f"cp{sys.version_info.major}{sys.version_info.minor}"


def _system() -> str:
    """Machine code of Numba calls no library but those that Python has loaded, so any glibc will do."""
    if sys.platform == "linux":
        return f"manylinux_2_17_{platform.machine()}"
    return get_platform().replace("-", "_").replace(".", "_")

"""Compiled code that an installed package brings: `stichwerk-compiled`, which `packaging/compiled` builds.

It is compiled for levels of processors, not for the one at hand, and each process takes the highest level of
its processor. Like kept code each file says of which sources and of which Numba it is, and counts as not
there for all others.
"""

import platform
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from llvmlite import binding
from numba import config

PACKAGE = "stichwerk_compiled"
V3 = "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"
V4 = *V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"
X86 = {"x86-64-v4": V4, "x86-64-v3": V3}
LEVELS: dict[str, tuple[str, ...]] = X86 if platform.machine() in ("x86_64", "AMD64") else {"generic": ()}
"""The instructions that each level needs; the fastest code first."""


def settings(level: str) -> dict[str, str]:
    """Variables of a process that compiles for a level."""
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}


class Shipped(NamedTuple):
    """The installed package as this process uses it: its folder, and the level of its processor."""

    folder: str
    level: str

    def magic_tuple(self) -> tuple[str, ...]:
        """The level in the form that Numba's code generator has, as a key of compiled code."""
        return binding.get_process_triple(), self.level, ""


def level_here() -> str | None:
    """The highest level that this processor has, if it has one."""
    has = binding.get_host_cpu_features()
    return next((level for level, needed in LEVELS.items() if all(has.get(name) for name in needed)), None)


@cache
def shipped() -> Shipped | None:
    """None if there is no such package, if the processor has none of the levels, or if NUMBA_CPU_NAME or
    NUMBA_CPU_FEATURES asks for code of another kind."""
    package, level = find_spec(PACKAGE), level_here()
    asked = config.CPU_NAME or config.CPU_FEATURES is not None  # type: ignore[attr-defined]
    if asked or level is None or package is None or not package.submodule_search_locations:
        return None
    return Shipped(package.submodule_search_locations[0], level)

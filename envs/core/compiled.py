"""The decorator of all compiled rules, and Numba's cache on disk, made to notice every change of the sources.

Numba checks only the file that a function stands in. A rule that calls a function of another file would go on
as it was when that one changes, by an edit or an update. Here every cached function counts as stale once any
file of the suite has changed, and a game of somebody else's package also once any file of that package has.
"""

import hashlib
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

SUITE = "stichwerk"
PLACES = (
    caching.UserProvidedCacheLocator,
    caching.InTreeCacheLocator,
    caching.UserWideCacheLocator,
)  # in Numba's order
# Without the GIL, and without a look at each divisor: rules divide by what they know not to be zero.
# (Interpreted, a zero would raise.)
AS_ALL: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_ours: set[Callable] = set()  # functions about to be compiled by `compiled`


def compiled(function: Callable) -> Callable:
    """Compile a function when it is first called, and keep it on disk; it runs without the GIL.

    With NUMBA_DISABLE_JIT=1 it stays plain Python. A function that calls itself cannot be kept: Numba does
    not find it again in another process.
    """
    _ours.add(function)
    try:
        dispatcher = njit(cache=True, **AS_ALL)(function)
        if cache := getattr(dispatcher, "_cache", None):  # not with NUMBA_DISABLE_JIT=1
            cache._cache_file.__class__ = MendingCacheFile
        return dispatcher
    except RuntimeError as error:  # Numba's, where it finds no folder to write to
        if "no locator available" not in str(error):
            raise
        _warn_once()
        return njit(**AS_ALL)(function)
    finally:
        _ours.discard(function)


class MendingCacheFile(caching.IndexDataCacheFile):
    """What is kept on disk of one function; a damaged file counts as not there, and is written anew."""

    def load(self, key):
        try:
            return super().load(key)
        except Exception:  # whatever a broken pickle may raise
            with suppress(OSError):
                self.flush()
            return None


@cache
def _warn_once() -> None:
    warnings.warn(
        "no folder to keep compiled functions in: every process compiles them anew; set NUMBA_CACHE_DIR",
        stacklevel=4,
    )


@cache
def source_stamp(package: str) -> str:
    """A hash of all sources of an importable package or module, and of the suite's, as they are on first
    asking."""
    folders = [Path(__file__).parents[1], Path(__file__).parents[2] / "agents"]  # the second may be absent
    files = [file for folder in folders for file in folder.rglob("*.py")]
    if package != SUITE:
        files += _sources(package)
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def _sources(package: str) -> list[Path]:
    module = sys.modules[package]
    if folders := getattr(module, "__path__", None):
        return [file for folder in folders for file in Path(folder).rglob("*.py")]
    return [Path(file)] if (file := getattr(module, "__file__", None)) else []


def _stamped(place: Any) -> Any:
    """One of the places where Numba keeps compiled functions, for those of `compiled` alone."""

    class Stamped(place):
        @classmethod
        def from_function(cls, py_func, py_file):
            if py_func not in _ours:
                return None
            locator = super().from_function(py_func, py_file)
            if locator is not None:
                locator.package = py_func.__module__.partition(".")[0]
            return locator

        def get_source_stamp(self):
            return source_stamp(self.package)

    return Stamped


caching.CompileResultCacheImpl._locator_classes[:0] = [_stamped(place) for place in PLACES]

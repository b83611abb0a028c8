"""Numba's cache on disk, made to notice every change of the sources.

Numba checks only the file that a function stands in. A rule that calls a function of another file would go on as it was when that one
changes, by an edit or an update. Here every cached function of the suite counts as stale once any file of the suite has changed.
"""

import hashlib
from pathlib import Path
from typing import Any

from numba.core import caching

PACKAGES = [Path(__file__).parents[2] / name for name in ("envs", "agents")]  # they stand side by side; the second may be absent
PLACES = (caching.UserProvidedCacheLocator, caching.InTreeCacheLocator, caching.UserWideCacheLocator)  # in Numba's order


def notice_all_changes() -> None:
    """To be called before the first compiled function is defined."""
    sources = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    places: list[Any] = [_stamped(place, stamp) for place in PLACES]
    caching.CompileResultCacheImpl._locator_classes[:0] = places


def _stamped(place: type, stamp: str) -> type:
    """One of the places where Numba keeps compiled functions, for those of the suite alone."""

    class Stamped(place):  # type: ignore[misc]
        @classmethod
        def from_function(cls, py_func, py_file):
            ours = any(package in Path(py_file).parents for package in PACKAGES)
            return super().from_function(py_func, py_file) if ours else None

        def get_source_stamp(self):
            return stamp

    return Stamped

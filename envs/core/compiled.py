"""The decorator of all compiled code, and Numba's cache on disk, made to notice every change of the sources.

Numba checks only the file that a function stands in. A rule that calls a function of another file would go on
as it was when that one changes, by an edit or an update. Here every cached function counts as stale once any
file of the suite has changed, and a game of somebody else's package also once any file of that package has.

Numba keeps no closure over compiled functions either: to each process they are others. Loops and searches are
such closures, over the functions of a game, and take far longer to compile than the rules. Here closures are
told apart by what they close over: numbers and arrays by their values, functions by their names and sources.
"""

import hashlib
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching
from numba.core.dispatcher import Dispatcher

SUITE = "stichwerk"
# Without the GIL, and without a look at each divisor: rules divide by what they know not to be zero.
# (Interpreted, a zero would raise.)
AS_ALL: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def compiled(function: Callable) -> Callable:
    """Compile a function when it is first called, and keep it on disk; it runs without the GIL.

    With NUMBA_DISABLE_JIT=1 it stays plain Python. A function that calls itself cannot be kept: Numba does
    not find it again in another process. Nor is a closure over functions without a source file.
    """
    dispatcher = njit(**AS_ALL)(function)
    if not isinstance(dispatcher, Dispatcher):  # with NUMBA_DISABLE_JIT=1
        return dispatcher
    if function.__closure__:
        if (told := _closed_over(function)) is None:
            return dispatcher
        function.__qualname__ += f"_{told}"  # the name is also what code of several processes is linked by
    try:
        dispatcher._cache = KeptFunctions(function)  # type: ignore[attr-defined]
    except RuntimeError as error:  # Numba's, where it finds no folder to write to
        if "no locator available" not in str(error):
            raise
        _warn_once()
    return dispatcher


def _closed_over(function: Callable) -> str | None:
    """A hash of what a closure closes over, if that can be told in another process too."""
    written = BytesIO()
    try:
        _Writer(written).dump(_cells(function))
    except Exception:  # no source file, a name that is still to be defined, or whatever pickle may raise
        return None
    return hashlib.sha256(written.getvalue()).hexdigest()[:16]


def _cells(function: Callable) -> tuple:
    return tuple(cell.cell_contents for cell in function.__closure__ or ())


class _Writer(pickle.Pickler):
    def persistent_id(self, value):
        """Compiled functions count as what they are compiled from."""
        if not isinstance(value, Dispatcher):
            return None
        function = value.py_func
        code, package = function.__code__, _package_of(function)
        if not _sources(package):
            raise pickle.PicklingError(f"{package} has no source file")
        stamp = source_stamp(package) if package != SUITE else None  # that one stands beside all that is kept
        numbers = [number for number in code.co_consts if isinstance(number, (int, float))]
        own = function.__module__, function.__qualname__, code.co_code, numbers
        return own, sorted(value.targetoptions.items()), stamp, _cells(function)


class MendingCacheFile(caching.IndexDataCacheFile):
    """What is kept on disk of one function; a damaged file counts as not there, and is written anew.

    Several processes may write at once. Numba numbers the files of a function's signatures as they come, and
    names one in the index before it is there, so that two processes can take each other's for their own.
    """

    def save(self, key, data):
        number = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:4])
        name = self._data_name(number)
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

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


def _package_of(function: Callable) -> str:
    return function.__module__.partition(".")[0]


def _sources(package: str) -> list[Path]:
    module = sys.modules.get(package)
    if folders := getattr(module, "__path__", None):
        return [file for folder in folders for file in Path(folder).rglob("*.py")]
    return [Path(file)] if (file := getattr(module, "__file__", None)) else []


def _stamped(place: Any) -> Any:
    """One of the places where Numba keeps compiled functions, with our stamp."""

    class Stamped(place):
        @classmethod
        def from_function(cls, py_func, py_file):
            locator = super().from_function(py_func, py_file)
            if locator is not None:
                locator.package = _package_of(py_func)
            return locator

        def get_source_stamp(self):
            return source_stamp(self.package)

    return Stamped


class _Stamped(caching.CompileResultCacheImpl):
    _locator_classes = [
        _stamped(place)
        for place in (  # in Numba's order
            caching.UserProvidedCacheLocator,
            caching.InTreeCacheLocator,
            caching.UserWideCacheLocator,
        )
    ]


class KeptFunctions(caching.FunctionCache):
    """The compiled forms of one function on disk."""

    _impl_class = _Stamped

    def __init__(self, function: Callable):
        super().__init__(function)
        self._cache_file.__class__ = MendingCacheFile

    def _index_key(self, sig, codegen):
        return sig, codegen.magic_tuple()  # the code and what it closes over are told by stamp and name

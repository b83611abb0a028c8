"""The decorator of all compiled code, and Numba's cache on disk, made to notice every change of the sources.

Numba checks only the file that a function stands in. A rule that calls a function of another file would go on
as it was when that one changes, by an edit or an update. Here a kept function carries a hash of the code that
is loaded: its own, that of all functions it calls, and globals they read. Another hash is of the files of
this folder, which say how code is compiled. An edit elsewhere leaves a kept function as it is.

Numba keeps no closure over compiled functions either: to each process they are others. Loops and searches are
such closures, over the functions of a game, and take far longer to compile than the rules. Here functions are
told apart by where they stand and what they close over. Numbers and arrays count by their values, functions
by such an identity of their own.

Code of several processes, once loaded side by side, is linked by names in which Numba numbers functions and
types of records as they come. Two processes begin with the same numbers, and one game would then call another
one's rules. Here each process numbers its functions from a random number on.

To compile a game takes up to half a minute. When it has taken a second the logger `stichwerk` says so, once
in a process. That is a warning, which Python prints on stderr where nobody has set up logging. In a process
of `multiprocessing` or Ray, which may be one of many, it is an info, which is not printed.

No module but this one and `linked` uses undocumented parts of Numba. What the code of intrinsics needs of
them stands here too. `tests/test_numba.py` runs what depends on that under each version that is supported.
"""

import hashlib
import itertools
import logging
import multiprocessing
import os
import pickle
import secrets
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, EnumMeta
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import config, njit
from numba.core import caching, cgutils
from numba.core import event as events
from numba.core.bytecode import FunctionIdentity
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic
from numba.np import arrayobj

from stichwerk.envs.jit.linked import LinkedCode, TwoForms
from stichwerk.envs.jit.shipped import shipped

SUITE = "stichwerk"
# Without the GIL, without the wrapper by which C would call them, and without a look at each divisor: rules
# divide by what they know not to be zero. (Interpreted, a zero would raise.)
AS_ALL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
NOTICEABLE = 1.0  # seconds of compiling, before that is said
NOTICE = (
    "Compiling the rules of a game, which takes up to half a minute (kept on disk for the next start) ..."
)

# For the code of intrinsics.
TRUE, for_range_slice = cgutils.true_bit, cgutils.for_range_slice
make_array, populate_array = arrayobj.make_array, arrayobj.populate_array


def _number_anew() -> None:
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))  # type: ignore[assignment]


_number_anew()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_number_anew)


FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def compiled(function: FunctionT) -> FunctionT:
    """Compile a function when it is first called, and keep it on disk; it runs without the GIL.

    With NUMBA_DISABLE_JIT=1 it stays plain Python. Functions that call each other are refused: Numba does
    not find them again in another process. A function is not kept if it has no source file, or is a closure
    over functions that are not kept.
    """
    if config.DISABLE_JIT or (identity := _identity_of(function)) is None:  # type: ignore[attr-defined]
        return cast(FunctionT, njit(**AS_ALL)(function))
    dispatcher = TwoForms(function, AS_ALL)
    try:
        dispatcher.keep(KeptFunctions(function, identity), _KeptToLink(function, identity))
    except RuntimeError as error:  # Numba's, where it finds no folder to write to
        if "no locator available" not in str(error):
            raise
        _warn_once("no folder to keep compiled functions in")
    return cast(FunctionT, dispatcher)


def is_compiled(function: Any) -> bool:
    """True if this is a function under `@compiled`; with NUMBA_DISABLE_JIT=1 whether it can be called."""
    return isinstance(function, Dispatcher) or (callable(function) and bool(config.DISABLE_JIT))  # type: ignore[attr-defined]


def _identity_of(function: Callable) -> str | None:
    """A hash of where a function stands, to the column, of its code and default values, and of what it closes
    over: as long as no source changes, the same in every process, and no other function's. None if that
    cannot be told, as of a function written in a notebook."""
    code = function.__code__
    if not Path(code.co_filename).is_file() or _package_of(function) not in sys.modules:
        return None
    place = function.__module__, function.__qualname__, code.co_firstlineno, code.co_linetable, code.co_code
    written = BytesIO()
    try:
        closed_over = [cell.cell_contents for cell in function.__closure__ or ()]
        _Writer(written).dump([place, function.__defaults__, closed_over])
    except Exception:  # a name that is still to be defined, or whatever pickle may raise
        return None
    return hashlib.sha256(written.getvalue()).hexdigest()


class _Writer(pickle.Pickler):
    def persistent_id(self, value):
        """Functions that are kept count by their identity; others are refused."""
        if identity := _kept_identity(value):
            return identity
        if isinstance(value, (Dispatcher, FunctionType)):
            raise pickle.PicklingError(f"{value} is not kept")
        return None


def _kept_identity(value: Any) -> str | None:
    """The identity of a compiled function that is kept; None for anything else."""
    kept = getattr(value, "_cache", None) if isinstance(value, Dispatcher) else None
    return kept.identity if isinstance(kept, KeptFunctions) else None


class KeptFunctions(caching.FunctionCache):
    """The compiled forms of a function on disk, by its identity and the types of the arguments.

    Numba has an index of numbered files. It names a file before that is there, by a number that another
    process may give at the same time to other types. Here there is no index: the file's number goes by what
    is in it, and in it stands what and of which sources that is. One that cannot be read counts as not there,
    and is written again.
    """

    def __init__(self, function: Callable, identity: str):
        super().__init__(function)
        self.identity = identity
        self._cache_file.__class__ = _CacheFile
        self._cache_file._function = function  # type: ignore[attr-defined]
        self._cache_file._source_stamp = compiler_stamp()

    def _load_overload(self, sig, target_context):
        """From the folder of kept code, or else from the installed package of compiled code."""
        kept, package = super()._load_overload(sig, target_context), shipped()
        if kept is not None or package is None:
            return kept
        data = self._cache_file.load(self._index_key(sig, package), package.folder)
        return None if data is None else self._impl.rebuild(target_context, data)

    def _index_key(self, sig, codegen):
        return sig, codegen.magic_tuple(), self.identity, int(config.OPT), int(config.BOUNDSCHECK or 0)


class _KeptToLink(KeptFunctions):
    """Files of the second form of a function."""

    _impl_class = LinkedCode  # type: ignore[assignment]

    def _index_key(self, sig, codegen):
        return "to link", *super()._index_key(sig, codegen)


class _CacheFile(caching.IndexDataCacheFile):
    _function: Any

    def save(self, key, data):
        try:
            self._save_data(self._name(key), (*self._origin, key, data))
        except OSError as error:  # what cannot be kept, as on a full disk, can be used all the same
            _warn_once(f"{self._cache_path}: compiled functions cannot be kept ({error.strerror})")

    def load(self, key, folder=""):
        """The data, or None; another folder is given by its whole path."""
        try:
            *of, data = self._load_data(os.path.join(folder, self._name(key)))
        except Exception:  # whatever a broken pickle may raise
            return None
        return data if of == [*self._origin, key] else None

    @cached_property
    def _origin(self) -> tuple[str, str, str]:
        """Read at the first call: until then functions further down in a module are not defined yet."""
        return self._version, self._source_stamp, code_stamp(self._function)

    def _name(self, key):
        return self._data_name(int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8]))


class _Notice(events.Listener):
    """Says once that functions are being compiled, and kept, when that has taken a noticeable time."""

    def __init__(self) -> None:
        self._depth = 0  # compiling a function compiles those that it calls
        self._spent = self._begun = 0.0
        self._is_said = False

    def on_start(self, event: events.Event) -> None:
        if not _is_kept(event):
            return
        self._depth += 1
        if self._depth == 1:
            self._begun = time.monotonic()
        if not self._is_said and self._spent + time.monotonic() - self._begun >= NOTICEABLE:
            self._is_said = True
            logging.getLogger(SUITE).log(logging.INFO if _is_worker() else logging.WARNING, NOTICE)

    def on_end(self, event: events.Event) -> None:
        if _is_kept(event):
            self._depth -= 1
            if not self._depth:
                self._spent += time.monotonic() - self._begun


def _is_kept(event: events.Event) -> bool:
    return isinstance(event.data["dispatcher"]._cache, KeptFunctions)


def _is_worker() -> bool:
    """True if this process is one of many, started by `multiprocessing` or by Ray."""
    return multiprocessing.parent_process() is not None or "RAY_RAYLET_PID" in os.environ


events.register("numba:compile", _Notice())


_warned: list[str] = []


def _warn_once(fault: str) -> None:
    if not _warned:
        _warned.append(fault)
        warnings.warn(f"{fault}: every process compiles them anew; set NUMBA_CACHE_DIR", stacklevel=4)


@cache
def compiler_stamp() -> str:
    """A hash of the files of this folder, as they are on first asking."""
    contents = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.sha256(contents).hexdigest()


def _package_of(function: Callable) -> str:
    return function.__module__.partition(".")[0]


# The code that is loaded

LIBRARIES = "numba", "numpy"  # whose functions are told by their names alone


class _Part(NamedTuple):
    """One function: a hash of its code and of the values it reads, and the functions that it names."""

    digest: str
    calls: tuple[FunctionType, ...]


def code_stamp(function: FunctionType) -> str:
    """A hash of the code of a function and of all that it reaches by calls, as they are loaded."""
    reached, waiting = {function}, [function]
    while waiting:
        found = [call for call in _part(waiting.pop()).calls if call not in reached]
        reached.update(found)
        waiting += found
    digests = [_part(function).digest, *sorted(_part(each).digest for each in reached)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@cache
def _part(function: FunctionType) -> _Part:
    calls: dict[FunctionType, None] = {}
    cells = [_content(cell) for cell in function.__closure__ or ()]
    values = [function.__code__, function.__defaults__, function.__kwdefaults__, cells]
    names = sorted(set(_names_in(function.__code__)))
    values += [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    written = repr([_place(function), *(_written(value, names, calls) for value in values)])
    return _Part(hashlib.sha256(written.encode()).hexdigest(), tuple(calls))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is still to be defined
        return None


def _names_in(code: CodeType) -> Iterator[str]:
    """The globals and attributes that a code names, also inside of functions in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _written(value: Any, names: list[str], calls: dict[FunctionType, None]) -> Any:
    """A value in words and numbers that are the same in every process; functions by their place, and added to
    `calls`. Of modules only these names count. What compiled code cannot read is told by its type."""

    def written(part: Any) -> Any:
        return _written(part, names, calls)

    match value:
        case Dispatcher() | _Intrinsic() | FunctionType():
            called: Any = value
            function = getattr(called, "py_func", getattr(called, "_defn", called))
            if _package_of(function) not in LIBRARIES:
                calls.update(dict.fromkeys([function, *_overloads_beside(called)]))
            return _kept_identity(called) or _place(function)
        case CodeType():
            sizes = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags
            words = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
            return value.co_code, sizes, words, written(value.co_consts)
        case ModuleType():
            inside = [] if value.__name__.partition(".")[0] in LIBRARIES else names
            there = [(name, vars(value)[name]) for name in inside if name in vars(value)]
            return value.__name__, written(there)
        case EnumMeta():
            members: Mapping[str, Enum] = value.__members__
            return _place(value), [(name, written(member.value)) for name, member in members.items()]
        case tuple() | list():
            return _place(type(value)), getattr(value, "_fields", ()), [written(part) for part in value]
        case set() | frozenset():
            return sorted(repr(written(part)) for part in value)
        case np.ndarray() if not value.dtype.hasobject:
            return repr(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
        case None | bool() | int() | float() | complex() | str() | bytes() | np.generic() | np.dtype():
            return _place(type(value)), repr(value)
        case _:
            return _place(value if hasattr(value, "__qualname__") else type(value))


def _overloads_beside(called: Any) -> list[FunctionType]:
    """For a plain function compiled code runs an overload, which nothing leads to.

    It counts if it stands in the same module, as do all plain functions there.
    """
    if not isinstance(called, FunctionType):
        return []
    plain = [value for value in called.__globals__.values() if isinstance(value, FunctionType)]
    return [value for value in plain if value.__module__ == called.__module__]


def _place(named: Any) -> str:
    return f"{getattr(named, '__module__', '')}.{named.__qualname__}"

"""One table for each thing that a game may have: the game itself, its rule-based player, its solver kernel.

An entry comes from one of three places. These are a module in the suite's own folder, a call that registers
it, and an entry point of an installed package. No list of entries is kept by hand.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules, walk_packages
from types import ModuleType
from typing import Any, Generic, TypeVar

from stichwerk.support.errors import InputError
from stichwerk.support.extras import load_entry_point

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Environment id -> its entry. Entry points of other packages are loaded when they are asked for.

    Args:
        group: The group of entry points, such as `stichwerk.games`.
        kind: An entry's name in errors, such as `game`.
        check: Returns an entry that may stand under an environment id, and raises InputError for any other.
        loading: An entry point's name in errors, with `{}` for its environment id.
        refusal: The class of the error if an entry point cannot be loaded.
    """

    def __init__(
        self,
        group: str,
        kind: str,
        check: Callable[[str, Any], T],
        loading: str | None = None,
        refusal: type[InputError] = InputError,
    ):
        self._kind, self._check, self._refusal = kind, check, refusal
        self._loading = loading or f"the {kind} of {{}}"
        self._entries: dict[str, T] = {}
        self._elsewhere: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=group)}

    def add(self, entries: Mapping[str, Any]) -> None:
        """Add entries: all of them, or none. An entry that is there already may be added again.

        Raises:
            InputError: if one is of the wrong type, or if its environment id has another entry.
        """
        checked = {env_id: self._check(env_id, entry) for env_id, entry in entries.items()}
        for env_id, entry in checked.items():
            if self._entries.get(env_id, entry) is not entry:
                raise InputError(f"environment id {env_id!r} is taken by another {self._kind}")
        self._entries |= checked

    @contextmanager
    def replaced(self, entries: Mapping[str, Any]) -> Iterator[None]:
        """Register entries inside a `with`, instead of those with the same environment ids.

        After it the registry is as it was before: entries that were added inside are gone too.

        Raises:
            InputError: if an entry is of the wrong type.
        """
        before = self._entries
        self._entries = before | {env_id: self._check(env_id, entry) for env_id, entry in entries.items()}
        try:
            yield
        finally:
            self._entries = before

    @property
    def loaded(self) -> Mapping[str, T]:
        """The entries without those of other packages that have not been asked for."""
        return self._entries

    def __contains__(self, env_id: object) -> bool:
        return env_id in self._entries or env_id in self._elsewhere

    def __getitem__(self, env_id: str) -> T:
        if env_id not in self._entries and env_id in self._elsewhere:
            what = self._loading.format(env_id)
            self.add({env_id: load_entry_point(self._elsewhere[env_id], what, self._refusal)})
        return self._entries[env_id]

    def __iter__(self) -> Iterator[str]:
        yield from self._entries
        yield from (env_id for env_id in self._elsewhere if env_id not in self._entries)

    def __len__(self) -> int:
        return len(self._entries.keys() | self._elsewhere.keys())


def modules_in(package: str, below: bool = False) -> Iterator[ModuleType]:
    """The imported modules of a package's folder, and of the folders below if `below` is true."""
    find = walk_packages if below else iter_modules
    for found in find(import_module(package).__path__, f"{package}."):
        yield import_module(found.name)

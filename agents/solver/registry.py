"""The solver kernels by environment id.

A module of this folder says by `SOLVES` which environment ids its `KERNEL` solves; no list of them is kept
anywhere. Kernels of other packages are found through entry points of the group `stichwerk.solver_kernels` (an
environment id's value is `module:KERNEL`) and loaded when they are asked for, or are told to
`register_kernel`.
"""

import pkgutil
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from stichwerk.agents.solver.kernel import Kernel
from stichwerk.support.errors import InputError
from stichwerk.support.extras import load_entry_point

ENTRY_POINTS = "stichwerk.solver_kernels"
PACKAGE = __name__.rpartition(".")[0]

_kernels: dict[str, Kernel] = {}
_elsewhere: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def register_kernel(env_id: str, kernel: Kernel) -> None:
    """Make a kernel the solver of an environment id, before searching agents of that game are made.

    Raises:
        InputError: if it is no Kernel, or if the id has another one.
    """
    if not isinstance(kernel, Kernel):
        raise InputError(f"solver kernel of {env_id!r}: got {type(kernel).__name__}; expected a Kernel")
    if _kernels.setdefault(env_id, kernel) is not kernel:
        raise InputError(f"environment id {env_id!r} has another solver kernel already")


def solved_games() -> tuple[str, ...]:
    """The environment ids that have a kernel."""
    return tuple(dict.fromkeys((*_kernels, *_elsewhere)))


def find_kernel(env_id: str) -> Kernel | None:
    """The kernel of an environment id, if it has one.

    Raises:
        InputError: if the kernel of another package cannot be loaded.
    """
    if env_id not in _kernels and env_id in _elsewhere:
        register_kernel(env_id, load_entry_point(_elsewhere[env_id], f"the solver kernel of {env_id}"))
    return _kernels.get(env_id)


for _found in pkgutil.iter_modules([str(Path(__file__).parent)], f"{PACKAGE}."):
    _module = import_module(_found.name)
    for _env_id in getattr(_module, "SOLVES", ()):
        register_kernel(_env_id, _module.KERNEL)

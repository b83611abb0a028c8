"""The solver kernels by environment id.

A module of this folder says by `SOLVES` which environment ids its `KERNEL` solves; no list of them is kept
anywhere. Kernels of other packages are registered by `register_kernel`, or found through entry points of the
group `stichwerk.solver_kernels`. The value of an environment id there is `module:KERNEL`, which is loaded at
the first use.
"""

from typing import Any

from stichwerk.agents.solver.kernel import Kernel
from stichwerk.support.errors import InputError
from stichwerk.support.registry import Registry, modules_in


def _checked(env_id: str, kernel: Any) -> Kernel:
    if not isinstance(kernel, Kernel):
        raise InputError(f"solver kernel of {env_id!r}: got {type(kernel).__name__}; expected a Kernel")
    return kernel


KERNELS = Registry("stichwerk.solver_kernels", "solver kernel", _checked)
"""Environment id -> its kernel."""


def register_kernel(env_id: str, kernel: Kernel) -> None:
    """Make a kernel the solver of an environment id, before searching agents of that game are made.

    Raises:
        InputError: if it is no Kernel, or if the id has another one.
    """
    KERNELS.add({env_id: kernel})


def solved_games() -> tuple[str, ...]:
    """The environment ids that have a kernel."""
    return tuple(KERNELS)


def find_kernel(env_id: str) -> Kernel | None:
    """The kernel of an environment id, if it has one.

    Raises:
        InputError: if the kernel of another package cannot be loaded.
    """
    return KERNELS.get(env_id)


for _module in modules_in(__name__.rpartition(".")[0]):
    for _env_id in getattr(_module, "SOLVES", ()):
        register_kernel(_env_id, _module.KERNEL)

"""Central European trick-taking card games as reinforcement-learning environments.

`stichwerk.envs`, `stichwerk.agents` and `stichwerk.support` are the folders of those names at the top of the
repository. They are links in a checkout, and folders in an installed package. No other name is put on the
path.
"""

import os  # and no more: commands are not to end in a traceback if Ctrl-C comes while this is imported

__version__ = "0.3.0"
INTERRUPTED = 130  # exit status of commands after Ctrl-C, as shells have it

if not os.path.isdir(_envs := os.path.join(os.path.dirname(__file__), "envs")):
    raise ImportError(
        f"{_envs} is no link to a folder, as on Windows by default: "
        "clone with `git clone -c core.symlinks=true` in developer mode, or install the package"
    )

TYPE_CHECKING = False  # `typing` would take longer than all of this
if TYPE_CHECKING:
    from stichwerk.envs.deal import Deal as Deal


def __getattr__(name: str) -> object:
    """`stichwerk.Deal`, which is imported when it is first asked for."""
    if name != "Deal":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from stichwerk.envs.deal import Deal

    return Deal

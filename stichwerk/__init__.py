"""Central European trick-taking card games as reinforcement-learning environments.

`stichwerk.envs` and `stichwerk.agents` are the folders `envs/` and `agents/` at the top of the repository:
links in a checkout, folders in an installed package. No other name is put on the path.
"""

from pathlib import Path

__version__ = "0.2.0.dev0"

if not (Path(__file__).parent / "envs").is_dir():
    raise ImportError(
        f"{Path(__file__).parent / 'envs'} is no link to a folder, as on Windows by default: "
        "clone with `git clone -c core.symlinks=true` in developer mode, or install the package"
    )

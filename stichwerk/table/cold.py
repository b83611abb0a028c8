"""A first start: the games that are compiled already, told before anything is imported that takes long.

Until its code is compiled a game is played interpreted. That is decided for a whole process, before Numba is
imported. A file for each game that was compiled lies beside the kept code, and goes with it.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LIGHT = ("rules", "ppo:", "random", "level:")
"""Beginnings of the agents that answer at once while they are interpreted."""
COMPILED_FIRST = ("-h", "--help", "--watch", "--position", "--study", "--terminal")
"""Options of `stichwerk play` that ask for what interpreted code cannot do, or not soon enough."""
SHORT_RECORD = 100_000
"""Bytes of a record: about a hundred deals."""
DISABLE = "NUMBA_DISABLE_JIT"
begun_cold = False
"""True in a process that `begin` has made play interpreted."""


def begin(words: Sequence[str]) -> None:
    """Say on a terminal that a table is coming, and play interpreted if its game is not compiled yet.

    Args:
        words: of the command line, behind `stichwerk play`
    """
    global begun_cold
    if any(word.startswith(("-h", "--help")) for word in words):
        return
    if sys.stderr.isatty():
        print("Stichwerk: opening a table …", file=sys.stderr, flush=True)
    heavy = any(word.partition("=")[0] in COMPILED_FIRST for word in words) or not _all_light(words)
    if heavy or os.name == "nt" or DISABLE in os.environ:  # Windows cannot hand a socket on like this
        return
    game = next((word for word in words[:1] if not word.startswith("-")), "")
    if not is_warm(game):
        begun_cold = True
        os.environ[DISABLE] = "1"


def begin_with_record(words: Sequence[str]) -> None:
    """Replay a short record interpreted: compiled code takes longer to load, not to speak of compiling.

    Args:
        words: of the command line, among them the record's file
    """
    sizes = [os.path.getsize(word) for word in words if os.path.isfile(word)]
    if sizes and max(sizes) <= SHORT_RECORD:
        os.environ.setdefault(DISABLE, "1")


def _all_light(words: Sequence[str]) -> bool:
    """True unless an agent is named that takes long interpreted."""
    values = iter(words)
    for word in values:
        if word.startswith("--against="):
            return word.removeprefix("--against=").startswith(LIGHT)
        if word == "--against":
            agents = []
            for value in values:
                if value.startswith("--"):
                    break
                agents.append(value)
            return all(agent.startswith(LIGHT) for agent in agents)
    return True


def is_warm(game: str) -> bool:
    """True if a game was compiled, named by its environment id or the beginning of that; without a name, any
    game."""
    names = [path.name for folder in (*_folders(), *_shipped()) for path in folder.glob("*.warm")]
    return bool(names) and any(name.startswith(f"{stamp()}-{game}") for name in names)


def note_warm(env_id: str) -> None:
    """Note that a game is compiled, with its agents and its review."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob(f"*-{env_id}.warm"):
                old.unlink()
            (folder / f"{stamp()}-{env_id}.warm").touch()
            return


def _shipped() -> list[Path]:
    """The folder of an installed package of compiled code, which holds such files too."""
    if {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"} & os.environ.keys():  # which ask for code of another kind
        return []
    package = find_spec("stichwerk_compiled")
    return [Path(folder) for folder in (package and package.submodule_search_locations) or ()]


def _folders() -> list[Path]:
    """The folders of such files: that of the kept code, or where it cannot be written one of the user."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named)]
    return [Path(__file__).parent / "__pycache__", Path.home() / ".cache" / "stichwerk"]


@cache
def stamp() -> str:
    """A hash of the suite's files, the same wherever they lie, of Numba's version and of Python's."""
    seen = hashlib.sha256(f"{sys.version_info[:2]} {sys.platform} {version('numba')}".encode())
    for name in ("agents", "envs", "support", "table", "commands"):
        for file in sorted((PACKAGE / name).glob("**/*.py")):
            seen.update(file.read_bytes())
    return seen.hexdigest()[:16]

"""A first start: the games that are compiled already, told before anything is imported that takes long.

Until its code is compiled a game is played interpreted. That is decided for a whole process, before Numba is
imported. A file for each game that was compiled lies beside the kept code, and goes with it.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LIGHT = ("rules", "ppo:", "random", "level:")
"""Beginnings of the agents that answer at once while they are interpreted."""
COMPILED_FIRST = ("-h", "--help", "--watch", "--position", "--study", "--terminal")
"""Options of `stichwerk play` that ask for what interpreted code cannot do, or not soon enough."""
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
    beginning = f"{stamp()}-{game}"
    return any(
        name.startswith(beginning) for folder in _folders() for name in _names(folder) if folder.is_dir()
    )


def note_warm(env_id: str) -> None:
    """Note that a game is compiled, with its agents and its review."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob(f"*-{env_id}.warm"):
                old.unlink()
            (folder / f"{stamp()}-{env_id}.warm").touch()
            return


def _names(folder: Path) -> Iterator[str]:
    return (path.name for path in folder.glob("*.warm"))


def _folders() -> list[Path]:
    """The folders of such files: that of the kept code, or where it cannot be written one of the user."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named)]
    return [Path(__file__).parent / "__pycache__", Path.home() / ".cache" / "stichwerk"]


@cache
def stamp() -> str:
    """A hash of the suite's files by their times and sizes, and of the Python that runs them."""
    seen = [sys.version, sys.platform]
    for folder, _, names in os.walk(PACKAGE, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                seen.append(f"{name} {status.st_mtime_ns} {status.st_size}")
    return hashlib.sha256("\n".join(sorted(seen)).encode()).hexdigest()[:16]

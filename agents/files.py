"""Files that are either whole or not there: written beside their place, then moved into it."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from stichwerk.envs.core.errors import InputError, quoted
from stichwerk.envs.core.extras import from_extra

PART = ".part"
LOCK = ".lock"


def path_from(text: str) -> Path:
    """The path that a text names, whether or not anything is there; InputError if nothing can be."""
    path = Path(text)
    try:
        text.encode()  # half a letter in a name is nothing that TensorBoard or JSON can write
        os.lstat(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(f"path {quoted(text)}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"path {quoted(text)}: {error}") from None
    return path


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors of writing name the file: Python leaves that out when the disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_whole(path: Path, content: bytes | str) -> None:
    """Replace a file in one step; a crash leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}{PART}")
    with naming(path):
        try:
            with open(beside, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(content, indent=2, allow_nan=False) + "\n")


def _absent(path: Path) -> list[Path]:
    """A folder and those above it, as far as they are not there yet, the innermost first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


@contextmanager
def _tidied(absent: Sequence[Path]) -> Iterator[None]:
    """If the block fails, take away what of these folders was made for nothing."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for folder in filter(is_blank, absent):
                for left in folder.iterdir():
                    left.unlink()
                folder.rmdir()
        raise


@contextmanager
def held_folder(path: Path, kind: str, option: str = "--run") -> Iterator[None]:
    """Make a folder, with those above it, for what the block does, and keep every other process out of it
    that holds folders; if the block fails, those made for nothing go away again.

    Raises InputError, which calls it a folder of this kind that an option names, if another is in there.
    """
    filelock, absent = from_extra("filelock", "train"), _absent(path)
    with _tidied(absent):
        path.mkdir(parents=True, exist_ok=True)
    try:
        hold = filelock.FileLock(path / LOCK).acquire(blocking=False)
    except filelock.Timeout:  # whoever made the folder, it is the other's now
        allowed = f"choose another with {option}"
        raise InputError(f"{kind} folder {path} is in use by another process: {allowed}") from None
    with hold, _tidied(absent):
        yield


def is_begun(path: Path, kind: str, file: str, resume: bool) -> bool:
    """Whether something of this kind, known by a file, has been begun in a folder and may be gone on with;
    InputError without `resume`, or if the folder is of something else."""
    if not path.exists() or is_blank(path):
        return False
    if not path.is_dir():
        raise InputError(f"{kind} folder {path} is a file: choose another with --run")
    if not resume:
        raise InputError(
            f"{kind} folder {path} is there already: add --resume to go on with it, "
            "or choose another with --run"
        )
    if not (path / file).is_file():
        raise InputError(f"{kind} folder {path} is not a {kind}: it has no {file}; choose another with --run")
    return True


def check_begun_with(path: Path, kind: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """InputError for the first value that what is in a folder was not begun with."""
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise InputError(
                f"{kind} folder {path} was begun with {name}={quoted(theirs.get(name))}, "
                f"not {quoted(value)}: choose another with --run"
            )


def is_blank(path: Path) -> bool:
    """Whether this is a folder with nothing in it but what a crash may leave: a file half written, a lock."""
    return path.is_dir() and all(entry.name == LOCK or entry.name.endswith(PART) for entry in path.iterdir())

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


@contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """Make a folder, with those above it, for what the block does; if that fails, those made for nothing go
    away again."""
    with _tidied(_absent(path)):
        path.mkdir(parents=True, exist_ok=True)
        yield


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
def held_folder(path: Path, name: str) -> Iterator[None]:
    """The same, and keep every other process out of it that holds folders; InputError, which calls the folder
    by its name, if one is in there."""
    filelock, absent = from_extra("filelock", "train"), _absent(path)
    with _tidied(absent):
        path.mkdir(parents=True, exist_ok=True)
    try:
        hold = filelock.FileLock(path / LOCK).acquire(blocking=False)
    except filelock.Timeout:  # whoever made the folder, it is the other's now
        raise InputError(f"{name} {path} is in use by another training: choose another with --run") from None
    with hold, _tidied(absent):
        yield


def is_blank(path: Path) -> bool:
    """Whether this is a folder with nothing in it but what a crash may leave: a file half written, a lock."""
    return path.is_dir() and all(entry.name == LOCK or entry.name.endswith(PART) for entry in path.iterdir())

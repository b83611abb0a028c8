"""Files that are either complete or absent: written to a temporary name, then moved into place. Folders that
belong to one command each."""

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stichwerk.support.errors import InputError, quoted
from stichwerk.support.escape import csv_cell
from stichwerk.support.extras import from_extra
from stichwerk.support.parsing import shown

PART = ".part"
LOCK = ".lock"


@dataclass(frozen=True)
class FolderKind:
    """A kind of folder that a command makes.

    Attributes:
        name: of the kind
        known_by: files; a folder that has all of one group is of this kind
        parts: a pattern of the names of the folders in it that it makes, or will make
    """

    name: str
    known_by: Sequence[Sequence[str]]
    parts: str = "(?!)"  # no name

    def is_at(self, path: Path) -> bool:
        return any(all(os.path.isfile(path / name) for name in names) for names in self.known_by)


CONFIG, METRICS, CHECKPOINT = "config.yaml", "metrics.jsonl", "checkpoint.safetensors"
SWEEP, SEEDS_FILE = "sweep.yaml", "seeds.yaml"
RESULTS, PAIRS, PICTURE, EACH_DEAL = "results.json", "pairs.csv", "pairs.svg", "deals.npz"
RECORDS, WORST = "deals.jsonl", "worst.jsonl"
TABLES, RATINGS, PAGE = "tables.npz", "ratings.csv", "report.html"  # of a tournament
TRAINED = "trained"  # the run of a response
TOURNAMENT_FILES = TABLES, RESULTS, RATINGS, PAIRS, PAGE
FILES = RESULTS, PAIRS, PICTURE, EACH_DEAL, RECORDS, WORST, PAGE
DATASET = "dataset.json"  # the manifest of a data set
ACTIONS, REGRET = ("actions.csv", "actions.svg"), ("regret.csv", "regret.svg")
RUN = FolderKind("run", [(CONFIG, METRICS), (CONFIG, CHECKPOINT)], "best|last|tensorboard")
SEEDS = FolderKind("seeds", [(SEEDS_FILE,)], "[0-9]+")
KINDS = (  # a run has results of its own, so it comes before them
    RUN,
    SEEDS,
    FolderKind("sweep", [(SWEEP,)], "trials"),
    FolderKind("tournament", [(TABLES,)]),
    FolderKind("exploitability", [(f"{TRAINED}/{CONFIG}",)]),
    FolderKind("data", [(DATASET,)], "train|validation|test"),
    FolderKind("statistics", [(ACTIONS[0],), (REGRET[0],)]),
    FolderKind("results", [(name,) for name in FILES if name != PAGE]),  # runs have a page too
)


def new_files(text: str, kind: str, names: Sequence[str], force: bool) -> list[Path]:
    """The files of these names in the folder that an option `--out` names.

    Raises:
        InputError: the folder is of another kind, or the files are there and are not to be replaced.
    """
    folder = own_folder(text, kind, "--out")
    files = [folder / name for name in names]
    there = [str(file) for file in files if file.exists()]
    if there and not force:
        raise InputError(
            f"{' and '.join(there)}: got existing results; expected another folder, "
            "or --force to replace them"
        )
    return files


def new_file(text: str, force: bool) -> Path:
    """The file that an option `--out` names.

    Raises:
        InputError: it is a folder, lies in the folder of a command, or is there and is not to be replaced.
    """
    path = path_from(text)
    if path.is_dir():
        raise InputError(f"--out: got {path}, a folder; expected a file")
    if owner := owner_of(path.parent):
        raise InputError(
            f"file {path}: got a place in the {owner[0]} folder {owner[1]}; "
            "expected one that no other command writes to: choose another with --out"
        )
    if path.exists() and not force:
        raise InputError(f"{path}: got an existing file; expected another one, or --force to replace it")
    return path


def kind_of(path: Path) -> str:
    """The kind of a folder, by the files in it; empty for one that no command has written."""
    return next((kind.name for kind in KINDS if kind.is_at(path)), "")


def owner_of(path: Path) -> tuple[str, Path] | None:
    """The kind and place of the folder that a path is, or is a part of; None if no command has made it."""
    if own := kind_of(path):
        return own, path
    inner = Path(os.path.abspath(path))
    for folder in inner.parents:
        if kind := next((kind for kind in KINDS if kind.is_at(folder)), None):
            if re.fullmatch(kind.parts, inner.relative_to(folder).parts[0]):
                return kind.name, folder
            break
    # A folder of seeds that an earlier version began has nothing but its runs.
    return (SEEDS.name, path) if seeds_in(path) else None


def seeds_in(path: Path) -> list[str]:
    """The seeds whose runs a folder holds, in order."""
    names = os.listdir(path) if path.is_dir() else ()
    return sorted((name for name in names if name.isdecimal() and RUN.is_at(path / name)), key=int)


def own_folder(text: str, kind: str, option: str = "--run") -> Path:
    """The path that a text names, as `path_from` reads it, for a folder of this kind.

    Raises:
        InputError: it is another command's, or a part of one that is there. Nothing has been written.
    """
    path = path_from(text)
    owner = owner_of(path)
    if owner and owner[1] != path:
        raise InputError(
            f"{kind} folder {path}: got a part of the {owner[0]} folder {owner[1]}; "
            f"expected a separate folder: choose another with {option}"
        )
    _check_kind(path, kind, option, owner[0] if owner else "")
    return path


def _check_kind(path: Path, kind: str, option: str, theirs: str) -> None:
    if theirs not in ("", kind):
        raise InputError(
            f"{kind} folder {path}: got a {theirs} folder; expected a new one, or a {kind} folder: "
            f"choose another with {option}"
        )


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


def part_of(path: Path) -> Path:
    """The temporary file in which a file is written before it is moved to its place."""
    return path.with_name(f".{path.name}{PART}")


def write_whole(path: Path, content: bytes | str) -> None:
    """Replace a file in one step; a crash leaves the old one."""
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes | str]) -> None:
    """Replace files, each in one step and in this order. The first is moved when all are written. After a
    crash between two moves the later ones lie whole beside their places, as `part_of` names them."""
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming(path), open(part_of(path), "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            with naming(path):
                os.replace(part_of(path), path)
    except OSError:
        for path in contents:
            with suppress(OSError):
                part_of(path).unlink()
        raise


class GrowingFile:
    """A file to which texts are added. Each is in the file when `add` returns, whatever ends the process
    then. Errors name the file, and leave no part of a text behind.

    Attributes:
        path: the file
        end: its length in bytes

    Args:
        path: the file, which is made with the folders above it
        kept: bytes of a file that is there already which stay; None: the file must be new
    """

    def __init__(self, path: Path, kept: int | None = None):
        self.path, self.end = path, kept or 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "xb" if kept is None else "ab", buffering=0)  # noqa: SIM115 - until `close`
        self.cut(self.end)

    def add(self, text: str) -> None:
        left = memoryview(text.encode())
        if self._file.tell() != self.end:
            self.cut(self.end)  # an interruption left a part
        try:
            with naming(self.path):
                while left:
                    left = left[self._file.write(left) :]
        except OSError:
            with suppress(OSError):
                self.cut(self.end)
            raise
        self.end = self._file.tell()

    def cut(self, end: int) -> None:
        """Take away what lies behind this number of bytes."""
        with naming(self.path):
            self._file.truncate(end)
            self._file.seek(end)
        self.end = end

    def sync(self) -> None:
        """Wait until the disk has everything, so that it outlives a loss of power too."""
        with naming(self.path):
            os.fsync(self._file.fileno())

    def move(self, path: Path) -> None:
        """Put the file into another place, and continue there."""
        self._file.close()
        with naming(path):
            os.replace(self.path, path)
            self.path, self._file = path, open(path, "ab", buffering=0)  # noqa: SIM115

    def close(self) -> None:
        with naming(self.path):
            self._file.close()


def as_json(content: Mapping[str, Any]) -> str:
    """The text of a JSON file; ValueError for numbers that JSON has not."""
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, as_json(content))


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with the same names; without any the file is empty. Texts are no formulas there."""
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    write_whole(path, text.getvalue())


def _absent(path: Path) -> list[Path]:
    """A folder and those above it, as far as they are not there yet, the innermost first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


def check_writable(path: Path, what: str) -> None:
    """InputError, which names `what`, if a file cannot be written here. What this makes for that it takes
    away again."""
    absent: list[Path] = []
    try:
        absent = _absent(path.parent)
        path.parent.mkdir(parents=True, exist_ok=True)
        part_of(path).touch()
        part_of(path).unlink()
    except OSError as error:
        fault = error.strerror or str(error)
        raise InputError(f"{what}: got {path}; expected a file that can be written ({fault})") from None
    finally:
        for folder in absent:
            with suppress(OSError):
                folder.rmdir()


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
    """Make a folder, with those above it, for the work of the block, and lock it against every other process
    that holds folders. If the block fails, folders that were made for nothing are removed.

    Raises:
        InputError: another process holds the folder, or it is another command's. The message calls it a
            folder of this kind that an option names.
    """
    _check_kind(path, kind, option, kind_of(path))
    filelock, absent = from_extra("filelock", "eval"), _absent(path)
    with _tidied(absent):
        path.mkdir(parents=True, exist_ok=True)
    try:
        hold = filelock.FileLock(path / LOCK).acquire(blocking=False)
    except filelock.Timeout:  # by whichever process it was made, it is the other's now
        allowed = f"choose another with {option}"
        raise InputError(f"{kind} folder {path} is in use by another process: {allowed}") from None
    with hold, _tidied(absent):
        _check_kind(path, kind, option, kind_of(path))  # once more, now that nobody else can change it
        yield


def is_begun(path: Path, kind: str, file: str, resume: bool, option: str = "--run") -> bool:
    """True if something of this kind, known by a file, was begun in a folder, which an option names.

    Raises:
        InputError: without `resume`, or if the folder is of something else.
    """
    if not path.exists() or is_blank(path):
        return False
    _check_kind(path, kind, option, kind_of(path))
    if not path.is_dir():
        raise InputError(f"{kind} folder {path} is a file: choose another with {option}")
    check_resumed(path, kind, resume, option)
    if not (path / file).is_file():
        fault = f"it has no {file}; choose another with {option}"
        raise InputError(f"{kind} folder {path} is not a {kind}: {fault}")
    return True


def check_resumed(path: Path, kind: str, resume: bool, option: str = "--run") -> None:
    """InputError for an existing folder, unless it is to be continued."""
    if not resume:
        raise InputError(
            f"{kind} folder {path} already exists: add --resume to continue it, "
            f"or choose another with {option}"
        )


def check_begun_with(
    path: Path, kind: str, theirs: Mapping[str, Any], ours: Mapping[str, Any], option: str = "--run"
) -> None:
    """InputError for the first value that what is in a folder was not begun with."""
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise InputError(
                f"{kind} folder {path} was begun with {name}={shown(theirs.get(name))}, "
                f"not {shown(value)}: choose another with {option}"
            )


def is_blank(path: Path) -> bool:
    """True if a folder is empty, or has only what a crash may leave: a file half written, a lock."""
    return path.is_dir() and all(entry.name == LOCK or entry.name.endswith(PART) for entry in path.iterdir())

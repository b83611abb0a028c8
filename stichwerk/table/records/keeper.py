"""Tables in a folder, which outlive the end of their server: `stichwerk play --keep FOLDER`."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stichwerk.support.errors import InputError, one_line
from stichwerk.support.files import as_json, write_whole
from stichwerk.support.parsing import read_json, read_text
from stichwerk.table.records.saved import saved

if TYPE_CHECKING:
    from stichwerk.table.table import Table

SUFFIX = ".table.json"


class Keeper:
    """Writes tables into a folder, each into a separate file, as they change.

    The files hold the links of people and all cards to come: nobody else may read them.

    Args:
        folder: is made if it is not there

    Raises:
        InputError: it cannot be made or written to.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._told = ""
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(f"keep: got {folder}; expected a folder ({error.strerror})") from None
        if not os.access(folder, os.W_OK):
            raise InputError(f"keep: got {folder}; expected a folder that can be written to")

    def keep(self, table: "Table") -> None:
        """Write a table as it is now. An error, such as a full disk, is reported once."""
        content = saved(table)
        if content is None:
            return
        path = self._path(table)
        try:
            write_whole(path, as_json(content))
            path.chmod(0o600)
        except OSError as error:
            if error.strerror != self._told:
                self._told = str(error.strerror)
                print(f"warning: {one_line(f'keep {path}: {self._told}')}", file=sys.stderr)

    def forget(self, table: "Table") -> None:
        self._path(table).unlink(missing_ok=True)

    def kept(self) -> Iterator[dict[str, Any]]:
        """The tables in the folder, the oldest first. InputError names a file that is damaged."""
        paths = sorted(self._folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in paths:
            try:
                content = read_json(read_text(path))
            except (InputError, OSError) as error:
                raise InputError(f"{path}: {error}") from None
            if not isinstance(content, dict):
                raise InputError(f"{path}: got no table; expected a saved one")
            yield content

    def _path(self, table: "Table") -> Path:
        secrets = json.dumps(sorted(table.secrets.items()))
        return self._folder / f"{hashlib.sha256(secrets.encode()).hexdigest()[:20]}{SUFFIX}"

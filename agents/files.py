"""Files that are either whole or not there: written beside their place, then moved into it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PART = ".part"


def write_whole(path: Path, content: bytes | str) -> None:
    """Replace a file in one step; a crash leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}{PART}")
    with open(beside, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(content, indent=2, allow_nan=False) + "\n")

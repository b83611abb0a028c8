"""The folder of a data set: shards, written one after another, and the manifest that names them.

    dataset.json                 the manifest, written again after each shard
    README.md                    the card, when all shards are there
    train/00000.parquet …        a shard is a run of deals; each split of it is a file

Of 20 deals in a row the first 18 are for training, the next one is for validation and the last one for tests.
So decisions of one deal are never in two splits.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.data.columns import columns_for, table_of
from stichwerk.agents.data.rows import Rows, chosen
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra
from stichwerk.support.files import DATASET, check_begun_with, is_begun, write_json, write_whole
from stichwerk.support.parsing import read_json, read_text

parquet = from_extra("pyarrow.parquet", "data")

FORMAT = 1
SPLITS = {"train": 18, "validation": 1, "test": 1}
"""The number of deals of each split, in this order, among every run of consecutive deals."""
LENGTH = sum(SPLITS.values())
CARD = "README.md"
MANIFEST = {
    "env": str,
    "rules": dict,
    "observation": dict,
    "actions": list,
    "policies": list,
    "rows": dict,
    "shards": list,
}
"""Entries that every manifest has, with their types."""
SHARD = re.compile(rf"({'|'.join(SPLITS)})/\d{{5,}}\.parquet")


def split_numbers(deals: np.ndarray) -> np.ndarray:
    """The number of the split of each deal, by the deals' numbers."""
    return np.searchsorted(np.cumsum(list(SPLITS.values())), deals % LENGTH, side="right")


def head_of(game: Game, encoding: Encoding, policies: Sequence[str], **facts: Any) -> dict[str, Any]:
    """The manifest before there are shards.

    Args:
        game: under its rules
        encoding: of the observations
        policies: the names of the players
        facts: where the games come from
    """
    features = [
        {
            "name": each.name,
            "first": encoding.slices[each.name].start,
            "size": each.size,
            "meaning": each.meaning,
        }
        for each in encoding.features
    ]
    columns = [
        {"name": each.name, "type": each.type_in_words, "meaning": each.meaning}
        for each in columns_for(game, encoding)
    ]
    head = {
        "format": FORMAT,
        "env": game.env_id,
        "rules": game.rules.as_dict(),
        "observation": {
            "name": encoding.name,
            "schema": encoding.schema,
            "size": encoding.size,
            "features": features,
        },
        "actions": [str(action) for action in game.actions],
        "columns": columns,
        "policies": [*policies],
        "splits": SPLITS,
        **facts,
    }
    return json.loads(json.dumps(head))  # as it is read again: tuples are lists


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a data set; InputError if the folder holds none."""
    path = folder / DATASET
    try:
        manifest = read_json(read_text(path))
    except FileNotFoundError:
        raise InputError(f"{folder}: got no {DATASET}; expected a data set of `stichwerk data`") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"{path}: got another form; expected a data set of format {FORMAT}")
    for name, kind in MANIFEST.items():
        if not isinstance(manifest.get(name), kind):
            raise InputError(f"{path}: got {name} {quoted(manifest.get(name))}; expected a {kind.__name__}")
    for shard in manifest["shards"]:
        if not _is_shard(shard):
            raise InputError(f"{path}: got shard {quoted(shard)}; expected file, number, split and sha256")
    return manifest


def _is_shard(shard: Any) -> bool:
    """True if an entry of a manifest names a file inside the data set."""
    return (
        isinstance(shard, dict)
        and isinstance(shard.get("file"), str)
        and bool(SHARD.fullmatch(shard["file"]))
        and isinstance(shard.get("number"), int)
        and shard.get("split") in SPLITS
        and isinstance(shard.get("sha256"), str)
    )


@dataclass
class Writer:
    """Writes the shards of a data set.

    Attributes:
        folder: which is held by this process
        game, encoding: of the data
        manifest: what is written so far
    """

    folder: Path
    game: Game
    encoding: Encoding
    manifest: dict[str, Any]

    @classmethod
    def begin(
        cls, folder: Path, game: Game, encoding: Encoding, head: Mapping[str, Any], resume: bool
    ) -> "Writer":
        """A new data set, or with `resume` one that was begun with the same head.

        Raises:
            InputError: there is one already, other settings have begun it, or a shard has changed.
        """
        if is_begun(folder, "data", DATASET, resume, "--out"):
            manifest = read_manifest(folder)
            check_begun_with(folder, "data", manifest, head, "--out")
            check_shards(folder, manifest)
        else:
            manifest = {**head, "shards": [], "rows": dict.fromkeys(SPLITS, 0), "complete": False}
            write_json(folder / DATASET, manifest)
        return cls(folder, game, encoding, manifest)

    @property
    def number(self) -> int:
        """The number of the next shard."""
        return 1 + max((shard["number"] for shard in self.manifest["shards"]), default=-1)

    def add(self, rows: Rows) -> None:
        """Write the next shard, a file for each split."""
        number, of_rows = self.number, split_numbers(rows.deal)
        for place, split in enumerate(SPLITS):
            part = chosen(rows, of_rows == place)
            content = self._parquet(part)
            name = f"{split}/{number:05}.parquet"
            write_whole(self.folder / name, content)
            self.manifest["rows"][split] += len(part.deal)
            self.manifest["shards"].append(
                {
                    "file": name,
                    "number": number,
                    "split": split,
                    "rows": len(part.deal),
                    "bytes": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                }
            )
        write_json(self.folder / DATASET, self.manifest)

    def finish(self, card: str) -> None:
        """Mark the data set as complete, and write its card."""
        write_whole(self.folder / CARD, card)
        self.manifest["complete"] = True
        write_json(self.folder / DATASET, self.manifest)

    def _parquet(self, rows: Rows) -> bytes:
        columns = columns_for(self.game, self.encoding)
        about = {"env": self.game.env_id, "rules": self.game.rules.as_dict(), "schema": self.encoding.schema}
        table = table_of(
            columns, arrays_of(rows, self.manifest["policies"]), {"stichwerk": json.dumps(about)}
        )
        file = io.BytesIO()
        flat = [column.name for column in columns if column.name.startswith(("policy", "deal", "line_up"))]
        parquet.write_table(table, file, compression="zstd", compression_level=1, use_dictionary=flat)
        return file.getvalue()


def arrays_of(rows: Rows, policies: Sequence[str]) -> dict[str, Any]:
    """The arrays of each column by its name, as `table_of` takes them."""
    packed = rows.observation
    return {
        **{name: getattr(rows, name) for name in Rows._fields if name not in ("observation", "points")},
        "return": rows.points,
        "policy": (rows.policy, policies),
        "observation_ones": packed.ones,
        "observation_others": packed.others,
        "observation_values": (packed.counts, packed.values),
    }


def check_shards(folder: Path, manifest: Mapping[str, Any]) -> None:
    """InputError for the first file that is not as the manifest has it."""
    for shard in manifest["shards"]:
        path = folder / shard["file"]
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            raise InputError(f"{path}: got no file; expected the shard that {DATASET} names") from None
        if digest != shard["sha256"]:
            raise InputError(
                f"{path}: got another content than {DATASET} has; expected sha256 {quoted(shard['sha256'])}"
            )


def files_of(manifest: Mapping[str, Any], split: str) -> Iterator[str]:
    """The names of a split's files; InputError if there is no such split."""
    if split not in SPLITS:
        raise InputError(f"split: got {quoted(split)}; expected {' or '.join(SPLITS)}")
    return (shard["file"] for shard in manifest["shards"] if shard["split"] == split)

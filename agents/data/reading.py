"""Data sets as NumPy arrays, and their deals as records.

from stichwerk.agents.data.reading import read
data = read("data/schnapsen", split="train")
data.observation, data.action_mask, data.arrays["action"], data.arrays["return"]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.data.columns import Packed, numpy_of, unpack_bits
from stichwerk.agents.data.folder import check_shards, files_of, read_manifest
from stichwerk.agents.evaluation.playing.played import Played
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.extras import from_extra

parquet = from_extra("pyarrow.parquet", "data")

PACKED = "observation_ones", "observation_others", "observation_values"


@dataclass(frozen=True)
class Decisions:
    """The decisions of one split, or of a shard of it, in order of deal, line-up and step.

    Attributes:
        manifest: of the data set
        observation: float32[n, features], as the environment writes it
        action_mask: int8[n, actions]
        arrays: the other columns by name, [n]
    """

    manifest: dict[str, Any]
    observation: np.ndarray
    action_mask: np.ndarray
    arrays: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.observation)


def read(folder: str | Path, split: str = "train", verify: bool = False) -> Decisions:
    """All decisions of a split. They must fit into memory: 4 bytes a feature and decision.

    Args:
        folder: of the data set
        split: train, validation or test
        verify: compare every file with its hash in the manifest first

    Raises:
        InputError: the folder holds no data set, the split is unknown, or a file has changed.
    """
    parts = [*read_shards(folder, split, verify)]
    if not parts:
        raise InputError(f"{folder}: got no shards; expected a data set with some")
    names = parts[0].arrays
    return Decisions(
        parts[0].manifest,
        np.concatenate([part.observation for part in parts]),
        np.concatenate([part.action_mask for part in parts]),
        {name: np.concatenate([part.arrays[name] for part in parts]) for name in names},
    )


def read_shards(folder: str | Path, split: str = "train", verify: bool = False) -> Iterator[Decisions]:
    """The decisions of a split, shard by shard; arguments and errors as `read` has them."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    if verify:
        check_shards(folder, manifest)
    for name in files_of(manifest, split):
        yield decisions_of(manifest, parquet.read_table(folder / name))


def decisions_of(manifest: dict[str, Any], table: Any) -> Decisions:
    """The decisions of an Arrow table with the columns of a data set."""
    columns = {name: numpy_of(table[name]) for name in table.column_names}
    ones, others, values = (columns.pop(name) for name in PACKED)
    size = manifest["observation"]["size"]
    packed = Packed(ones, others, np.zeros(0, np.int64), values)
    mask = unpack_bits(columns.pop("action_mask"), len(manifest["actions"])).astype(np.int8)
    return Decisions(manifest, packed.observation(size), mask, columns)


def game_of(manifest: dict[str, Any]) -> Game:
    """The game of a data set under its rules."""
    return make_game(manifest["env"], manifest["rules"])


def records_of(decisions: Decisions, deals: Sequence[int]) -> Iterator[DealRecord]:
    """Whole deals of a data set that agents have played, as records: the cards derive from its seed.

    Args:
        decisions: which hold all rows of these deals
        deals: their numbers; each is given in every line-up

    Raises:
        InputError: the data set was made of records.
    """
    manifest, arrays = decisions.manifest, decisions.arrays
    if manifest.get("seed") is None:
        raise InputError("data set: got one of records; expected one that agents have played from a seed")
    game, seed = game_of(manifest), int(stream_seed(manifest["seed"], Use.DATA))
    for deal in deals:
        for line_up, seating in enumerate(manifest["line_ups"]):
            own = (arrays["deal"] == deal) & (arrays["line_up"] == line_up)
            if own.any():
                names = tuple(manifest["policies"][number] for number in seating)
                actions = arrays["action"][own].astype(np.int16)
                yield from Played(seed, deal, False, manifest["start_states"], actions, names).records(game)

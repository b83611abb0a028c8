"""The card of a data set, in the form that Hugging Face shows: facts between dashes, then a page."""

from collections.abc import Mapping
from typing import Any

from stichwerk.support.escape import markdown
from stichwerk.support.parsing import write_yaml

PAGE = """# {title}

{rows} decisions of {players} in `{env}`. A row has the observation, the legal actions, the action, the reward
and the return of the seat to act.

Made by `{command}` of Stichwerk {version}.
`dataset.json` has the rules, the features, the actions and the hash of each file.

## Columns

| column | type | meaning |
| --- | --- | --- |
{columns}

Bits are packed 8 to a byte, the first in the lowest bit.
The splits are by deal: of 20 deals in a row 18 are for training, one is for validation and one for tests.

## Read it

Without Stichwerk, by Polars and NumPy:

```python
import numpy as np
import polars as pl

table = pl.read_parquet("train/*.parquet")

def bits(name, size):
    rows = np.frombuffer(b"".join(table[name].to_list()), np.uint8).reshape(len(table), -1)
    return np.unpackbits(rows, axis=1, count=size, bitorder="little")

observation = bits("observation_ones", {features}).astype(np.float32)
observation[bits("observation_others", {features}) == 1] = table["observation_values"].explode().drop_nulls()
action_mask, action = bits("action_mask", {actions}), table["action"].to_numpy()
```

With Stichwerk, `stichwerk.agents.data.reading.read(".", "train")` gives the same arrays.
"""


def card_of(manifest: Mapping[str, Any], made_by: str) -> str:
    """The page of a whole data set.

    Args:
        manifest: of the data set
        made_by: the command that makes it again
    """
    rows = manifest["rows"]
    total = sum(rows.values())
    head = {
        "pretty_name": f"Stichwerk: {manifest['env']}, {total:,} decisions",
        "tags": ["card-games", "imitation-learning", "offline-rl", "reinforcement-learning", manifest["env"]],
        "size_categories": [_size(total)],
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": split, "path": f"{split}/*.parquet"} for split, number in rows.items() if number
                ],
            }
        ],
    }
    page = PAGE.format(
        title=markdown(str(head["pretty_name"])),
        rows=f"{total:,}",
        players=", ".join(map(markdown, manifest["policies"])),
        env=manifest["env"],
        command=made_by.replace("`", "'"),
        version=manifest["version"],
        columns="\n".join(
            f"| `{each['name']}` | {each['type']} | {markdown(each['meaning'])} |"
            for each in manifest["columns"]
        ),
        features=manifest["observation"]["size"],
        actions=len(manifest["actions"]),
    )
    return head_of_card(**head) + page


def head_of_card(**facts: Any) -> str:
    """The facts at the top of a card, between dashes."""
    return f"---\n{write_yaml({'license': 'mit', **facts})}---\n\n"


def _size(rows: int) -> str:
    """The size as Hugging Face's tags have it, such as 100K<n<1M."""
    marks = (1_000, "1K"), (10_000, "10K"), (100_000, "100K"), (1_000_000, "1M"), (10_000_000, "10M")
    below = ""
    for most, mark in marks:
        if rows < most:
            return f"{below}<n<{mark}" if below else f"n<{mark}"
        below = mark
    return "n>10M" if rows >= 100_000_000 else "10M<n<100M"

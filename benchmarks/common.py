"""Helpers of the benchmarks: the table, rows on disk, and actions that cost little to choose."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

from stichwerk.envs import make_game


def print_table(columns: list[str], rows: list[list]) -> None:
    from stichwerk.support.machine.hardware import machine  # which checkouts to compare with may not have

    table = Table(title=f"python {' '.join(sys.argv)}", caption=machine())
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=120).print(table)


class Variant(NamedTuple):
    """An environment for a number of players."""

    env_id: str
    rules: dict[str, int]

    def __str__(self) -> str:
        return f"{self.env_id}, {self.rules['players']} players" if self.rules else self.env_id


def variants(env_id: str) -> list[Variant]:
    players = make_game(env_id).rules.values("players")
    return [Variant(env_id, {"players": number}) for number in players] or [Variant(env_id, {})]


def rows_of(file: Path) -> list[dict]:
    """The rows of a JSON Lines file, none if it is not there."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [json.loads(line) for line in lines]


def run_or_end(command: list[str], **how) -> None:
    """Run a command; if it fails, end with its status, as it has said why."""
    if status := subprocess.run(command, **how).returncode:
        sys.exit(status)


@njit(nogil=True)
def pick_legal(mask, actions, seeds):
    """A random legal action in each lane; `seeds`, int64[lanes], is each lane's generator."""
    for lane in range(len(mask)):
        seeds[lane] = (seeds[lane] * 1103515245 + 12345) & 0x7FFFFFFF
        legal = 0
        for action in range(mask.shape[1]):
            legal += mask[lane, action]
        skip = ((seeds[lane] >> 8) * legal) >> 23
        for action in range(mask.shape[1]):
            if mask[lane, action]:
                if skip == 0:
                    actions[lane] = action
                    break
                skip -= 1


def fresh_seeds(lanes: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 2**31, lanes)

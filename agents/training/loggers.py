"""Loggers of a run's numbers besides its own files: TensorBoard, and a tracker if one is asked for.

Names are those of the metrics, behind their kind: `update/kl`, `evaluation/random_mean`, `final/random_mean`.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from stichwerk.support.errors import InputError, error_line
from stichwerk.support.extras import from_extra
from stichwerk.support.files import naming, write_whole
from stichwerk.support.parsing import read_text

PROJECT = "stichwerk"
FINAL = "final"  # the kind of the numbers that a run ends with

Values = Mapping[str, float]


class Logger(Protocol):
    """Shows the numbers of one run as they come."""

    def write(self, kind: str, decisions: int, values: Values) -> None: ...

    def conclude(self, decisions: int, values: Values) -> None:
        """Write the numbers that the run ends with."""

    def close(self) -> None: ...


class TensorBoard:
    """Event files, and at the end the config and the final numbers for the page of hyperparameters."""

    def __init__(self, folder: Path, config: Mapping[str, Any], decisions: int):
        self._folder, self._config = folder, config
        self._writer = SummaryWriter(str(folder), purge_step=decisions + 1)

    def write(self, kind: str, decisions: int, values: Values) -> None:
        with naming(self._folder):
            for name, value in values.items():
                self._writer.add_scalar(f"{kind}/{name}", value, decisions)
            self._writer.flush()

    def conclude(self, decisions: int, values: Values) -> None:
        # SummaryWriter.add_hparams would begin another folder, with a file of its own.
        plain = {name: str(v) if isinstance(v, list) else v for name, v in self._config.items()}
        shown = hparams(plain, {f"{FINAL}/{name}": value for name, value in values.items()})
        file: Any = self._writer.file_writer
        with naming(self._folder):
            for summary in shown:
                file.add_summary(summary)
        self.write(FINAL, decisions, values)

    def close(self) -> None:
        self._writer.close()


class Tracker:
    """A run of Weights & Biases or Trackio, whose calls are the same. A resumed training continues the run
    that a file in its folder names.

    Nothing leaves the machine unless the user has logged in or set the tracker up so. Without a login wandb
    writes to the run folder only, and Trackio to its own place on this machine.
    """

    FILE = "tracker.txt"

    def __init__(self, package: str, folder: Path, config: Mapping[str, Any]):
        module = find_tracker(package)
        key = run_key(folder / self.FILE)
        try:
            own = {"id": key, "dir": str(folder), "mode": _mode(module)} if package == "wandb" else {}
            self._run = module.init(
                project=PROJECT,
                name=f"{folder.name}-{key}",
                group="/".join(folder.resolve().parts[-3:-1]),  # of a sweep's trial SWEEP/trials
                config=dict(config),
                resume="allow",
                **own,
            )
        except Exception as error:  # of what kind, is the package's affair
            raise InputError(f"tracker {package}: {error_line(error)}") from None
        write_whole(folder / self.FILE, key + "\n")

    def write(self, kind: str, decisions: int, values: Values) -> None:
        self._run.log({f"{kind}/{name}": value for name, value in values.items()}, step=decisions)

    def conclude(self, decisions: int, values: Values) -> None:
        self.write(FINAL, decisions, values)

    def close(self) -> None:
        self._run.finish()


def find_tracker(package: str) -> Any:
    """The package of a tracker; MissingExtra, with the command that installs it, if it is not there."""
    return from_extra(package, package)


def run_key(file: Path) -> str:
    """The unique id of a run: a new one, or the one in this file."""
    if not file.is_file():
        return token_hex(4)
    try:
        key = read_text(file).strip()
    except InputError:
        key = ""
    if not key.isalnum() or len(key) > 64:
        raise InputError(f"damaged {file}: expected a run's id; delete the file to begin a new one")
    return key


def _mode(wandb: Any) -> str | None:
    """Offline without a login, unless the user says otherwise."""
    is_said = "WANDB_MODE" in os.environ
    return None if is_said or wandb.login(prompt=False, verify=False) else "offline"

"""The run folder: config, metrics, checkpoint, networks. Every file is whole at any moment, so a run can be killed and resumed.

config.yaml             what was asked for
metrics.jsonl           a line an update and a line an evaluation
tensorboard/            the same for TensorBoard
checkpoint.safetensors  all that resuming needs
best/ last/             networks: the best by validation, and the last
results.json            the final evaluation
curve.png               the learning curve
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import yaml
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch.utils.tensorboard import SummaryWriter

from stichwerk.agents.files import PART, write_whole
from stichwerk.agents.training.config import ConfigError, TrainConfig, load_config
from stichwerk.envs.core.game import Game

CHECKPOINT_FORMAT = "1"


class RunFolder:
    """A run folder that belongs to one config.

    Raises ConfigError, before anything is written, if the folder is there and must not be used: without `resume`, or when it
    belongs to another config.
    """

    def __init__(self, path: Path, config: TrainConfig, game: Game):
        self.path = path
        self.config_file = path / "config.yaml"
        self.metrics_file = path / "metrics.jsonl"
        self.checkpoint_file = path / "checkpoint.safetensors"
        self.results_file = path / "results.json"
        self.curve_file = path / "curve.png"
        self.best, self.last = path / "best", path / "last"
        self._config = config
        if path.exists() and not _is_empty(path):
            self._check(config)
        self._tensorboard: SummaryWriter | None = None
        self._identity = {
            "format": CHECKPOINT_FORMAT,
            "config": json.dumps(config.as_dict()),
            "state layout": hashlib.sha256(str(game.state.descr).encode()).hexdigest(),
            "observation": game.encoding(config.observation).schema,
        }

    def create(self) -> None:
        """Write the config, the first file of a run."""
        if not self.config_file.is_file():
            write_whole(self.config_file, yaml.safe_dump(self._config.as_dict(), sort_keys=False))

    def _check(self, config: TrainConfig) -> None:
        if not config.resume:
            raise ConfigError(f"run folder {self.path} is there already: add --resume to go on with it, or choose another with --run")
        if not self.config_file.is_file():
            raise ConfigError(f"run folder {self.path} is not a run: it has no config.yaml; choose another with --run")
        theirs, ours = load_config(self.config_file).as_dict(), config.as_dict()
        for name, value in ours.items():
            if theirs[name] != value:
                raise ConfigError(
                    f"run folder {self.path} was begun with {name}={theirs[name]!r}, not {value!r}: choose another with --run"
                )

    @property
    def finished(self) -> bool:
        return self.results_file.is_file()

    def begin_metrics(self, decisions: int) -> None:
        """Open the metrics for what comes after so many decisions; later lines, of a run that was killed, are dropped."""
        kept = [row for row in self.metrics() if row["decisions"] <= decisions]
        write_whole(self.metrics_file, "".join(json.dumps(row) + "\n" for row in kept))
        self._tensorboard = SummaryWriter(str(self.path / "tensorboard"), purge_step=decisions + 1)

    def metrics(self) -> list[dict[str, Any]]:
        """The rows written so far; a last line cut off by a crash does not count."""
        if not self.metrics_file.is_file():
            return []
        lines = self.metrics_file.read_text().split("\n")
        try:
            return [{"decisions": 0, **json.loads(line)} for line in lines[:-1]]
        except (ValueError, TypeError) as error:
            raise ConfigError(f"damaged metrics {self.metrics_file}: {error}; delete the run folder to begin anew") from None

    def write_metrics(self, kind: str, decisions: int, values: Mapping[str, float]) -> None:
        with open(self.metrics_file, "a") as file:
            file.write(json.dumps({"kind": kind, "decisions": decisions, **values}) + "\n")
        assert self._tensorboard is not None
        for name, value in values.items():
            self._tensorboard.add_scalar(f"{kind}/{name}", value, decisions)
        self._tensorboard.flush()

    def write_checkpoint(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        metadata = {**self._identity, "facts": json.dumps(facts)}
        write_whole(self.checkpoint_file, save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata))

    def read_checkpoint(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
        """Tensors and facts of the last checkpoint, None before the first; ConfigError if the file is damaged or of another format."""
        if not self.checkpoint_file.is_file():
            return None
        try:
            with safe_open(self.checkpoint_file, "pt") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        except (SafetensorError, OSError) as error:
            raise ConfigError(f"damaged checkpoint {self.checkpoint_file}: {error}; delete the run folder to begin anew") from None
        for name, own in self._identity.items():
            if metadata.get(name) != own:
                raise ConfigError(f"checkpoint {self.checkpoint_file} is of another {name}: delete the run folder to begin anew")
        return tensors, json.loads(metadata["facts"])


def _is_empty(path: Path) -> bool:
    """A folder with nothing in it, or only with a file that a crash left half written."""
    return path.is_dir() and all(entry.name.endswith(PART) for entry in path.iterdir())

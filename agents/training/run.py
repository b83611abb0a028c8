"""The run folder. At any moment every file is whole, except the last line of the metrics. So a run can be
killed and resumed.

config.yaml             what was asked for
metrics.jsonl           a line an update, a line an evaluation, and a line a snapshot that must earn its place
tensorboard/            the same for TensorBoard
tracker.txt             the run's id in a tracker, if it has one
checkpoint.safetensors  all that resuming needs
best/ last/             networks: the last that was as good as the best by validation, and the last
results.json            the final evaluation
curve.svg               the learning curve
report.html             both as a page
.lock                   held by the process that trains here
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as save_tensors

from stichwerk.agents.core.spec import split_spec
from stichwerk.agents.evaluation.reports.report import ENDS, met, read_evaluation, read_results
from stichwerk.agents.networks.arrays import OtherVersion
from stichwerk.agents.networks.saved import read_network
from stichwerk.agents.networks.tensors import read_tensors
from stichwerk.agents.provenance import training_hash
from stichwerk.agents.training.checkpoint import capture, restore, workplace
from stichwerk.agents.training.config import TrainConfig, baselines
from stichwerk.agents.training.config_files import config_from, load_config
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.loggers import Logger, TensorBoard, Tracker, find_tracker
from stichwerk.agents.training.settings import ConfigError
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import (
    CHECKPOINT,
    CONFIG,
    LOCK,
    METRICS,
    RESULTS,
    check_begun_with,
    held_folder,
    is_begun,
    naming,
    write_whole,
)
from stichwerk.support.parsing import read_json, write_yaml

CHECKPOINT_FORMAT = "8"
RUN_CODES = "run_codes"  # in the results of a run, and in no other


class RunFolder:
    """A run folder that belongs to one config.

    Raises InputError, before anything is written, if the folder is there and must not be used: without
    `resume`, or when it belongs to another config.

    Args:
        path: of the folder
        config: of the training
        game: with its rules
        option: that names the folder, for messages

    Attributes:
        codes: hashes of what the run has gone by so far (see `provenance.training_hash`), the present one
            last
        learned_on: on what, one after the other: commit, machine, device, precision, versions; known after
            `take_up`
    """

    def __init__(self, path: Path, config: TrainConfig, game: Game, option: str = "--run"):
        self.path, self._option = path, option
        self.config_file = path / CONFIG
        self.metrics_file = path / METRICS
        self.checkpoint_file = path / CHECKPOINT
        self.results_file = path / RESULTS
        self.curve_file = path / "curve.svg"
        self.best, self.last = path / "best", path / "last"
        self._baselines = baselines(game)
        self.codes = [code_of(config, game)]
        self.learned_on: list[dict[str, str]] = []
        self._config = config
        check_place(path, config, option)
        self._check()
        self._loggers: list[Logger] = []
        self._identity = {
            "format": CHECKPOINT_FORMAT,
            "state layout": hashlib.sha256(str(game.state.descr).encode()).hexdigest(),
            "observation": game.encoding(config.game.observation).schema,
        }

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other training out of the folder, which is made if need be. If the block fails before
        the first update of a new run, it leaves nothing."""
        with held_folder(self.path, "run", self._option):
            self._check()  # once more, now that nobody else can change it
            is_new = not self.config_file.is_file()
            try:
                try:
                    yield
                finally:
                    for logger in self._loggers:
                        logger.close()
            except BaseException:
                if is_new and not self._updates():
                    self._clear()
                raise

    def _check(self) -> None:
        if is_begun(self.path, "run", CONFIG, self._config.execution.resume, self._option):
            theirs, ours = load_config(self.config_file).by_name(), self._config.by_name()
            if ours["decisions"] > theirs["decisions"]:
                del ours["decisions"]
            check_begun_with(self.path, "run", theirs, ours, self._option)

    @property
    def finished(self) -> bool:
        """True if the run has reached its end and has played all agents that measure it. A longer config
        moves the end. A table that the run has not written itself does not count."""
        if not self.has_results:
            return False
        end = self._config.ppo.decisions
        learned = any(row["kind"] == "evaluation" and row["decisions"] >= end for row in self.metrics())
        measured = {result.b: result.deals for result in read_results(self.results_file)}
        return learned and measured.items() >= self._config.evaluation.measured_against.items()

    @property
    def has_results(self) -> bool:
        """True if the run has written its results, with the code that trained it. Version 0.1 let
        `eval` write a table of the same name."""
        return self.results_file.is_file() and RUN_CODES in read_evaluation(self.results_file)[0]

    @property
    def of_other_code(self) -> bool:
        """True if the existing results were made by other code than the present one."""
        return read_evaluation(self.results_file)[0][RUN_CODES][-1:] != self.codes[-1:]

    def begin(self, decisions: int) -> None:
        """Open the metrics and loggers for the decisions from here on, and write the config, if the folder
        can be continued. Later lines, of a run that was killed, are dropped."""
        kept = [row for row in self.metrics() if decisions and row["decisions"] <= decisions]
        values = self._config.flat()
        if not self.config_file.is_file():
            self._keep_config()  # first: without it a folder with a tracker's files would be no run's
        if self._config.execution.tracker:
            self._loggers.append(Tracker(self._config.execution.tracker, self.path, values))
        self._keep_config()  # of a run that goes on beyond its end, now that nothing stands against it
        write_whole(self.metrics_file, "".join(json.dumps(row) + "\n" for row in kept))
        self._loggers.append(TensorBoard(self.path / "tensorboard", values, decisions))

    def _keep_config(self) -> None:
        """The config is written for a new run, or for one extended beyond its end, which then has no results
        yet."""
        ours = self._config.as_dict()
        if not self.config_file.is_file() or load_config(self.config_file).as_dict() != ours:
            self.results_file.unlink(missing_ok=True)
            write_whole(self.config_file, write_yaml(ours))

    def _clear(self) -> None:
        """Take away what a start that failed has left, but for the lock."""
        for entry in list(self.path.iterdir()):
            if entry.name == LOCK:
                continue
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def metrics(self) -> list[dict[str, Any]]:
        """The rows written so far; a last line cut off by a crash does not count."""
        if not self.metrics_file.is_file():
            return []
        try:
            lines = self.metrics_file.read_text(encoding="utf-8").split("\n")
            return [self._row(read_json(line)) for line in lines[:-1]]
        except ValueError as error:
            raise ConfigError(
                f"damaged metrics {self.metrics_file}: {error}; delete the run folder to begin again"
            ) from None

    def _updates(self) -> int:
        """The number of updates in the metrics."""
        return sum(row["kind"] == "update" for row in self.metrics())

    def _row(self, row: Any) -> dict[str, Any]:
        """A row of the metrics, checked as far as it is used."""
        if isinstance(row, dict):
            ends = [f"{name}_{end}" for name in (*self._baselines, *met(row)) for end in ENDS]
            numbers = {"update": ["decisions"], "evaluation": ["decisions", *ends], "snapshot": ["decisions"]}
            names = numbers.get(str(row.get("kind")))
            if names and all(type(row.get(name)) in (int, float) for name in names):
                return row
        raise InputError(f"there is a row {quoted(row)}")

    def write_metrics(self, kind: str, decisions: int, values: Mapping[str, float]) -> None:
        with naming(self.metrics_file), open(self.metrics_file, "a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, "decisions": decisions, **values}) + "\n")
        for logger in self._loggers:
            logger.write(kind, decisions, values)

    def conclude(self, decisions: int, values: Mapping[str, float]) -> None:
        """Show the numbers with which the run ends on the loggers; the run's own are in the results.

        Args:
            decisions: that have been learned from
            values: the numbers by their names
        """
        for logger in self._loggers:
            logger.conclude(decisions, values)

    def write_checkpoint(self, learner: Learner, highest: float | None) -> None:
        """Keep the whole state of the run between two updates.

        Args:
            learner: of the run
            highest: the best score so far; None: there is none
        """
        tensors, facts = capture(learner)
        history = {"highest": highest, "codes": self.codes, "learned_on": self.learned_on}
        config, text = json.dumps(self._config.as_dict()), json.dumps({**facts, **history})
        metadata = {**self._identity, "config": config, "facts": text, "digest": _digest(tensors, text)}
        write_whole(
            self.checkpoint_file,
            save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata),
        )

    def take_up(self, learner: Learner) -> float | None:
        """Bring a fresh learner to the last checkpoint, if there is one.

        Returns:
            The best score so far.

        Raises:
            ConfigError: the file is lost, damaged or of another format. Or there is more to learn, and the
                code has changed since, or the best network is lost.
        """
        here = workplace(learner)
        if not self.checkpoint_file.exists():
            self._check_nothing_is_lost()
            self.learned_on = [here]
            return None
        try:
            tensors, about = read_tensors(self.checkpoint_file, capture(learner)[0], self._identity)
            if missing := {"facts", "config", "digest"} - about.keys():
                raise InputError(f"it lacks its {', '.join(sorted(missing))}")
            text = about["facts"]
            facts = read_json(text)
            if about["digest"] != _digest(tensors, text):
                raise InputError("its digest does not match its content")
            theirs = config_from(read_json(about["config"]), "its config")
            if _lasting(theirs) != _lasting(self._config):
                raise InputError("it is of another config")
            restore(learner, tensors, facts)
        except OtherVersion as error:
            raise ConfigError(
                f"checkpoint {self.checkpoint_file} was made by another version, {error}: the run cannot "
                "continue here, but its networks can be played"
            ) from None
        except InputError as error:
            raise ConfigError(
                f"damaged checkpoint {self.checkpoint_file}: {error}; delete the run folder to begin again"
            ) from None
        self.learned_on = facts["learned_on"]
        if facts["decisions"] >= self._config.ppo.decisions:  # nothing is left to learn
            self.codes = facts["codes"]
            return facts["highest"]
        if facts["highest"] is not None:
            read_network(self.best, learner.game)  # or what is wrong with it, before hours are spent
        self._take_up_codes(facts["codes"])
        if self.learned_on[-1] != here:
            self.learned_on = [*self.learned_on, here]
        return facts["highest"]

    def _check_nothing_is_lost(self) -> None:
        """Refuse a run that has had a checkpoint.

        Raises:
            ConfigError: to begin again would replace what was learned.
        """
        if self.has_results or self._updates() > self._config.execution.checkpoint_every:
            raise ConfigError(
                f"run folder {self.path} has lost its {self.checkpoint_file.name}: the run cannot continue; "
                f"choose another with {self._option}"
            )

    def _take_up_codes(self, earlier: list[str]) -> None:
        (present,) = self.codes
        if earlier[-1] == present:
            self.codes = earlier
        elif self._config.execution.other_code:
            self.codes = [*earlier, present]
        else:  # of the commands with --run each has --other-code too
            or_else = ", or add --other-code to go on all the same" * (self._option == "--run")
            raise ConfigError(
                f"run folder {self.path} was begun with other code ({earlier[-1]}, now {present}): version, "
                "rules, observation, rule-based players or networks among the opponents have changed; choose "
                f"another with {self._option}{or_else}"
            )


def check_place(path: Path, config: TrainConfig, option: str = "--run") -> None:
    """Refuse a run folder by which no agent could be named, and a tracker that is not installed.

    Args:
        path: the run folder
        config: of the training
        option: that names the folder, for messages

    Raises:
        ConfigError: for the folder.
        MissingExtra: for the tracker.
    """
    if split_spec(f"ppo:{path}") != (str(path), []):
        raise ConfigError(
            f"run folder {path} has a comma, or begins with a word and =: no agent could be named "
            f"by it: choose another with {option}"
        )
    if config.execution.tracker:
        find_tracker(config.execution.tracker)


def code_of(config: TrainConfig, game: Game) -> str:
    """A hash of the code by which a config is trained.

    It covers the version, the game, the rule-based players, the networks and the custom modules.

    Args:
        config: of the training
        game: with its rules
    """
    others = *config.others, *baselines(game), *filter(None, [config.rollout_targets.rollout_policy])
    return training_hash(game, others, config.own_modules())


def _lasting(config: TrainConfig) -> dict[str, Any]:
    """The settings that are fixed once a run has begun: all but its end, which may be extended."""
    return {name: value for name, value in config.by_name().items() if name != "decisions"}


def _digest(tensors: Mapping[str, torch.Tensor], facts: str) -> str:
    """A hash of all that a checkpoint holds, against damage, not against deliberate changes."""
    digest = hashlib.sha256(facts.encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].contiguous().numpy().tobytes())
    return digest.hexdigest()

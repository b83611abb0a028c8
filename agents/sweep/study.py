"""Sweeps: trainings with other values of some fields, chosen by the results of earlier ones in matches.

Optuna's sampler proposes, batch by batch. Each proposal depends on the results of the batches before, on the
seed and on its number, and on nothing else. So a sweep that was killed and resumed is the same as one that
was not. It does not matter where, or in which order, the trials of a batch are trained.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.evaluation.reports.report import Score
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.registry import SHIPPED
from stichwerk.agents.sweep.space import Space
from stichwerk.agents.training.config import TrainConfig, baselines
from stichwerk.agents.training.groups import FIXED_MARK
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.games import name_and_version
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.extras import from_extra
from stichwerk.support.files import LOCK

FEWEST_RIVALS = 4  # finished trials, before any is given up
WARM_UP = 0.25  # share of the decisions that every trial may make
FAULT = "fault"  # under which Optuna keeps why a trial could not be trained
SEARCHER = "rollout:worlds=20"

Curve = Mapping[int, float]  # the mean against the first baseline by decisions


def default_field(game: Game) -> tuple[str, ...]:
    """Players of this game that never change: the rule-based one and the network of version 0.1, and one that
    searches. Random play where there are none."""
    name, _ = name_and_version(game.env_id)
    field = [FIXED_MARK] if FIXED_MARK in baselines(game) else []
    if f"{name}-0.1" in SHIPPED:
        with suppress(AgentError):  # other rules than its own
            field.append(make_agent_for(f"ppo:{name}-0.1", game).name)
    return (*field, SEARCHER) if field else ("random",)


def deals_seed(config: TrainConfig) -> int:
    """Of the validation deals that score a sweep's trials: others than those by which a training chooses its
    best network."""
    return int(stream_seed(config.execution.seed, Use.SWEEP))


@dataclass(frozen=True)
class Rivals:
    """The finished trials that a new one is measured against while it trains."""

    curves: tuple[Curve, ...] = ()
    decisions: int = 1

    def are_ahead(self, decisions: int, mean: float) -> bool:
        """True if half of the trials were better after this number of decisions than one with this mean."""
        so_far = [[m for at, m in sorted(curve.items()) if at <= decisions] for curve in self.curves]
        there = [means[-1] for means in so_far if means]
        warm = decisions >= WARM_UP * self.decisions
        return warm and len(there) >= FEWEST_RIVALS and mean < median(there)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a trial: its validations, and its matches with the field. It has none if it was given
    up, or if it could not be trained, with what was at fault."""

    curve: Curve
    results: Sequence[PairResult] = ()
    fault: str = ""


class Study:
    """Optuna's study of a sweep, kept in a file of its folder, which Optuna's own tools can read.

    The folder must be held by this process. Raises MissingExtra without Optuna, and InputError for a file
    that is damaged.

    Args:
        batch: how many trials are proposed at once
    """

    FILE = "optuna.journal"

    def __init__(self, folder: Path, space: Space, seed: int, batch: int):
        self._optuna = from_extra("optuna", "sweep")
        self._optuna.logging.set_verbosity(self._optuna.logging.WARNING)
        self._states = self._optuna.trial.TrialState
        self._space, self._seed, self._batch = space, seed, batch
        file = folder / self.FILE
        try:
            self._study = self._optuna.create_study(
                storage=journal(file), study_name="sweep", direction="maximize", load_if_exists=True
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"damaged sweep {file}: {error!r}; delete the folder to begin again") from None
        for trial in self._study.trials:
            if trial.state is self._states.RUNNING and not self._is_asked(trial):
                self._study.tell(trial.number, state=self._states.FAIL)

    def _is_asked(self, trial: Any) -> bool:
        """True if a trial has all its values; a killed process leaves one without."""
        return trial.params.keys() == self._space.fields.keys()

    def trials(self) -> list[Any]:
        """Optuna's frozen trials so far, in order."""
        return [trial for trial in self._study.trials if self._is_asked(trial)]

    def next_batch(self, most: int) -> list[Any]:
        """The trials to run next, of `most` in all: those that were cut short, or else a new batch.

        A batch is always proposed whole. Trials beyond `most` wait for a greater `most`. So the proposals do
        not depend on where a sweep ended for a while.
        """
        asked = len(self.trials())
        missing = -asked % self._batch  # of a batch that a kill cut short
        if not missing and asked < most and not self._under_way(most):
            missing = self._batch
        for number in range(asked, asked + missing):
            seed = int(stream_seed(self._seed, Use.SWEEP, number)) % 2**32
            self._study.sampler = self._optuna.samplers.TPESampler(seed=seed, constant_liar=True)
            self._study.ask(self._space.distributions())
        return self._under_way(most)

    def _under_way(self, most: int) -> list[Any]:
        return [trial for trial in self.trials()[:most] if trial.state is self._states.RUNNING]

    def tell(self, trial: Any, outcome: Outcome) -> None:
        """Tell Optuna the outcome of a trial."""
        under_way = self._optuna.trial.Trial(self._study, trial._trial_id)
        for decisions, mean in outcome.curve.items():
            under_way.report(mean, decisions)
        if outcome.fault:
            under_way.set_user_attr(FAULT, outcome.fault)
            self._study.tell(trial.number, state=self._states.FAIL)
        elif outcome.results:
            self._study.tell(trial.number, Score.of(outcome.results).mean)
        else:
            self._study.tell(trial.number, state=self._states.PRUNED)

    def firsts(self) -> dict[int, Any]:
        """By each trial's number the first trial of the same values, perhaps itself."""
        by_values: dict[Any, Any] = {}
        return {
            trial.number: by_values.setdefault(tuple(sorted(trial.params.items())), trial)
            for trial in self.trials()
        }

    def has_score(self, trial: Any) -> bool:
        return trial.state is self._states.COMPLETE

    def outcome(self, trial: Any, results: Sequence[PairResult]) -> Outcome:
        """The outcome of a finished trial; `results` are those of its matches, if it had any."""
        fault = trial.user_attrs.get(FAULT, "")
        return Outcome(trial.intermediate_values, () if fault else results, fault)

    def rivals(self, decisions: int) -> Rivals:
        """The validations that were finished when the present batch was proposed. They are the same for each
        of its trials, whichever of them a kill leaves for later."""
        before = self.trials()[: -self._batch]
        finished = filter(self.has_score, before)
        return Rivals(tuple(trial.intermediate_values for trial in finished), decisions)

    def ranked(self) -> list[Any]:
        """The trials that have a score, the best first, the earlier of equals before the later."""
        return sorted(filter(self.has_score, self.trials()), key=lambda trial: -trial.value)

    def others(self) -> list[Any]:
        """The trials that were given up or could not be trained."""
        return [t for t in self.trials() if t.state in (self._states.PRUNED, self._states.FAIL)]


class JournalLock:
    """Optuna's interface of a lock, by a lock of the operating system, which ends with its process.

    Optuna's own locks are of two kinds. A symbolic link does not exist on some systems and disks. A file
    stays behind when its process is killed.
    """

    def __init__(self, file: Path):
        self._lock = from_extra("filelock", "train").FileLock(file.with_name(f".{file.name}{LOCK}"))

    def acquire(self) -> bool:
        self._lock.acquire()
        return True

    def release(self) -> None:
        self._lock.release()


def journal(file: Path) -> Any:
    """Optuna's storage in a file, which several processes may use at once. Half a line at its end, of a
    process that was killed, is removed.

    Raises:
        MissingExtra: Optuna is not installed.
    """
    storages, lock = from_extra("optuna", "sweep").storages, JournalLock(file)
    lock.acquire()
    try:
        if file.is_file() and not (content := file.read_bytes()).endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)
    finally:
        lock.release()
    file.with_name(f"{file.name}{LOCK}").unlink(missing_ok=True)  # a killed process's, of an earlier version
    return storages.JournalStorage(storages.journal.JournalFileBackend(str(file), lock_obj=lock))

"""The work between updates: metrics, evaluations, checkpoints, the progress bar, stopping on request."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path

import numpy as np
from rich.progress import Progress
from torch.random import fork_rng

from stichwerk.agents.evaluation.reports.report import columns
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.networks.saved import manifest_for, write_network
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.run import RunFolder
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError


class StopRequested(Exception):  # noqa: N818 - not an error
    """The user asked the run to stop; a checkpoint has been written."""


class NotFinite(InputError):  # noqa: N818 - what is wrong is the config
    """The network has run away; the message says what may help."""


class Pruned(Exception):  # noqa: N818 - not an error
    """The run is given up: it is behind others at the same stage."""


class TrainingCallback:
    """Is called when an update is complete and the run's state is whole.

    Args:
        should_prune: whether to give the run up; None: never. It is asked after an evaluation, with the
            decisions so far and the mean against the first baseline
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        learner: Learner,
        run: RunFolder,
        highest: float | None,
        bar: Progress,
        should_prune: Callable[[int, float], bool] | None = None,
    ):
        self.config, self.game, self.learner, self.run = config, game, learner, run
        self.highest = highest  # mean so far against the first baseline on the validation deals
        self.bar, self.should_prune = bar, should_prune
        self.stopping = False
        self.scores = ""

        self.task = bar.add_task("training", total=config.ppo.decisions, completed=self.decisions)
        self.clock = self._now()

    @property
    def decisions(self) -> int:
        return self.learner.ppo.decisions

    @property
    def updates(self) -> int:
        return self.decisions // self.learner.ppo.batch_size

    def _now(self) -> tuple[float, float, int, int]:
        """Seconds by the clock and of the processors, decisions, games, of all workers."""
        seconds, games = map(sum, zip(*self.learner.together(_work_so_far), strict=True))
        return time.perf_counter(), seconds, self.decisions, games

    def start(self) -> None:
        """Before the first update: a network that the run begins with may remain the best."""
        if self.config.network.init and not self.decisions:
            self._evaluate()
        self.clock = self._now()

    def after_update(self, metrics: dict[str, float], last: bool) -> None:
        """Write the update's metrics, evaluate and save where that is due. A kill at any place loses no more
        than comes after the last checkpoint.

        Raises:
            StopRequested: the user has asked for it.
            NotFinite: the network's weights are no longer finite.
            Pruned: `should_prune` gives the run up.
        """
        self._check_finite()
        update = self.updates
        self._write_metrics(metrics)
        if self.learner.offers_snapshot(update):
            self._offer_snapshot()
        evaluates = last or update % self.config.evaluation.evaluate_every == 0
        keeps = evaluates and self._evaluate()  # a kill must not leave a kept network without its score
        if last or self.stopping or keeps or update % self.config.execution.checkpoint_every == 0:
            self._save()
        if self.stopping:
            raise StopRequested
        self.clock = *self._now()[:2], *self.clock[2:]  # the speed is that of learning alone

    def _check_finite(self) -> None:
        if not all(tensor.isfinite().all() for tensor in self.learner.ppo.policy.parameters()):
            fault = NotFinite(
                f"the network is no longer finite after {self.decisions} decisions: "
                "choose a smaller learning_rate, entropy or reward_scale"
            )
            raise self._unless_stopping(fault)

    def _write_metrics(self, metrics: dict[str, float]) -> None:
        now = self._now()
        seconds, processor_seconds, decisions, games = (
            new - old for new, old in zip(now, self.clock, strict=True)
        )
        self.clock = now
        speeds = {
            "decisions_per_second": decisions / seconds,
            "games_per_second": games / seconds,
            "processor_seconds": processor_seconds,
        }
        known = {name: value for name, value in metrics.items() if isfinite(value)}  # JSON has no NaN
        self.run.write_metrics("update", self.decisions, {**speeds, **known})
        note = f"{speeds['games_per_second']:,.0f} games/s{self.scores}"
        self.bar.update(self.task, completed=self.decisions, note=note)

    def _offer_snapshot(self) -> None:
        """Put the present network into the pool if its share of games won there reaches `promote`."""
        if self.config.pool.promote:
            won, *_ = self.learner.together(Learner.win_rate)
            joins = won >= self.config.pool.promote
            self.run.write_metrics("snapshot", self.decisions, {"win_rate": won, "promoted": int(joins)})
            if not joins:
                return
        self.learner.together(Learner.take_snapshot)

    def _evaluate(self) -> bool:
        """Play the validation deals against the field. Says whether the network is kept: if its interval
        reaches the highest mean so far. Of many networks of one strength the one of that mean is best by
        luck, and what was learned after it would be lost. Where lanes have many rules each is kept, as the
        deals are of one rule set."""
        self.bar.update(self.task, note="evaluating")
        results, *_ = self.learner.together(_field_results)
        self.run.write_metrics("evaluation", self.decisions, columns(results))
        self.scores = "".join(f", {result.b} {result.mean:+z.2f}" for result in results)
        first = results[0]
        self.highest = first.mean if self.highest is None else max(self.highest, first.mean)
        keeps = first.high >= self.highest or bool(self.config.game.rule_shares)
        if keeps:
            self._save_network(self.run.best)
        ends = self.decisions >= self.config.ppo.decisions
        if self.should_prune and not ends and self.should_prune(self.decisions, first.mean):
            raise self._unless_stopping(Pruned())
        return keeps

    def _unless_stopping(self, end: Exception) -> Exception:
        """The error that ends the run. A pending stop wins; the error is raised on resume."""
        return StopRequested() if self.stopping else end

    def _save(self) -> None:
        self._save_network(self.run.last)
        self.run.write_checkpoint(self.learner, self.highest)

    def _save_network(self, folder: Path) -> None:
        manifest = manifest_for(
            self.game,
            self.config.game.observation,
            self.config.network.widths,
            greedy=True,
            decisions=self.decisions,
            updates=self.updates,
            seed=self.config.execution.seed,
        )
        write_network(folder, self.learner.network.arrays(), manifest)


def _work_so_far(learner: Learner) -> tuple[float, int]:
    """The seconds of the processor that a worker has taken, and the games that have ended."""
    return time.process_time(), learner.env.games


def _field_results(learner: Learner) -> list[PairResult]:
    """The network against the field, on the validation deals."""
    agent = learner.player("ppo", learner.network, greedy=True)
    with chance_of_its_own():
        return learner.validated(agent, learner.field)


@contextmanager
def chance_of_its_own() -> Iterator[None]:
    """Keep the random states of torch, NumPy and Python. Custom agents and Ray may draw from them; the
    learner and its opponents continue with their own."""
    before, pythons = np.random.get_state(), random.getstate()
    with fork_rng(devices=()):
        try:
            yield
        finally:
            np.random.set_state(before)
            random.setstate(pythons)


@contextmanager
def stop_on_signals(callback: TrainingCallback) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the run after the present update; a second Ctrl-C at once. A signal that is
    ignored, as Ctrl-C in the background of a script, stays ignored."""
    taken = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) != signal.SIG_IGN]

    def stop(number, frame):
        callback.stopping = True
        if signal.SIGINT in taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        callback.bar.print("Stopping after this update …")

    before = {number: signal.signal(number, stop) for number in taken}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Search hyperparameters: train with other values of some fields, and choose by matches.

The more some values have won, the more of their kind are tried.

stichwerk sweep configs/schnapsen.yaml --trials 20            over configs/sweeps/learning.yaml
stichwerk sweep schnapsen --space '{epochs: [1, 2], entropy: {low: 0.02, high: 0.2, log: true}}'
stichwerk sweep schnapsen --decisions 4000000 --run runs/sweep --resume
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.evaluation.playing.matches import DEALS, Playing, Series, games_in_pair, play_field
from stichwerk.agents.evaluation.reports.figures import Curves
from stichwerk.agents.evaluation.reports.report import Score, read_results, write_results
from stichwerk.agents.evaluation.reports.run_page import sweep_page
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.networks.network import device_here
from stichwerk.agents.provenance import provenance, result_hashes
from stichwerk.agents.sweep.space import Space
from stichwerk.agents.sweep.study import FAULT, Outcome, Rivals, Study, deals_seed, default_field
from stichwerk.agents.training.callback import NotFinite, Pruned
from stichwerk.agents.training.config import TrainConfig, baselines
from stichwerk.agents.training.config_files import CONFIGS, config_from
from stichwerk.agents.training.learner import Learner, check_named
from stichwerk.agents.training.run import RunFolder, check_place, code_of
from stichwerk.cli import check_bounds, parse
from stichwerk.commands.train import named_config, train
from stichwerk.envs import Game, InputError
from stichwerk.envs.core.random import Use
from stichwerk.support.errors import quoted
from stichwerk.support.figure import Estimate
from stichwerk.support.files import (
    PAGE,
    SWEEP,
    check_begun_with,
    held_folder,
    is_begun,
    own_folder,
    path_from,
    write_whole,
)
from stichwerk.support.machine.cluster import Failure, connect, run_all
from stichwerk.support.parsing import parse_yaml, read_text, read_yaml, write_yaml
from stichwerk.support.terminal.progress import make_bar, print_table, steps

SPACES = CONFIGS / "sweeps"
MOST_CURVES = 6  # on the page
ASKED, BEST, TRIALS, MATCHES = SWEEP, "best.yaml", "trials", "field.json"
OWN = (
    "space",
    "batch",
    "against",
    "deals",
    "prune",
    "run_codes",
    "field",
)  # in what was asked, besides a config
BOUNDS = {"trials": (1, 10_000), "deals": DEALS, "batch": (1, 1_000)}


@dataclass(frozen=True)
class SweepOptions:
    """Sweep over fields of a training config: CONFIG [--FIELD VALUE ...]

    Each trial is an ordinary training in a separate folder. Its score is the mean of its best network's game
    points per deal against each player of a fixed field, on validation deals that no training has used to
    choose its best network.
    """

    space: str = "learning"
    """The fields to vary: a YAML file, the name of one in configs/sweeps, or a mapping. A mapping is such as
    '{entropy: [0.05, 0.08], learning_rate: {low: 1e-3, high: 1e-2}}'."""
    trials: int = 20
    """The number of trials: trainings in all."""
    batch: int = 1
    """The number of trials to propose at once. Each proposal uses the scores of earlier batches only."""
    against: tuple[str, ...] = ()
    """The players that score a trial. The default is rules:0.1 and ppo:NAME-0.1, where the game has them, and
    rollout:worlds=20."""
    deals: int = 1_000
    """The number of duplicate deals against each of them."""
    prune: bool = False
    """Give up a trial whose validation is below the median, at the same stage, of those finished before its
    batch."""
    training: TrainConfig = field(default_factory=TrainConfig)
    """The config that all trials share. The sweep's own are its seed, run, resume and cluster."""

    def __post_init__(self):
        check_bounds(self, BOUNDS)
        if self.training.execution.seeds:
            raise InputError("a sweep trains each trial with one seed: use --seed instead of --seeds")


@dataclass(frozen=True)
class Trial:
    """The arguments of one training of a sweep, which may run in any process that sees the folder."""

    folder: Path
    config: TrainConfig
    values: Mapping[str, Any]
    against: tuple[str, ...]
    deals: int
    rivals: Rivals


def main(arguments: Sequence[str]) -> None:
    name, default = named_config(__doc__ or "", SweepOptions, arguments)
    options = parse(SweepOptions, arguments[1:], default=SweepOptions(training=default))
    game = options.training.game.make()
    config = options.training.for_game(game)
    options = replace(options, training=config, against=options.against or default_field(game))
    for text in options.against:
        make_agent_for(text, game)
    given = read_space(options.space)
    space = Space.read(given, config)
    folder = own_folder(config.execution.run or f"runs/{name}-sweep", "sweep")
    asked = as_asked(options, given)
    made_by = codes(options, space, game)
    check_folder(folder, config, asked, made_by)
    check_place((folder / TRIALS).resolve(), config)
    space.distributions()  # without Optuna nothing is begun
    here = config.replace(device="cpu", cluster="") if config.execution.cluster else config
    Learner(here, game)  # what trials share must do
    for variant in space.variants(config):
        check_named(variant, game)
    if config.execution.cluster:
        connect(config.execution.cluster)
    with held_folder(folder, "sweep"):
        check_folder(folder, config, asked, made_by)
        write_whole(folder / ASKED, write_yaml({**asked, **made_by}))
        study = Study(folder, space, config.execution.seed, options.batch)
        while batch := study.next_batch(options.trials):
            run_batch(batch, folder, study, space, options)
        report(folder, study, space, options, shlex.join(["stichwerk", "sweep", *arguments]))


def read_space(text: str) -> Any:
    """The space that a text names or is."""
    path = SPACES / f"{text}.yaml"
    if text.isidentifier() and not path.is_file():
        there_are = ", ".join(sorted(each.stem for each in SPACES.glob("*.yaml")))
        raise InputError(f"no space {quoted(text)}: there are {there_are}; or a file, or a mapping")
    if text.endswith((".yaml", ".yml")):
        path = path_from(text)
    elif not text.isidentifier():
        return parse_yaml(text)
    if not path.is_file():
        raise InputError(f"no file {path}")
    try:
        return read_yaml(read_text(path))
    except InputError as error:
        raise InputError(f"{path} is {error}") from None


def as_asked(options: SweepOptions, space: Any) -> dict[str, Any]:
    """The settings that identify a sweep, as in YAML: all but its length."""
    asked = {
        "space": space,
        "batch": options.batch,
        "against": list(options.against),
        "deals": options.deals,
        "prune": options.prune,
        "training": options.training.as_dict(),
    }
    return read_yaml(write_yaml(asked))


def side_by_side(asked: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The settings that identify a sweep, also from a file of earlier versions, which has those of its
    training at the top level."""
    own = {name: value for name, value in asked.items() if name in OWN}
    training = asked.get("training", {name: value for name, value in asked.items() if name not in OWN})
    return {**own, **config_from(training, str(file)).by_name()}


def codes(options: SweepOptions, space: Space, game: Game) -> dict[str, Any]:
    """Hashes of what decides how trials go and who scores them, without which scores cannot be compared."""
    variants = options.training, *space.variants(options.training)
    run_codes = dict.fromkeys(code_of(variant, game) for variant in variants)
    return {"run_codes": [*run_codes], "field": result_hashes(game, options.against)}


def check_folder(
    folder: Path, config: TrainConfig, asked: Mapping[str, Any], made_by: Mapping[str, Any]
) -> None:
    """Refuse a folder that must not be used.

    Raises:
        InputError: the folder is there and not to be gone on with, is not of this sweep, or has trials of
            other code.
    """
    if not is_begun(folder, "sweep", ASKED, config.execution.resume):
        return
    try:
        theirs = read_yaml(read_text(folder / ASKED))
        begun_with = side_by_side(theirs if isinstance(theirs, dict) else {}, folder / ASKED)
    except InputError as error:
        raise InputError(f"damaged sweep {folder / ASKED}: {error}") from None
    check_begun_with(folder, "sweep", begun_with, side_by_side(asked, folder / ASKED))
    if not config.execution.other_code and any(
        begun_with.get(name) != each for name, each in made_by.items()
    ):
        raise InputError(
            f"sweep folder {folder} was begun with other code or players: its scores cannot be compared with "
            "new ones; choose another with --run, or add --other-code to continue anyway"
        )


def run_batch(batch: Sequence[Any], folder: Path, study: Study, space: Space, options: SweepOptions) -> None:
    """Run Optuna's trials, here or on the cluster, and report each to the study as soon as it is done.
    Repeated values would give the same result: such a trial takes the other's score."""
    rivals = study.rivals(options.training.ppo.decisions) if options.prune else Rivals()
    firsts = study.firsts()
    new = [proposed for proposed in batch if firsts[proposed.number].number == proposed.number]
    trials = []
    for proposed in new:
        trial = trial_of(proposed, folder, space, options, rivals)
        print(f"Trial {proposed.number}: {in_words(trial.values)}")
        trials.append(trial)

    def tell(place: int, outcome: Outcome | Failure) -> None:
        if isinstance(outcome, Exception):
            raise outcome
        study.tell(new[place], outcome)
        done()
        print(f"Trial {new[place].number}: {outcome_in_words(outcome)}")

    cluster = options.training.execution.cluster
    with steps("training trials", len(trials), shown=bool(cluster)) as done:
        run_all(run_trial, trials, cluster, tell)
    firsts = study.firsts()  # with what has come of them
    for proposed in batch:
        if (first := firsts[proposed.number]).number != proposed.number:
            results = results_of(first, folder, space, options) if study.has_score(first) else ()
            outcome = study.outcome(first, results)
            study.tell(proposed, outcome)
            print(f"Trial {proposed.number}: the values of trial {first.number}, {outcome_in_words(outcome)}")


def place_of(trial: Any, folder: Path) -> Path:
    """The run folder of Optuna's trial."""
    return folder / TRIALS / str(trial.number)


def trial_of(trial: Any, folder: Path, space: Space, options: SweepOptions, rivals: Rivals) -> Trial:
    """The arguments of an Optuna trial."""
    config, values = options.training.replace(cluster=""), space.values(trial.params)
    place = place_of(trial, folder).resolve()
    return Trial(place, config, values, options.against, options.deals, rivals)


def results_of(trial: Any, folder: Path, space: Space, options: SweepOptions) -> Sequence[PairResult]:
    """The matches of Optuna's trial that has been scored by them; if they are lost they are played again."""
    told = trial_of(trial, folder, space, options, Rivals())
    return played_matches(told, told.config.game.make())


def run_trial(trial: Trial) -> Outcome:
    """Train, from where it stopped if it did, and play the field."""
    device_here(trial.config.execution.device)  # what is missing on this machine is no fault of the values
    try:
        config = trial.config.replace(**trial.values, resume=True)
        game = config.game.make()
        learner = Learner(config, game)
    except InputError as error:  # values that do not go together
        return Outcome({}, fault=str(error))
    results: Sequence[PairResult] = ()
    try:
        run = train(config, game, trial.folder, trial.rivals.are_ahead, learner)
        results = played_matches(trial, game)
    except NotFinite as error:
        return Outcome({}, fault=str(error))
    except Pruned:
        run = RunFolder(trial.folder, config, game)
    mean = f"{baselines(game)[0]}_mean"
    curve = {row["decisions"]: row[mean] for row in run.metrics() if row["kind"] == "evaluation"}
    return Outcome(curve, results)


def played_matches(trial: Trial, game: Game) -> Sequence[PairResult]:
    """The matches of a trial's best network with the field, played unless they have been."""
    file = trial.folder / MATCHES
    if not file.is_file():
        agent = NetworkAgent.load("ppo", trial.folder / "best", game)
        seed = deals_seed(trial.config)
        with make_bar() as bar:
            total = len(trial.against) * trial.deals * games_in_pair(game)
            series = Series(
                trial.deals, seed, Use.VALIDATION, start_states=trial.config.game.evaluated_in_start_states
            )
            field = [(make_agent_for(text, game), series) for text in trial.against]
            playing = Playing(on_progress=partial(bar.advance, bar.add_task("scoring", total=total)))
            results = play_field(game, agent, field, playing=playing)
        settings = {"env": game.env_id, "rules": game.rules.as_dict(), "seed": seed, "use": "validation"}
        write_results(file, {**settings, **provenance(game, trial.against)}, results)
    return read_results(file)


def report(folder: Path, study: Study, space: Space, options: SweepOptions, command: str) -> None:
    """The trials by their scores, on the terminal and as a page, and the best one's config as a file."""
    headings = ["trial", *space.fields, "score", *options.against]
    ranked, firsts = study.ranked(), study.firsts()
    rows: list[list[str]] = []
    scores: list[Estimate] = []
    curves: Curves = {}
    for trial in ranked:
        results = results_of(firsts[trial.number], folder, space, options)
        score, name = Score.of(results), f"trial {trial.number}"
        rows.append([*words_of(trial, space), str(score), *(f"{each.mean:+z.3f}" for each in results)])
        scores.append(Estimate(name, score.mean, score.mean - score.margin, score.mean + score.margin))
        if len(curves) < MOST_CURVES:
            curve = study.outcome(trial, results).curve
            curves[name] = [(at, mean, mean, mean) for at, mean in sorted(curve.items())]
    for trial in study.others():
        says = "failed" if FAULT in trial.user_attrs else "given up"
        rows.append([*words_of(trial, space), says, *("" for _ in options.against)])
    print_trials(headings, rows, space, options)
    if not ranked:
        raise InputError(f"no trial of the sweep in {folder} got a score: see the errors above")
    best = options.training.replace(**space.values(ranked[0].params))
    write_whole(folder / BEST, write_yaml(best.as_dict()))
    game = best.game.make()
    settings = {
        "env": game.env_id,
        "rules": game.rules.as_dict(),
        "seed": options.training.execution.seed,
        "deals": options.deals,
        **provenance(game, options.against),
    }
    write_whole(folder / PAGE, sweep_page(headings, rows, scores, curves, settings, command))
    run = place_of(ranked[0], folder)
    print(f"Best is trial {ranked[0].number}: config {folder / BEST}, agent ppo:{run / 'best'}")


def print_trials(
    headings: Sequence[str], rows: Sequence[Sequence[str]], space: Space, options: SweepOptions
) -> None:
    """The table of the trials."""
    grid = Table(
        caption=f"score: the mean over the field, game points per deal, ± 95 % at most; "
        f"{options.deals:,} duplicate validation deals against each",
    )
    for heading in headings:
        if heading in space.fields:
            grid.add_column(heading, overflow="fold")
        elif heading in options.against:
            grid.add_column(heading, justify="right", overflow="fold")
        else:
            grid.add_column(heading, justify="right" if heading == "score" else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    print_table(grid)


def outcome_in_words(outcome: Outcome) -> str:
    if outcome.fault:
        return f"failed, {outcome.fault}"
    if not outcome.results:
        return f"given up after {max(outcome.curve):,} decisions"
    return f"score {Score.of(outcome.results)}"


def words_of(trial: Any, space: Space) -> Sequence[str]:
    """A trial's number and values."""
    return str(trial.number), *map(in_word, space.values(trial.params).values())


def in_words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={in_word(value)}" for name, value in values.items())


def in_word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)

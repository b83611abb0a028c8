"""Train a PPO agent by self-play.

stichwerk train schnapsen --seed 1 --run runs/mine      a config that comes with the package
stichwerk train configs/schnapsen.yaml --resume      a file
stichwerk train gaigel_v0      the game's own config, or the defaults if it has none
stichwerk train schnapsen --seeds 1 2 3 --cluster auto
stichwerk train schnapsen --opponents '{latest: 0.5, "rollout:worlds=20": 0.5}'
"""

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.evaluation.playing.matches import Playing, Series, games_in_pair, play_field
from stichwerk.agents.evaluation.reports.figures import curves_figure, run_curves, seed_curves
from stichwerk.agents.evaluation.reports.report import (
    columns,
    print_results,
    print_seeds,
    read_results,
    write_results,
)
from stichwerk.agents.evaluation.reports.run_page import run_page, seeds_page
from stichwerk.agents.evaluation.statistics.tallies import UNIT
from stichwerk.agents.networks.tensors import out_of_memory
from stichwerk.agents.provenance import provenance
from stichwerk.agents.registry import searches
from stichwerk.agents.training.callback import StopRequested, TrainingCallback, stop_on_signals
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import CONFIGS, find_config
from stichwerk.agents.training.learner import Learner, agent_of, field_of
from stichwerk.agents.training.run import RUN_CODES, RunFolder
from stichwerk.agents.training.settings import ConfigError
from stichwerk.agents.training.workers.training import with_workers
from stichwerk.cli import ANOTHER, parse
from stichwerk.envs import Game, InputError
from stichwerk.support.errors import quoted
from stichwerk.support.files import PAGE, SEEDS, SEEDS_FILE, check_resumed, own_folder, seeds_in, write_whole
from stichwerk.support.machine.cluster import connect, run_all
from stichwerk.support.terminal.arguments import examples
from stichwerk.support.terminal.progress import make_bar, steps


def named_config(about: str, options: type, arguments: Sequence[str]) -> tuple[str, TrainConfig]:
    """The config that a command's first word names, as `find_config` finds it. If the word asks for help,
    print the help of the config's options, with the examples of the command's docstring, and exit."""
    if arguments and arguments[0] in ("-h", "--help"):
        parse(options, arguments, before="CONFIG", about=about)
    if not arguments or arguments[0].startswith("-"):
        raise ConfigError(f"got no config as the first word; expected one, as in: {examples(about)[0]}")
    return find_config(arguments[0], CONFIGS)


def main(arguments: Sequence[str]) -> None:
    name, default = named_config(__doc__ or "", TrainConfig, arguments)
    config = parse(TrainConfig, arguments[1:], default=default, about=__doc__)
    game = config.game.make()
    config = config.for_game(game)
    players = *config.others, *config.evaluation.measured_against
    how = config.execution
    if how.cluster and not (how.seeds or how.workers > 1 or any(map(searches, players))):
        given = quoted(how.cluster)
        allowed = "one with --workers, with several --seeds, or with agents in the config that search"
        raise ConfigError(f"config cluster: got {given}; expected {allowed}")
    if how.cluster and how.seeds and how.workers > 1:  # each seed has one core there
        raise ConfigError(f"config workers: got {how.workers}; expected 1 for seeds on a cluster")
    if how.seeds:
        train_seeds(config, game, own_folder(how.run or f"runs/{name}-seeds", SEEDS.name))
    else:
        folder = RunFolder(own_folder(how.run or f"runs/{name}-{how.seed}", "run"), config, game)
        tell_if_finished(folder)
        folder = train(config, game, folder.path)
        print(f"Run folder {folder.path}; its agent is called ppo:{folder.best}")
        print_results(read_results(folder.results_file), game.side_count)


def tell_if_finished(folder: RunFolder) -> None:
    if folder.finished:
        other = ", by other code than the present one" * folder.of_other_code
        print(f"Run folder {folder.path} was finished before{other}; delete it to train again")
    elif folder.results_file.is_file() and not folder.has_results:
        print(f"{folder.results_file} belongs to another run; this run's results will replace it")


def train(
    config: TrainConfig,
    game: Game,
    path: Path,
    should_prune: Callable[[int, float], bool] | None = None,
    learner: Learner | None = None,
    option: str = "--run",
) -> RunFolder:
    """Train and evaluate in a run folder, unless that has been done.

    Args:
        config: of the training
        game: with its rules
        path: of the run folder
        should_prune: as the callback has it
        learner: of this config, if it has been made already
        option: that names the folder, for messages

    Raises:
        Pruned: the run is given up.
    """
    folder = RunFolder(path, config, game, option)
    if not folder.finished:
        begun = folder.checkpoint_file.is_file()  # then what it began with is in there
        learner = learner or Learner(config.replace(init="") if begun else config, game)
        with folder.held():
            if not folder.finished:  # by another process meanwhile
                learn(config, game, learner, folder, should_prune)
                try:
                    evaluate(config, game, folder, learner.ppo.decisions)
                except KeyboardInterrupt:
                    print("Stopped; the same command with --resume measures the network")
                    raise
    return folder


def train_seeds(config: TrainConfig, game: Game, path: Path) -> None:
    """A run of each seed, and their joint results; one that fails stops no other."""
    seeds, cluster = config.execution.seeds, config.execution.cluster
    configs = {seed: config.replace(seed=seed, seeds=(), cluster="") for seed in seeds}
    check_seeds(path, seeds, config.execution.resume)
    for seed, each in configs.items():  # those that cannot be are refused before the first begins
        tell_if_finished(RunFolder(path / str(seed), each, game))
    Learner(config.replace(init="", device="cpu", cluster=""), game)  # as is what all of them share
    if cluster:
        connect(cluster)
        print(f"Training seeds {', '.join(map(str, seeds))} on the cluster {cluster} …")
    write_whole(path / SEEDS_FILE, yaml.safe_dump({"seeds": [*configs]}))
    # On a cluster a run whose worker has died is called for again, and goes on.
    tasks = [
        (each.replace(resume=each.execution.resume or bool(cluster)), path / str(seed))
        for seed, each in configs.items()
    ]

    def tell(number: int, outcome: object) -> None:
        done()
        print(f"Seed {seeds[number]}: {outcome or f'finished in {tasks[number][1]}'}")

    try:
        with steps("training seeds", len(tasks), shown=bool(cluster)) as done:
            outcomes = run_all(_train_there, tasks, cluster, tell)
    except KeyboardInterrupt:
        print("Stopped; the same command with --resume continues")
        raise
    if failed := {seed: error for seed, error in zip(seeds, outcomes, strict=True) if error}:
        raise InputError("; ".join(f"seed {seed}: {error}" for seed, error in failed.items()))
    runs = {
        seed: RunFolder(path / str(seed), each.replace(resume=True), game) for seed, each in configs.items()
    }
    curves = [run.metrics() for run in runs.values()]
    unit = f"{UNIT}: mean of {len(curves)} seeds, and from the worst to the best"
    figure = curves_figure(seed_curves(curves), unit, f"PPO learns {game.env_id}")
    write_whole(path / "curves.svg", figure.svg())
    print(f"Run folders {path}/SEED; their curves are in {path / 'curves.svg'}, and all in {path / PAGE}")
    results = {seed: read_results(run.results_file) for seed, run in runs.items()}
    words = ["stichwerk", "train", str(runs[seeds[0]].config_file), "--run", ANOTHER]
    command = shlex.join([*words, "--seeds", *map(str, seeds)])
    decisions, settings = config.ppo.decisions, settings_of(config, game)
    write_whole(path / PAGE, seeds_page(results, curves, settings, decisions, command))
    print_seeds(results)


def check_seeds(path: Path, seeds: Sequence[int], resume: bool) -> None:
    """InputError for a folder of seeds that is not to be gone on with, or whose summary would lack one of
    its seeds."""
    if there := seeds_in(path):
        check_resumed(path, SEEDS.name, resume)
    if others := [seed for seed in there if int(seed) not in seeds]:
        given = " ".join(map(str, seeds))
        raise InputError(
            f"--seeds: got {given}; expected {' '.join(others)} too, which seeds folder {path} has, "
            "or another folder with --run"
        )


def _train_there(task: tuple[TrainConfig, Path]) -> None:
    """Train one run, in whatever process."""
    config, path = task
    train(config, config.game.make(), path)


@out_of_memory()
def learn(
    config: TrainConfig,
    game: Game,
    learner: Learner,
    folder: RunFolder,
    should_prune: Callable[[int, float], bool] | None = None,
) -> None:
    """Train from the last checkpoint, if there is one, to the end; raises KeyboardInterrupt when asked to
    stop."""
    with with_workers(learner):
        _learn_in_step(config, game, learner, folder, should_prune)


def _learn_in_step(
    config: TrainConfig,
    game: Game,
    learner: Learner,
    folder: RunFolder,
    should_prune: Callable[[int, float], bool] | None,
) -> None:
    highest = folder.take_up(learner)
    if len(folder.learned_on) > 1:
        several = "several commits, machines or versions"
        print(f"{folder.path} was trained on {several}: another run may give different digits")
    folder.begin(learner.ppo.decisions)
    left = config.ppo.decisions - learner.ppo.decisions
    if left <= 0:
        return
    with make_bar() as bar:
        callback = TrainingCallback(config, game, learner, folder, highest, bar, should_prune)
        with stop_on_signals(callback):
            try:
                callback.start()
                learner.ppo.learn(left, callback.after_update)
            except StopRequested:
                kept = folder.checkpoint_file
                how = (
                    f"continues from {kept}" if kept.is_file() else "begins again: there is no checkpoint yet"
                )
                print(f"Stopped; the same command with --resume {how}")
                raise KeyboardInterrupt from None


def evaluate(config: TrainConfig, game: Game, folder: RunFolder, decisions: int) -> None:
    """The best network against the field, on deals that neither training nor its choice has seen; then the
    curve. Networks play on the CPU, as by `eval`; who searches may do so on the cluster."""
    agent = NetworkAgent.load("ppo", folder.best, game)
    config = config.replace(workers=1)  # they have ended
    field = field_of(config, game, config.evaluation.final_deals)
    series = partial(Series, seed=config.execution.seed, start_states=config.game.evaluated_in_start_states)
    others = [
        (agent_of(config, game, "measured_against", name), series(deals)) for name, deals in field.items()
    ]
    with make_bar() as bar:
        games = sum(field.values()) * games_in_pair(game, by_role=True)
        playing = Playing(on_progress=partial(bar.advance, bar.add_task("evaluating", total=games)))
        results = play_field(game, agent, others, by_role=True, playing=playing)
    settings = {
        **settings_of(config, game),
        "seed": config.execution.seed,
        RUN_CODES: folder.codes,
        "learned_on": folder.learned_on,
    }
    figure = curves_figure(
        run_curves(folder.metrics()), f"{UNIT}, 95 % interval", f"PPO learns {game.env_id} by self-play"
    )
    write_whole(folder.curve_file, figure.svg())
    folder.conclude(decisions, columns(results))
    command = shlex.join(["stichwerk", "train", str(folder.config_file), "--run", ANOTHER])
    write_whole(folder.path / PAGE, run_page(results, folder.metrics(), settings, decisions, command))
    write_results(folder.results_file, settings, results)


def settings_of(config: TrainConfig, game: Game) -> dict[str, Any]:
    """The settings that reproduce the measurements of a training, but for its seed."""
    return {
        "env": game.env_id,
        "rules": game.rules.as_dict(),
        "start_states": config.game.evaluated_in_start_states,
        **provenance(game, config.evaluation.measured_against),
    }

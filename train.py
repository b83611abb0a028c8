"""Train a PPO agent by self-play: python train.py configs/schnapsen.yaml [--seed 1] [--run FOLDER] [--resume] …"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stichwerk.agents import make_agent_for
from stichwerk.agents.arena import games_in_pair, play_pair
from stichwerk.agents.cli import parse, parse_yaml, run
from stichwerk.agents.ppo import PPOAgent
from stichwerk.agents.progress import make_bar
from stichwerk.agents.report import draw_curve, print_results, read_results, write_results
from stichwerk.agents.training.callback import BASELINES, Stopped, TrainingCallback, stop_on_signals
from stichwerk.agents.training.config import ConfigError, TrainConfig, load_config
from stichwerk.agents.training.learner import Learner, restore
from stichwerk.agents.training.run import RunFolder
from stichwerk.envs import Game, make_game


def main(arguments: Sequence[str]) -> None:
    if arguments and arguments[0] in ("-h", "--help"):
        parse(TrainConfig, arguments)
    if not arguments or arguments[0].startswith("-"):
        raise ConfigError("no config file named first; try: python train.py configs/schnapsen.yaml")
    path = Path(arguments[0])
    config = parse(TrainConfig, arguments[1:], default=load_config(path))
    game = make_game(config.env, parse_yaml(config.rules))
    folder = RunFolder(Path(config.run or f"runs/{path.stem}-{config.seed}"), config, game)
    if not folder.finished:
        learner = Learner(config, game)
        folder.create()
        learn(config, game, learner, folder)
        evaluate(config, game, folder)
    results = read_results(folder.results_file)
    print(f"Run folder {folder.path}; its agent is called ppo:{folder.best}")
    print_results(results)


def learn(config: TrainConfig, game: Game, learner: Learner, folder: RunFolder) -> None:
    """Train from the last checkpoint, if there is one, to the end; raises KeyboardInterrupt when asked to stop."""
    best = None
    if checkpoint := folder.read_checkpoint():
        tensors, facts = checkpoint
        restore(learner, tensors, facts)
        best = facts["best"]
    left = config.decisions - learner.model.num_timesteps
    if left <= 0:
        return
    folder.begin_metrics(learner.model.num_timesteps)
    with make_bar() as bar:
        callback = TrainingCallback(config, game, learner, folder, best, bar)
        with stop_on_signals(callback):
            try:
                learner.model.learn(left, callback=callback, reset_num_timesteps=False)
            except Stopped:
                print(f"Stopped; the same command with --resume goes on from {folder.checkpoint_file}")
                raise KeyboardInterrupt from None


def evaluate(config: TrainConfig, game: Game, folder: RunFolder) -> None:
    """The best network against the baselines, on deals that neither training nor its choice has seen; then the curve."""
    agent = PPOAgent.load("ppo", folder.best, game)
    results = []
    with make_bar() as bar:
        total = len(BASELINES) * config.final_deals * games_in_pair(game, by_role=True)
        advance = partial(bar.advance, bar.add_task("evaluating", total=total))
        settings: Any = {"by_role": True, "situations": config.situations, "on_progress": advance}
        for name in BASELINES:
            results.append(play_pair(game, agent, make_agent_for(name, game), config.final_deals, config.seed, **settings))
    draw_curve(folder.curve_file, folder.metrics(), BASELINES, f"PPO learns {game.env_id} by self-play")
    write_results(
        folder.results_file,
        {"env": game.env_id, "rules": game.rules.as_dict(), "seed": config.seed, "situations": config.situations},
        results,
    )


if __name__ == "__main__":
    run(main)

"""PPO of RLlib by self-play, with several env runners; the policy is stored, and then plays.

python examples/rllib_schnapsen.py --iterations 60
python eval.py --agents python:examples.rllib_schnapsen:trained rules:0.1 random
"""

from pathlib import Path

import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from stichwerk.agents import Agent, make_agent
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.policies import from_rllib
from stichwerk.agents.external.rllib import MaskedModule
from stichwerk.envs import Game, make_game
from stichwerk.envs.rllib import RllibEnv

OUT = "runs/rllib_schnapsen"
POLICY = "both_seats"


def trained(game: Game) -> Agent:
    """The stored policy's agent, for eval.py."""
    return from_rllib(OUT, game)


def main(
    env: str = "schnapsen_v0",
    iterations: int = 60,
    runners: int = 2,
    envs_per_runner: int = 32,
    decisions: int = 16_384,
    minibatch: int = 2_048,
    widths: tuple[int, ...] = (256, 256),
    deals: int = 2_000,
    out: str = OUT,
) -> None:
    """Each of the `runners` plays in `envs_per_runner` environments; `decisions` of both seats make an
    iteration."""
    config = (
        PPOConfig()
        .environment(RllibEnv, env_config={"env": env}, disable_env_checking=True)  # it minds no masks
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=envs_per_runner)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda *args, **more: POLICY)
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config={"widths": list(widths)})
        )
        .training(
            gamma=1.0,
            lambda_=0.95,
            lr=1e-3,
            train_batch_size_per_learner=decisions,
            minibatch_size=minibatch,
            num_epochs=4,
            entropy_coeff=0.03,
            vf_clip_param=float("inf"),
        )
        .debugging(seed=1, log_level="ERROR")
    )
    ray.init(include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    algorithm = config.build_algo()
    for number in range(iterations):
        learned = algorithm.train()["learners"][POLICY]
        print(f"{number + 1:4}  entropy {learned['entropy']:.3f}  value loss {learned['vf_loss']:.3f}")
    algorithm.save_to_path(Path(out).absolute())
    algorithm.stop()
    ray.shutdown()

    game = make_game(env)
    player = from_rllib(out, game)
    for other in ("random", "rules:0.1"):
        result = play_pair(game, player, make_agent(other, env), Series(deals, seed=1))
        print(f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal against {other}")


if __name__ == "__main__":
    tyro.cli(main)

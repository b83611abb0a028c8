"""sb3-contrib's MaskablePPO against the rule-based player, in `SelfPlayEnv`, with its learning curve.

python examples/sb3_maskable_ppo.py --decisions 1000000
"""

from pathlib import Path

import torch
import tyro
from sb3_contrib import MaskablePPO

from stichwerk.agents import make_agent
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.evaluation.reports.figures import curves_figure
from stichwerk.agents.external.policies import from_sb3
from stichwerk.envs import make_game
from stichwerk.envs.core.random import Use


def main(
    env: str = "schnapsen_v0",
    opponent: str = "rules:0.1",
    decisions: int = 1_000_000,
    lanes: int = 256,
    measurements: int = 8,
    deals: int = 2_000,
    out: str = "maskable_ppo.zip",
) -> None:
    torch.set_num_threads(1)
    game = make_game(env)
    table = SelfPlayEnv(game, lanes, [(make_agent(opponent, env), 1.0)], seed=1)
    model = MaskablePPO(
        "MlpPolicy",
        table,
        n_steps=32,
        batch_size=lanes * 4,
        n_epochs=3,
        gamma=1.0,
        learning_rate=1e-3,
        ent_coef=0.03,
        policy_kwargs={"net_arch": [128, 128]},
        seed=1,
        device="cpu",
    )
    player = from_sb3(model, game, suits="canonical")
    points = []
    for part in range(measurements + 1):
        if part:
            model.learn(decisions // measurements, reset_num_timesteps=False)
        series = Series(max(deals // 4, 2), seed=1, use=Use.VALIDATION)
        result = play_pair(game, player, make_agent(opponent, env), series)
        points.append((model.num_timesteps, result.mean, result.low, result.high))
    model.save(out)
    Path(out).with_suffix(".svg").write_text(
        curves_figure({f"against {opponent}": points}).svg(), encoding="utf-8"
    )
    for name in ("random", opponent):
        result = play_pair(game, player, make_agent(name, env), Series(deals, seed=1))
        print(f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal against {name}")


if __name__ == "__main__":
    tyro.cli(main)

"""A trained network as an ONNX file, and back as a player.

python examples/onnx_export.py ppo:schnapsen policy.onnx        needs: pip install ".[examples]"
"""

from pathlib import Path

import tyro

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.export import write_onnx
from stichwerk.agents.external.policies import from_onnx
from stichwerk.envs import make_game


def main(
    agent: tyro.conf.Positional[str] = "ppo:schnapsen",
    out: tyro.conf.Positional[Path] = Path("policy.onnx"),
    env: str = "schnapsen_v0",
    deals: int = 500,
) -> None:
    """Like the environments, the file takes true suits: it renames them inside."""
    game = make_game(env)
    original = make_agent_for(f"{agent},greedy=yes", game)
    write_onnx(original, out)
    for player in (original, from_onnx(out, game)):
        result = play_pair(game, player, make_agent_for("rules", game), Series(deals, seed=1))
        points = f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal"
        print(f"{points} against rules: {player.name}")


if __name__ == "__main__":
    tyro.cli(main)

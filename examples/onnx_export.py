"""A trained network as an ONNX file, and back as a player.

python examples/onnx_export.py runs/schnapsen/best policy.onnx        needs: pip install "stichwerk[onnx]"
"""

from pathlib import Path

import torch
import tyro

from stichwerk.agents import make_agent
from stichwerk.agents.arena import play_pair
from stichwerk.agents.network import load_network
from stichwerk.agents.policies import from_onnx
from stichwerk.envs import make_game


def main(
    network: tyro.conf.Positional[Path],
    out: tyro.conf.Positional[Path] = Path("policy.onnx"),
    env: str = "schnapsen_v0",
    deals: int = 500,
) -> None:
    """The network's inputs are observations in canonical suits, its outputs logits of actions in them."""
    game = make_game(env)
    module, manifest = load_network(network, game)
    rows = torch.zeros(2, game.encoding(manifest["observation"]).size)
    lanes = torch.export.Dim("lanes")
    torch.onnx.export(
        module, (rows,), out, input_names=["observation"], dynamic_shapes=({0: lanes},), verbose=False
    )
    player = from_onnx(out, game, observation=manifest["observation"], suits="canonical")
    original = make_agent(f"ppo:{network},greedy=yes", env)
    for agent in (original, player):
        result = play_pair(game, agent, make_agent("rules", env), deals, seed=1)
        print(
            f"{result.mean:+.3f} ± {result.mean - result.low:.3f} points per deal against rules: {agent.name}"
        )


if __name__ == "__main__":
    tyro.cli(main)

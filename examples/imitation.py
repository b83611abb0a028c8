"""A network learns from a data set of `stichwerk data`, by imitation of the player who made it.

stichwerk data rules --deals 64000 --out data/schnapsen
python examples/imitation.py --data data/schnapsen --out learner.pt        needs: pip install ".[examples]"
"""

import numpy as np
import torch
import tyro
from torch import nn

from stichwerk.agents import make_agent_for
from stichwerk.agents.data.reading import Decisions, game_of, read
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.policies import from_torchscript


def tensors(decisions: Decisions, player: str) -> tuple[torch.Tensor, ...]:
    """Observations, masks and actions of the player's decisions that had a choice."""
    own = (decisions.arrays["policy"] == player) & (decisions.action_mask.sum(axis=1) > 1)
    actions = decisions.arrays["action"][own].astype(np.int64)
    return tuple(map(torch.from_numpy, (decisions.observation[own], decisions.action_mask[own], actions)))


def logits_of(network: nn.Module, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return network(observation).masked_fill(mask == 0, -1e9)


def main(
    data: str,
    player: str = "",
    epochs: int = 6,
    batch: int = 1_024,
    width: int = 256,
    learning_rate: float = 2e-3,
    deals: int = 2_000,
    out: str = "learner.pt",
) -> None:
    """Print how often the learner chooses as its player in deals that it has not learned from, and the
    points of both against random play. Without `player` it is the first player of the data set."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    decisions = read(data, "train")
    game, manifest = game_of(decisions.manifest), decisions.manifest
    player = player or manifest["policies"][0]
    train, unseen = tensors(decisions, player), tensors(read(data, "test"), player)
    network = nn.Sequential(
        nn.Linear(train[0].shape[1], width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, train[1].shape[1]),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    steps = epochs * -(-len(train[0]) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for _ in range(epochs):
        for part in torch.randperm(len(train[0])).split(batch):
            observation, mask, action = (column[part] for column in train)
            loss = nn.functional.cross_entropy(logits_of(network, observation, mask), action)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        same = (logits_of(network, *unseen[:2]).argmax(dim=1) == unseen[2]).float().mean()
    print(f"{same:.1%} of {len(unseen[2]):,} decisions with a choice as {player}")
    torch.jit.script(network).save(out)
    learner, spec = from_torchscript(out, game), manifest["agents"][manifest["policies"].index(player)]
    results = [
        play_pair(game, each, make_agent_for("random", game), Series(deals, seed=1))
        for each in (learner, make_agent_for(spec, game))
    ]
    for name, result in zip(("learner", player), results, strict=True):
        print(f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal against random: {name}")
    print(f"the learner reaches {results[0].mean / results[1].mean:.1%} of them")


if __name__ == "__main__":
    tyro.cli(main)

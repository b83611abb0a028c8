"""PPO by self-play in one file, on the vector environment: copy it and change what you like.

python examples/single_file_ppo.py --minutes 1.5 --out policy.pt

All seats are played by the network. There is no reward before the end of a deal. So every decision is judged
by what its own seat got in the end: no merging of seats, no signs to flip.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch
import tyro
from torch import nn

from stichwerk.agents import make_agent
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.policies import from_torchscript
from stichwerk.envs import make_game, make_vec


@dataclass
class Args:
    env: str = "schnapsen_v0"
    minutes: float = 1.5
    lanes: int = 512
    steps: int = 64
    epochs: int = 3
    minibatches: int = 8
    learning_rate: float = 1e-3
    entropy: float = 0.03
    clip: float = 0.2
    width: int = 128
    seed: int = 1
    deals: int = 2_000
    out: str = "policy.pt"


class Network(nn.Module):
    def __init__(self, features: int, width: int, actions: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.actor(self.trunk(observation))

    def policy_and_value(self, observation, mask):
        hidden = self.trunk(observation)
        logits = self.actor(hidden).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), self.critic(hidden).squeeze(-1)


def rollout(vec, seen, network, steps):
    """Play; observations, masks, actions, log probabilities, values and returns of decisions whose deal has
    ended."""
    rows, seats, ends, rewards = [], [], [], []
    for _ in range(steps):
        observation, mask = (torch.from_numpy(seen[name]) for name in ("observation", "action_mask"))
        with torch.no_grad():
            policy, value = network.policy_and_value(observation, mask)
            action = policy.sample()
        rows.append((observation, mask, action, policy.log_prob(action), value))
        seats.append(vec.seats)
        seen, reward, ended, _, _ = vec.step(action.numpy())
        ends.append(ended)
        rewards.append(reward)
    outcome, known = np.zeros_like(rewards[0]), np.zeros(vec.num_envs, bool)
    returns, counted = np.zeros((steps, vec.num_envs), np.float32), np.zeros((steps, vec.num_envs), bool)
    for t in reversed(range(steps)):  # each decision gets what its seat has got at the end of its deal
        outcome[ends[t]], known[ends[t]] = rewards[t][ends[t]], True
        returns[t], counted[t] = outcome[np.arange(vec.num_envs), seats[t]], known
    chosen = torch.from_numpy(counted.reshape(-1))
    parts = [torch.cat(part)[chosen] for part in zip(*rows, strict=True)]
    return seen, [*parts, torch.from_numpy(returns.reshape(-1))[chosen]]


def update(network, optimizer, batch, args):
    size = len(batch[0])
    for _ in range(args.epochs):
        for part in torch.randperm(size).chunk(args.minibatches):
            observation, mask, action, old, value, returns = (column[part] for column in batch)
            advantage = returns - value
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy, value = network.policy_and_value(observation, mask)
            ratio = (policy.log_prob(action) - old).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            loss = loss + 0.5 * (value - returns).square().mean() - args.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main(args: Args) -> None:
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    game, vec = make_game(args.env), make_vec(args.env, args.lanes, seed=args.seed)
    network = Network(game.encoding("summary").size, args.width, len(game.actions))
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    seen, _ = vec.reset()
    decisions, begin = 0, time.monotonic()
    while (spent := (time.monotonic() - begin) / (60 * args.minutes)) < 1:
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - spent)
        seen, batch = rollout(vec, seen, network, args.steps)
        update(network, optimizer, batch, args)
        decisions += args.lanes * args.steps
    torch.jit.script(network).save(args.out)
    player = from_torchscript(args.out, game)
    print(f"{decisions:,} decisions")
    for opponent in ("random", "rules:0.1"):
        result = play_pair(game, player, make_agent(opponent, args.env), Series(args.deals, args.seed))
        print(f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal against {opponent}")


if __name__ == "__main__":
    main(tyro.cli(Args))

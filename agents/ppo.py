"""Players with a policy network."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from agents.agent import Turns
from agents.network import load_network, pick
from agents.symmetry import SuitSymmetry
from envs.core.game import Game
from envs.core.loops import loops_for


class PPOAgent:
    """Plays a network from canonical observations to logits: by its probabilities, or with `greedy` its likeliest action."""

    def __init__(
        self, network: Callable[[torch.Tensor], torch.Tensor], game: Game, observation: str, name: str = "ppo", greedy: bool = False
    ):
        self.name = name
        self.network = network
        self.greedy = greedy
        self._rules = game.rules_record
        self._encoding = game.encoding(observation)
        self._observe = loops_for(game, observation).observe
        self._symmetry = SuitSymmetry(self._encoding, game.actions)
        self.seed(0)

    @classmethod
    def load(cls, folder: Path, game: Game, name: str, greedy: bool | None = None) -> "PPOAgent":
        """A saved network's player; without `greedy` as its manifest says it plays best."""
        network, manifest = load_network(folder, game)
        return cls(network, game, manifest["observation"], name, bool(manifest.get("greedy")) if greedy is None else greedy)

    def seed(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def act(self, turns: Turns) -> np.ndarray:
        observation = np.empty((len(turns), self._encoding.size), np.float32)
        self._observe(self._rules, turns.views, turns.seats, observation)
        observation, mask, orders = self._symmetry.canonical(observation, turns.mask)
        with torch.inference_mode():
            logits = self.network(torch.from_numpy(observation)).numpy()
        actions = pick(logits, mask, None if self.greedy else self.random)
        return self._symmetry.true_actions(actions, orders)

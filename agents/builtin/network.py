"""Players with a policy network."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from stichwerk.agents.base import Agent, Evaluation, Turns, with_choice
from stichwerk.agents.networks.network import load_network
from stichwerk.agents.networks.sampling import check_scores, pick
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.agents.networks.tensors import one_thread
from stichwerk.envs.spec.game import Game


class NetworkAgent(Agent):
    """Plays a network from canonical observations to logits: by its probabilities, or with `greedy` its
    likeliest action. `device` is where its network is, at first the CPU.

    sees: the game as the network has learned to see it. Where the observations of a table are others, it
        reads the seat's view and writes its own: where they show less, it has a memory.
    """

    def __init__(
        self,
        name: str,
        network: Callable[[torch.Tensor], torch.Tensor],
        game: Game,
        observation: str,
        greedy: bool = False,
        sees: Game | None = None,
    ):
        super().__init__(name, game)
        self.network = network
        self.greedy = greedy
        self.draws = not greedy
        self.device = torch.device("cpu")
        self.sees, self.observation = sees or game, observation
        self.reads_views = self.sees.rules != game.rules
        self.symmetry = SuitSymmetry(game, game.encoding(observation))

    @classmethod
    def load(cls, name: str, folder: Path, game: Game, greedy: bool | None = None) -> "NetworkAgent":
        """A saved network's player; without `greedy` as its manifest says it plays best."""
        network, manifest, sees = load_network(folder, game)
        return cls(
            name,
            network,
            game,
            manifest["observation"],
            bool(manifest.get("greedy")) if greedy is None else greedy,
            sees,
        )

    def _logits(self, observation: np.ndarray) -> torch.Tensor:
        with one_thread():
            return self.network(torch.from_numpy(observation).to(self.device)).cpu()

    def to(self, device: torch.device) -> Self:
        """The same player, its network on another device."""
        network: Any = self.network
        self.network, self.device = network.to(device), device
        return self

    def log_probabilities(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """How likely the network plays each action, float32[n, actions], from observations as the game has
        them, float32[n, features], and legal actions, int8[n, actions]; of illegal ones -inf."""
        observation, mask, orders = self.symmetry.canonical(observation, mask)
        # In a training, too, a search has the arithmetic that it has everywhere.
        with torch.inference_mode(), torch.autocast(self.device.type, enabled=False):
            logits = self._logits(observation)
            logits[torch.from_numpy(mask == 0)] = -torch.inf
            canonical = torch.log_softmax(logits, dim=1).numpy()
        check_scores(canonical.max(axis=1), self.name)
        return self.symmetry.in_true_suits(canonical, orders)

    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask
        actions = mask.argmax(axis=1)  # a lone legal action needs no network
        choosing = with_choice(mask)
        actions[choosing] = self._choose(replace(turns, which=turns.which[choosing]))
        return actions

    def evaluate(self, turn: Turns) -> Evaluation:
        """Its probabilities, also where it plays the likeliest action alone."""
        observation = turn.observation(self.sees, self.observation)
        actions = np.flatnonzero(turn.mask[0])
        policy = np.exp(self.log_probabilities(observation, turn.mask)[0, actions], dtype=float)
        return Evaluation(actions, int(self.act(turn)[0]), policy)

    def _choose(self, turns: Turns) -> np.ndarray:
        observation = turns.observation(self.sees, self.observation)
        observation, mask, orders = self.symmetry.canonical(observation, turns.mask)
        with torch.inference_mode():
            logits = self._logits(observation).float().numpy()
        actions = pick(logits, mask, None if self.greedy else self.random, self.name)
        return self.symmetry.true_actions(actions, orders)

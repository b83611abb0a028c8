"""Players with a policy network; without torch."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np

from stichwerk.agents.core.agent import Agent, Rating, Turns, with_choice
from stichwerk.agents.networks.inference import InferenceNetwork
from stichwerk.agents.networks.sampling import check_scores, pick
from stichwerk.agents.networks.saved import read_network
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.rule_inputs import RULES

Logits = Callable[[np.ndarray], np.ndarray]
"""From canonical observations, float32[n, features], to action logits, float32[n, actions]."""


class NetworkAgent(Agent):
    """Plays by a network's probabilities, or with `greedy` its likeliest action.

    Attributes:
        network: gives the logits, an InferenceNetwork or TorchLogits.
        sees: the game as the network has learned to see it. Where the observations of a table are others, the
            agent reads the seat's view and writes its own. Where they show less, it has a memory.
        observation: the name of the encoding that the network sees.
    """

    def __init__(
        self,
        name: str,
        network: Logits,
        game: Game,
        observation: str,
        greedy: bool = False,
        sees: Game | None = None,
    ):
        super().__init__(name, game)
        self.network = network
        self.greedy = greedy
        self.draws = not greedy
        self.sees, self.observation = sees or game, observation
        self.reads_views = self.sees.rules != game.rules or observation == RULES
        self.plays_any_rules = observation == RULES
        self.symmetry = SuitSymmetry(game, game.encoding(observation))

    @classmethod
    def load(cls, name: str, folder: Path, game: Game, greedy: bool | None = None) -> Self:
        """A saved network's player; without `greedy` as its manifest says it plays best."""
        arrays, manifest, sees = read_network(folder, game)
        return cls(
            name,
            InferenceNetwork(arrays, manifest["widths"]),
            game,
            manifest["observation"],
            bool(manifest.get("greedy")) if greedy is None else greedy,
            sees,
        )

    def log_probabilities(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The logarithm of the probability with which the network plays each action.

        Args:
            observation: as the game has them, float32[n, features]
            mask: legal actions, int8[n, actions]

        Returns:
            float32[n, actions]; -inf for illegal actions.
        """
        observation, mask, orders = self.symmetry.canonical(observation, mask)
        logits = np.where(mask, self.network(observation), -np.inf)
        with np.errstate(invalid="ignore"):  # of what is refused below
            logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        check_scores(logits.max(axis=1), self.name)
        return self.symmetry.in_true_suits(logits, orders)

    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask
        actions = mask.argmax(axis=1)  # a lone legal action needs no network
        choosing = with_choice(mask)
        actions[choosing] = self._choose(replace(turns, which=turns.which[choosing]))
        return actions

    def rate(self, turn: Turns) -> Rating:
        """Its probabilities, also where it plays the likeliest action alone."""
        observation = turn.observation(self.sees, self.observation)
        actions = np.flatnonzero(turn.mask[0])
        policy = np.exp(self.log_probabilities(observation, turn.mask)[0, actions], dtype=float)
        return Rating(actions, int(self.act(turn)[0]), policy)

    def _choose(self, turns: Turns) -> np.ndarray:
        observation = turns.observation(self.sees, self.observation)
        observation, mask, orders = self.symmetry.canonical(observation, turns.mask)
        chance = None if self.greedy else self.chance_in(turns)
        actions = pick(self.network(observation), mask, chance, self.name)
        return self.symmetry.true_actions(actions, orders)

"""A network that plays as people do who are still learning: it forgets cards, and is less sure of its choice.

It never plays at random: what the network itself finds far worse than its best action is not played.
"""

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import AgentError, Turns
from stichwerk.agents.networks.sampling import pick

GONE, HELD = ("taken", "lost", "gone", "played"), ("possible", "unseen")
"""Features of encodings that need a memory: of cards in tricks, and of those that others may hold."""
HIGH = 2  # ranks of a suit that everybody remembers
REACH = 2.0  # for each unit of softness: by how much a logit may be below the largest one


class WeakenedNetwork(NetworkAgent):
    """A network whose choices are softer, and that forgets."""

    softness, forgets = 1.0, False

    def weaken(self, softness: float = 1.0, forgets: str = "") -> None:
        """Take away from its strength.

        Args:
            softness: the logarithms of its probabilities are divided by this number, from 1
            forgets: the cards in tricks that count as unseen: `low`, those below the two best ranks of a
                suit, or `all`; empty: none

        Raises:
            AgentError: the observation of the game needs no memory.
        """
        self.softness, self.greedy, self.draws = softness, False, True
        self.forgets = bool(forgets)
        encoding, cards = self.sees.encoding(self.observation), len(self.sees.pack)
        of_cards = {each.name: encoding.slices[each.name] for each in encoding.features if each.per == "card"}
        self._gone, self._held = (
            [
                slice(start, start + cards)
                for name in names
                if name in of_cards
                for start in range(of_cards[name].start, of_cards[name].stop, cards)
            ]
            for names in (GONE, HELD)
        )
        if forgets and not (self._gone and self._held):
            raise AgentError(
                f"agent {self.name}: got forgets={forgets}; expected a game with cards to forget"
            )
        low = np.arange(cards) % len(self.sees.pack.ranks) >= HIGH
        self._forgotten = low if forgets == "low" else np.ones(cards, bool)

    def _choose(self, turns: Turns) -> np.ndarray:
        observation = self._remembered(turns.observation(self.sees, self.observation))
        observation, mask, orders = self.symmetry.canonical(observation, turns.mask)
        logits = np.where(mask, self.network(observation), -np.inf)
        near = logits >= logits.max(axis=1, keepdims=True) - REACH * self.softness
        softened = logits / np.float32(self.softness)
        actions = pick(softened, mask & near, self.chance_in(turns), self.name)
        return self.symmetry.true_actions(actions, orders)

    def _remembered(self, observation: np.ndarray) -> np.ndarray:
        """The observations, in which the forgotten cards count as cards that others may hold."""
        if not self.forgets:
            return observation
        observation = observation.copy()
        for place in self._gone:
            lost = np.where(self._forgotten, observation[:, place], 0)
            observation[:, place] -= lost
            for each in self._held:
                observation[:, each] += lost
        return observation

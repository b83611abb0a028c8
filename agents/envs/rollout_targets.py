"""Rollout targets: the value of every legal action, by playing the deal on with one player in all seats.

A sampled return evaluates one action, with the noise of all that follows. Rollout targets evaluate all
actions from the same true state, with the same play afterwards, so their differences are due to the actions.
The true state includes hidden cards, which the policy does not observe. It learns the mean over them, for
which a search over sampled deals needs hundreds of playouts.
"""

from collections.abc import Callable

import numpy as np
import torch

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.builtin.rules import find_rule_player
from stichwerk.agents.core.agent import AgentError
from stichwerk.agents.core.spec import split_spec
from stichwerk.agents.registry import kind_of
from stichwerk.agents.search.endgame import endings_for
from stichwerk.agents.search.network_playouts import NetworkPlayouts
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.engine.equity import NO_EQUITY, equity_in
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import quoted

STATES_AT_ONCE = 4096  # that a network plays on side by side; more do not stay in the caches
# Targets make no action less likely than this.
LEAST_LIKELY = 0.003


class RolloutTargets:
    """Values of all legal actions. One player plays all seats to the end of the deal. In games whose kernel
    says when all cards are known, Schnapsen and Sixty-six, the solver ends it from there on.

    Attributes:
        take_any_rules: whether the lanes may have other rules of the game
    """

    def __init__(self, text: str, game: Game, by_equity: bool = False):
        """Take the player that a text names: `rules`, `rules:VERSION`, `ppo:NAME` or `ppo:FOLDER`. A network
        plays its likeliest actions, and takes no settings. With `by_equity` deals of matches are worth what
        they change of the probability to win, instead of their points.

        Raises:
            AgentError: it is any other agent, or the game has none of this name.
        """
        self._workspace = endings_for(game.env_id, game.spec).make_workspace()
        self._by_equity = by_equity
        kind, (_, settings) = kind_of(text), split_spec(text)
        self.take_any_rules = kind.plays_by_rules
        if kind.by_network and not kind.searches and not settings:
            self._write = self._by_network(text, game)
        elif kind.plays_by_rules and not text.endswith(":"):
            self._write = self._by_rules(text, game)
        else:
            allowed = "rules, rules:VERSION, ppo:NAME or ppo:FOLDER, without settings"
            raise AgentError(f"agent: got {quoted(text)}; expected {allowed}")

    def action_values(self, lanes: Lanes, which: np.ndarray) -> np.ndarray:
        """The values of all legal actions for the seat to act in these lanes.

        Returns:
            float32[which, actions]; 0 for illegal actions and for lone ones.
        """
        values = np.zeros((len(which), lanes.mask.shape[1]), np.float32)
        self._write(lanes, which, values)
        return values

    def _by_rules(self, text: str, game: Game) -> Callable[[Lanes, np.ndarray, np.ndarray], None]:
        choose = find_rule_player(game.env_id, text.partition(":")[2] or None)
        play_each = playouts_for(game.env_id, game.spec, choose).play_each

        def write(lanes: Lanes, which: np.ndarray, values: np.ndarray) -> None:
            equity = self._equity(game, lanes.states)
            play_each(lanes.rules, lanes.states, which, lanes.mask, self._workspace, equity, values)

        return write

    def _equity(self, game: Game, states: np.ndarray) -> np.ndarray:
        return equity_in(game, states) if self._by_equity else NO_EQUITY

    def _by_network(self, text: str, game: Game) -> Callable[[Lanes, np.ndarray, np.ndarray], None]:
        agent = make_agent_for(text, game)
        assert isinstance(agent, NetworkAgent)
        playouts = NetworkPlayouts(game, agent)

        def write(lanes: Lanes, which: np.ndarray, values: np.ndarray) -> None:
            legal = lanes.mask[which]
            rows, actions = np.nonzero(legal * (legal.sum(axis=1, keepdims=True) > 1))
            lane = which[rows]
            for start in range(0, len(rows), STATES_AT_ONCE):
                part = slice(start, start + STATES_AT_ONCE)
                states, seats = lanes.states[lane[part]], lanes.seats[lane[part]]
                equity = self._equity(game, states)
                part_values, _ = playouts.play_on(states, actions[part], seats, self._workspace, None, equity)
                values[rows[part], actions[part]] = part_values

        return write


def weighted_advantages(
    probabilities: torch.Tensor, masks: torch.Tensor, action_values: torch.Tensor, floor: float
) -> torch.Tensor:
    """w(a) (Q(a) - Σ w Q) for each action, float32[n, actions], by which the log-probabilities are weighted.

    The weights w are the policy's probabilities, mixed with a share `floor` of the uniform distribution over
    legal actions. Without a floor this is the gradient of the expected value by the logits (the all-action
    policy gradient). In that gradient an unlikely action hardly moves, however good it is.
    """
    uniform = masks / masks.sum(dim=1, keepdim=True)
    weights = torch.lerp(probabilities, uniform, floor)
    advantages = weights * (action_values - (weights * action_values).sum(dim=1, keepdim=True))
    return advantages.masked_fill((probabilities < LEAST_LIKELY) & (advantages < 0), 0)

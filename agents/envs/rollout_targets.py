"""Rollout targets: the value of every legal action, by playing the deal on with a rule-based player.

A sampled return evaluates one action, with the noise of all that follows. Rollout targets evaluate all
actions from the same true state, with the same play afterwards, so their differences are due to the actions.
The true state includes hidden cards, which the policy does not observe. It learns the mean over them, for
which a search over sampled deals needs hundreds of playouts.
"""

import numpy as np
import torch

from stichwerk.agents.base import AgentError
from stichwerk.agents.builtin.rules import find_rule_player
from stichwerk.agents.registry import kind_of
from stichwerk.agents.search.endgame import endings_for
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import quoted

# Targets make no action less likely than this.
LEAST_LIKELY = 0.003


class RolloutTargets:
    """Values of all legal actions: the rule-based player plays all seats until a player with perfect memory
    knows all cards; from then on the value is exact, by the solver.

    text: `rules` or `rules:VERSION`; AgentError for any other agent, and in a game that has none
    """

    def __init__(self, text: str, game: Game):
        if not kind_of(text).plays_by_rules or text.endswith(":"):
            raise AgentError(f"agent: got {quoted(text)}; expected rules or rules:VERSION")
        choose = find_rule_player(game.env_id, text.partition(":")[2] or None)
        self._rules = game.rules_record
        self._play_each = playouts_for(game.env_id, game.spec, choose).play_each
        self._workspace = endings_for(game.env_id, game.spec).make_workspace()

    def action_values(self, lanes: Lanes, which: np.ndarray) -> np.ndarray:
        """The deal points that each legal action would bring the seat to act in these lanes, float32[which,
        actions]; 0 for illegal actions and for lone ones."""
        values = np.zeros((len(which), lanes.mask.shape[1]), np.float32)
        self._play_each(self._rules, lanes.states, which, lanes.mask, self._workspace, values)
        return values


def weighted_advantages(
    probabilities: torch.Tensor, masks: torch.Tensor, action_values: torch.Tensor, floor: float
) -> torch.Tensor:
    """w(a) (Q(a) - Σ w Q) for each action, float32[n, actions], by which the log-probabilities are weighted.

    The weights w are the policy's probabilities, mixed with a share `floor` of the uniform distribution over
    legal actions. Without a floor this is the gradient of the expected value by the logits (the all-action
    policy gradient), in which an unlikely action hardly moves, however good it is.
    """
    uniform = masks / masks.sum(dim=1, keepdim=True)
    weights = torch.lerp(probabilities, uniform, floor)
    advantages = weights * (action_values - (weights * action_values).sum(dim=1, keepdim=True))
    return advantages.masked_fill((probabilities < LEAST_LIKELY) & (advantages < 0), 0)

"""Advice: what would come of every action that the learner may choose, if all went on by a rule-based player.

A move that is made tells what came of that one, and with it of all that followed by chance. Advice tells of
all actions in the same true state, with the same play after each: what differs between them is their own.
The state has the hidden cards, of which the learner sees none, so what it learns is what an action brings in
the mean over all that it cannot see; a search by sampled worlds comes to that in hundreds of playouts.
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

# Advice makes no action less likely than this: what it would push further down is as good as gone.
LEAST_LIKELY = 0.003


class Adviser:
    """Plays deals on by a rule-based player, in all seats, until whoever remembers it knows all cards; then
    best play is what counts.

    text: `rules` or `rules:VERSION`; AgentError for any other agent, and in a game that has none
    """

    def __init__(self, text: str, game: Game):
        if not kind_of(text).plays_by_rules or text.endswith(":"):
            raise AgentError(f"agent: got {quoted(text)}; expected rules or rules:VERSION")
        choose = find_rule_player(game.env_id, text.partition(":")[2] or None)
        self._rules = game.rules_record
        self._play_each = playouts_for(game.env_id, game.spec, choose).play_each
        self._workspace = endings_for(game.env_id, game.spec).make_workspace()

    def outcomes(self, lanes: Lanes, which: np.ndarray) -> np.ndarray:
        """The deal points that each legal action would bring the seat to act in these lanes, float32[which,
        actions]; 0 for illegal actions and for lone ones."""
        values = np.zeros((len(which), lanes.mask.shape[1]), np.float32)
        self._play_each(self._rules, lanes.states, which, lanes.mask, self._workspace, values)
        return values


def pushes_of(
    likely: torch.Tensor, masks: torch.Tensor, outcomes: torch.Tensor, floor: float
) -> torch.Tensor:
    """How hard advice pushes the logit of each action, float32[n, actions]: by how much more than the mean an
    action brings, times its weight.

    The weights are how likely the policy makes the actions, and for the share `floor` the same for each legal
    one. Without a floor the pushes are the slope of what the policy brings in the mean: an action that it
    hardly plays would then hardly move, however good it is.
    """
    even = masks / masks.sum(dim=1, keepdim=True)
    weights = torch.lerp(likely, even, floor)
    pushes = weights * (outcomes - (weights * outcomes).sum(dim=1, keepdim=True))
    return pushes.masked_fill((likely < LEAST_LIKELY) & (pushes < 0), 0)

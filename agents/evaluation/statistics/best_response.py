"""Exact exploitability by OpenSpiel, for packs of a few cards.

Imported when it is asked for: it needs the extra `openspiel`.
"""

import numpy as np
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.policy import Policy

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.envs.openspiel import SpielGame, SpielState, load_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

MOST_CARDS = 6  # in a deck: of 720 deals the tree takes a minute, and of 40,320 it has no room


def check_size(game: Game) -> None:
    """InputError for a game whose tree is too large."""
    if len(game.deck) > MOST_CARDS:
        allowed = f"a pack of at most {MOST_CARDS} cards, by the rules pack, hand_size and goal"
        raise InputError(f"--exact: got {len(game.deck)} cards; expected {allowed}")


def exploitability(game: Game, agent: Agent) -> float:
    """The gain of a best response against an agent, averaged over its possible seats.

    In a game of two seats this is half of the agent's NashConv.

    Args:
        game: The game under its rules.
        agent: Plays by what a seat sees alone, and with probabilities if it draws.

    Returns:
        Game points a deal.

    Raises:
        InputError: for a game whose tree is too large, and for an agent that draws without probabilities.
    """
    check_size(game)
    tree = load_game(game.env_id, game.rules, dealer=0)  # who deals is but a name for the seats
    policy = AgentPolicy(tree, agent)
    root = tree.new_initial_state()
    values = [BestResponsePolicy(tree, seat, policy).value(root) for seat in range(game.seats)]
    return float(np.mean(values))


class AgentPolicy(Policy):
    """An agent as a policy of OpenSpiel."""

    def __init__(self, tree: SpielGame, agent: Agent):
        super().__init__(tree, list(range(tree.game.seats)))
        self._tree, self._agent = tree, agent
        self._known: dict[str, dict[int, float]] = {}

    def action_probabilities(self, state: SpielState, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action."""
        seat = state.current_player() if player_id is None else player_id
        told = state.information_state_string(seat)
        if told not in self._known:
            self._known[told] = self._probabilities(state, seat)
        return self._known[told]

    def _probabilities(self, state: SpielState, seat: int) -> dict[int, float]:
        views, _, mask = self._tree.look(state.record, seat)
        turn = Turns.one(views, seat, mask)
        rating = self._agent.rate(turn)
        if not self._agent.draws:
            return {action: float(action == rating.chosen) for action in rating.actions.tolist()}
        if rating.probabilities is None:
            raise InputError(f"--exact: got {self._agent.name}; expected an agent that gives probabilities")
        return dict(zip(rating.actions.tolist(), rating.probabilities.tolist(), strict=True))

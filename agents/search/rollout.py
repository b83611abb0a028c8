"""Flat Monte Carlo: each legal action is played out in worlds that agree with what the seat knows."""

import numpy as np

from stichwerk.agents.rules import find_rule_player
from stichwerk.agents.search.player import SearchPlayer
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.core.game import Game


class RolloutPlayer(SearchPlayer):
    """Plays each action out with the rule-based player in all seats, whose own choice stands unless another
    action gains more than the worlds leave in doubt.

    slip: how likely the others depart from the rule-based player: worlds in which they would have acted
    otherwise count less; 1: all count the same
    margin: by how many standard errors another action must be better than the rule-based player's
    """

    def __init__(
        self,
        name: str,
        game: Game,
        worlds: int | None = None,
        ms: float = 0,
        threads: int = 1,
        slip: float = 0.2,
        margin: float = 1.0,
    ):
        super().__init__(name, game, worlds, ms, threads)
        self.slip, self.margin = slip, margin
        self._choose = find_rule_player(game.env_id)
        self._playouts = playouts_for(game.spec, self._choose)

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        values, weights = self.play_out(view, seat, actions, seed)
        own = int(np.flatnonzero(actions == self._choose(self._rules[0], view[0], seat))[0])
        gains, errors = gains_over(own, values, weights)
        best = int(gains.argmax())
        return best if gains[best] > self.margin * errors[best] else own

    def play_out(
        self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The seat's deal points in each world after each action, float64[worlds, actions], and the worlds'
        weights, float64[worlds], which add up to 1."""
        values, weights = np.empty((self.worlds, len(actions))), np.ones(self.worlds)

        def work(start: int, stop: int) -> None:
            worlds = np.empty(stop - start, self._game.state)
            self._playouts.sample(self._rules, view, seat, seed, start, worlds)
            if self.slip < 1:
                self._playouts.weigh(self._rules, worlds, seat, self.slip, weights[start:stop])
            self._playouts.play_out(self._rules, worlds, seat, actions, values[start:stop])

        done = self.in_blocks(work)
        return values[:done], weights[:done] / weights[:done].sum()


def gains_over(own: int, values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each action gains over one of them in the same worlds, and the standard errors."""
    gains = values - values[:, own : own + 1]
    means = weights @ gains
    return means, np.sqrt(weights**2 @ (gains - means) ** 2)

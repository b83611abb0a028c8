"""Flat Monte Carlo: each legal action is tried in worlds that agree with what the seat knows, by playing the
deals out."""

from abc import abstractmethod
from typing import Unpack

import numpy as np

from stichwerk.agents.core.agent import Rating
from stichwerk.agents.search.player import RuleSearchPlayer, RuleSearchSettings, effective_number, tempered
from stichwerk.envs.engine.equity import equity_in
from stichwerk.envs.spec.game import Game
from stichwerk.support.quantiles import student_quantile

LEAST_DOUBT = 1e-9  # game points; means that differ by less are equal but for rounding


class FlatSettings(RuleSearchSettings, total=False):
    """The settings of `FlatPlayer`."""

    margin: float


class FlatPlayer(RuleSearchPlayer):
    """Tries each action in the same worlds; the rule-based player's own choice stands unless another action
    gains more than the worlds leave in doubt. In a game without that player it plays the action of the
    highest mean.

    Args:
        margin: by how many standard errors another action must be better than the rule-based player's
    """

    def __init__(self, name: str, game: Game, margin: float = 1.0, **settings: Unpack[RuleSearchSettings]):
        super().__init__(name, game, **settings)
        self.margin = margin

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        return self._best(view, seat, actions, *self.try_out(view, seat, actions, seed))

    def rate_hidden(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> Rating:
        values, weights = self.try_out(view, seat, actions, seed)
        best = self._best(view, seat, actions, values, weights)
        return Rating(
            actions, int(actions[best]), values=weights @ values, margins=margins_of(values, weights)
        )

    def _best(
        self, view: np.ndarray, seat: int, actions: np.ndarray, values: np.ndarray, weights: np.ndarray
    ) -> int:
        """The place of the action to play, from what `try_out` has returned."""
        if not self.has_rule_player:
            return int((weights @ values).argmax())
        own = int(np.flatnonzero(actions == self._choose(self._rules[0], view[0], seat))[0])
        return surely_best(own, values, weights, self.margin)

    def try_out(
        self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play each action out in sampled worlds.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            actions: The ids of the legal actions, int64[n].
            seed: Of all chance in the decision.

        Returns:
            What each action brings the seat in each world, float64[worlds, actions]: deal points, or in a
            match what it gains of the probability to win. The worlds' weights, float64[worlds], which add up
            to 1.
        """
        values, log_weights = np.empty((self.worlds, len(actions))), np.empty(self.worlds)

        def work(start: int, stop: int, thread: int) -> int:
            worlds, log_weights[start:stop] = self.weighed_worlds(view, seat, seed, start, stop)
            return self.points_after(worlds, seat, actions, thread, values[start:stop])

        done = self.in_blocks(work)
        return values[:done], tempered(log_weights[:done])

    @abstractmethod
    def points_after(
        self, worlds: np.ndarray, seat: int, actions: np.ndarray, thread: int, values: np.ndarray
    ) -> int:
        """Play each action in each world, and write what it brings the seat.

        Args:
            worlds: Records.
            seat: The seat to act.
            actions: The ids of the legal actions, int64[n].
            thread: The number of the thread, which has a workspace of its own.
            values: Written, float64[worlds, actions].

        Returns:
            How many positions came up.
        """


class RolloutPlayer(FlatPlayer):
    """Plays each action out by the same policy in all seats."""

    def points_after(
        self, worlds: np.ndarray, seat: int, actions: np.ndarray, thread: int, values: np.ndarray
    ) -> int:
        workspace = self.ending_workspaces[thread]
        equity = equity_in(self._game, worlds)
        return self._playouts.play_out(self._rules, worlds, seat, actions, workspace, equity, values)


def surely_best(own: int, values: np.ndarray, weights: np.ndarray, margin: float) -> int:
    """The action with the highest mean among those that are surely better than one of them.

    Args:
        own: the action that the others must beat
        values: of each action in each world, float64[worlds, actions]
        weights: of the worlds, float64[worlds]
        margin: by how many standard errors they must beat it

    Returns:
        The action's place; `own` if none is surely better.
    """
    gains, errors = gains_over(own, values, weights)
    is_sure = gains > (margin * errors if margin else 0.0)  # one world alone leaves infinite doubt
    return int(np.where(is_sure, gains, -np.inf).argmax()) if is_sure.any() else own


def gains_over(own: int, values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gain of each action over one of them in the same worlds.

    Args:
        own: The place of that action.
        values: Of each action in each world, float64[worlds, actions].
        weights: Of the worlds, float64[worlds].

    Returns:
        The gains and their standard errors, float64[actions] each; infinite errors if only one world counts.
    """
    return _means(values - values[:, own : own + 1], weights)


def margins_of(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Half of the 95 % interval of each column's mean, float64[columns]; infinite if but one row counts.

    Args:
        values: float64[rows, columns]; weights: of the rows, adding up to 1
    """
    _, errors = _means(values, weights)
    spare = effective_number(weights) - 1
    return student_quantile(0.975, spare) * errors if spare > 0 else errors


def _means(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weighted mean of each column and its standard error."""
    means = weights @ values
    spare = 1 - weights @ weights  # with equal weights 1 - 1 / rows
    if spare <= 0:
        return means, np.full_like(means, np.inf)
    return means, np.sqrt(weights**2 @ (values - means) ** 2 / spare)

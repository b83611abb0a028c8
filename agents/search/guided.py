"""Search guided by a policy network: one step of improvement over it, at the moment of the decision.

Worlds are weighed by how likely the network, in the seats of the others, would have acted as they did. In
each world each action is played out by the network in all seats, or by the rule-based player.

Where few worlds are possible they are played out by the likeliest actions, and the highest mean is played.
Elsewhere worlds are sampled.

With sampled worlds the network's policy π is a first estimate of the actions' points: temperature · log π,
right to within the temperature. A policy learned with an entropy bonus or mirror descent has that form
(Sokota et al., 2024). The action with the highest expected points after the playouts is played. Playouts
count the more the surer they are.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Unpack

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Rating
from stichwerk.agents.search.blocks import AT_ONCE, LEAST_WORLDS
from stichwerk.agents.search.few_worlds import FEW, FewWorlds
from stichwerk.agents.search.look_back import OthersDecisions
from stichwerk.agents.search.network_playouts import NetworkPlayouts
from stichwerk.agents.search.player import Budget, SearchPlayer, tempered
from stichwerk.agents.search.playout_policy import playout_policy
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.agents.search.rollout import LEAST_DOUBT, gains_over, margins_of, surely_best
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.equity import equity_in
from stichwerk.envs.spec.game import Game

SURE = 2.5  # by how many standard errors an action must lead for another not to be tried any further
UNIFORM_SHARE = 0.02  # what each of the others is thought to play at random, so that no world is ruled out
MOST_OF_FEW = 128  # of few worlds, that are played out: more change hardly any decision


class Worlds(NamedTuple):
    """The worlds in which a decision is tried out.

    Attributes:
        most: How many there are at most.
        draw: Returns those from one number to another, records, and the logarithms of their weights.
        few: Whether few are possible.
    """

    most: int
    draw: Callable[[int, int], tuple[np.ndarray, np.ndarray]]
    few: bool = False

    @property
    def every(self) -> bool:
        """True if these are all that are possible, and not a sample."""
        return self.few and self.most <= FEW


class GuidedPlayer(SearchPlayer):
    """Plays by a network and playouts in worlds weighed by it.

    Args:
        guide: plays by the network, which also stands for the other seats
        worlds: with 0 none is sampled, so the network alone decides where more than a few are possible
        few: how many possible worlds are few
        by_rules: whether the rule-based player plays deals out, which is quicker, in place of the network
        temperature: in standard deviations of the playouts' points; the higher, the more the playouts decide
    """

    def __init__(
        self,
        name: str,
        game: Game,
        guide: NetworkAgent,
        temperature: float = 0.1,
        by_rules: bool = False,
        few: int = FEW,
        **budget: Unpack[Budget],
    ):
        super().__init__(name, game, **budget)
        self.guide, self.temperature = guide, temperature
        self._encoding = game.encoding(guide.observation)
        self._sees = guide.sees.rules_record
        self.by_rules = by_rules
        # A network is quicker with many worlds at once: blocks are no smaller than the threads need.
        self.min_block_worlds = max(AT_ONCE // self.threads, LEAST_WORLDS)
        self.blocks_per_round = max(self.threads, 2)
        self._playouts = playouts_for(game.env_id, game.spec, playout_policy(game))
        self._few_worlds = FewWorlds(game, few)
        self._others = OthersDecisions(game, guide)
        self.playouts = NetworkPlayouts(game, guide)

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        log_policy = self.prior(view, seat)[actions]
        worlds = self._worlds_of(view, seat, seed)
        if not worlds.most:
            return int(log_policy.argmax())
        *_, (best, _, _) = self._in_rounds(worlds, seat, actions, log_policy, seed)
        return best

    def rate_hidden(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> Rating:
        log_policy = self.prior(view, seat)[actions]
        policy = np.exp(log_policy, dtype=float)
        worlds = self._worlds_of(view, seat, seed)
        if not worlds.most:
            return Rating(actions, int(actions[log_policy.argmax()]), policy)
        *_, (best, values, weights) = self._in_rounds(worlds, seat, actions, log_policy, seed, drop=False)
        margins = np.zeros(len(actions)) if worlds.every else margins_of(values, weights)
        return Rating(actions, int(actions[best]), policy, weights @ values, margins)

    def _worlds_of(self, view: np.ndarray, seat: int, seed: int) -> Worlds:
        """The worlds in which a decision is tried out: those that are possible, if they are few, or else
        sampled ones."""
        if (found := self._few_worlds.find(view, seat, seed)) is None:
            return self._sampled(view, seat, seed)
        possible, shares = found
        log_shares = np.log(shares)

        def draw(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            worlds, log_weights = possible[start:stop], log_shares[start:stop]
            # Of up to eight each counts by itself: what the others have done gains nothing there.
            if len(possible) > FEW:
                log_weights = log_weights + self.log_likelihood(view, worlds, seat)
            return worlds, log_weights

        return Worlds(min(len(possible), MOST_OF_FEW), draw, few=True)

    def _sampled(self, view: np.ndarray, seat: int, seed: int) -> Worlds:
        log = log_entries(view[0]) if self.worlds else ()
        hides_actions = any(action == NONE for _, action in log)  # such as discards

        def draw(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            worlds = np.empty(stop - start, self._game.state)
            self._playouts.sample(self._rules, view, seat, np.int64(seed), start, worlds)
            if hides_actions:
                self._playouts.weigh(self._rules, view, worlds, seat, 1.0, np.empty(stop - start))
            return worlds, self.log_likelihood(view, worlds, seat)

        return Worlds(self.worlds, draw)

    def _in_rounds(
        self,
        worlds: Worlds,
        seat: int,
        actions: np.ndarray,
        log_policy: np.ndarray,
        seed: int,
        drop: bool = True,
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Play actions out in rounds of worlds. In few worlds the likeliest actions follow, and the mean
        alone decides.

        With `drop` actions that cannot turn out to be best are tried no further.

        Yields:
            The best action so far by its place, and the points and weights of the worlds so far as `judge`
                takes them.
        """
        values, log_weights = np.empty((worlds.most, len(actions))), np.empty(worlds.most)
        left = np.arange(len(actions))  # those that are tried, by their places
        judge = judged_by_mean if worlds.few else self.judge

        def work(start: int, stop: int, thread: int) -> int:
            some, log_weights[start:stop] = worlds.draw(start, stop)
            random = None if worlds.few else np.random.default_rng([seed, start])
            values[start:stop, left], nodes = self._played_out(some, seat, actions[left], thread, random)
            return nodes

        for done in self.in_rounds(work, worlds.most):
            weights = np.exp(log_weights) if worlds.every else tempered(log_weights[:done])
            estimate, open_yet = judge(values[:done, left], weights, log_policy[left])
            yield int(left[estimate.argmax()]), values[:done], weights
            if drop:
                left = left[open_yet]
                if len(left) == 1:
                    return

    def _played_out(
        self,
        worlds: np.ndarray,
        seat: int,
        actions: np.ndarray,
        thread: int,
        random: np.random.Generator | None,
    ) -> tuple[np.ndarray, int]:
        """Play out each action in each world. Without `random` the network plays its likeliest actions.

        Returns:
            What they bring the seat, float64[worlds, actions], and how many positions came up.
        """
        workspace = self.ending_workspaces[thread]
        if not self.by_rules:
            return self.playouts.play_each(worlds, seat, actions, workspace, random)
        points = np.empty((len(worlds), len(actions)))
        equity = equity_in(self._game, worlds)
        return points, self._playouts.play_out(self._rules, worlds, seat, actions, workspace, equity, points)

    def judge(
        self, values: np.ndarray, weights: np.ndarray, log_policy: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The expected points of the actions, from what `estimates` takes, and whether each may yet turn out
        to be best. The highest is played."""
        return estimates(values, weights, log_policy, self.temperature)

    def prior(self, view: np.ndarray, seat: int) -> np.ndarray:
        """The network's own log probabilities, float32[actions]."""
        observation = np.zeros((1, self._encoding.size), np.float32)
        mask = np.zeros((1, len(self._game.actions)), np.int8)
        self._encoding.observe(self._sees[0], view[0], seat, observation[0])
        self._game.spec.legal(self._rules[0], view[0], mask[0])
        return self.guide.log_probabilities(observation, mask)[0]

    def log_likelihood(self, view: np.ndarray, worlds: np.ndarray, seat: int) -> np.ndarray:
        """The log-likelihood of the others' actions that the seat saw, by the network in these worlds.

        Returns:
            float64[worlds]: the sum of the logarithms over their decisions.
        """
        observation, mask, world, action = self._others.of(view, worlds, seat)
        total = np.zeros(len(worlds))
        if len(world):
            policy = np.exp(self.guide.log_probabilities(observation, mask))
            by_policy, legal = policy[np.arange(len(world)), action], mask.sum(axis=1)
            likely = (1 - UNIFORM_SHARE) * by_policy + UNIFORM_SHARE / legal
            np.add.at(total, world, np.log(likely))
        return total


class GuidedSettings(Budget, total=False):
    """The settings of `GuidedPlayer`."""

    temperature: float
    by_rules: bool
    few: int


class NetworkRolloutPlayer(GuidedPlayer):
    """Flat Monte Carlo by a network, with worlds that it weighs and plays out.

    The network's favourite action stands unless another action surely gains more.

    Args:
        margin: by how many standard errors another action must be better than the favourite
    """

    def __init__(
        self,
        name: str,
        game: Game,
        guide: NetworkAgent,
        margin: float = 1.0,
        **settings: Unpack[GuidedSettings],
    ):
        super().__init__(name, game, guide, **settings)
        self.margin = margin

    def judge(
        self, values: np.ndarray, weights: np.ndarray, log_policy: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        estimate = np.full(len(log_policy), -np.inf)
        estimate[surely_best(int(log_policy.argmax()), values, weights, self.margin)] = 0
        return estimate, np.full(len(estimate), True)


def judged_by_mean(
    values: np.ndarray, weights: np.ndarray, log_policy: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The highest mean alone counts, whatever the policy says; of equal ones the likeliest to the network.

    Args and Returns: as those of `estimates`.
    """
    best = first_of_best(weights @ values, log_policy)
    leads, errors = gains_over(best, values, weights)
    estimate = np.full(len(log_policy), -np.inf)
    estimate[best] = 0
    return estimate, leads >= -SURE * errors


def first_of_best(means: np.ndarray, log_policy: np.ndarray) -> int:
    """The place of the highest mean; of equal ones the likeliest to the network."""
    return int(np.where(means >= means.max() - LEAST_DOUBT, log_policy, -np.inf).argmax())


def estimates(
    values: np.ndarray, weights: np.ndarray, log_policy: np.ndarray, temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    """The gain of each action over the policy's favourite, float64[actions], and a mask of the actions that
    may yet turn out to be best, bool[actions].

    The estimate lies between what the policy says and the worlds' mean, as Bayes' rule has it for normal
    distributions.

    Args:
        values: float64[worlds, actions]; weights: of the worlds, adding up to 1
    """
    favourite = int(log_policy.argmax())
    gains, errors = gains_over(favourite, values, weights)
    doubt = max(temperature * values.std(), LEAST_DOUBT)
    expected = doubt * (log_policy - log_policy[favourite])
    trust = doubt**2 / (doubt**2 + errors**2 + LEAST_DOUBT)
    estimate = trust * gains + (1 - trust) * expected
    leads, errors = gains_over(int(estimate.argmax()), values, weights)
    return estimate, leads >= -SURE * errors

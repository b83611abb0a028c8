"""An upper bound of what a best response wins from a network: information relaxation.

A response that knows all cards wins at least as much as the best one that does not. It pays a penalty for
each of its actions while cards are hidden: how much better the rest looks with the cards as they lie than in
the mean over all that they could be. For a response that does not know them the penalty averages 0. So
what the clairvoyant one wins less its penalties is an upper bound too, and a lower one the better the looks.

That mean is over sampled worlds and the true one, weighed by the likelihood of the network's play so far.
Given these worlds, each is the true one with a chance in proportion to its weight. So the mean of the penalty
is exactly 0 with any number of samples.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.equilibrium.schnapsen import check_rules
from stichwerk.agents.equilibrium.solve import played_on
from stichwerk.agents.evaluation.bench.equilibrium import chances_of, turns_at
from stichwerk.agents.networks.inference import InferenceNetwork
from stichwerk.agents.search.look_back import OthersDecisions
from stichwerk.agents.solver import deal_solver
from stichwerk.agents.solver.schnapsen import MOST
from stichwerk.envs.core.cards import NONE, bit, count, first
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games.schnapsen.flow import legal_actions
from stichwerk.envs.games.schnapsen.scoring import claim_outcome
from stichwerk.envs.games.schnapsen.state import CLAIM
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.support.errors import InputError

WORLDS = 32  # sampled for a decision
LESSONS, EXPLORED, RIDGE = 20_000, 0.15, 10.0  # deals of which values are learned; random actions in them
NODES = 10_000_000  # that one solving may take
ALL = -1  # in place of the only action that is tried


class Wins(NamedTuple):
    """The points of responses with all cards known, float64[deals].

    Attributes:
        clairvoyant: without the penalty
        penalised: the best difference of points and penalties
    """

    clairvoyant: np.ndarray
    penalised: np.ndarray


class _Step(NamedTuple):
    """Decisions of the responder: for each the number of its actions; for each action its penalty, and its
    points where the deal is then over, else NaN."""

    numbers: np.ndarray
    penalties: np.ndarray
    points: np.ndarray


class ClairvoyantResponse:
    """The response to a network in Schnapsen or Sixty-six that knows all cards.

    Args:
        game: under its rules
        agent: a network, which plays the other seat
        worlds: sampled for each decision
        seed: of the sampled worlds, of draws of the network, and of the deals from which it learns values
        lessons: how many of these there are
    """

    def __init__(self, game: Game, agent: Agent, worlds: int = WORLDS, seed: int = 0, lessons: int = LESSONS):
        check_rules(game)
        if not isinstance(agent, NetworkAgent) or not isinstance(agent.network, InferenceNetwork):
            raise InputError(f"agent: got {agent.name}; expected a network, such as ppo:schnapsen")
        self.game, self.agent, self._network, self._worlds = game, agent, agent.network, worlds
        self._seed, self._chance = seed, np.random.default_rng(seed)
        self._look_back, self._solver = OthersDecisions(game, agent), deal_solver(game)
        self._workspace = self._solver.make_workspace(NODES)
        self._expand, self._sample, self._values_of = _compile(game.spec, self._solver.entries.solve_value)
        self._value = self._learned_value(deals_of(game, seed, range(lessons), Use.VALIDATION))

    def wins(self, states: np.ndarray, seat: int, responder: Agent | None = None) -> Wins:
        """The points of the response in deals.

        Args:
            states: true states at the beginning of deals, [deals]
            seat: of the response
            responder: plays this seat by what it sees, in place of the response: its points, and these less
                its penalties
        """
        first = int(states[0]["deal_number"])
        self._chance = np.random.default_rng([self._seed, first, seat])  # whatever came before
        nodes, steps = states.copy(), list[_Step]()
        self._play_others(nodes, seat)
        if nodes["over"].any():
            raise InputError("position: got a deal that is over; expected one that begins")
        while len(nodes):
            only = np.full(len(nodes), ALL)
            if responder is not None:
                only = responder.act(turns_at(self.game, nodes))
            penalties, children, numbers = self._step(nodes, seat, only)
            over = children["over"] != 0
            points = np.where(over, children["deal_points"][:, seat], np.nan)
            steps.append(_Step(numbers, penalties, points))
            nodes = children[~over]
        return Wins(*(self._best(steps, share) for share in (0.0, 1.0)))

    @staticmethod
    def _best(steps: list[_Step], share: float) -> np.ndarray:
        values = np.zeros(0)
        for step in reversed(steps):
            worth = step.points.copy()
            worth[np.isnan(worth)] = values
            values = np.maximum.reduceat(worth - share * step.penalties, _first_of(step.numbers))
        return values

    def _step(
        self, nodes: np.ndarray, seat: int, only: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The penalties of all actions of decisions, or of the only one of each unless it is ALL, float64[n],
        the states after them and the network's answers, and the number of actions of each."""
        hidden = self._are_hidden(nodes)
        children, numbers = self._expand(self.game.rules_record, nodes, only)
        if not self._worlds or not hidden.any():
            self._play_others(children, seat)
            return np.zeros(len(children)), children, numbers
        asked = np.flatnonzero(hidden)
        worlds, weights, of = self._sampled(nodes[asked], seat)
        more, more_numbers = self._expand(self.game.rules_record, worlds, only[asked][of])
        everything = np.concatenate((children, more))
        self._play_others(everything, seat)
        children, more = everything[: len(children)], everything[len(children) :]
        # places of the actions of the decisions asked; those of each sampled world are the same
        begins = _first_of(numbers)[asked]
        places = np.repeat(begins[of], more_numbers) + _within(more_numbers)
        mine = np.repeat(hidden, numbers)
        looks, theirs = np.zeros(len(children)), self._looks(more, seat)
        looks[mine] = self._looks(children[mine], seat)
        shares = np.repeat(weights, more_numbers)
        true_weight = np.zeros(len(nodes))
        true_weight[asked] = self._likelihood(nodes[asked], seat)
        totals = np.repeat(true_weight, numbers) + np.bincount(places, shares, len(children))
        sums = np.repeat(true_weight, numbers) * looks + np.bincount(places, shares * theirs, len(children))
        return np.where(mine, looks - sums / np.where(mine, totals, 1.0), 0.0), children, numbers

    def _play_others(self, states: np.ndarray, seat: int) -> None:
        """Let the network play until it is the seat's turn, or the deal is over."""
        left = np.flatnonzero((states["over"] == 0) & (states["seat"] != seat))
        while len(left):
            waiting = states[left]
            actions = self._drawn(chances_of(self.agent, turns_at(self.game, waiting)))
            played_on(self.game, waiting, actions[:, None])
            states[left] = waiting
            left = left[(waiting["over"] == 0) & (waiting["seat"] != seat)]

    def _drawn(self, chances: np.ndarray) -> np.ndarray:
        sums = chances.cumsum(axis=1)
        return (sums <= self._chance.random((len(sums), 1)) * sums[:, -1:]).sum(axis=1)

    def _sampled(self, nodes: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sampled worlds that agree with what the seat knows and have some weight, their weights, and the
        place of the node of each."""
        worlds, seed = np.repeat(nodes, self._worlds), self._chance.integers(2**62)
        self._sample(self.game.rules_record, worlds, seat, np.int64(seed))
        weights = self._likelihood(worlds, seat)
        kept = np.flatnonzero(weights)
        return worlds[kept], weights[kept], kept // self._worlds

    def _likelihood(self, worlds: np.ndarray, seat: int) -> np.ndarray:
        """The likelihood of the network's play so far in each world, float64[worlds]."""
        longest = worlds[[worlds["log_size"].argmax()]]
        decisions = self._look_back.of(longest, worlds, seat)
        found = np.ones(len(worlds))
        if len(decisions.action):
            logs = self.agent.log_probabilities(decisions.observation, decisions.mask)
            rows = np.arange(len(logs))
            taken = logs[rows, decisions.action].astype(float)
            if self.agent.greedy:
                taken = np.where(logs.argmax(axis=1) == decisions.action, 0.0, -np.inf)
            found = np.exp(np.bincount(decisions.world, taken, len(worlds)))
        return found

    def _looks(self, states: np.ndarray, seat: int) -> np.ndarray:
        """The value of the rest to the seat, in game points, float64[states]: by the learned value while
        cards are hidden, by the exact solver when they need not be any more, or the stock is closed."""
        found = states["deal_points"][:, seat].astype(float)
        goes_on, hidden = states["over"] == 0, self._are_hidden(states)
        known = goes_on & ~hidden
        found[known] = self._values_of(self.game.rules_record, states[known], seat, self._workspace)
        hidden &= goes_on
        if hidden.any():
            found[hidden] = self._value(self._observed(states[hidden]))[:, 0]
        return found

    def _are_hidden(self, states: np.ndarray) -> np.ndarray:
        """True where the stock is open and has cards, bool[states]: only then does the response pay."""
        return (states["closed_by"] == NONE) & (states["top"] < self.game.rules_record[0].deck_size)

    def _observed(self, states: np.ndarray) -> np.ndarray:
        turns = turns_at(self.game, states)
        observation = turns.observation(self.agent.sees, self.agent.observation)
        return self.agent.symmetry.canonical(observation, turns.mask)[0]

    def _learned_value(self, states: np.ndarray) -> InferenceNetwork:
        """The network with another last layer: the points that the seat to act wins on average, if both
        seats play these deals by the network and sometimes at random."""
        seen, by, of = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
        left = np.arange(len(states))
        while len(left):
            waiting = states[left]
            hidden = self._are_hidden(waiting)
            if hidden.any():
                seen.append(self._observed(waiting[hidden]))
                by.append(waiting["seat"][hidden])
                of.append(left[hidden])
            turns = turns_at(self.game, waiting)
            chances = chances_of(self.agent, turns)
            at_random = self._chance.random(len(left)) < EXPLORED
            chances[at_random] = turns.mask[at_random]
            played_on(self.game, waiting, self._drawn(chances)[:, None])
            states[left] = waiting
            left = left[waiting["over"] == 0]
        last = ("action.weight", "action.bias")
        arrays, widths = self._network.arrays(), self._network.widths
        width = widths[-1]
        same = dict(zip(last, (np.eye(width, dtype=np.float32), np.zeros(width, np.float32)), strict=True))
        inputs = InferenceNetwork({**arrays, **same}, widths)(np.concatenate(seen)).astype(float)
        points = states["deal_points"][np.concatenate(of), np.concatenate(by).astype(np.int64)]
        mean = points.mean(dtype=float)
        square = inputs.T @ inputs + RIDGE * np.eye(width)
        found = np.linalg.solve(square, inputs.T @ (points - mean)), mean
        learned = {name: np.asarray([each], np.float32) for name, each in zip(last, found, strict=True)}
        return InferenceNetwork({**arrays, **learned}, widths)


def deals_of(game: Game, seed: int, numbers: range, use: Use = Use.TEST) -> np.ndarray:
    """True states of freshly dealt deals of a seed, [deals]."""
    lanes = Lanes(game, len(numbers))
    lanes.states["seed"] = stream_seed(seed, use)
    lanes.states["deal_number"] = numbers
    lanes.start(np.arange(len(numbers)), pass_over=False)
    return lanes.states.copy()


def _first_of(numbers: np.ndarray) -> np.ndarray:
    return np.cumsum(numbers) - numbers


def _within(numbers: np.ndarray) -> np.ndarray:
    """0, 1, … within each group of these sizes."""
    return np.arange(numbers.sum()) - np.repeat(_first_of(numbers), numbers)


@cache
def _compile(spec: GameSpec, solve_value):
    engine = engine_for(spec, False)
    apply, redact, resample, blank = engine.apply, engine.redact, engine.resample, spec.state.fresh

    @compiled
    def worth_a_look(rules, state):
        """The set of these actions. No other is better than a claim that brings all that there is. A smaller
        one may be worth less than to wait for a wrong claim of the network."""
        actions = legal_actions(rules, state)
        if actions & bit(CLAIM):
            winner, points = claim_outcome(rules, state)
            if winner == state.seat and points == MOST:
                return bit(CLAIM)
        return actions

    @compiled
    def sets_of(rules, states, only):
        sets, total = np.empty(len(states), np.int64), 0
        for i in range(len(states)):
            sets[i] = worth_a_look(rules[0], states[i]) if only[i] == ALL else bit(only[i])
            total += count(sets[i])
        return sets, total

    @compiled
    def expand(rules, states, only):
        sets, total = sets_of(rules, states, only)
        after, numbers, made = states[:1].repeat(total), np.empty(len(states), np.int64), 0
        for i in range(len(states)):
            left, numbers[i] = sets[i], count(sets[i])
            while left:
                after[made] = states[i]
                apply(rules[0], after[made], first(left))
                left &= left - 1
                made += 1
        return after, numbers

    @compiled
    def sample(rules, worlds, seat, seed):
        scratch = blank.copy()
        for i in range(len(worlds)):
            redact(rules[0], worlds[i], seat, scratch[0])
            worlds[i] = scratch[0]
            resample(rules[0], worlds[i], seat, seed, i)

    @compiled
    def values_of(rules, states, seat, workspace):
        values = np.empty(len(states))
        for i in range(len(states)):
            value, _ = solve_value(rules[0], states[i], workspace[0])
            values[i] = value if states[i].seat == seat else -value
        return values

    return expand, sample, values_of

"""Counterfactual regret minimization over the tree of a public state, and best responses.

Regrets are matched by CFR+ with a prediction: the regret of the last iteration counts once more for the next
strategy (PCFR+). Averages weigh an iteration by its square. Seats take turns. A history that the other seat's
play does not reach is passed over.
"""

import numpy as np

from stichwerk.agents.equilibrium.tree import Tree
from stichwerk.envs.jit.compiled import compiled

WHOLE, EVERY = 5, 4  # all actions are tried in the first iterations; then those never played now, in turns
SEEN_ANYHOW = (
    1e-6  # added to a seat's own reach, so that its average tells what it would do where it never goes
)


@compiled
def tried(chance, slot, round, every):
    """True if the seat whose regrets are wanted looks at an action in this round."""
    return chance > 0.0 or round % every == 0


@compiled
def reach(infos, edges, ends, slots, owners, weights, strategy, seat, round, every, reached):
    """Write the chance that the deal and the other seat come to each history, float64[histories].

    Actions that the seat does not try are left out.
    """
    reached[:] = 0.0
    reached[: len(weights)] = weights
    for i in range(len(infos)):
        share = reached[i]
        if share == 0.0:
            continue
        base, own = slots[infos[i]] - edges[i], owners[infos[i]] == seat
        for edge in range(edges[i], edges[i + 1]):
            end = ends[edge]
            if end >= 0:
                chance = strategy[base + edge]
                if not own:
                    reached[end] = share * chance
                elif tried(chance, base + edge, round, every):
                    reached[end] = share


@compiled
def look_back(
    infos,
    edges,
    ends,
    values,
    slots,
    owners,
    strategy,
    seat,
    round,
    every,
    reached,
    worth,
    gains,
    start,
    stop,
):
    """Write the worth of each history to the seat, from the last to the first, and the sum for each slot."""
    sign = 1.0 if seat == 0 else -1.0
    for i in range(stop - 1, start - 1, -1):
        share = reached[i]
        if share == 0.0:
            continue
        base, own, total = slots[infos[i]] - edges[i], owners[infos[i]] == seat, 0.0
        for edge in range(edges[i], edges[i + 1]):
            chance = strategy[base + edge]
            if chance == 0.0 and not (own and tried(chance, base + edge, round, every)):
                continue
            end = ends[edge]
            value = worth[end] if end >= 0 else sign * values[edge]
            total += chance * value
            if own:
                gains[base + edge] += share * value
        worth[i] = total


@compiled
def respond(infos, edges, ends, values, slots, owners, levels, strategy, seat, reached, worth, gains):
    """Write the worth of each history to the best response of a seat."""
    sign = 1.0 if seat == 0 else -1.0
    for level in range(len(levels) - 2, -1, -1):
        start, stop = levels[level], levels[level + 1]
        look_back(
            infos, edges, ends, values, slots, owners, strategy, seat, 0, 1, reached, worth, gains, start,
            stop,
        )  # fmt: skip
        for i in range(start, stop):
            info = infos[i]
            if owners[info] == seat and reached[i] > 0.0:
                best = slots[info]
                for slot in range(best, slots[info + 1]):
                    if gains[slot] > gains[best]:
                        best = slot
                edge = edges[i] + best - slots[info]
                worth[i] = worth[ends[edge]] if ends[edge] >= 0 else sign * values[edge]


@compiled
def match_regrets(slots, owners, before, seat, round, every, weight, gains, regrets, strategy, played, sums):
    """Take in an iteration's gains: regrets, the next strategy, and the sums of which the average is made."""
    for info in range(len(owners)):
        if owners[info] != seat:
            continue
        start, stop = slots[info], slots[info + 1]
        own = 1.0 if before[info] < 0 else played[before[info]]
        mean, total = 0.0, 0.0
        for slot in range(start, stop):
            mean += strategy[slot] * gains[slot]
        for slot in range(start, stop):
            played[slot] = own * strategy[slot]
            sums[slot] += weight * (own + SEEN_ANYHOW) * strategy[slot]
            regret = gains[slot] - mean if tried(strategy[slot], slot, round, every) else 0.0
            regrets[slot] = max(regrets[slot] + regret, 0.0)
            gains[slot] = max(regrets[slot] + regret, 0.0)
            total += gains[slot]
        for slot in range(start, stop):
            strategy[slot] = gains[slot] / total if total > 0.0 else 1.0 / (stop - start)


class Solving:
    """An equilibrium that is being approached.

    Args:
        tree: of it
        entries: places behind the slots of the tree, to which `before` may point: there a larger tree, of
            which this one is a part, writes how likely a seat's own play leads here (`played`)

    Attributes:
        iterations: how many there have been
        strategy: float32[slots], of the present iteration
        played: float32[slots + entries]: the chance that the seat's own play comes to each slot
        worth: float32[histories]: what the rest brings the seat that was evaluated last
    """

    def __init__(self, tree: Tree, entries: int = 0):
        self.tree = tree
        numbers = np.diff(tree.slots)
        self.strategy = (1.0 / np.repeat(numbers, numbers)).astype(np.float32)
        self._regrets, self._sums, self._gains = np.zeros((3, len(tree.actions)), np.float32)
        self.played = np.zeros(len(tree.actions) + entries, np.float32)
        self._reached, self.worth = np.zeros((2, len(tree.infos)), np.float32)
        self.iterations = 0

    def run(self, iterations: int) -> None:
        """Go on for so many iterations."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in (0, 1):
                self.evaluate(seat)
                self.learn(seat)

    @property
    def every(self) -> int:
        """In so many iterations each action is tried."""
        return 1 if self.iterations <= WHOLE else EVERY

    def reach(self, seat: int) -> np.ndarray:
        """The chance that the deal and the other seat come to each history, float32[histories]."""
        tree = self.tree
        reach(
            tree.infos, tree.edges, tree.ends, tree.slots, tree.owners, tree.weights, self.strategy, seat,
            self.iterations, self.every, self._reached,
        )  # fmt: skip
        return self._reached

    def evaluate(self, seat: int) -> None:
        """Find what the present strategies bring a seat."""
        self._gains[:] = 0
        _evaluate(
            self.tree,
            self.strategy,
            seat,
            self.iterations,
            self.every,
            self._reached,
            self.worth,
            self._gains,
        )

    def learn(self, seat: int) -> None:
        """Take in what was found: the seat's next strategy."""
        tree = self.tree
        match_regrets(
            tree.slots, tree.owners, tree.before, seat, self.iterations, self.every,
            float(self.iterations**2), self._gains, self._regrets, self.strategy, self.played, self._sums,
        )  # fmt: skip

    def average(self) -> np.ndarray:
        """The mean strategy so far, float64[slots]."""
        totals = np.add.reduceat(self._sums, self.tree.slots[:-1])
        return self._sums / np.repeat(totals, np.diff(self.tree.slots))


def _evaluate(
    tree: Tree,
    strategy: np.ndarray,
    seat: int,
    round: int,
    every: int,
    reached: np.ndarray,
    worth: np.ndarray,
    gains: np.ndarray,
) -> None:  # fmt: skip
    way = tree.infos, tree.edges, tree.ends
    reach(*way, tree.slots, tree.owners, tree.weights, strategy, seat, round, every, reached)
    look_back(
        *way, tree.values, tree.slots, tree.owners, strategy, seat, round, every, reached, worth, gains, 0,
        len(tree.infos),
    )  # fmt: skip


def play_value(tree: Tree, strategy: np.ndarray, seat: int) -> tuple[float, np.ndarray, np.ndarray]:
    """The value of strategies of both seats for one of them.

    Args:
        strategy: float64[slots]
        seat: the one

    Returns:
        The value; for each of its slots what the action brings, summed over histories by their chance without
        the seat's own play, float64[slots]; and these chances, float64[histories].
    """
    worth, gains, reached = play_values(tree, strategy, seat)
    return float(tree.weights @ worth[: len(tree.weights)]), gains, reached


def play_values(tree: Tree, strategy: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The value for one seat of both seats' strategies from each history on, float32[histories]; and the
    gains and chances as in `play_value`."""
    reached, worth = np.zeros((2, len(tree.infos)), np.float32)
    gains = np.zeros(len(tree.actions), np.float32)
    _evaluate(tree, strategy, seat, 0, 1, reached, worth, gains)
    return worth, gains, reached


def response_value(tree: Tree, strategy: np.ndarray, seat: int) -> float:
    """The value of the best response of a seat, if the other one plays a strategy, float64[slots]."""
    return float(tree.weights @ response_values(tree, strategy, seat)[: len(tree.weights)])


def response_values(tree: Tree, strategy: np.ndarray, seat: int) -> np.ndarray:
    """The value of a seat's best response from each history on, float32[histories]."""
    way = tree.infos, tree.edges, tree.ends
    reached, worth = np.zeros((2, len(tree.infos)), np.float32)
    gains = np.zeros(len(tree.actions), np.float32)
    reach(*way, tree.slots, tree.owners, tree.weights, strategy, seat, 0, 1, reached)
    respond(*way, tree.values, tree.slots, tree.owners, tree.levels, strategy, seat, reached, worth, gains)
    return worth

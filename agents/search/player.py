"""The base of all search players: one decision at a time, budgets in worlds, nodes or ms, threads."""

from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import replace
from typing import Protocol, TypedDict, Unpack

import numpy as np

from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import Agent, AgentError, Rating, Turns
from stichwerk.agents.search.blocks import AT_ONCE, Block, Blocks
from stichwerk.agents.search.endgame import ExactPlayer, endings_for
from stichwerk.agents.search.playout_policy import playout_policy
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.engine.equity import equity_in, gains_by_points
from stichwerk.envs.engine.threads import Threads
from stichwerk.envs.spec.game import Game

MOST = 10_000  # worlds, where only time or nodes are given: more of them change no decision
COUNTED, LEAST_COUNTED = 0.2, 4  # the share, and number, of worlds that must count, as decisions pile up


class Work(Protocol):
    """Do the worlds number `start` … `stop - 1` in this thread; return how many positions came up."""

    def __call__(self, start: int, stop: int, thread: int, /) -> int: ...


class Budget(TypedDict, total=False):
    """The limits of a decision, as `SearchPlayer` reads them."""

    worlds: int | None
    ms: float
    nodes: int
    threads: int


class RuleSearchSettings(Budget, total=False):
    """The settings of `RuleSearchPlayer`."""

    slip: float


class SearchPlayer(Agent):
    """Decides turn by turn, from the views alone.

    A single legal action is played without search. Where the seat can tell all cards, play is exact.

    Args:
        worlds: how many worlds a decision is weighed in, at most; None: `USUAL`, or what `ms` and `nodes`
            allow
        ms: milliseconds after which no more worlds are begun; 0: however long they take
        nodes: positions that may come up over all worlds; 0: however many. No more worlds count than seem to
            fit in, but the first few always do
        threads: the number of blocks of worlds to work on at once
    """

    USUAL = 100

    def __init__(
        self,
        name: str,
        game: Game,
        worlds: int | None = None,
        ms: float = 0,
        nodes: int = 0,
        threads: int = 1,
    ):
        super().__init__(name, game)
        usual = MOST if ms or nodes else self.USUAL
        self.worlds = usual if worlds is None else worlds
        self.ms, self.nodes, self.threads = ms, nodes, threads
        self.min_block_worlds = 16
        self.blocks_per_round = 4  # if it has as many worlds for each
        self._game, self._rules = game, game.rules_record
        self._workers = Threads(threads)
        self._exact = ExactPlayer(game)
        make_workspace = endings_for(game.env_id, game.spec).make_workspace
        self.ending_workspaces = [make_workspace() for _ in range(threads)]

    def act(self, turns: Turns) -> np.ndarray:
        return self.think(turns, self.chance_in(turns).integers(1 << 62, size=len(turns)))

    def think(self, turns: Turns, seeds: np.ndarray) -> np.ndarray:
        """Choose in each turn, by chance that comes from the turn's own seed alone.

        Args:
            turns: With views.
            seeds: int64[n].

        Returns:
            The id of a legal action for each turn, int64[n].
        """
        chosen = np.empty(len(turns), np.int64)
        for i, (lane, seed) in enumerate(zip(turns.which, seeds, strict=True)):
            actions = np.flatnonzero(turns.all_masks[lane])
            view, seat = turns.all_views[lane : lane + 1], int(turns.all_seats[lane])
            chosen[i] = actions[self._place(view, seat, actions, int(seed)) if len(actions) > 1 else 0]
        return chosen

    def _place(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        exact = self._exact.decide(view, seat, actions, seed)
        return self.decide(view, seat, actions, seed) if exact is None else exact

    def rate(self, turn: Turns) -> Rating:
        (lane,) = turn.which
        actions, seed = np.flatnonzero(turn.all_masks[lane]), int(self.random.integers(1 << 62))
        view, seat = turn.all_views[lane : lane + 1], int(turn.all_seats[lane])
        in_match = len(equity_in(self._game, view)) > 0
        points = self._exact.values(view, seat, actions, seed)
        if points is None:
            rating = self.rate_hidden(view, seat, actions, seed)
            return replace(rating, of_match=in_match and rating.values is not None)
        chosen, margins = int(actions[points.argmax()]), np.zeros(len(actions))
        if in_match and self._game.seats == 2:
            gains = gains_by_points(self._game, view, seat, points)
            return Rating(actions, chosen, values=gains, margins=margins, of_match=True)
        return Rating(actions, chosen, values=points, margins=margins)

    def rate_hidden(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> Rating:
        """Rate the actions where cards are hidden.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            actions: The ids of the legal actions, int64[n].
            seed: Of all chance in the decision.

        Returns:
            The rating, at least with the action that the agent plays.
        """
        place = self.decide(view, seat, actions, seed) if len(actions) > 1 else 0
        return Rating(actions, int(actions[place]))

    @abstractmethod
    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        """Choose one of at least two legal actions.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            actions: The ids of the legal actions, int64[n].
            seed: Of all chance in the decision.

        Returns:
            The place of the action among `actions`.
        """

    def in_blocks(self, work: Work) -> int:
        """Let `work(start, stop, thread)` do the worlds block by block, and say how many nodes it took; how
        many worlds are done when the budget is spent.

        Blocks run side by side, so each writes to its own places; `thread` is below the number of threads.
        """
        return list(self.in_rounds(work))[-1]

    def in_rounds(self, work: Work, worlds: int | None = None) -> Iterator[int]:
        """Do the worlds in rounds, each of as many as all before it, or of fewer where the budget ends.

        Args:
            work: Does a block.
            worlds: How many are done at most; None: `self.worlds`.

        Yields:
            How many are done by then, at first when `AT_ONCE` are.
        """
        most = self.worlds if worlds is None else worlds
        done = yielded = 0
        for done in self._block_by_block(work, most):
            if done >= min(max(2 * yielded, AT_ONCE), most):
                yielded = done
                yield done
        if done > yielded:
            yield done

    def _block_by_block(self, work: Work, most: int) -> Iterator[int]:
        budget = Blocks(most, self.ms, self.nodes, self.threads, self.min_block_worlds, self.blocks_per_round)
        while blocks := budget.next():
            for block, nodes in zip(blocks, self._at_once(work, blocks), strict=True):
                if not budget.count(block, nodes):
                    return
                yield budget.done

    def _at_once(self, work: Work, blocks: list[Block]) -> list[int]:
        """The nodes of each block, when all are done."""
        if len(blocks) == 1:
            start, stop = blocks[0]
            return [work(start, stop, 0)]
        under_way = [
            self._workers.pool.submit(work, start, stop, thread)
            for thread, (start, stop) in enumerate(blocks)
        ]
        try:
            return [block.result() for block in under_way]
        finally:
            wait(under_way)  # none writes to its thread's workspaces any more, whatever another one raises


class RuleSearchPlayer(SearchPlayer):
    """A search player that models all other seats as the rule-based player or, in a game without one, as
    random players.

    Args:
        slip: how likely the others depart from the rule-based player. Worlds in which they would have acted
            otherwise count less. 1: all worlds count the same, as they do in a game without that player

    Raises:
        AgentError: for a slip of 0.
    """

    def __init__(self, name: str, game: Game, slip: float = 0.2, **budget: Unpack[Budget]):
        super().__init__(name, game, **budget)
        if not 0 < slip <= 1:
            raise AgentError(f"agent {name}: slip: got {slip:g}; expected a number above 0, to 1")
        self.has_rule_player = has_rule_player(game.env_id)
        self.slip = slip if self.has_rule_player else 1.0
        self._choose = playout_policy(game)
        self._playouts = playouts_for(game.env_id, game.spec, self._choose)

    def weighed_worlds(
        self, view: np.ndarray, seat: int, seed: int, start: int, stop: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sample worlds, and weigh them by what the others have done.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            seed: Of the decision.
            start, stop: Worlds number `start` … `stop - 1` are sampled.

        Returns:
            The worlds, records, and the logarithms of their weights, float64[worlds].
        """
        worlds, weights = np.empty(stop - start, self._game.state), np.empty(stop - start)
        self._playouts.sample(self._rules, view, seat, np.int64(seed), start, worlds)
        self._playouts.weigh(self._rules, view, worlds, seat, self.slip, weights)
        return worlds, np.log(weights)


def tempered(log_weights: np.ndarray) -> np.ndarray:
    """Weights of worlds that add up to 1, flattened until enough worlds count.

    The weights are raised to the highest power up to 1 that keeps their effective number, (Σw)² / Σw², high
    enough: at least the share `COUNTED` of all worlds, and `LEAST_COUNTED` if there are more.
    Where the others have made many decisions, no world has them all as the rule-based player would. Without
    this the few that happen to come nearest would decide alone.

    Args:
        log_weights: the logarithms of the weights, float64[worlds]

    Returns:
        float64[worlds]
    """
    logs = log_weights - log_weights.max()

    def shares(power: float) -> np.ndarray:
        powers = np.exp(power * logs)
        return powers / powers.sum()

    low, high = 0.0, 1.0
    least = min(max(COUNTED * len(logs), LEAST_COUNTED), len(logs))
    if effective_number(shares(high)) >= least:
        return shares(high)
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if effective_number(shares(middle)) >= least else (low, middle)
    return shares(low)


def effective_number(shares: np.ndarray) -> float:
    """The effective sample size (Kish) of worlds whose weights add up to 1."""
    return 1 / (shares @ shares)

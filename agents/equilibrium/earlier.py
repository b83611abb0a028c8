"""An equilibrium one trick earlier: at a lead with three cards face down.

The trick is a tree of its own. At its open ends, where cards are drawn or the stock is closed, the rest is a
tree for each public state. All are solved together. For the rest it only matters which hands a seat has after
the draw, not which card of it was drawn. So several worlds of the trick lead into one world of the rest.
"""

from collections.abc import Callable
from itertools import pairwise, permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from stichwerk.agents.equilibrium.cfr import Solving, play_values, response_value, response_values
from stichwerk.agents.equilibrium.schnapsen import (
    Worlds,
    before_draw,
    check_rules,
    draw_order,
    is_closed,
    is_lead,
    worlds_of,
)
from stichwerk.agents.equilibrium.solve import arranged, played_on
from stichwerk.agents.equilibrium.tree import (
    ACTIONS,
    OPEN_END,
    ROOT,
    Tree,
    TreeBuilder,
    histories_of_edges,
    slots_of_edges,
)
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

DOWN = 3  # cards
MOST_WORLDS, MOST_EDGES = 200_000, 40_000_000  # of one tree
SEATS = 2


class Entries(NamedTuple):
    """The paths of a seat's play to the hands with which it begins the rest.

    Attributes:
        places: int64[n]: of a hand, behind the slots of the rest
        slots: int64[n]: of the trick, that the seat took before, or ROOT
    """

    places: np.ndarray
    slots: np.ndarray

    def enter(self, trick: np.ndarray, rest: np.ndarray) -> None:
        """Write how likely the seat comes to its hands, up to a factor for each: from the chance that it
        comes to slots of the trick, float32[slots], to that of the rest, float32[slots + entries]."""
        rest[self.places] = 0.0
        np.add.at(rest, self.places, np.where(self.slots == ROOT, 1.0, trick[self.slots]))


class Rest(NamedTuple):
    """The rest of the deal from one public state on.

    Attributes:
        solving: of its tree
        edges: int64[n]: of the trick's tree, that lead here
        starts: int32[n, orders]: the history that begins the rest after each, for each order of the cards
            that are drawn
        entries: of each seat
    """

    solving: Solving
    edges: np.ndarray
    starts: np.ndarray
    entries: list[Entries]

    def gather(self, of_edges: np.ndarray) -> np.ndarray:
        """Add up by world what comes over the edges, float64[edges] to float64[worlds]."""
        orders = self.starts.shape[1]
        shares = np.repeat(of_edges[self.edges] / orders, orders)
        return np.bincount(self.starts.reshape(-1), shares, len(self.solving.tree.weights))

    def mean(self, of_worlds: np.ndarray) -> np.ndarray:
        """The mean over the orders of the drawn cards, float64[worlds] to float64[n]."""
        return of_worlds[self.starts].mean(axis=1)


class EarlierTrick:
    """A public state at the lead with three cards face down, and its equilibrium as it is approached.

    Args:
        game: Schnapsen or Sixty-six, under its rules
        state: a true state of it, an array of one record
        laid_open: of a closed stock: all cards are laid open when each hand has so many cards left; 0: never
        on_progress: called for each public state that follows

    Attributes:
        worlds: the pairs of hands, each with one of the orders of the stock
        trick: the solving of the trick's tree
        rests: of what follows

    Raises:
        InputError: for another game, and for a state that is no such lead
    """

    def __init__(
        self, game: Game, state: np.ndarray, laid_open: int, on_progress: Callable[[], None] = lambda: None
    ):
        check_rules(game)
        if not is_lead(game, state[0], DOWN):
            raise InputError(f"position: got another one; expected a lead with {DOWN} cards face down")
        self.game, self.state = game, state
        self.worlds = _pairs(worlds_of(game, state[0], 10 * MOST_WORLDS))
        tree = TreeBuilder(game, one_trick=True).build(state[0], self.worlds, MOST_EDGES)
        self.trick = Solving(tree)
        self._histories = histories_of_edges(tree)
        self._slots, self._owners = slots_of_edges(tree), tree.owners[tree.infos[self._histories]]
        self._open = tree.values == OPEN_END
        self._follow(tree)
        self._builder, self.rests = TreeBuilder(game, laid_open), list[Rest]()
        ends = np.flatnonzero(self._open)
        publics = tree.publics[tree.infos[self._histories[ends]]]
        steps = publics * ACTIONS + tree.actions[self._slots[ends]]
        for step in np.unique(steps):
            path = [*tree.path(step // ACTIONS), int(step % ACTIONS)]
            self.rests.append(self._rest(path, ends[steps == step]))
            on_progress()

    def _follow(self, tree: Tree) -> None:
        """Find of each edge the world, and the last slot of each seat, its own one included."""
        first, last = np.arange(len(tree.infos)), np.full((len(tree.infos), SEATS), ROOT)
        self._last = np.empty((len(tree.ends), SEATS), np.int64)
        for start, stop in pairwise(tree.levels.tolist()):
            edges = slice(tree.edges[start], tree.edges[stop])
            parents, ends, mine = self._histories[edges], tree.ends[edges], self._last[edges]
            mine[:] = last[parents]
            mine[np.arange(len(mine)), self._owners[edges]] = self._slots[edges]
            inner = ends >= 0
            first[ends[inner]], last[ends[inner]] = first[parents[inner]], mine[inner]
        self._worlds = tree.worlds[first[self._histories]]

    def _rest(self, path: list[int], edges: np.ndarray) -> Rest:
        """The tree of the public state after a path, and how the edges lead to its worlds."""
        which = self._worlds[edges]
        after = arranged(self.game, self.state, self.worlds.hands[which[:1]], self.worlds.stock[which[:1]])
        played_on(self.game, after, np.array([path]))
        worlds = worlds_of(self.game, after[0], MOST_WORLDS)
        tree = self._builder.build(after[0], worlds, MOST_EDGES)
        hands = before_draw(self.state[0], after[0], self.worlds.hands[which])[:, None]
        if not is_closed(after[0]):
            orders = np.array([*permutations(range(DOWN))])
            drawn = 1 << self.worlds.stock[which].astype(np.int64)[:, orders]
            hands = hands | drawn[:, :, draw_order(after[0])]
        keys = _pair(worlds.hands[tree.worlds])
        order = np.argsort(keys)
        starts = order[np.searchsorted(keys[order], _pair(hands))].astype(np.int32)
        before, number, entries = tree.before.copy(), len(tree.actions), list[Entries]()
        for seat in range(SEATS):
            held = np.unique(worlds.hands[:, seat])
            begins = np.flatnonzero((tree.before == ROOT) & (tree.owners == seat))
            before[begins] = number + np.searchsorted(held, tree.hands[begins])
            places = number + np.searchsorted(held, hands[:, :, seat])
            pairs = np.unique(places << 32 | self._last[edges, seat, None] + 1)
            entries.append(Entries(pairs >> 32, (pairs & 0xFFFFFFFF) - 1))
            number += len(held)
        solving = Solving(tree._replace(before=before), number - len(tree.actions))
        return Rest(solving, edges, starts, entries)

    def run(self, iterations: int) -> None:
        """Go on for so many iterations."""
        for _ in range(iterations):
            for each in (self.trick, *(rest.solving for rest in self.rests)):
                each.iterations += 1
            for seat in range(SEATS):
                self._learn(seat)

    def _learn(self, seat: int) -> None:
        trick = self.trick
        shares = self._shares(trick.reach(seat), trick.strategy, seat, trick.iterations, trick.every)
        values = np.zeros(len(shares))
        for rest in self.rests:
            solving = rest.solving
            solving.tree = solving.tree._replace(weights=rest.gather(shares))
            rest.entries[seat].enter(trick.played, solving.played)
            solving.evaluate(seat)
            solving.learn(seat)
            values[rest.edges] = rest.mean(solving.worth)
        trick.tree = self._with_values(values, seat)
        trick.evaluate(seat)
        trick.learn(seat)

    def _shares(
        self, reached: np.ndarray, strategy: np.ndarray, seat: int, round: int = 0, every: int = 1
    ) -> np.ndarray:
        """The chance that the deal and the other seat bring each edge about, float32[edges]."""
        chances = strategy[self._slots]
        tried = (chances > 0) | (round % every == 0)
        return reached[self._histories] * np.where(self._owners == seat, tried, chances)

    def _with_values(self, values: np.ndarray, seat: int) -> Tree:
        """The trick's tree with what a seat gets at the open ends."""
        return self.trick.tree._replace(
            values=np.where(self._open, values if seat == 0 else -values, self.trick.tree.values)
        )

    def averages(self) -> list[np.ndarray]:
        """The mean strategies so far, of the trick and of each rest."""
        return [each.average() for each in (self.trick, *(rest.solving for rest in self.rests))]

    def trick_values(self, strategies: list[np.ndarray], seat: int, best: bool = False) -> Tree:
        """The trick's tree with what follows each open end, if both seats play on by strategies, or with
        `best` this seat by its best response."""
        _, _, reached = play_values(self.trick.tree, strategies[0], seat)
        shares = self._shares(reached, strategies[0], seat)
        values = np.zeros(len(shares))
        for rest, strategy in zip(self.rests, strategies[1:], strict=True):
            tree = rest.solving.tree._replace(weights=rest.gather(shares))
            worth = response_values(tree, strategy, seat) if best else play_values(tree, strategy, seat)[0]
            values[rest.edges] = rest.mean(worth)
        return self._with_values(values, seat)

    def response_value(self, strategies: list[np.ndarray], seat: int) -> float:
        """The value of the best response of a seat to strategies of the other."""
        return response_value(self.trick_values(strategies, seat, best=True), strategies[0], seat)


def _pairs(worlds: Worlds) -> Worlds:
    """Of the orders of the stock the first one for each pair of hands."""
    number = factorial(DOWN)
    return Worlds(worlds.hands[::number], worlds.stock[::number], worlds.weights[::number] * number)


def _pair(hands: np.ndarray) -> np.ndarray:
    return hands[..., 0] << 32 | hands[..., 1]

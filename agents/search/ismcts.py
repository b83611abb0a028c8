"""Information-set Monte Carlo tree search (Cowling, Powley and Whitehouse, 2012).

Each iteration plays one sampled world. It goes down the tree by upper confidence bounds, then one node
further, then by the rule-based player to the end of the deal. The bounds expect much of that player's choice
(after Rosin, 2011). Most nodes are seen a few times only, and trying all actions there first would be random
play.

A node is what an observer has seen. With one observer that is the searching seat, for all moves. With many it
is each seat for its own moves, so that others do not act on what they cannot know.
"""

from functools import cache
from typing import NamedTuple, Protocol, Unpack

import numpy as np

from stichwerk.agents.builtin.rules import Choose
from stichwerk.agents.core.agent import Rating
from stichwerk.agents.search.blocks import AT_ONCE
from stichwerk.agents.search.endgame import endings_for
from stichwerk.agents.search.player import RuleSearchPlayer, RuleSearchSettings, tempered
from stichwerk.agents.search.playout_policy import EMPTY, key_of
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.equity import equity_in, values_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec

LEAST_SWING = 0.01  # of the probability of winning a match, by a deal
FAVOUR = 0.5  # how much likelier than others the rule-based player's choice is, before anything is tried


class Tree(NamedTuple):
    """The nodes so far; an entry of a node for each action."""

    keys: np.ndarray  # int64[slots], of the node in each slot; EMPTY: none
    nodes: np.ndarray  # int32[slots], its number
    visits: np.ndarray  # int32[nodes, actions]
    chances: np.ndarray  # int32[nodes, actions], how often the action was legal in the world at hand
    points: np.ndarray  # float64[nodes, actions], the sum for the seat that acts; in a match of probability
    size: np.ndarray  # int64[1], how many nodes there are
    most: np.ndarray  # float64[1], the most points seen, won or lost


class Scratch(NamedTuple):
    """Room for one playing of a deal."""

    records: np.ndarray  # the state, what the seat to act sees, what the searching seat sees
    words: np.ndarray  # int64[3, words], the same
    mask: np.ndarray  # int8[actions]
    path: np.ndarray  # int64[longest, 3]: node, action and seat of each move inside the tree


def plant(nodes: int, actions: int, least: float = 1.0) -> Tree:
    """An empty tree with room for a number of nodes; `least` is what a deal brings or costs at least."""
    slots = 1 << (2 * nodes).bit_length()
    shape = nodes, actions
    return Tree(
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int32),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        np.zeros(shape),
        np.zeros(1, np.int64),
        np.full(1, least),
    )


def scratch_for(game: Game) -> Scratch:
    """Room for a game's deals."""
    records = np.repeat(game.spec.state.fresh, 3)
    longest = len(game.spec.state.fresh[0].log)
    return Scratch(
        records,
        records.view(np.int64).reshape(3, -1),
        np.zeros(len(game.actions), np.int8),
        np.zeros((longest, 3), np.int64),
    )


class ISMCTSPlayer(RuleSearchPlayer):
    """Plays the action most visited. Worlds are drawn by their weights among those of their block.

    Args:
        worlds: iterations, each in one of the block's worlds, drawn by weight
        threads: trees that grow side by side; their visits are added up. Visits of a block count too if it
            proves to take too many nodes, so the decision depends on the number of threads
        observers: 1: the tree is the searching seat's; otherwise each seat has nodes of its own
        explore: the weight of what has not been tried often, in units of the most points seen
    """

    USUAL = 1000

    def __init__(
        self,
        name: str,
        game: Game,
        observers: int = 2,
        explore: float = 1.0,
        **settings: Unpack[RuleSearchSettings],
    ):
        super().__init__(name, game, **settings)
        self.many, self.explore = observers > 1, explore
        self.min_block_worlds = AT_ONCE  # worlds are weighed within their block
        self.blocks_per_round = max(self.threads, 2)
        self._grow = _grower(game.env_id, game.spec, self._choose)

    def decide(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> int:
        return int(sum(tree.visits[0, actions] for tree in self.trees(view, seat, seed)).argmax())

    def rate_hidden(self, view: np.ndarray, seat: int, actions: np.ndarray, seed: int) -> Rating:
        """The shares of the visits, and the mean points behind them; worlds have different numbers of visits,
        so the means have no interval."""
        if len(actions) == 1:  # the trees begin with the next decision, which is perhaps another seat's
            return Rating(actions, int(actions[0]), np.ones(1), np.full(1, np.nan))
        trees = self.trees(view, seat, seed)
        visits = np.sum([tree.visits[0, actions] for tree in trees], axis=0)
        points = np.sum([tree.points[0, actions] for tree in trees], axis=0)
        values = np.divide(points, visits, out=np.full(len(actions), np.nan), where=visits > 0)
        return Rating(actions, int(actions[visits.argmax()]), visits / visits.sum(), values)

    def trees(self, view: np.ndarray, seat: int, seed: int) -> list[Tree]:
        """A tree for each thread; the first node of each is what the seat sees now."""
        # With `ms` nobody knows how the worlds will be shared out. Room that is not used takes no memory.
        equity = equity_in(self._game, view)
        least = LEAST_SWING if len(equity) else 1.0
        trees = [plant(self.worlds, len(self._game.actions), least) for _ in range(self.threads)]
        rooms = [scratch_for(self._game) for _ in range(self.threads)]

        def work(start: int, stop: int, thread: int) -> int:
            worlds, log_weights = self.weighed_worlds(view, seat, seed, start, stop)
            steps = np.cumsum(tempered(log_weights))
            drawn = np.searchsorted(steps, (np.arange(len(worlds)) + 0.5) / len(worlds))
            return self._grow(
                self._rules,
                worlds[drawn],
                seat,
                self.many,
                self.explore,
                equity,
                tree=trees[thread],
                workspace=self.ending_workspaces[thread],
                scratch=rooms[thread],
            )

        self.in_blocks(work)
        return trees


class Grow(Protocol):
    """Run one iteration in each sampled deal.

    Args:
        rules: one record.
        worlds: records.
        seat: the searching seat.
        many: whether each seat has nodes of its own.
        explore: the weight of exploration, in units of the most points seen.
        equity: by which deals of matches are valued.
        tree: grows.
        workspace: of `Advance`.
        scratch: is overwritten.

    Returns:
        How many positions came up.
    """

    def __call__(
        self,
        rules: np.ndarray,
        worlds: np.ndarray,
        seat: int,
        many: bool,
        explore: float,
        equity: np.ndarray,
        tree: Tree,
        workspace: np.ndarray,
        scratch: Scratch,
    ) -> int: ...


@cache
def _grower(env_id: str, spec: GameSpec, choose: Choose) -> Grow:
    """The loop for a game whose players follow `choose`."""
    advance, (standing, worth) = endings_for(env_id, spec).advance, values_for(spec)
    engine = engine_for(spec, False)
    redact, legal = engine.redact, engine.legal
    size = spec.state.dtype.itemsize

    @compiled
    def pick(tree, node, mask, explore, favourite):
        """The action of the highest bound. What has not been tried is thought worth what the node is."""
        tried = tree.visits[node].sum()
        usual = tree.points[node].sum() / tried if tried else 0.0
        even = (1 - FAVOUR) / mask.sum()
        best, best_bound = -1, -np.inf
        for action in range(len(mask)):
            if not mask[action]:
                continue
            tree.chances[node, action] += 1
            visits = tree.visits[node, action]
            mean = tree.points[node, action] / visits if visits else usual
            expected = even + FAVOUR if action == favourite else even
            doubt = expected * np.sqrt(tree.chances[node, action]) / (1 + visits)
            bound = mean + explore * tree.most[0] * doubt
            if bound > best_bound:
                best, best_bound = action, bound
        return best

    @compiled
    def grow(rules, worlds, seat, many, explore, equity, tree, workspace, scratch):
        state, view, seen = scratch.records[0], scratch.records[1], scratch.records[2]
        mask, path = scratch.mask, scratch.path
        nodes = 0
        for world in worlds:
            copy_bytes(state, world, 0, size)
            depth, inside, ended = 0, True, False
            while not ended:
                actor = state.seat
                redact(rules[0], state, actor, view)
                legal(rules[0], view, mask)
                action = choose(rules[0], view, actor)
                if inside and mask.sum() > 1:
                    if not many and actor != seat:
                        redact(rules[0], state, seat, seen)
                    observer = 1 if many or actor == seat else 2
                    node, inside = find(tree, key_of(scratch.words[observer], actor))
                    if node >= 0:
                        action = pick(tree, node, mask, explore, action)
                        path[depth, 0], path[depth, 1], path[depth, 2] = node, action, actor
                        depth += 1
                ended, positions = advance(rules[0], state, action, workspace[0])
                nodes += positions
            for move in range(depth):
                actor = path[move, 2]
                before = standing(rules[0], world, actor, equity)
                points = worth(rules[0], state, actor, equity) - before
                tree.visits[path[move, 0], path[move, 1]] += 1
                tree.points[path[move, 0], path[move, 1]] += points
                tree.most[0] = max(tree.most[0], abs(points))
        return nodes

    return grow


@compiled
def find(tree, key):
    """The node of a key, and whether it was there already; a new one while there is room, else -1."""
    slot = key & (len(tree.keys) - 1)
    while tree.keys[slot] != EMPTY and tree.keys[slot] != key:
        slot = (slot + 1) & (len(tree.keys) - 1)
    if tree.keys[slot] == key:
        return np.int64(tree.nodes[slot]), True
    if tree.size[0] == len(tree.visits):
        return -1, False
    tree.keys[slot], tree.nodes[slot] = key, tree.size[0]
    tree.size[0] += 1
    return np.int64(tree.nodes[slot]), False

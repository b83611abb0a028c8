"""The rest of a deal from a public state on, in every world at once: histories, information sets and edges.

A *history* is what has been played, in one world. Histories that the seat to act cannot tell apart share an
information set, with one *slot* for each action. An *edge* is an action in a history. It ends in another
history, or with a value where nothing is left to decide or all cards have become known. The seats then play
on by the exact solver.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stichwerk.agents.equilibrium.schnapsen import (
    UNSEEN,
    Worlds,
    choices,
    dealt,
    drawn_cards,
    ends_trick,
    held_by,
    leads_closed,
    nodes_of,
    revealed,
)
from stichwerk.agents.solver.kernel import NODES, SOLVING, compile_solver, make_workspace
from stichwerk.agents.solver.schnapsen import KERNEL
from stichwerk.envs.core.cards import count, first
from stichwerk.envs.games.schnapsen.state import Phase
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

MOST_EDGES = 40_000_000  # two gigabytes
NO_HISTORY = -1
TABLE = 1 << 18  # entries of the solver's table, which all positions of a tree share
ROOT = -1  # in place of a slot: the seat has not acted before
UNANSWERED = -1  # in place of an answer to which there is no other
ACTIONS = 32
OPEN_END, NEVER = 100, 99  # in place of a value, where the tree of a trick ends; of the stock, in other trees


class TooLargeError(InputError):
    """A public state whose tree is larger than asked for."""


class Tree(NamedTuple):
    """The histories of a public state, level by level; those of the first level are the worlds.

    Within a level the histories of an information set lie side by side.

    Attributes:
        levels: int64[levels + 1]: where each level's histories begin
        infos: int32[histories]: the information set of each
        edges: int64[histories + 1]: where the edges of each begin; edge j takes the j-th slot
        ends: int32[edges]: the history at the end, or NO_HISTORY
        values: int8[edges]: what seat 0 gets where there is none
        slots: int64[infos + 1]: where the slots of each information set begin
        owners: int8[infos]: the seat to act
        before: int32[infos]: the slot that this seat took last, or ROOT
        publics: int64[infos]: the number of what everybody has seen; 0 at the root
        hands: int64[infos]: the seat's hand
        samples: int32[infos]: a world in which it can come up
        actions: int8[slots]
        steps: int64[publics, 2]: of what everybody has seen, the number before the last action, and the
            action
        worlds: int64[worlds]: the number of each world of the first level
        weights: float64[worlds]: its probability
    """

    levels: np.ndarray
    infos: np.ndarray
    edges: np.ndarray
    ends: np.ndarray
    values: np.ndarray
    slots: np.ndarray
    owners: np.ndarray
    before: np.ndarray
    publics: np.ndarray
    hands: np.ndarray
    samples: np.ndarray
    actions: np.ndarray
    steps: np.ndarray
    worlds: np.ndarray
    weights: np.ndarray

    def path(self, public: int) -> list[int]:
        """The actions that lead to what everybody has seen."""
        found = list[int]()
        while public:
            public, action = self.steps[public].tolist()
            found.append(action)
        return found[::-1]


def histories_of_edges(tree: Tree) -> np.ndarray:
    """The history in which each edge is taken, int64[edges]."""
    return np.repeat(np.arange(len(tree.infos)), np.diff(tree.edges))


def slots_of_edges(tree: Tree) -> np.ndarray:
    """The slot that each edge takes, int64[edges]."""
    histories = histories_of_edges(tree)
    return tree.slots[tree.infos[histories]] + np.arange(len(tree.ends)) - tree.edges[histories]


class Level(NamedTuple):
    """Histories of one length, in any order.

    Attributes:
        nodes, worlds: what they are, and of which world
        common: int64[n]: what everybody has seen: its number in the level, or the action times ACTIONS less
        private: int64[n, 2]: a number of what each seat alone has seen
        last: int64[n, 2]: the slot that each seat took last
        origins: int64[n]: the edge that ends there
    """

    nodes: np.ndarray
    worlds: np.ndarray
    common: np.ndarray
    private: np.ndarray
    last: np.ndarray
    origins: np.ndarray

    def of(self, which: np.ndarray) -> "Level":
        return Level(*(each.take(which, axis=0) for each in self))  # brackets copy records one by one


class TreeBuilder:
    """Builds the trees of a game.

    Args:
        game: under its rules
        laid_open: of a closed stock: all cards are laid open when each hand has so many cards left; 0: never
        one_trick: the tree ends, with OPEN_END, where the stock is closed and where cards are drawn
    """

    def __init__(self, game: Game, laid_open: int = 0, one_trick: bool = False):
        self.game = game
        self._laid_open, self._one_trick = laid_open, one_trick
        self._count, self._expand = _compile_expand(compile_solver(KERNEL, game.spec.legal).value_of)
        self._work = make_workspace(KERNEL, len(game.actions), 1 << 62, TABLE)

    def build(self, state: np.record, worlds: Worlds, most: int = MOST_EDGES) -> Tree:
        """The tree of a state in these worlds; TooLargeError if it has more than `most`."""
        self._work["table"][:] = 0  # of another trump
        self._work["counts"][0, SOLVING] = 1
        nodes, known = nodes_of(self.game, state, worlds)
        private = np.stack([np.unique(nodes["hand"][:, seat], return_inverse=True)[1] for seat in (0, 1)], 1)
        number = len(nodes)
        zeros, last = np.zeros(number, np.int64), np.full((number, 2), ROOT)
        level, later = Level(nodes, np.arange(number), zeros, private, last, zeros), None
        parts, steps, publics = list[dict[str, np.ndarray]](), [np.zeros((1, 2), np.int64)], 0
        sizes = {"histories": 0, "edges": 0, "infos": 0, "slots": 0}
        ends, worlds_here = np.full(0, NO_HISTORY, np.int32), level.worlds
        while len(level.nodes):
            part, level, after, answers = self._numbered(level, known, sizes, publics, most)
            if parts:
                ends[level.origins] = sizes["histories"] + np.arange(len(level.nodes))
            else:
                worlds_here = level.worlds
            parts.append(part)
            ends = np.concatenate((ends, np.full(len(part["values"]), NO_HISTORY, np.int32)))
            sizes["histories"] += len(level.nodes)
            if later:  # forced answers have led to histories of the same length
                after = Level(*(np.concatenate(pair) for pair in zip(after, later, strict=True)))
                answers = np.concatenate((answers, np.full(len(later.nodes), UNANSWERED)))
            found, numbers = np.unique(after.common, return_inverse=True)
            steps.append(np.stack((publics + found // ACTIONS, found % ACTIONS), axis=1))
            publics = sum(map(len, steps[:-1]))
            after = after._replace(common=numbers)
            answered = np.flatnonzero(answers != UNANSWERED)
            level = after.of(np.flatnonzero(answers == UNANSWERED))
            later = after.of(answered)
            later = later._replace(common=later.common * ACTIONS + answers[answered])
            if not len(level.nodes):  # every answer was forced
                found, numbers = np.unique(later.common, return_inverse=True)
                steps.append(np.stack((publics + found // ACTIONS, found % ACTIONS), axis=1))
                publics = sum(map(len, steps[:-1]))
                level, later = later._replace(common=numbers), None
        joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        joined["edges"] = np.append(joined["edges"], sizes["edges"])
        joined["slots"] = np.append(joined["slots"], sizes["slots"])
        return Tree(
            levels=np.concatenate(([0], np.cumsum([len(part["infos"]) for part in parts]))),
            ends=ends,
            steps=np.concatenate(steps),
            worlds=worlds_here,
            weights=worlds.weights[worlds_here],
            **joined,
        )

    def _numbered(
        self, level: Level, known: np.ndarray, sizes: dict[str, int], publics: int, most: int
    ) -> tuple[dict[str, np.ndarray], Level, Level, np.ndarray]:
        """A level as part of the tree, in order of its information sets; the histories that follow, and the
        answers that they have been given already."""
        rules = self.game.rules_record[0]
        everyone = np.arange(len(level.nodes))
        mine = level.private[everyone, level.nodes["seat"]]
        key = level.common * (int(mine.max()) + 1) + mine
        order = np.argsort(key, kind="stable")
        level, key = level.of(order), key[order]
        seats = level.nodes["seat"].astype(np.int64)
        new = np.append(True, key[1:] != key[:-1])
        begins, infos = np.flatnonzero(new), np.cumsum(new) - 1
        numbers = self._count(rules, level.nodes)
        edges = np.concatenate(([0], numbers.cumsum()))
        if sizes["edges"] + edges[-1] > most:
            given = f"one of more than {most:,} edges"
            raise TooLargeError(f"position: got {given}; expected one later in the deal")
        slots = numbers[begins]
        starts = np.concatenate(([0], slots.cumsum()))
        actions, values = np.empty(edges[-1], np.int8), np.zeros(edges[-1], np.int8)
        answers = np.full(edges[-1], UNANSWERED)
        children, origins = np.empty(edges[-1], level.nodes.dtype), np.empty(edges[-1], np.int64)
        made = self._expand(
            rules, known, level.worlds, level.nodes, self._work[0], self._laid_open,
            dealt(level.nodes[0]) if self._one_trick else NEVER, edges, actions, answers, values,
            children, origins,
        )  # fmt: skip
        part = {
            "infos": (sizes["infos"] + infos).astype(np.int32),
            "edges": sizes["edges"] + edges[:-1],
            "values": values,
            "slots": sizes["slots"] + starts[:-1],
            "owners": seats[begins].astype(np.int8),
            "before": level.last[begins, seats[begins]].astype(np.int32),
            "publics": publics + level.common[begins],
            "hands": level.nodes["hand"][begins, seats[begins]].astype(np.int64),
            "samples": level.worlds[begins].astype(np.int32),
            "actions": actions[np.repeat(edges[begins] - starts[:-1], slots) + np.arange(starts[-1])],
        }
        origins, children = origins[:made], children[:made]
        parents = np.repeat(everyone, numbers)[origins]
        last = level.last[parents]
        last[np.arange(made), seats[parents]] = (
            sizes["slots"] + starts[infos[parents]] + origins - edges[parents]
        )
        private = _after_draws(level.private[parents], level.nodes.take(parents), children)
        after = Level(
            children,
            level.worlds[parents],
            level.common[parents] * ACTIONS + actions[origins],
            private,
            last,
            sizes["edges"] + origins,
        )
        sizes["edges"], sizes["slots"] = sizes["edges"] + int(edges[-1]), sizes["slots"] + int(starts[-1])
        sizes["infos"] += len(begins)
        return part, level, after, answers[origins]


def _after_draws(private: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Number again what each seat alone has seen, where cards have been drawn."""
    drawn = drawn_cards(before, after)
    if (drawn == UNSEEN).all():
        return private
    joined = private * 32 + drawn - UNSEEN
    return np.stack([np.unique(joined[:, seat], return_inverse=True)[1] for seat in (0, 1)], axis=1)


@cache
def _compile_expand(value_of: Any) -> tuple[Any, Any]:
    """`count(rules, nodes)` of the choices, and `expand`, which writes the edges of a level."""
    apply, settle = KERNEL.apply, KERNEL.settle

    @compiled
    def count_choices(rules, nodes):
        numbers = np.empty(len(nodes), np.int64)
        for i in range(len(nodes)):
            numbers[i] = count(choices(rules, nodes[i]))
        return numbers

    @compiled
    def worth(rules, known, node, work, laid_open, top):
        """True if the rest is settled, and the points of seat 0 then."""
        low, high = settle(rules, known, node)
        if low == high:
            return True, low
        if top != NEVER and ends_trick(node, top):
            return True, OPEN_END
        work.nodes[0] = node
        held = held_by(node, 0) + held_by(node, 1)
        if revealed(rules, node) or (held <= 2 * laid_open and leads_closed(node)):
            work.counts[NODES] = 0
            return True, value_of(rules, known, work, 0)
        if held > 3:
            return False, 0
        while low < high:  # the end, if nobody has a choice
            left = choices(rules, work.nodes[0])
            if count(left) > 1:
                return False, 0
            apply(rules, known, work.nodes[0], first(left))
            low, high = settle(rules, known, work.nodes[0])
        return True, low

    @compiled
    def expand(
        rules, known, worlds, nodes, work, laid_open, top, edges, actions, answers, values, children, origins
    ):
        made = 0
        for i in range(len(nodes)):
            left, edge = choices(rules, nodes[i]), edges[i]
            while left:
                action = first(left)
                left &= left - 1
                children[made] = nodes[i]
                apply(rules, known[worlds[i]], children[made], action)
                settled, value = worth(rules, known[worlds[i]], children[made], work, laid_open, top)
                actions[edge] = action
                if not settled and top == NEVER and children[made].phase == Phase.ANSWER:
                    answer = choices(rules, children[made])
                    if count(answer) == 1:  # no decision
                        answers[edge] = first(answer)
                        apply(rules, known[worlds[i]], children[made], first(answer))
                        settled, value = worth(rules, known[worlds[i]], children[made], work, laid_open, top)
                if settled:
                    values[edge] = value
                else:
                    origins[made] = edge
                    made += 1
                edge += 1
        return made

    return count_choices, expand

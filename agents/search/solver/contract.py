"""Any game with all cards known, solved through nothing but its `legal` and `apply`: for games without a kernel,
for what comes before the play, and as the measure that kernels are held to.

Two sides are searched by alpha-beta; more by max^n: everybody takes what is best for his own side, the first of
equals, and what the others then get is up to them. Whole state records are copied at every node and nothing is
remembered, so this is for positions late in a deal.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numba import njit

from stichwerk.envs.core.course import log_action
from stichwerk.envs.core.errors import InputError
from stichwerk.envs.core.game import Game, GameSpec

MOST_NODES = 20_000_000  # half a minute at most


class TooLarge(InputError):
    """A position that cannot be solved within the nodes that were granted."""

    def __init__(self, limit: int):
        super().__init__(
            f"the position is too large: not solved within {limit:,} nodes; allowed are positions later in the "
            "deal, or more nodes"
        )


def solve_by_contract(game: Game, state: np.ndarray, sides: list[int], limit: int = MOST_NODES) -> np.ndarray:
    """The game points of each legal action, float64[actions], NaN for all others: the mean of the seats on the
    side of the seat to act, if every side plays best.

    state: an array of one record, a true state in the midst of a deal
    sides: the side of each seat, numbered from 0

    Raises TooLarge if that takes more than `limit` nodes.
    """
    stack = np.zeros(len(state[0]["log"]) + 2, game.state)  # the log holds every action of a deal
    stack[0] = state[0]
    stack[0]["match"] = 0  # the search ends with the deal
    masks = np.zeros((len(stack), len(game.actions)), np.int8)
    values = np.full(len(game.actions), np.nan)
    of_seats = np.array(sides, np.int64)
    solve = _compile(game.spec, max(sides) > 1)
    if not solve(game.rules_record, stack, masks, of_seats, limit, values):
        raise TooLarge(limit)
    return values / sides.count(sides[state[0]["seat"]])


@cache
def _compile(spec: GameSpec, many_sides: bool) -> Callable:
    legal, apply = spec.legal, spec.apply

    @njit(nogil=True)
    def go_down(rules, stack, masks, depth, action):
        """Play an action of the position at a depth, and list those of the next one."""
        stack[depth + 1] = stack[depth]
        log_action(stack[depth + 1], stack[depth].seat, action)
        apply(rules, stack[depth + 1], action)
        masks[depth + 1] = 0
        if not stack[depth + 1].over:
            legal(rules, stack[depth + 1], masks[depth + 1])

    @njit(nogil=True)
    def paid(state, sides, side):
        """What the seats of a side have got together."""
        total = 0.0
        for seat in range(len(sides)):
            total += state.deal_points[seat] if sides[seat] == side else 0.0
        return total

    @njit(nogil=True)
    def alpha_beta(rules, stack, masks, sides, nodes, start, side):
        """What a side gets from a position on the stack, and how many nodes are left."""
        low, high = np.empty(len(stack)), np.empty(len(stack))  # what each side is sure of
        tried = np.zeros(len(stack), np.int64)
        low[start], high[start] = -np.inf, np.inf
        depth, action = start, 0
        while True:
            state = stack[depth]
            while action < masks.shape[1] and not masks[depth, action]:
                action += 1
            if action < masks.shape[1] and low[depth] < high[depth]:
                if nodes == 0:
                    return 0.0, -1
                nodes -= 1
                tried[depth] = action
                go_down(rules, stack, masks, depth, action)
                low[depth + 1], high[depth + 1] = low[depth], high[depth]
                depth, action = depth + 1, 0
                continue
            ours = sides[state.seat] == side
            value = paid(state, sides, side) if state.over else low[depth] if ours else high[depth]
            if depth == start:
                return value, nodes
            depth -= 1
            if sides[stack[depth].seat] == side:
                low[depth] = max(low[depth], value)
            else:
                high[depth] = min(high[depth], value)
            action = tried[depth] + 1

    @njit(nogil=True)
    def max_n(rules, stack, masks, sides, nodes, start, side):
        """The same if each of several sides looks after itself alone."""
        best = np.empty((len(stack), len(sides)))  # what each side gets
        tried = np.zeros(len(stack), np.int64)
        best[start] = -np.inf
        depth, action = start, 0
        while True:
            state = stack[depth]
            while action < masks.shape[1] and not masks[depth, action]:
                action += 1
            if action < masks.shape[1]:
                if nodes == 0:
                    return 0.0, -1
                nodes -= 1
                tried[depth] = action
                go_down(rules, stack, masks, depth, action)
                best[depth + 1] = -np.inf
                depth, action = depth + 1, 0
                continue
            if state.over:
                for each in range(len(sides)):
                    best[depth, each] = paid(state, sides, each)
            if depth == start:
                return best[depth, side], nodes
            depth -= 1
            chooser = sides[stack[depth].seat]
            if best[depth + 1, chooser] > best[depth, chooser]:
                best[depth] = best[depth + 1]
            action = tried[depth] + 1

    search = max_n if many_sides else alpha_beta

    @njit(nogil=True)
    def solve(rules, stack, masks, sides, nodes, values):
        """Write what each action is worth; returns whether there were nodes enough."""
        side = sides[stack[0].seat]
        legal(rules[0], stack[0], masks[0])
        for action in range(masks.shape[1]):
            if masks[0, action]:
                go_down(rules[0], stack, masks, 0, action)
                values[action], nodes = search(rules[0], stack, masks, sides, nodes, 1, side)
                if nodes < 0:
                    return False
        return True

    return solve

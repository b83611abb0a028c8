"""Solve a public state, and read the solution by public history and hand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.equilibrium.cfr import Solving, play_value, response_value
from stichwerk.agents.equilibrium.schnapsen import Worlds, arrange, check_rules, worlds_of
from stichwerk.agents.equilibrium.tree import MOST_EDGES, Tree, TreeBuilder
from stichwerk.agents.search.look_back import OthersDecisions
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.support.errors import InputError

GAP, MOST_ITERATIONS, LAID_OPEN, MOST_WORLDS = 0.001, 2_000, 2, 200_000
FIRST_LOOK, EVERY = 32, 4  # iterations before the gap is measured
PASTS = 4  # drawn for each pair of hands, where past play is weighed


@dataclass(frozen=True)
class Decision:
    """The play of one hand at one point of the rest of a deal.

    Attributes:
        path: the actions before it, by name
        seat, hand: who decides, with which cards
        actions: what may be done, by name
        chances: float64[actions]: how often the equilibrium does it
        values: float64[actions]: the seat's game points with it, if both play on by the equilibrium; NaN
            where the other seat never lets it come to this
        likely: how often it comes to this with this hand, in all hands of the seat
    """

    path: tuple[str, ...]
    seat: int
    hand: tuple[str, ...]
    actions: tuple[str, ...]
    chances: np.ndarray
    values: np.ndarray
    likely: float


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium of a public state.

    Attributes:
        game: under its rules
        state: the true state, or view, whose public part was solved: an array of one record
        worlds: the hands and stocks that were possible
        tree: the rest of the deal
        strategy: float64[slots] of the tree, of both seats
        value: the game points of the seat to act, averaged over all hands; true to half the gap
        gap: what best responses of both seats win over it together (NashConv), in the tree
        iterations: of the solver
        laid_open: of a closed stock: where the tree ends with all cards known; 0: never
    """

    game: Game
    state: np.ndarray
    worlds: Worlds
    tree: Tree
    strategy: np.ndarray
    value: float
    gap: float
    iterations: int
    laid_open: int

    @cached_property
    def _played(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each seat: values and own chances by slot, and the chance of the deal and the other seat by
        information set."""
        return [slot_values(self.tree, self.strategy, seat) for seat in (0, 1)]

    def decisions(self, longest: int | None = None) -> Iterator[Decision]:
        """Every decision after at most `longest` actions; None: all of them."""
        for info in range(len(self.tree.owners)):
            path = self.tree.path(int(self.tree.publics[info]))
            if longest is not None and len(path) > longest:
                break  # levels follow in order of length
            yield self._decision(info, path)

    def decision(self, actions: Sequence[str], seat: int, hand: int) -> Decision | None:
        """The decision of a seat with this hand, a set of cards, after these actions; None where the tree has
        none, or two that cards drawn before tell apart."""
        tree, public = self.tree, 0
        path = [self.game.action_index[action] for action in actions]
        for action in path:
            found = np.flatnonzero((tree.steps[1:] == (public, action)).all(axis=1))
            if not len(found):
                return None
            public = int(found[0]) + 1
        here = (tree.publics == public) & (tree.owners == seat) & (tree.hands == hand)
        return self._decision(int(here.argmax()), path) if here.sum() == 1 else None

    def _decision(self, info: int, path: Sequence[int]) -> Decision:
        tree, names = self.tree, self.game.actions
        seat, slots = int(tree.owners[info]), slice(tree.slots[info], tree.slots[info + 1])
        values, own, reached = self._played[seat]
        return Decision(
            tuple(str(names[action]) for action in path),
            seat,
            tuple(self.game.pack.cards(int(tree.hands[info]))),
            tuple(str(names[action]) for action in tree.actions[slots]),
            self.strategy[slots],
            values[slots],
            float(own[info] * reached[info]),
        )


def slot_values(tree: Tree, strategy: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The game points that a seat's actions bring, if both play on by a strategy.

    Returns:
        float64[slots]: its game points with each action, NaN for slots of the other seat and where that one
        never lets it come to this. float64[infos]: the chance that its own play comes there, and
        float64[infos]: that the deal and the other seat do.
    """
    _, gains, reached = play_value(tree, strategy, seat)
    infos, numbers = len(tree.owners), np.diff(tree.slots)
    shares = np.bincount(tree.infos, reached, infos)
    shares[tree.owners != seat] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        values = gains / np.repeat(shares, numbers)
    values[np.repeat(shares, numbers) == 0] = np.nan
    return values, own_reach(tree, strategy), shares


def own_reach(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """The chance that the play of the seat to act comes to each information set, float64[infos]."""
    found, owner = np.ones(len(tree.owners)), np.repeat(np.arange(len(tree.owners)), np.diff(tree.slots))
    for start, stop in pairwise([*np.unique(tree.infos[tree.levels[:-1]]).tolist(), len(found)]):
        before = tree.before[start:stop]
        found[start:stop] = np.where(before >= 0, found[owner[before]] * strategy[before], 1.0)
    return found


def solve_equilibrium(
    game: Game,
    state: np.ndarray,
    gap: float = GAP,
    iterations: int = MOST_ITERATIONS,
    prior: NetworkAgent | None = None,
    laid_open: int = LAID_OPEN,
    most_worlds: int = MOST_WORLDS,
    most_edges: int = MOST_EDGES,
) -> Equilibrium:
    """Solve a public state.

    Args:
        game: Schnapsen or Sixty-six, under its rules
        state: a true state of it, or a seat's view of one, an array of one record, in the middle of a deal.
            Only what both seats know of it is read.
        gap: the solver stops when the gap, in game points, is no larger
        iterations: the most that it does
        prior: a network, by whose likelihood of the play so far hands are weighed; None: hands that agree
            with it are equally likely
        laid_open: of a closed stock: cards are laid open when each hand has so many left; 0: never
        most_worlds, most_edges: the largest that is tried

    Raises:
        InputError: for another game, a deal that is over, a position whose cards both seats can tell, and one
            that is too large
    """
    check_rules(game)
    if state[0]["over"]:
        raise InputError("the deal is over: there is nothing to solve")
    worlds = worlds_of(game, state[0], most_worlds)
    if prior is not None:
        worlds = worlds._replace(weights=worlds.weights * likelihood(game, state, worlds, prior))
        if not worlds.weights.sum() > 0:
            raise InputError("prior: got a network to which the play so far is impossible; expected another")
        worlds = worlds._replace(weights=worlds.weights / worlds.weights.sum())
    tree = TreeBuilder(game, laid_open).build(state[0], worlds, most_edges)
    solving = Solving(tree)
    while True:
        step = EVERY if solving.iterations else FIRST_LOOK
        solving.run(min(step, iterations - solving.iterations))
        strategy = solving.average()
        best = [response_value(tree, strategy, seat) for seat in (0, 1)]
        if sum(best) <= gap or solving.iterations >= iterations:
            break
    seat = int(state[0]["seat"])
    value = (best[seat] - best[1 - seat]) / 2
    return Equilibrium(
        game, state, worlds, tree, strategy, value, max(sum(best), 0.0), solving.iterations, laid_open
    )


def likelihood(game: Game, state: np.ndarray, worlds: Worlds, network: NetworkAgent) -> np.ndarray:
    """The likelihood of the play so far, by a network, in each world, up to a factor, float64[worlds]: the
    mean over pasts drawn at random."""
    unique, of = np.unique(worlds.hands, axis=0, return_inverse=True)
    look_back, found = OthersDecisions(game, network), np.zeros(len(unique))
    stock = worlds.stock[np.unique(of, return_index=True)[1]]
    for past in range(PASTS):
        states = arranged(game, state, unique, stock, past)
        total = np.zeros(len(unique))
        for seat in (0, 1):
            decisions = look_back.of(states[:1], states, seat)
            logs = network.log_probabilities(decisions.observation, decisions.mask)
            chosen = logs[np.arange(len(logs)), decisions.action]
            np.add.at(total, decisions.world, chosen)
        found += np.exp(total)
    return found[of.reshape(-1)] / PASTS


def arranged(
    game: Game, state: np.ndarray, hands: np.ndarray, stock: np.ndarray, seed: int = 0
) -> np.ndarray:
    """True states with these hands, int64[n, 2], and this face-down stock, int8[n, cards], that a log leads
    to."""
    states = np.repeat(state, len(hands))
    arrange(game.rules_record[0], states, hands, stock, np.int64(seed))
    return states


def played_on(game: Game, states: np.ndarray, paths: np.ndarray) -> None:
    """Play actions in each state, int64[n, actions]; those below 0 are left out."""
    _play_on(game.spec)(game.rules_record, states, paths)


@cache
def _play_on(spec: GameSpec):
    apply = engine_for(spec, False).apply

    @compiled
    def play_on(rules, states, paths):
        for i in range(len(states)):
            for action in paths[i]:
                if action >= 0:
                    apply(rules[0], states[i], action)

    return play_on

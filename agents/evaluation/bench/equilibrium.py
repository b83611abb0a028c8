"""The equilibrium suite: the distance of an agent from perfect play in solved public states.

The frozen file holds public states from the play of several agents, at the lead before the stock of Schnapsen
is exhausted. Of each it has the value, the gap, and for every hand of the leader how often the equilibrium
takes each action, and what that brings. The answers follow from these. A closed stock counts with what the
equilibrium of the whole state makes of the leader's hand.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.equilibrium.cfr import play_value, response_value
from stichwerk.agents.equilibrium.schnapsen import Worlds, is_closed, is_lead, worlds_of
from stichwerk.agents.equilibrium.solve import (
    GAP,
    LAID_OPEN,
    MOST_WORLDS,
    arranged,
    own_reach,
    played_on,
    slot_values,
    solve_equilibrium,
)
from stichwerk.agents.equilibrium.tree import Tree, TreeBuilder, slots_of_edges
from stichwerk.agents.evaluation.bench.suites import VERSION, interval
from stichwerk.agents.provenance import agents_hash, provenance
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.games import make_game
from stichwerk.envs.games.schnapsen.state import CLOSE, EXCHANGE, MELD, Phase
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_whole

FILE = Path(__file__).with_name("equilibrium.npz")
SOURCES = "random", "rules", "rules:0.1", "ppo:schnapsen"  # whose play the states come from, in turns
SEED = 2026
STEP = 0.01  # game points: of the values in the file
WHOLE = 255  # stands for certainty in the file
NOTHING = -1  # behind the end of a log
NAME, ENV = "equilibrium", "schnapsen_v0"
DIGITS = 6  # behind the point, of distances in results files
LONG = "chances", "values"  # of the file: one row of all states after another
LOSS = "leading: loss"  # by which the leaderboard ranks
KINDS = "close the stock", "exchange or marriage", "card to lead", "answer"
CLOSING, SHOWING, LEAD, ANSWER = range(4)


@dataclass(frozen=True)
class Solved:
    """A public state of the file.

    Attributes:
        number: in the file
        state: a true state of it, an array of one record
        value, gap: of its equilibrium, for the leader
        chances, values: float64[slots of the leader, in the order of the tree]: of the equilibrium
    """

    number: int
    state: np.ndarray
    value: float
    gap: float
    chances: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Distance:
    """The distance of an agent from the equilibrium in one public state, in game points a deal, at the lead
    and at the answer to it.

    Attributes:
        losses: float64[kinds]: against the equilibrium opponent
        exploited: float64[2]: by the best answer to its leads, and by the best lead to its answers; NaN where
            only some hands were asked
    """

    losses: np.ndarray
    exploited: np.ndarray


class Suite:
    """The public states of the file, of another one in its form, or of its content."""

    def __init__(self, source: Path | Mapping[str, np.ndarray] = FILE):
        self.game = make_game(ENV)
        self._content = _read(source) if isinstance(source, Path) else source
        self._starts = np.concatenate(([0], np.cumsum(self._content["sizes"].astype(np.int64))))
        self._last: tuple[int, Tree, np.ndarray] | None = None  # for one agent after another
        self._builder = TreeBuilder(self.game, 2 * len(self.game.deck))

    def __len__(self) -> int:
        return len(self._content["value"])

    def hash_of(self, number: int) -> str:
        """Of all that the file has of its first states. It stays when others are added."""
        written = hashlib.sha256()
        for name in sorted(self._content):
            part = self._content[name][: self._starts[number] if name in LONG else number]
            written.update(np.ascontiguousarray(part[part != NOTHING] if name == "logs" else part).tobytes())
        return written.hexdigest()[:16]

    def __getitem__(self, number: int) -> Solved:
        content, replay = self._content, Replay(self.game)
        states = replay.deal(content["decks"][number].tolist(), int(content["dealers"][number]))
        for action in content["logs"][number].tolist():
            if action == NOTHING:
                break
            played_on(self.game, states, np.array([[action]]))
        slots = slice(self._starts[number], self._starts[number + 1])
        return Solved(
            number,
            states,
            float(content["value"][number]),
            float(content["gap"][number]),
            content["chances"][slots] / WHOLE,
            content["values"][slots] * STEP,
        )

    def measure(self, agent: Agent | None, number: int, hands: int = 0) -> Distance:
        """The distance of an agent in one state.

        Args:
            agent: for this game; None: who takes the best action, averaged over all worlds, each played on
                with all cards known (an exact PIMC)
            number: of the state
            hands: how many decisions of the leader, and how many of the other seat, are asked, as they come
                up in the play of the equilibrium; 0: all
        """
        solved = self[number]
        if agent is not None:  # so that a state alone can be measured again
            agent.seed_for(SEED, Use.AGENTS, number)
        if self._last is None or self._last[0] != number:
            self._last = number, *self._tree(solved)
        _, tree, leads = self._last
        strategy = np.zeros(len(tree.actions), np.float32)
        strategy[leads] = solved.chances
        leader = int(solved.state[0]["seat"])
        values, _, shares = slot_values(tree, strategy, 1 - leader)
        values[leads] = solved.values
        mine = tree.owners == leader
        shares[mine] = np.bincount(tree.infos, play_value(tree, strategy, leader)[2], len(mine))[mine]
        weights = shares * np.where(mine, own_reach(tree, strategy), 1.0)
        infos = np.arange(len(mine))
        if hands:
            chance = np.random.default_rng([SEED, number])
            drawn = [
                chance.choice(len(mine), hands, p=np.where(role, weights, 0) / weights[role].sum())
                for role in (mine, ~mine)
            ]
            infos, counts = np.unique(np.concatenate(drawn), return_counts=True)
        if agent is None:
            best = best_means(self._builder.build(solved.state[0], self._worlds(solved)))
            asked = [best[tree.slots[info] : tree.slots[info + 1]] for info in infos]
        else:
            asked = play_of(agent, self.game, solved.state, self._worlds(solved), tree, infos, number)
        losses = np.zeros(len(KINDS))
        theirs = strategy.copy()
        for info, found in zip(infos.tolist(), asked, strict=True):
            theirs[tree.slots[info] : tree.slots[info + 1]] = found
        if hands:
            reached = np.zeros(len(mine))
            reached[infos] = counts / hands * np.where(mine[infos], weights[mine].sum(), weights[~mine].sum())
        else:
            reached = shares * np.where(mine, own_reach(tree, np.where(leads, theirs, strategy)), 1.0)
        add_losses(losses, tree, infos, mine, reached, values, strategy, theirs)
        if hands:
            return Distance(losses, np.full(2, np.nan))
        answered = response_value(tree, theirs * leads, 1 - leader)
        led = response_value(tree, theirs * ~leads, leader)
        return Distance(losses, np.array([answered + solved.value, led - solved.value]))

    def _tree(self, solved: Solved) -> tuple[Tree, np.ndarray]:
        """The tree of the present trick, in which closing ends with the value of the file, and the slots of
        the leader."""
        tree = self._builder.build(solved.state[0], self._worlds(solved))
        leader = int(solved.state[0]["seat"])
        leads = np.repeat(tree.owners == leader, np.diff(tree.slots))
        if leads.sum() != len(solved.values):
            raise InputError(
                f"bench: state {solved.number} has {leads.sum()} actions; the file {len(solved.values)}"
            )
        worth = np.zeros(len(tree.actions))
        worth[leads] = solved.values if leader == 0 else -solved.values
        slots = slots_of_edges(tree)
        closing = leads[slots] & (tree.actions[slots] == CLOSE)
        values = np.where(closing, worth[slots], tree.values)
        return tree._replace(values=values), leads

    def _worlds(self, solved: Solved) -> Worlds:
        return worlds_of(self.game, solved.state[0], MOST_WORLDS)


def add_losses(losses, tree, infos, mine, reached, values, strategy, theirs) -> None:
    """Add what an agent's play loses in information sets, by kind.

    Args:
        losses: float64[kinds], added to
        infos: int64[n], those in which the agent was asked
        mine: bool[infos of the tree]: those of the leader
        reached: float64[infos of the tree]: their weights
        values: float64[slots]: what each action brings, if both seats play on by the equilibrium
        strategy, theirs: float64[slots]: of the equilibrium and of the agent
    """
    for info in infos.tolist():
        slots = slice(tree.slots[info], tree.slots[info + 1])
        worth, weight = values[slots], reached[info]
        if not weight or np.isnan(worth).any():
            continue
        best = strategy[slots] @ worth if mine[info] else worth.max()
        usual = tree.actions[slots][(strategy[slots] if mine[info] else worth).argmax()]
        for action, chance, value in zip(tree.actions[slots], theirs[slots], worth, strict=True):
            kind = min(_kind(usual), _kind(action)) if mine[info] else ANSWER
            losses[kind] += weight * chance * (best - value)


def play_of(
    agent: Agent, game: Game, state: np.ndarray, worlds: Worlds, tree: Tree, infos: np.ndarray, seed: int
) -> list[np.ndarray]:
    """An agent's play in information sets of the tree of a public state, float64[its slots] for each."""
    own = tree.samples[infos]
    states = arranged(game, state, worlds.hands[own], worlds.stock[own], seed)
    paths = [tree.path(int(public)) for public in tree.publics[infos]]
    longest = max(map(len, paths))
    padded = np.array([path + [NOTHING] * (longest - len(path)) for path in paths], np.int64)
    played_on(game, states, padded.reshape(len(paths), longest))
    chances = chances_of(agent, turns_at(game, states))
    return [chances[i, tree.actions[tree.slots[info] : tree.slots[info + 1]]] for i, info in enumerate(infos)]


def best_means(tree: Tree) -> np.ndarray:
    """Certainty, float64[slots], for the action of each information set that is best, averaged over its
    worlds, if all cards are known from the next action on."""
    return best_of(tree, known_values(tree)[1])


def known_values(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The value of each history for seat 0 if all cards are known, float64[histories], and that of each
    action for the seat to act, added up over the histories of its information set, float64[slots]."""
    worth, values = np.zeros(len(tree.infos)), tree.values.astype(float)
    first_seat = tree.owners[tree.infos] == 0
    for start, stop in reversed([*pairwise(tree.levels.tolist())]):
        edges = slice(tree.edges[start], tree.edges[stop])
        inner = tree.ends[edges] >= 0
        values[edges][inner] = worth[tree.ends[edges][inner]]
        begins = tree.edges[start:stop] - tree.edges[start]
        most, least = (each.reduceat(values[edges], begins) for each in (np.maximum, np.minimum))
        worth[start:stop] = np.where(first_seat[start:stop], most, least)
    sums = np.bincount(slots_of_edges(tree), values, len(tree.actions))
    return worth, sums * np.repeat(np.where(tree.owners == 0, 1.0, -1.0), np.diff(tree.slots))


def best_of(tree: Tree, values: np.ndarray) -> np.ndarray:
    """Certainty, float64[slots], for the action of each information set with the highest value."""
    chosen = np.zeros(len(values))
    for start, stop in pairwise(tree.slots.tolist()):
        chosen[start + values[start:stop].argmax()] = 1.0
    return chosen


def _kind(action: int) -> int:
    """The kind of an action of the leader."""
    if action == CLOSE:
        return CLOSING
    return SHOWING if action == EXCHANGE or MELD <= action < MELD + 4 else LEAD


def turns_at(game: Game, states: np.ndarray) -> Turns:
    """The turns of the seats to act in true states, each seen by its seat."""
    lanes = Lanes(game, len(states))
    lanes.states[:] = states
    lanes.observe(np.arange(len(states)))
    return Turns.of(lanes, np.arange(len(states)))


def chances_of(agent: Agent, turns: Turns) -> np.ndarray:
    """The probability with which an agent takes each action, float64[n, actions]. One that only chooses is
    asked once for each turn."""
    mask = turns.mask
    if isinstance(agent, NetworkAgent) and not agent.greedy:
        observation = turns.observation(agent.sees, agent.observation)
        return np.exp(agent.log_probabilities(observation, mask).astype(float))
    if isinstance(agent, RandomAgent):
        return mask / mask.sum(axis=1, keepdims=True)
    chances = np.zeros(mask.shape)
    chances[np.arange(len(turns)), agent.act(turns.apart() if agent.outside else turns)] = 1.0
    return chances


def summary(found: Sequence[Distance]) -> dict[str, tuple[float, float]]:
    """The mean of each distance over states, and half of its 95 % interval; NaN where it was not measured."""
    losses = np.array([each.losses for each in found])
    exploited = np.array([each.exploited for each in found])
    columns = {
        LOSS: losses[:, :ANSWER].sum(axis=1),
        **{f"  {name}": losses[:, kind] for kind, name in enumerate(KINDS[:ANSWER])},
        "leading: exploitability": exploited[:, 0],
        "answering: loss": losses[:, ANSWER],
        "answering: exploitability": exploited[:, 1],
    }
    return {name: interval(column) for name, column in columns.items()}


def entry_of(suite: Suite, alias: str, text: str, found: Sequence[Distance], hands: int) -> dict[str, Any]:
    """The content of a results file."""
    rows = rows_of(found)
    return {
        "bench": VERSION,
        "suite": NAME,
        "agent": alias,
        "text": text,
        "states": len(found),
        "hands": hands,
        "positions": suite.hash_of(len(found)),
        **means_of(rows),
        "distances": rows,
        "agent_hash": agents_hash([text]),
        **provenance(suite.game, [text]),
    }


def rows_of(found: Sequence[Distance]) -> list[list[float | None]]:
    """Distances as a results file has them: a row for each state."""
    rows = np.round([[*each.losses, *each.exploited] for each in found], DIGITS).tolist()
    return [[None if np.isnan(number) else number for number in row] for row in rows]


def means_of(rows: Sequence[Sequence[float | None]]) -> dict[str, list[float] | None]:
    """The summary of such rows: a mean with half of its interval, or None where it was not measured."""
    found = [Distance(row[: len(KINDS)], row[len(KINDS) :]) for row in np.array(rows, float)]
    return {name: None if np.isnan(each[0]) else [*each] for name, each in summary(found).items()}


# Making the file


def public_states(game: Game, source: str, seed: int, down: int = 1) -> Iterator[np.ndarray]:
    """States at the lead with so many face-down cards of an open stock, from an agent's play with itself: one
    of each deal that comes there."""
    agent = make_agent_for(source, game)
    agent.seed_for(seed, Use.AGENTS)
    lanes, number = Lanes(game, 1), 0
    everyone = np.arange(1)
    while True:
        lanes.states["seed"] = stream_seed(seed, Use.PUZZLES, SOURCES.index(source))
        lanes.states["deal_number"] = number
        lanes.start(everyone, pass_over=False)
        number += 1
        states = lanes.states.copy()
        while states[0]["phase"] != Phase.DONE:
            state = states[0]
            if is_lead(game, state, down):
                yield states
                break
            if is_closed(state) or game.rules_record[0].deck_size == state["top"]:
                break
            played_on(game, states, agent.act(turns_at(game, states))[:, None])


def make_file(
    path: Path,
    number: int,
    gap: float = GAP,
    laid_open: int = LAID_OPEN,
    on_progress: Callable[[], None] = lambda: None,
) -> None:
    """Solve public states and write them to a file, after each tenth too. A file that holds some of them
    already is completed."""
    rows = _rows_of(path) if path.exists() else []
    for row in solved_rows(number, SEED, len(rows), gap, laid_open):
        rows.append(row)
        on_progress()
        if len(rows) % 10 == 0 or len(rows) == number:
            file = BytesIO()
            np.savez_compressed(file, **content_of(rows))
            write_whole(path, file.getvalue())


def solved_rows(
    number: int, seed: int, first: int = 0, gap: float = GAP, laid_open: int = LAID_OPEN
) -> Iterator[dict[str, Any]]:
    """Solve the public states of a seed from the first to so many, and give what a file has of each."""
    game = make_game(ENV)
    sources = [public_states(game, source, seed) for source in SOURCES]
    for turn in range(number):
        states = next(sources[turn % len(SOURCES)])
        if turn < first:
            continue
        found = solve_equilibrium(game, states, gap=gap, laid_open=laid_open)
        tree, leader = found.tree, int(states[0]["seat"])
        shown = [
            public
            for public in np.unique(tree.publics[tree.owners == leader]).tolist()
            if all(_kind(action) == SHOWING for action in tree.path(public))
        ]
        opened = (tree.owners == leader) & np.isin(tree.publics, shown)
        slots = np.flatnonzero(np.repeat(opened, np.diff(tree.slots)))
        values, _, _ = slot_values(tree, found.strategy, leader)
        yield {
            "decks": states[0]["deck"][: len(game.deck)].astype(np.int8),
            "dealers": np.int8(states[0]["dealer"]),
            "logs": np.array([action for _, action in log_entries(states[0])], np.int8),
            "value": np.float32(found.value),
            "gap": np.float32(found.gap),
            "chances": np.round(found.strategy[slots] * WHOLE).astype(np.uint8),
            "values": np.round(values[slots] / STEP).astype(np.int16),
        }


def _rows_of(path: Path) -> list[dict[str, Any]]:
    content = _read(path)
    starts = content.pop("sizes").cumsum()[:-1]
    for name in LONG:
        content[name] = np.split(content[name], starts)
    content["logs"] = [log[log != NOTHING] for log in content["logs"]]
    return [dict(zip(content, row, strict=True)) for row in zip(*content.values(), strict=True)]


def content_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The content of a file with these states."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    longest = max(map(len, columns["logs"]))
    columns["logs"] = [
        np.pad(log, (0, longest - len(log)), constant_values=NOTHING) for log in columns["logs"]
    ]
    sizes = np.array([len(each) for each in columns["chances"]], np.int32)
    joined = {
        name: np.concatenate(column) if name in LONG else np.stack(column) for name, column in columns.items()
    }
    return {**joined, "sizes": sizes}


def _read(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}

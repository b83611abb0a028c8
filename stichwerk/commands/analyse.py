"""Analyse a position: how agents rate each legal action, or what each is worth with all cards known.

stichwerk analyse --hand hA hT sK sQ dJ --trump hJ
stichwerk analyse --hand sA sT hQ dQ dJ --actions "play dK" --agents rules ppo:schnapsen search:schnapsen
stichwerk analyse --record deals.jsonl --deal 3 --step 5
stichwerk analyse --exact --seed 3 --actions "play hT"
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from stichwerk.agents import make_agents
from stichwerk.agents.core.spec import named
from stichwerk.agents.evaluation.playing.analysis import Analysis, analyse, analysis_rows, usual_agents
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.solver import best_line, solve
from stichwerk.cli import GameOptions, check_bounds, check_source, parse, seat_of
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.records.complete import PartialDeal, complete
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.notation import cards_in
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.terminal.progress import make_bar, print_table
from stichwerk.support.terminal.streams import legible

MOST = 10**12  # nodes: days
OF_POSITION = ("env", "rules", "hand", "trump", "seat", "actions", "dealer", "match", "deck")
OF_AGENTS = ("hand", "trump", "seat", "agents")
NODES, EXACT_NODES = 5_000_000, 100_000_000


@dataclass(frozen=True, kw_only=True)
class AnalyseOptions(GameOptions):
    """Print what the seat to act sees, and how agents rate its actions: the probability of each, and its
    expected game points. The position comes from a record or from the options. Everything else is drawn at
    random, in agreement with them.

    With --exact no agent is asked: the position is solved with all cards known. Print the cards, the game
    points of every legal action, and the best line to the end of the deal. Points are those of the side of
    the seat to act.
    """

    exact: bool = False
    """Solve the position with all cards known. A record of one seat is solved where that seat can tell all
    cards."""

    record: Path | None = None
    """A record with the deal, instead of options that set one up."""
    deal: int = 1
    """The number of the deal in the record, from 1."""
    step: int | None = None
    """The number of moves of the record to play first. The default is all of them, or those before the last
    move of a finished deal."""

    hand: tuple[str, ...] = ()
    """The cards that the seat to act holds, such as hA sT: all or some of them."""
    trump: str = ""
    """The trump suit, such as h, or the card that is turned up, such as hJ."""
    seat: str = ""
    """The seat to act, such as player_0 or 0. By default the dealer determines it."""
    actions: tuple[str, ...] = ()
    """The actions so far, such as 'play hA' 'play hJ'. 'discard ?' is any discard, and '?' any action."""
    dealer: str = ""
    """The seat that deals."""
    match: str = ""
    """The state of the match, such as '{score: [5, 6]}'. The default is a fresh match."""
    deck: tuple[str, ...] = ()
    """The cards in dealing order, with '?' for each unknown card. Those at the end may be omitted. With
    --exact give all cards; without it the seed shuffles them."""

    agents: tuple[str, ...] = ()
    """The agents, such as rules ppo:NAME search:NAME. NAME=AGENT gives one a name. The default is the
    rule-based player, the game's shipped network and rollout."""
    seed: int = 1
    """The seed of random cards and of the agents' random choices."""
    nodes: int | None = None
    """The most positions that the exact solver may visit, where all cards are known: 5,000,000, with --exact
    100,000,000."""

    def __post_init__(self):
        bounds = {"nodes": (1, MOST), "deal": (1, 10**9), "step": (0, 10**6), "seed": (0, 2**64 - 1)}
        check_bounds(self, bounds)
        check_source(self, "record", ("deal", "step"), (*OF_POSITION, *(("seed",) if self.exact else ())))
        check_source(self, "exact", (), OF_AGENTS)

    @property
    def most_nodes(self) -> int:
        return self.nodes or (EXACT_NODES if self.exact else NODES)


def main(arguments: Sequence[str]) -> None:
    options = parse(AnalyseOptions, arguments)
    if options.exact:
        solve_exactly(options)
        return
    with make_bar(transient=True) as bar:
        bar.add_task("analysing", total=None)
        game, deal, states = _recorded(options.record, options) if options.record else _set_up(options)
        agents = make_agents(named(options.agents), game)
        analysis = analyse(
            game, states, agents or usual_agents(game), options.seed, options.most_nodes, deal.seat is None
        )
    print(legible(game.text(analysis.view, analysis.seat)))
    print(f"{game.env_id}, player_{analysis.seat} to act")
    print_analysis(game, analysis)
    print("* the agent's choice; with probabilities, and game points of the deal with 95 % intervals")
    if analysis.too_large:
        print(f"no exact values: not solved within {options.most_nodes:,} nodes")


def _recorded(path: Path, options: AnalyseOptions) -> tuple[Game, DealRecord, np.ndarray]:
    """The position of a record."""
    game, deal = read_deal(path, options.deal)
    states = RecordReplay(game).at(deal, options.step)
    seat = int(states[0].seat)
    if deal.seat not in (None, seat):
        raise InputError(
            f"step: got one where player_{seat} is to act; expected player_{deal.seat}, whose record this is"
        )
    return game, deal, states


def _set_up(options: AnalyseOptions) -> tuple[Game, DealRecord, np.ndarray]:
    """A position that agrees with the other options."""
    game = options.game()
    partial = PartialDeal(
        deck=options.deck,
        dealer=seat_of(game, options.dealer, "dealer") if options.dealer else None,
        match=parse_yaml(options.match),
        actions=options.actions,
        seat=seat_of(game, options.seat, "seat") if options.seat else None,
        hand=options.hand,
        trump=options.trump,
    )
    deal = complete(game, partial, options.seed)
    return game, deal, RecordReplay(game).at(deal)


def print_analysis(game: Game, analysis: Analysis) -> None:
    """A row for each legal action, sorted by exact values, or by those of the first agent that has any."""
    heads, rows = analysis_rows(game, analysis)
    table = Table("action")
    for name in heads:
        table.add_column(name, justify="right")
    for action, cells in rows:
        table.add_row(str(action), *cells)
    print_table(table)


# With all cards known


def solve_exactly(options: AnalyseOptions) -> None:
    """Print the value of every legal action with all cards known, and the best line."""
    game, states = _known(options.record, options) if options.record else _dealt(options)
    with make_bar(transient=True) as bar:
        bar.add_task("solving", total=None)
        values = solve(game, states, options.most_nodes)
        line = best_line(game, states, values, options.most_nodes)
    print("\n".join(cards_in(game.scene(states, SPECTATOR))))
    table = Table("action")
    table.add_column("game points", justify="right")
    for action, value in sorted(values.items(), key=lambda each: -each[1]):
        table.add_row(action, f"{value:+g}")
    print(f"{game.env_id}, player_{states[0]['seat']} to act")
    print_table(table)
    moves = (move.in_words for move in line)
    print(f"best line: {'; '.join(moves)}")


def _known(path: Path, options: AnalyseOptions) -> tuple[Game, np.ndarray]:
    """The position of a record; InputError if some of its cards are drawn at random."""
    game, deal = read_deal(path, options.deal)
    replay = RecordReplay(game)
    states = replay.at(deal, options.step)
    if deal.seat is not None:
        view = replay.view(states, deal.seat)
        if ExactPlayer(game).only_world(view, deal.seat, options.seed) is None:
            given = f"one of player_{deal.seat}, who cannot tell all cards here"
            raise InputError(f"record: got {given}; expected one of all cards")
    return game, states


def _dealt(options: AnalyseOptions) -> tuple[Game, np.ndarray]:
    """The position that the options set up, of a whole deck or of one that the seed shuffles."""
    env = CardGameEnv(options.env, parse_yaml(options.rules))
    env.reset(
        seed=options.seed,
        options={
            "deck": list(options.deck) or None,
            "dealer": seat_of(env.game, options.dealer or "0", "dealer"),
            "match": parse_yaml(options.match),
            "actions": list(options.actions),
        },
    )
    return env.game, env.copy_state()

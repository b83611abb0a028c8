"""Solve a deal with all cards known: the exact value of every legal action.

stichwerk solve --env schnapsen_v0 --seed 3 --actions "play hT"
stichwerk solve --record deals.jsonl --deal 2 --step 6
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.solver import best_line, solve
from stichwerk.cli import GameOptions, check_bounds, check_source, parse, seat_of
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.notation import cards_in
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.progress import make_bar, print_table

MOST = 10**12  # nodes: days
OF_POSITION = ("env", "rules", "deck", "dealer", "match", "actions", "seed")


@dataclass(frozen=True, kw_only=True)
class SolveOptions(GameOptions):
    """Print the cards, the game points of every legal action, and the best line to the end of the deal.
    Points are those of the side of the seat to act."""

    record: Path | None = None
    """A record with the deal, in place of the options that set one up. One of a single seat is solved where
    that seat can tell all cards."""
    deal: int = 1
    """The number of the deal in the record, from 1."""
    step: int | None = None
    """The number of moves of the record to play first. Without it all of them are played, or those before the
    last move of a deal that is over."""

    deck: tuple[str, ...] = ()
    """All cards in dealing order, such as hA sT. Without it the seed shuffles them."""
    dealer: str = "player_0"
    """The seat that deals, such as player_1 or 1."""
    match: str = ""
    """The state of the match, such as '{score: [5, 6]}'. Without it the match is a fresh one."""
    actions: tuple[str, ...] = ()
    """The actions to play first, such as 'play hA' 'play hJ'."""
    seed: int = 1
    """The seed of the deal, if no deck is set."""
    nodes: int = 100_000_000
    """The greatest number of positions that the search may visit."""

    def __post_init__(self):
        check_bounds(self, {"nodes": (1, MOST), "deal": (1, 10**9), "step": (0, 10**6)})
        check_source(self, "record", ("deal", "step"), OF_POSITION)


def main(arguments: Sequence[str]) -> None:
    options = parse(SolveOptions, arguments)
    game, states = _recorded(options.record, options) if options.record else _set_up(options)
    with make_bar(transient=True) as bar:
        bar.add_task("solving", total=None)
        values = solve(game, states, options.nodes)
        line = best_line(game, states, values, options.nodes)
    print("\n".join(cards_in(game.scene(states, SPECTATOR))))
    table = Table("action")
    table.add_column("game points", justify="right")
    for action, value in sorted(values.items(), key=lambda each: -each[1]):
        table.add_row(action, f"{value:+g}")
    print(f"{game.env_id}, player_{states[0]['seat']} to act")
    print_table(table)
    moves = (move.in_words for move in line)
    print(f"best line: {'; '.join(moves)}")


def _recorded(path: Path, options: SolveOptions) -> tuple[Game, np.ndarray]:
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


def _set_up(options: SolveOptions) -> tuple[Game, np.ndarray]:
    """The position that the other options set up."""
    env = CardGameEnv(options.env, parse_yaml(options.rules))
    env.reset(
        seed=options.seed,
        options={
            "deck": list(options.deck) or None,
            "dealer": seat_of(env.game, options.dealer, "dealer"),
            "match": parse_yaml(options.match),
            "actions": list(options.actions),
        },
    )
    return env.game, env.copy_state()

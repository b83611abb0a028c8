"""Auctions as the highest bid of each player, and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stichwerk.envs.bridges.ppn.form import HAND_GAMES, NO_TRUMPS
from stichwerk.envs.games.preferans.state import Phase
from stichwerk.envs.records.deal import Move
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError


def bids_of(moves: Iterable[Move], order: Sequence[int]) -> list[str]:
    """The highest bid of each player: P, a number, M and a number that was held, G for igra with its game."""
    bids, level = dict.fromkeys(order, "P"), 0
    several = sum(move.action.startswith("igra") for move in moves) > 1  # who name their games in the auction
    for move in moves:
        verb, _, argument = move.action.partition(" ")
        if verb == "bid":
            held = int(argument) == level
            bids[move.seat], level = ("M" if held else "") + argument, int(argument)
        elif move.action in HAND_GAMES:
            bids[move.seat] = f"G{HAND_GAMES[move.action]}"
        elif verb == "igra":
            bids[move.seat] = "G"
        elif verb == "declare" and bids[move.seat] == "G" and several:
            bids[move.seat] += argument
    return [bids[seat] for seat in order]


def names_late(moves: Sequence[Move]) -> bool:
    """True if a plain igra names a game without trumps among several; it is written as that call itself."""
    callers = {move.seat for move in moves if move.action.startswith("igra")}
    plain = {move.seat for move in moves if move.action == "igra"}
    return len(callers) > 1 and any(move.seat in plain and move.action in NO_TRUMPS for move in moves)


def auction_of(
    replay: RecordReplay, bids: Sequence[str], order: Sequence[int], options: Mapping[str, Any], declarer: int
) -> list[str]:
    """The calls that lead to these highest bids, found among all auctions that the rules allow.

    Args:
        bids: of the players in order of dealing
        declarer: the seat that won; -1: nobody

    Raises:
        InputError: no auction does.
    """
    alone = sum(bid.startswith("G") for bid in bids) == 1
    named = [bid[:1] if alone and bid.startswith("G") else bid for bid in bids]  # igra, and no more was said
    for wanted in dict.fromkeys([tuple(bids), tuple(named)]):
        waiting: list[tuple[list[Move], np.ndarray]] = [([], replay.dealt(options))]
        while waiting:
            moves, states = waiting.pop()
            state = states[0]
            if names_late(moves):
                continue
            if state.over or state.phase != Phase.AUCTION:
                if int(state.declarer) == declarer and bids_of(moves, order) == [*wanted]:
                    return [move.action for move in moves]
                continue
            for action in reversed(replay.legal(states)):
                there = [*moves, Move(int(state.seat), action)]
                if all(map(_may_become, bids_of(there, order), wanted)):
                    further = states.copy()
                    replay.apply(further, action)
                    waiting.append((there, further))
    raise InputError(f"bids: got {','.join(bids)}; expected those of an auction that these rules allow")


def _may_become(bid: str, wanted: str) -> bool:
    """True if a player whose highest bid is the first may still end with the second."""
    if bid in ("P", wanted):
        return True
    if bid.startswith("G") or wanted.startswith("G"):
        return bid == "G" and wanted.startswith("G")
    return wanted != "P" and int(bid.removeprefix("M")) <= int(wanted.removeprefix("M"))

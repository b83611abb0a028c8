"""The part of a game's state that every game has: randomness, deal, seat to act, result, and the log of actions."""

import numpy as np


def shared_ranges(players: int, cards: int, log_size: int, actions: int) -> dict[str, tuple[int, int]]:
    """The ranges of the shared fields; see `Game.ranges`."""
    return {
        "match": (0, 1),
        "over": (0, 1),
        "deck_is_set": (0, 1),
        "deck": (-1, cards - 1),
        "dealer": (0, players - 1),
        "seat": (0, players - 1),
        "log_size": (0, log_size),
        "log_seat": (0, players - 1),
        "log_action": (0, actions - 1),
    }


def state_dtype(players: int, pack_size: int, log_size: int, fields: list) -> np.dtype:
    """The record dtype of a game's state: the shared head, then the game's own fields.

    An all-zero record is not a state yet: `stichwerk.envs.core.loops` starts episodes and each game's `deal` fills in the rest.
    """
    head = [
        ("seed", np.int64),  # of the lane; hidden from every seat
        ("random", np.int64),  # the generator's state; hidden from every seat
        ("match", np.int64),  # 1: deals follow each other until the match is decided
        ("deal_number", np.int64),  # of this lane, from 0
        ("deck_is_set", np.int64),  # 1: the next deal takes `deck` as it stands instead of shuffling
        ("deck", np.int8, (pack_size,)),  # the cards in dealing order; hidden from every seat
        ("dealer", np.int64),  # -1: to be drawn from the deal's random numbers
        ("seat", np.int64),  # to act
        ("over", np.int64),  # the episode has ended
        ("reward", np.float64, (players,)),  # of the episode, once it is over
        ("deals_done", np.int64),  # in this episode
        ("deal_points", np.float64, (players,)),  # reward of the last deal that ended
        ("log_size", np.int64),
        ("log_seat", np.int8, (whole_words(log_size),)),  # who acted, since the last deal
        ("log_action", np.int8, (whole_words(log_size),)),  # and what
    ]
    dtype = np.dtype([*head, *fields], align=True)
    assert dtype.itemsize == np.dtype([*head, *fields]).itemsize, "gaps between fields would hold whatever was in memory"
    return np.dtype((np.record, dtype))


def whole_words(size: int) -> int:
    """A number of bytes rounded up to whole 64-bit words."""
    return -(-size // 8) * 8

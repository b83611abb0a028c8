"""The part of a game's state that every game has: randomness, deal, seat to act, result, and the log of
actions."""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from stichwerk.envs.spec.fields import (
    ANY_NUMBER,
    FLAG,
    Field,
    Kind,
    Knowers,
    StateLayout,
    card,
    count,
    member,
    packed,
    points,
    seat,
)

MOST_DEALS = (1 << 31) - 1  # in an episode
MOST_NUMBERS = 1 << 62  # of deals in a lane, with room to count on


def state_layout(
    fields: Sequence[Field],
    *,
    seats: int,
    kinds: int,
    deck: int,
    phases: type[IntEnum],
    actions: int,
    longest_deal: int,
    paid_in: type = np.float64,
    deck_known: Knowers = "nobody",
) -> StateLayout:
    """All fields of a game: those of every game, then its own.

    Args:
        fields: the game's own
        seats: how many there are, at most
        kinds: the number of different cards
        deck: the number of cards in all
        phases: the decision nodes. They begin with the one that a fresh deal is in, and end with the one of a
            deal that is over
        actions: how many there are
        longest_deal: actions in a deal, at most
        paid_in: a type that holds all game points exactly
        deck_known: "owner" where cards are given to hands by `deal_card` alone. The state then holds who got
            each card of the deck, and a seat knows its own cards there and those that `turn_up` shows. "some"
            where the game's `redact` leaves each seat the cards of the deck that it got
    """
    shared = (
        # A seat that knew its deal's number could tell in another seating which cards the others had.
        Field("deal_number", Kind(0, MOST_NUMBERS), (), "of this lane, from 0", known="nobody", lasts="lane"),
        Field("seed", ANY_NUMBER, (), "of the lane", known="nobody", lasts="lane"),
        Field("random", ANY_NUMBER, (), "state of the generator", known="nobody", lasts="lane"),
        Field(
            "deck",
            card(kinds),
            deck,
            "the cards in dealing order",
            known="some" if deck_known == "owner" else deck_known,
            lasts="lane",
        ),
        Field(
            "deck_is_set", FLAG, (), "the next deal takes `deck` as it stands", known="nobody", lasts="lane"
        ),
        Field("match", FLAG, (), "deals follow each other until the match is decided", lasts="match"),
        Field("reward", points(paid_in), seats, "of the episode, once it is over", lasts="match"),
        Field("deal_points", points(paid_in), seats, "reward of the last deal that ended", lasts="match"),
        Field("deals_done", count(MOST_DEALS), (), "in this episode", lasts="match"),
        Field("over", FLAG, (), "the episode has ended", lasts="match"),
        Field("dealer", seat(seats), (), "NONE: to be drawn from the deal's random numbers", lasts="match"),
        Field("seat", seat(seats, always=True), (), "to act"),
        Field("phase", member(phases), (), "decision node"),
        Field("log_size", count(longest_deal), (), "actions in this deal so far"),
        *(deck_fields(seats, deck, longest_deal) if deck_known == "owner" else ()),
        Field("log", packed((actions + 1) * seats - 1), longest_deal, "who did what; see `log.py`"),
    )
    return StateLayout([*shared, *fields], seats, len(shared))


def deck_fields(seats: int, deck: int, longest_deal: int) -> list[Field]:
    """The fields for the owner of each card of the deck, the time it came, and the cards that lie face up."""
    return [
        Field("deck_owner", seat(seats), deck, "who got each card of the deck"),
        Field("deck_time", count(longest_deal), deck, "after how many actions of the deal"),
        Field(
            "deck_open", Kind(0, (1 << deck) - 1), (), "positions of the deck that all have seen, as a set"
        ),
    ]

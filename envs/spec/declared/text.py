"""Texts and pictures that derive from declarations: the fields that a seat knows, one a line."""

from collections.abc import Callable, Sequence
from enum import IntEnum

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, Pack, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import (
    Line,
    cards_text,
    headline,
    last_action,
    results,
    suit_symbol,
    to_act,
)
from stichwerk.envs.spec.fields import Field, StateLayout
from stichwerk.envs.spec.scene import Hand, Pile, Scene, faces, seats_from

MOST_PILES = 2


def fields_lines(
    layout: StateLayout, pack: Pack, actions: Sequence[Action], players: int, view: np.record, seat: int
) -> list[Line]:
    """The view of a seat: the deal, the game's own fields, the last action, and the seat to act.

    Args:
        layout: the fields of the game.
        pack: the names of its cards.
        actions: the names of its actions.
        players: how many seats there are.
        view: the redacted state, one record.
        seat: the seat that reads.
    """
    lines = [headline(view)]
    for field in layout.own:
        if field.known != "nobody":
            words = _field_words(layout, field, pack, players, view, seat)
            lines.append(Line(words, field.name.replace("_", " ")))
    lines += last_action(view, actions, hidden="hidden")
    if view.over:
        return [*lines, results(view.deal_points[:players])]
    return [*lines, to_act(view.seat, _name(layout.words("phase")(int(view.phase))))]


def _field_words(
    layout: StateLayout, field: Field, pack: Pack, players: int, view: np.record, seat: int
) -> str:
    """The values of a field; a row of each seat, of which an owner reads the own one alone."""
    value = _words_by_kind(layout, field, pack)
    numbers = np.asarray(view[field.name])
    if not field.has_rows:
        return _listed(value, numbers)
    if field.known == "owner":
        return _listed(value, numbers[seat])
    return ", ".join(f"player_{owner} {_listed(value, numbers[owner])}" for owner in range(players))


def _listed(value: Callable[[int], str], numbers: np.ndarray) -> str:
    """Values with blanks between them, without those at the end that stand for nothing."""
    listed = [value(number) for number in np.ravel(numbers).tolist()]
    while len(listed) > 1 and listed[-1] == "-":
        listed.pop()
    return " ".join(listed)


def _words_by_kind(layout: StateLayout, field: Field, pack: Pack) -> Callable[[int], str]:
    """A function that writes a value of a field, with a hyphen for none."""
    words: dict[str, Callable[[int], str]] = {
        "card": lambda card: pretty(pack.names[card]),
        "cards": lambda cards: cards_text(pack, cards, "-"),
        "suit": suit_symbol,
        "suits": lambda suits: "".join(suit_symbol(suit) for suit in range(4) if suits >> suit & 1) or "-",
        "seat": "player_{}".format,
        "seats": lambda seats: " ".join(f"player_{seat}" for seat in range(63) if seats >> seat & 1) or "-",
        "word": lambda word: _name(layout.words(field.name)(word)),
        "number": "{}".format,
    }
    may_be_none = field.kind.holds in ("card", "suit", "seat")
    return lambda value: "-" if may_be_none and value == NONE else words[field.kind.holds](value)


def _name(word: IntEnum) -> str:
    return word.name.lower().replace("_", " ")


def hand_field(layout: StateLayout) -> str:
    """The name of the set of cards that each seat alone knows of itself; empty: there is none."""
    sets = (field for field in layout.own if field.kind.holds == "cards" and field.known == "owner")
    return next((field.name for field in sets if field.dtype.shape == (layout.seats,)), "")


def fields_scene(
    layout: StateLayout,
    pack: Pack,
    actions: Sequence[Action],
    players: int,
    lines: Sequence[Line],
    view: np.record,
    seat: int,
) -> Scene:
    """Lines with hands and piles as they are declared.

    The hand of a seat is `hand_field`. Of other hands the number of cards is shown, if owners know their
    cards in the deck. A card with a row for each seat that all know lies before that seat. At most two single
    cards that all know are piles.

    Args:
        layout: the fields of the game.
        pack: the names of its cards.
        actions: the names of its actions.
        players: how many seats there are.
        lines: of the text.
        view: the redacted state or, for SPECTATOR, the true one: one record.
        seat: the seat in front, or SPECTATOR.
    """
    hand = hand_field(layout)
    by_seat = [field for field in layout.own if field.by_seat and field.dtype.shape == (layout.seats,)]
    table = next((f.name for f in by_seat if f.kind.holds == "card" and f.known == "all"), "")
    single = [f.name for f in layout.own if f.kind.holds == "card" and f.known == "all" and not f.dtype.shape]
    log = log_entries(view)
    hands = []
    for owner in seats_from(seat, players):
        held = int(view[hand][owner]).bit_count()
        if "deck_owner" in (view.dtype.names or ()):
            laid = [action for actor, action in log if actor == owner and actions[action].card is not None]
            held = int((view.deck_owner == owner).sum()) - len(laid)
        played = pack.names[view[table][owner]] if table and view[table][owner] != NONE else None
        hands.append(Hand(owner, faces(pack, int(view[hand][owner]), held), (), played))
    piles = [Pile(name.replace("_", " "), (pack.names[view[name]],)) for name in single if view[name] != NONE]
    turn = NONE if view.over else int(view.seat)
    return Scene(tuple(lines), tuple(hands), tuple(piles[:MOST_PILES]), dealer=int(view.dealer), turn=turn)

"""The game as a picture."""

from collections.abc import Iterator

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.text import lead_line, seat_name, tricks_won
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    BETL,
    SPADES,
    TALON,
    TRUMP_SUIT,
    Phase,
    cards_held,
    discards_of,
    hand_of,
    place_of,
    talon_of,
)
from stichwerk.envs.games.preferans.text import (
    GAME_ROLES,
    contract_lines,
    headline,
    last_line,
    role,
    sheet_rows,
    trick_cards,
    turn_line,
)
from stichwerk.envs.spec.scene import BACK, Hand, Pile, Scene, face_up, faces, seats_from
from stichwerk.support.language import tr


def scene(rules: np.record, view: np.record, seat: int) -> Scene:
    """The scene as a seat sees it, from its redacted view, or a spectator, from the true state."""
    return Scene(
        lines=(
            headline(view),
            *contract_lines(view),
            *(lead_line(seat) for seat, _ in trick_cards(view)[:1]),
            *last_line(view),
            turn_line(rules, view),
        ),
        hands=tuple(_hand(rules, view, owner) for owner in seats_from(seat, rules.players)),
        piles=tuple(_piles(view)),
        dealer=view.dealer,
        turn=NONE if view.phase == Phase.DONE else view.seat,
        sheet=tuple(sheet_rows(rules, view)),
        trump=_trump(view),
    )


def _hand(rules: np.record, view: np.record, owner: int) -> Hand:
    if place_of(rules, view, owner) >= ACTIVE:
        return Hand(owner, (), (tr("sits out"),))
    return Hand(
        owner,
        faces(PACK, hand_of(view, owner), cards_held(view, owner)),
        (*role(view, owner), tricks_won(view.tricks[owner])),
        dict(trick_cards(view)).get(owner),
        int(view.tricks[owner]),
    )


def _trump(view: np.record) -> str:
    """The trump suit, or the name of a game without one; empty before the game is declared."""
    if not view.game:
        return ""
    game = view.game - SPADES
    return SUITS[TRUMP_SUIT[game]] if view.game < BETL else tr(GAME_ROLES[game])


def _piles(view: np.record) -> Iterator[Pile]:
    """The talon, which stays there for all to read once it was turned up, and what was discarded."""
    talon, declarer = talon_of(view), seat_name(view.declarer)
    if not talon:
        yield Pile(tr("talon"), (BACK,) * TALON)
        return
    yield Pile(tr("talon, taken by {seat}", seat=declarer), faces(PACK, talon, TALON))
    if view.surplus < TALON:
        yield Pile(
            tr("discarded by {seat}", seat=declarer),
            face_up(PACK.cards(discards_of(view)), TALON - view.surplus),
        )

"""The game as a picture."""

from collections.abc import Iterator

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.text import counted, lead_line
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    TALON,
    Phase,
    cards_held,
    discards_of,
    hand_of,
    place_of,
    talon_of,
)
from stichwerk.envs.games.preferans.text import (
    contract_lines,
    headline,
    last_line,
    role,
    sheet_rows,
    trick_cards,
    turn_line,
)
from stichwerk.envs.spec.scene import BACK, Hand, Pile, Scene, face_up, faces, seats_from


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
    )


def _hand(rules: np.record, view: np.record, owner: int) -> Hand:
    if place_of(rules, view, owner) >= ACTIVE:
        return Hand(owner, (), ("sits out",))
    return Hand(
        owner,
        faces(PACK, hand_of(view, owner), cards_held(view, owner)),
        (*role(view, owner), counted(view.tricks[owner], "trick")),
        dict(trick_cards(view)).get(owner),
        int(view.tricks[owner]),
    )


def _piles(view: np.record) -> Iterator[Pile]:
    """The talon, which stays there for all to read once it was turned up, and what was discarded."""
    talon = talon_of(view)
    if not talon:
        yield Pile("talon", (BACK,) * TALON)
        return
    yield Pile(f"talon, taken by player_{view.declarer}", faces(PACK, talon, TALON))
    if view.surplus < TALON:
        yield Pile(
            f"discarded by player_{view.declarer}",
            face_up(PACK.cards(discards_of(view)), TALON - view.surplus),
        )

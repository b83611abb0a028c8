"""The game as a picture."""

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.text import (
    Line,
    card_points,
    headline,
    last_action,
    lead_line,
    seat_name,
    suit_symbol,
)
from stichwerk.envs.games.snapszer.hidden import cards_held
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import ACTIONS, SEATS, Phase, forehand, trump
from stichwerk.envs.games.snapszer.text import counts, marriage, score, turn_line
from stichwerk.envs.spec.scene import Hand, Pile, Scene, faces, seats_from
from stichwerk.support.language import tr


def scene(rules: np.record, view: np.record, seat: int) -> Scene:
    """The scene as a seat sees it, from its redacted view, or a spectator, from the true state."""
    return Scene(
        lines=(
            headline(view, score(rules, view)),
            *_trump(view),
            *([] if view.best == NONE else [lead_line(view.leader, marriage(view))]),
            *last_action(view, ACTIONS),
            turn_line(view),
        ),
        hands=tuple(_hand(view, owner) for owner in seats_from(seat, SEATS)),
        piles=() if view.named == NONE else (_named(view),),
        dealer=view.dealer,
        turn=NONE if view.phase == Phase.DONE else view.seat,
        trump="" if view.named == NONE else SUITS[trump(view)],
        score=(tuple(view.score.tolist()), int(rules.target)),
    )


def _trump(view: np.record) -> list[Line]:
    return [] if view.named == NONE else [Line(suit_symbol(trump(view)), tr("trump"))]


def _hand(view: np.record, owner: int) -> Hand:
    card = view.table[owner]
    return Hand(
        owner,
        faces(PACK, view.hand[owner] | view.shown[owner], cards_held(view, owner)),
        (*_role(view, owner), counts(view, owner)),
        None if card == NONE else PACK.names[card],
        int(view.tricks[owner]),
        card_points(view.points[owner]),
    )


def _role(view: np.record, owner: int) -> list[str]:
    """The role of a seat, if the record tells it."""
    if owner == forehand(view):
        return [tr("forehand, alone") if view.holder == owner else tr("forehand")]
    if view.holder == NONE:
        return []
    return [tr("partner") if view.holder == owner else tr("opponent")]


def _named(view: np.record) -> Pile:
    return Pile(tr("named by {seat}", seat=seat_name(forehand(view))), (PACK.names[view.named],))

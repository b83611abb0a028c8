"""The game as a picture."""

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.text import card_points, headline, last_action, lead_line
from stichwerk.envs.games.schnapsen.hidden import cards_held
from stichwerk.envs.games.schnapsen.options import MEMORY_OF_TABLE, PACK
from stichwerk.envs.games.schnapsen.state import ACTIONS, SEATS, Phase, drawable, face_down
from stichwerk.envs.games.schnapsen.text import counts, marriage, score, stock_line, turn_line
from stichwerk.envs.spec.scene import BACK, Hand, Pile, Scene, faces, seats_from
from stichwerk.support.language import trn


def scene(rules: np.record, view: np.record, seat: int) -> Scene:
    """The scene as a seat sees it, from its redacted view, or a spectator, from the true state."""
    first, second = seats_from(seat, SEATS)
    return Scene(
        lines=(
            headline(view, score(rules, view)),
            stock_line(rules, view),
            *([] if view.led == NONE else [lead_line(view.leader, marriage(view))]),
            *last_action(view, ACTIONS),
            turn_line(rules, view),
        ),
        hands=(_hand(rules, view, first, first), _hand(rules, view, first, second)),
        piles=_stock(rules, view),
        dealer=view.dealer,
        turn=NONE if view.phase == Phase.DONE else view.seat,
        trump=SUITS[view.trump],
        score=(tuple(view.score.tolist()), int(rules.target)),
    )


def _hand(rules: np.record, view: np.record, seat: int, owner: int) -> Hand:
    known = view.hand[owner] | view.shown[owner]
    cards = faces(PACK, known, cards_held(view, seat, owner))
    played = PACK.names[view.led] if view.led != NONE and view.leader == owner else None
    points = "" if rules.memory == MEMORY_OF_TABLE else card_points(view.points[owner])
    return Hand(owner, cards, (counts(rules, view, owner),), played, int(view.tricks[owner]), points)


def _stock(rules: np.record, view: np.record) -> tuple[Pile, ...]:
    """The card turned up and a back for those above it; a closed stock shows the back first."""
    if view.indicator == NONE:
        return ()
    card, closed = PACK.names[view.indicator], not drawable(rules, view)
    down = face_down(rules, view)
    if closed:
        label = trn("closed, {n} card face down", "closed, {n} cards face down", down)
    else:
        label = trn("stock, {n} card face down", "stock, {n} cards face down", down)
    return (Pile(label, (BACK, card) if closed else (card, BACK)),)

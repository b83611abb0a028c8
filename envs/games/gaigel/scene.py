"""The game as a picture."""

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.text import Line, headline, lead_line
from stichwerk.envs.games.gaigel.cards.trick import lies_face_down
from stichwerk.envs.games.gaigel.options import PACK, TOKENS
from stichwerk.envs.games.gaigel.state import CARDS, Phase, side_of
from stichwerk.envs.games.gaigel.text import (
    last_line,
    match_line,
    names_of,
    opened,
    side_counts,
    signal,
    talon_line,
    turn_line,
)
from stichwerk.envs.spec.scene import BACK, SPECTATOR, Hand, Pile, Scene, face_up, seats_from
from stichwerk.support.language import tr, trn


def scene(rules: np.record, view: np.record, seat: int) -> Scene:
    """The scene as a seat sees it, from its redacted view, or a spectator, from the true state."""
    sides = side_counts(rules, view, seat)
    hands = tuple(_hand(rules, view, seat, owner) for owner in seats_from(seat, rules.players))
    on_table = any(hand.played is not None for hand in hands)
    return Scene(
        lines=(
            headline(view, match_line(rules, view)),
            talon_line(view),
            *(Line(text, tr("and") if side else tr("sides")) for side, text in enumerate(sides)),
            *([Line(opened(view), tr("opened"))] if opened(view) else []),
            *([lead_line(view.leader)] if on_table else []),
            *last_line(view),
            turn_line(rules, view),
        ),
        hands=hands,
        piles=_talon(view),
        dealer=view.dealer,
        turn=NONE if view.phase == Phase.DONE else view.seat,
        trump=SUITS[view.trump],
        score=None
        if rules.score == TOKENS
        else (tuple(view.score[: rules.side_count].tolist()), int(rules.target)),
    )


def _hand(rules: np.record, view: np.record, seat: int, owner: int) -> Hand:
    hidden, card = lies_face_down(rules, view, owner), view.table[owner]
    notes = []
    if seat not in (SPECTATOR, owner) and side_of(rules, seat) == side_of(rules, owner):
        notes.append(tr("partner"))
    if view.signal[owner] != NONE:
        notes.append(signal(view, owner).removeprefix(", "))
    if hidden:
        notes.append(tr("face down"))
    played = PACK.names[card] if card != NONE else BACK if hidden else None
    known = names_of(view.hand[owner] | view.shown[owner])
    won = view.tricks[owner] if side_of(rules, owner) == owner else 0  # the first of a side keeps them
    return Hand(owner, face_up(known, view.held[owner]), tuple(notes), played, int(won))


def _talon(view: np.record) -> tuple[Pile, ...]:
    if view.indicator == NONE:
        return ()
    label = trn("talon, {n} card face down", "talon, {n} cards face down", CARDS - view.top)
    return (Pile(label, (PACK.names[view.indicator], BACK)),)

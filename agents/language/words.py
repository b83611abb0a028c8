"""Words that questions to a seat share."""

from collections.abc import Sequence

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.spec.game import Game

HIDDEN = "an action that you do not see"
CARDS = """\
A card is its suit and its rank. Suits are s or ♠, h or ♥, d or ♦, c or ♣; T is the ten, as in hT or ♥T."""


def seat_line(game: Game, seat: int) -> str:
    """The line that names the reader's seat, and the seats that are always on its side."""
    partners = [
        f"player_{each}" for each, side in enumerate(game.sides) if side == game.sides[seat] and each != seat
    ]
    return f"You are player_{seat}{' with ' if partners else ''}{' and '.join(partners)}."


def choices(legal: Sequence[str]) -> str:
    """The legal actions with their numbers, and how to answer."""
    numbered = [f"{number}. {name}" for number, name in enumerate(legal, start=1)]
    how = f"Answer with one action, by number or name, such as: ACTION: {legal[0]}"
    return "\n".join(["Legal actions:", *numbered, how])


def seen(game: Game, view: np.ndarray, seat: int, since: int = 0) -> str:
    """The events that a seat has seen, and the table as it sees it.

    Args:
        game: with its rules
        view: the state redacted for the seat, an array of one record
        seat: the seat that reads
        since: the number of the first action to tell, of those that the seat knows of
    """
    happened = []
    for actor, action in log_entries(view[0])[since:]:
        done = HIDDEN if action == NONE else game.actions[action]
        happened.append(f"player_{actor}{' (you)' if actor == seat else ''}: {done}")
    return "\n".join([*happened, *([""] if happened else []), game.text(view, seat)])


def question(game: Game, view: np.ndarray, seat: int, legal: Sequence[str], since: int = 0) -> str:
    """The question to the seat to act: what it has seen, with its legal actions."""
    return f"{seen(game, view, seat, since)}\n\n{choices(legal)}"

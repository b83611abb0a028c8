"""Words that the texts of all games share."""

from collections.abc import Iterable, Sequence

import numpy as np

from stichwerk.envs.core.cards import NONE, SUIT_SYMBOLS, SUITS, Pack, pretty
from stichwerk.envs.core.log import log_entries


def suit_symbol(suit: int) -> str:
    return SUIT_SYMBOLS[SUITS[suit]]


def cards_text(pack: Pack, mask: int, none: str = "") -> str:
    """A set of cards with their suits as symbols, or what stands for none."""
    return " ".join(map(pretty, pack.cards(mask))) or none


def counted(number: int, noun: str) -> str:
    """`1 trick`, `2 tricks`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def deal_in_episode(view: np.record) -> int:
    """The number of this deal in the episode, from 1."""
    return int(view.deals_done + (not view.over))


def results(points: Iterable[float], form: str = "+z.10g") -> str:
    """The points of each seat in a deal that is over, without a negative zero."""
    rounded = (round(each, 2) for each in points)
    return "over      " + ", ".join(f"player_{seat} {each:{form}}" for seat, each in enumerate(rounded))


def lead_line(leader: int, more: str = "") -> str:
    """The line that names the leader of the present trick."""
    return f"lead      player_{leader}{more}"


def last_action(view: np.record, actions: Sequence[str], hidden: str = "") -> list[str]:
    """The line of the latest action of the deal, if there is one; `hidden` stands for an action that this
    seat may not know."""
    if not view.log_size:
        return []
    seat, action = log_entries(view)[-1]
    return [f"last      player_{seat}: {hidden if action == NONE else actions[action]}"]

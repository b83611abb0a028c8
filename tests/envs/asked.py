"""What the tests of refusals share: an illegal action in a position, and what is true of it.

A game's `reasons.py` has `REASONS`, which says of every refusal of the game, as a pattern, when it is true.
It reads the true state and the names of cards and options, and none of the game's own rules.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stichwerk.envs import Game
from stichwerk.envs.core.actions import Action

SUIT_NAMES = {"spades": "s", "hearts": "h", "diamonds": "d", "clubs": "c"}
SYMBOLS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


@dataclass(frozen=True)
class Asked:
    """An action that is not legal for the seat to act.

    Attributes:
        state: the true one
        ranks: of the pack, the weakest first
        cards: on the table in the order of play, by name
        trump: the letter of the trump suit; empty: none
    """

    game: Game
    state: np.record
    action: Action
    legal: frozenset[str]
    hand: tuple[str, ...]
    cards: tuple[str, ...] = ()
    trump: str = ""

    @property
    def rules(self) -> Any:
        return self.game.rules

    @property
    def seat(self) -> int:
        return int(self.state.seat)

    @property
    def card(self) -> str:
        assert self.action.card
        return self.action.card

    @cached_property
    def playable(self) -> set[str]:
        """The cards that may be played."""
        return {each.removeprefix("play ") for each in self.legal if each.startswith("play ")}

    @property
    def asks_for_card(self) -> bool:
        """Whether a card may be laid, but not this one."""
        return self.action.card is not None and any(
            each.startswith(f"{self.action.verb} ") for each in self.legal
        )

    def beats(self, card: str, other: str) -> bool:
        """Whether a card takes the trick from another one that was played before."""
        if card[0] == other[0]:
            ranks = self.game.pack.ranks
            return ranks.index(card[1]) < ranks.index(other[1])
        return card[0] == self.trump

    @property
    def best(self) -> str:
        best = self.cards[0]
        for card in self.cards[1:]:
            best = card if self.beats(card, best) else best
        return best

    def holds(self, suit: str) -> bool:
        return any(card[0] == suit for card in self.hand)


Reasons = Mapping[str, Callable[..., bool]]
"""Patterns, each with a function of what was asked and of the groups of the pattern."""
CARD = r"([♠♥♦♣])(\w)"
SUIT = r"(spades|hearts|diamonds|clubs)"


def not_in_hand(asked: Asked, symbol: str, rank: str) -> bool:
    return asked.asks_for_card and asked.card == SYMBOLS[symbol] + rank and asked.card not in asked.hand


def must_follow(asked: Asked, suit: str) -> bool:
    led = SUIT_NAMES[suit]
    return asked.cards[0][0] == led and asked.holds(led) and asked.card[0] != led and asked.card in asked.hand


def must_trump(asked: Asked, suit: str, trumps: str) -> bool:
    led, trump = SUIT_NAMES[suit], SUIT_NAMES[trumps]
    return (
        (asked.cards[0][0], asked.trump) == (led, trump)
        and not asked.holds(led)
        and asked.holds(trump)
        and asked.card[0] != trump
        and asked.card in asked.hand
    )


def must_beat(asked: Asked, symbol: str, rank: str) -> bool:
    best = SYMBOLS[symbol] + rank
    stronger = {card for card in asked.hand if asked.beats(card, best)}
    return (
        asked.best == best
        and asked.card in asked.hand
        and asked.card not in stronger
        and asked.playable <= stronger
        and bool(stronger)
    )


FOLLOWING: Reasons = {
    f"{CARD} is not in your hand": not_in_hand,
    f"you must follow {SUIT}": must_follow,
    f"you have no {SUIT}, so you must play {SUIT}, the trumps": must_trump,
}
BEATING: Reasons = {f"you can beat {CARD}, so you must": must_beat}


def is_true(reasons: Reasons, asked: Asked, said: str) -> str:
    """The pattern of the one reason that is said; AssertionError if it is not among them or is not true."""
    found = {pattern: match for pattern in reasons if (match := re.fullmatch(pattern, said))}
    assert len(found) == 1, (asked.action, said)
    ((pattern, match),) = found.items()
    assert reasons[pattern](asked, *match.groups()), (asked.action, said, asked.hand, asked.legal)
    return pattern

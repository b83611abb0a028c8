"""Actions with structure: what is done, and with which card, suit or number. Their public names derive from
it."""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

from stichwerk.envs.core.cards import SUITS, Pack


class Action(str):
    """An action of a game. It is its own public name, such as `play hA`, `meld s`, `bid 3` or `open geelfen`.

    It has at most one of card, suit and number.

    Attributes:
        verb: what is done, in words
        card: by name
        suit: by letter
        number: as such
    """

    verb: str
    card: str | None
    suit: str | None
    number: int | None

    def __new__(
        cls, verb: str, card: str | None = None, suit: str | None = None, number: int | None = None
    ) -> Self:
        objects = [str(each) for each in (card, suit, number) if each is not None]
        if len(objects) > 1:
            raise ValueError(
                f"action {verb!r}: got {' and '.join(objects)}; expected one card, suit or number"
            )
        action = super().__new__(cls, " ".join([verb, *objects]))
        for name, value in {"verb": verb, "card": card, "suit": suit, "number": number}.items():
            object.__setattr__(action, name, value)
        return action

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise TypeError(f"action {self!r}: got a change of {name}; expected none, all games share it")

    def __delattr__(self, name: str) -> NoReturn:
        raise TypeError(f"action {self!r}: got a change of {name}; expected none, all games share it")

    def __getnewargs__(self) -> tuple:
        return self.verb, self.card, self.suit, self.number

    def in_suits(self, suits: str) -> Self:
        """Rename the suits s, h, d, c of this action to these four."""
        rename = str.maketrans(SUITS, suits)
        card = None if self.card is None else self.card[0].translate(rename) + self.card[1:]
        suit = None if self.suit is None else self.suit.translate(rename)
        return type(self)(self.verb, card, suit, self.number)


def card_actions(verb: str, cards: Iterable[str]) -> list[Action]:
    """One action for each of these cards."""
    return [Action(verb, card=card) for card in cards]


def suit_actions(verb: str) -> list[Action]:
    """One action for each suit."""
    return [Action(verb, suit=suit) for suit in SUITS]


def number_actions(verb: str, numbers: Iterable[int]) -> list[Action]:
    """One action for each of these numbers."""
    return [Action(verb, number=number) for number in numbers]


def check_actions(actions: Sequence[Action], pack: Pack) -> None:
    """ValueError unless actions are unique, with their cards and suits in their place."""
    for action in actions:
        if not isinstance(action, Action):
            raise ValueError(f"action: got {action!r}; expected actions made by `Action`")
        if hidden := [word for word in action.verb.split() if word in pack.index or word in SUITS]:
            raise ValueError(f"action {action!r} has {hidden[0]} in its verb: name it as `card` or `suit`")
        if action.card is not None and action.card not in pack.index:
            raise ValueError(f"action {action!r}: this pack has {' '.join(pack.names)}")
        if action.suit is not None and action.suit not in tuple(SUITS):
            raise ValueError(f"action {action!r}: got suit {action.suit!r}; expected {', '.join(SUITS)}")
    if twins := [action for action in set(actions) if actions.count(action) > 1]:
        raise ValueError(f"action {min(twins)!r} occurs twice")

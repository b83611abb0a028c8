"""Texts about actions for people: their buttons, and when they are legal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import SUIT_SYMBOLS, SUITS, pretty
from stichwerk.envs.core.text import suit_name
from stichwerk.support.frozen import FrozenDict, frozen
from stichwerk.support.language import tr

PLAY = "play"
"""The verb by which a card is played to a trick, in all games."""


@dataclass(frozen=True)
class Verb:
    """The texts about a verb's actions for people, or about one action by its name.

    Attributes:
        button: its text, before the card, suit or number of an action
        needs: when such an action is legal, in a sentence without a full stop. It is said where the game's
            `why_not` has nothing closer to say
        lays_card: the card of the action leaves the hand for good, as that of `play` always does
        ends_deal: the action may end a deal early, so random play in checks mostly chooses another one
        names: values in the button's braces
    """

    button: str
    needs: str = ""
    lays_card: bool = False
    ends_deal: bool = False
    names: Mapping[str, str] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", frozen(self.names))

    @property
    def words(self) -> str:
        """The text of the button in the reader's language."""
        return tr(self.button, **{name: tr(value) for name, value in self.names.items()})


def with_object(words: str, action: Action) -> str:
    """Words with the card, suit or number of an action after them."""
    if action.card is not None:
        return f"{words} {pretty(action.card)}"
    if action.suit is not None:
        return f"{words} {SUIT_SYMBOLS[action.suit]} {suit_name(SUITS.index(action.suit))}"
    return words if action.number is None else f"{words} {action.number}"

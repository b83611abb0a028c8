"""Why a card may not be played to a trick, in words that games share."""

from collections.abc import Sequence

from stichwerk.envs.core.cards import Pack, pretty
from stichwerk.envs.core.text import FRENCH_SUITS
from stichwerk.support.language import tr


def why_not_follow(
    pack: Pack, card: str, hand: Sequence[str], led: str, trump: str = "", to_beat: str = ""
) -> str:
    """Why a card of a hand may not follow to a trick.

    Args:
        pack: of the game, with the stronger cards of a suit first
        card: by name, one of the hand
        hand: by name
        led: the card that was led
        trump: the letter of the suit that must be played without the led suit; empty: none
        to_beat: the card that wins the trick so far, if it must be beaten where that is possible; empty: none

    Returns:
        A sentence without a full stop; empty if the card may follow.
    """
    suit = led[0]
    due = [each for each in hand if each[0] == suit]
    if due and card[0] != suit:
        return tr("you must follow {suit}", suit=FRENCH_SUITS[suit])
    if not due:
        due = [each for each in hand if each[0] == trump]
        if due and card[0] != trump:
            suits = {"suit": FRENCH_SUITS[suit], "trump": FRENCH_SUITS[trump]}
            return tr("you have no {suit}, so you must play {trump}, the trumps", **suits)
    stronger = [each for each in due if to_beat and _beats(pack, each, to_beat, trump)]
    if stronger and card not in stronger:
        return tr("you can beat {card}, so you must", card=pretty(to_beat))
    return ""


def _beats(pack: Pack, card: str, best: str, trump: str) -> bool:
    if card[0] == best[0]:
        return pack.index[card] < pack.index[best]
    return card[0] == trump

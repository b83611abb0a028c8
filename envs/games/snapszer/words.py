"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import FRENCH_SUITS, suit_name
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import GOAL, Phase
from stichwerk.envs.spec.verbs import Verb
from stichwerk.support.language import mark, tr

VERBS = {
    "name": Verb(mark("Name"), needs=mark("forehand names a card before the first lead")),
    "meld": Verb(mark("Marriage in")),
    "claim": Verb(mark("Claim"), ends_deal=True),
    "continue": Verb(mark("Go on"), needs=mark("only the winner of the last trick can go on without a card")),
}


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    match action.verb:
        case "name" if view.phase == Phase.NAME:
            return tr("you hold {card} yourself", card=pretty(str(action.card)))
        case "play":
            return _why_not_play(view, seat, str(action.card))
        case "meld":
            return _why_not_meld(view, str(action.suit))
        case "claim":
            return _why_not_claim(rules, view, seat)
    return ""


def _why_not_play(view: np.record, seat: int, card: str) -> str:
    if view.phase == Phase.NAME:
        return tr("name a card first")
    if view.phase == Phase.AFTER:
        return tr("all cards are played")
    if view.phase == Phase.MELDED:
        suit = suit_name(view.melded)
        return tr("you must lead king or queen of {suit}, from the marriage", suit=suit)
    led, best = (PACK.names[each] for each in (view.table[view.leader], view.best))
    return why_not_follow(PACK, card, PACK.cards(view.hand[seat]), led, PACK.names[view.named][0], best)


def _why_not_meld(view: np.record, suit: str) -> str:
    if view.phase == Phase.MELDED:
        return tr("you have shown a marriage already, and lead one of its cards")
    if view.phase != Phase.LEAD:
        return tr("a marriage can be shown only on lead")
    return tr("you do not hold king and queen of {suit}", suit=FRENCH_SUITS[suit])


def _why_not_claim(rules: np.record, view: np.record, seat: int) -> str:
    if rules.claims == AUTO:
        return tr("by these rules a claim is made for you, once your side has {points} points", points=GOAL)
    if view.phase not in (Phase.LEAD, Phase.MELDED, Phase.AFTER):
        return tr("a claim can be made only on lead, or after the last trick")
    if not view.tricks[seat]:
        return tr("you have not won a trick yet")
    if rules.claim_needs_reveal and not view.public:
        return tr("nobody can claim before the named card is seen")
    return tr("you cannot be sure that your side has {points} points", points=GOAL)

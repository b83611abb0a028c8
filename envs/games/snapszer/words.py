"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import FRENCH_SUITS, suit_name
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import GOAL, Phase
from stichwerk.envs.spec.claims import AUTO
from stichwerk.envs.spec.verbs import Verb

VERBS = {
    "name": Verb("Name", needs="forehand names a card before the first lead"),
    "meld": Verb("Marriage in"),
    "claim": Verb("Claim", ends_deal=True),
    "continue": Verb("Go on", needs="only the winner of the last trick can go on without a card"),
}


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    match action.verb:
        case "name" if view.phase == Phase.NAME:
            return f"you hold {pretty(str(action.card))} yourself"
        case "play":
            return _why_not_play(view, seat, str(action.card))
        case "meld":
            return _why_not_meld(view, str(action.suit))
        case "claim":
            return _why_not_claim(rules, view, seat)
    return ""


def _why_not_play(view: np.record, seat: int, card: str) -> str:
    if view.phase == Phase.NAME:
        return "you are to name a card first"
    if view.phase == Phase.AFTER:
        return "all cards are played"
    if view.phase == Phase.MELDED:
        return f"you must lead king or queen of {suit_name(view.melded)}, from the marriage"
    led, best = (PACK.names[each] for each in (view.table[view.leader], view.best))
    return why_not_follow(PACK, card, PACK.cards(view.hand[seat]), led, PACK.names[view.named][0], best)


def _why_not_meld(view: np.record, suit: str) -> str:
    if view.phase == Phase.MELDED:
        return "you have shown a marriage already, and lead one of its cards"
    if view.phase != Phase.LEAD:
        return "a marriage can be shown only on lead"
    return f"you do not hold king and queen of {FRENCH_SUITS[suit]}"


def _why_not_claim(rules: np.record, view: np.record, seat: int) -> str:
    if rules.claims == AUTO:
        return f"by these rules a claim is made for you, once your side has {GOAL} points"
    if view.phase not in (Phase.LEAD, Phase.MELDED, Phase.AFTER):
        return "a claim can be made only on lead, or after the last trick"
    if not view.tricks[seat]:
        return "you have not won a trick yet"
    if rules.claim_needs_reveal and not view.public:
        return "nobody can claim before the named card is seen"
    return f"you cannot be sure that your side has {GOAL} points"

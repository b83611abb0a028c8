"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, SUITS, pretty
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import FRENCH_SUITS, suit_name
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.family import JACK, NINE, RANKS_PER_SUIT
from stichwerk.envs.games.schnapsen.options import (
    AFTER_TRICK,
    ALWAYS,
    CLAIM_AFTER_TRICK,
    CLAIM_ANY_TURN,
    EITHER,
    NOT_AFTER_CLOSE,
    ON_LEAD,
    PACK,
    SchnapsenRules,
)
from stichwerk.envs.games.schnapsen.state import Phase, drawable, face_down
from stichwerk.envs.spec.verbs import Verb
from stichwerk.support.language import mark, tr, trn

VERBS = {
    "meld": Verb(mark("Marriage in")),
    "exchange": Verb(mark("Exchange the trump card")),
    "close": Verb(mark("Close the stock")),
    "claim": Verb(mark("Claim"), ends_deal=True),
    "continue": Verb(mark("Go on"), needs=mark("you must play a card")),
}
NEVER_CLOSED = SchnapsenRules.code("close_window", "never")
WINDOWS = {
    ON_LEAD: mark("on lead"),
    AFTER_TRICK: mark("after a trick that you have won, before the draw"),
    EITHER: mark("on lead, or after a trick that you have won, before the draw"),
}


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    match action.verb:
        case "play":
            return _why_not_play(rules, view, seat, str(action.card))
        case "meld":
            return _why_not_meld(rules, view, seat, str(action.suit))
        case "exchange":
            return _why_not_exchange(rules, view)
        case "close":
            return _why_not_close(rules, view)
        case "claim":
            return _why_not_claim(rules, view, seat)
    return ""


def _why_not_play(rules: np.record, view: np.record, seat: int, card: str) -> str:
    if view.phase == Phase.AFTER:
        no_card = tr("no card is due before the draw")
        return no_card if drawable(rules, view) else tr("all cards are played")
    if view.phase == Phase.MELDED:
        suit = suit_name(view.melded)
        if rules.king_leads_marriage:
            return tr("you must lead the king of {suit}, from the marriage", suit=suit)
        return tr("you must lead king or queen of {suit}, from the marriage", suit=suit)
    led, trump = PACK.names[view.led], SUITS[view.trump]
    return why_not_follow(PACK, card, PACK.cards(view.hand[seat]), led, trump, led if rules.must_head else "")


def _why_not_meld(rules: np.record, view: np.record, seat: int, suit: str) -> str:
    if view.phase == Phase.MELDED:
        return tr("you have shown a marriage already, and lead one of its cards")
    if view.phase != Phase.LEAD:
        return tr("a marriage can be shown only on lead")
    if not rules.first_lead_melds and not view.tricks.any():
        return tr("no marriage can be shown before the first trick")
    if rules.meld_phase == NOT_AFTER_CLOSE and view.closed_by != NONE:
        return tr("no marriage can be shown once the stock is closed")
    if rules.meld_phase not in (ALWAYS, NOT_AFTER_CLOSE) and not drawable(rules, view):
        return tr("a marriage can be shown only while cards can be drawn")
    return tr("you do not hold king and queen of {suit}", suit=FRENCH_SUITS[suit])


def _in_window(view: np.record, window: int) -> bool:
    now = {Phase.LEAD: ON_LEAD, Phase.AFTER: AFTER_TRICK}.get(Phase(int(view.phase)))
    return now is not None and window in (now, EITHER)


def _why_not_exchange(rules: np.record, view: np.record) -> str:
    if view.indicator == NONE:
        return tr("the card turned up has been drawn")
    if view.closed_by != NONE:
        return tr("the stock is closed")
    if not _in_window(view, rules.exchange_window):
        return tr("the trump card can be exchanged only {when}", when=tr(WINDOWS[rules.exchange_window]))
    if not rules.first_lead_melds and not view.tricks.any():
        return tr("nothing can be exchanged before the first trick")
    if face_down(rules, view) < rules.min_stock:
        return trn(
            "the exchange needs {n} face-down card in the stock",
            "the exchange needs {n} face-down cards in the stock",
            rules.min_stock,
        )
    card = PACK.names[view.trump * RANKS_PER_SUIT + (NINE if rules.nines else JACK)]
    return tr("you do not hold {card}, the card to exchange", card=pretty(card))


def _why_not_close(rules: np.record, view: np.record) -> str:
    if rules.close_window == NEVER_CLOSED:
        return tr("by these rules the stock is never closed")
    if view.closed_by != NONE:
        return tr("the stock is closed already")
    if view.indicator == NONE:
        return tr("the stock is used up")
    if not _in_window(view, rules.close_window):
        return tr("the stock can be closed only {when}", when=tr(WINDOWS[rules.close_window]))
    return trn(
        "closing needs {n} face-down card in the stock",
        "closing needs {n} face-down cards in the stock",
        rules.min_stock,
    )


def _why_not_claim(rules: np.record, view: np.record, seat: int) -> str:
    if rules.claims == AUTO:
        return tr("by these rules a claim is made for you, once you have {points} points", points=rules.goal)
    if not view.tricks[seat]:
        return tr("you have not won a trick yet")
    before_draw = view.phase == Phase.AFTER and drawable(rules, view)
    if before_draw and rules.claim_window == CLAIM_ANY_TURN:
        return tr("a claim can be made only when a card is due")
    if rules.claim_window == CLAIM_AFTER_TRICK and view.phase == Phase.LEAD and drawable(rules, view):
        return tr(
            "a claim can be made only after a trick that you have won, before the draw, or after a marriage"
        )
    if view.phase == Phase.ANSWER and rules.claim_window != CLAIM_ANY_TURN:
        return tr("a claim cannot be made when you are to answer")
    if before_draw and rules.claim_window != CLAIM_AFTER_TRICK:
        return tr("a claim can be made only on lead")
    return tr("you have fewer than {points} points", points=rules.goal)

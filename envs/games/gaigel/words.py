"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, SUITS, pretty
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import FRENCH_SUITS, suit_name
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT
from stichwerk.envs.games.gaigel.cards.double import copies
from stichwerk.envs.games.gaigel.options import ANY_TURN, FOLLOW_ONLY, PACK, SIGNALS_OFF
from stichwerk.envs.games.gaigel.state import GOAL, SEVEN, Opening, Phase, side_of
from stichwerk.envs.games.gaigel.text import SPOKEN, names_of
from stichwerk.envs.spec.verbs import Verb
from stichwerk.support.language import mark, tr

VERBS = {
    **{
        f"open {opening.name.lower()}": Verb(
            name[0].upper() + name[1:], needs=mark("only forehand opens, before the first card")
        )
        for opening, name in SPOKEN.items()
    },
    "meld": Verb(mark("Marriage in")),
    "exchange": Verb(mark("Exchange the trump card")),
    "aus": Verb(mark("Say aus"), ends_deal=True),
    "continue": Verb(mark("Go on"), needs=mark("only the winner of the last trick can go on without a card")),
}
TRICKLESS = mark("your side has not won a trick yet")


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    if action.verb.startswith("open "):
        return _why_not_open(rules, view, seat, action) if view.phase == Phase.OPEN else ""
    if action.verb == "continue":
        return ""
    if view.phase == Phase.OPEN:
        return tr("first say how you open")
    if view.phase == Phase.AFTER and action.verb != "aus":
        return tr("all cards are played")
    if view.owed != NONE and action.verb != "play":
        return tr("you are to play king or queen of {suit} now", suit=suit_name(view.owed))
    match action.verb:
        case "play":
            return _why_not_play(rules, view, seat, str(action.card))
        case "meld":
            return _why_not_meld(rules, view, seat, str(action.suit))
        case "exchange":
            return _why_not_exchange(rules, view, seat)
        case "aus":
            return _why_not_aus(rules, view, seat)
    return _why_not_signal(rules, view)


def _trumps(view: np.record) -> str:
    return SUITS[view.trump]


def _why_not_open(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    opening = next(each for each in Opening if action.endswith(each.name.lower()))
    plain = [card for card in names_of(view.hand[seat]) if card[0] != _trumps(view)]
    aces = [card for card in plain if card[1] == "A"]
    if opening == Opening.TRUMP:
        return tr("you hold cards that are not trumps")
    if not plain:
        return tr("you hold only trumps, so you open with them")
    if opening == Opening.DISSLE and not rules.dissle:
        return tr("Auf Dissle is not played by these rules")
    if opening in (Opening.GEELFEN, Opening.ANDERE_ALTE):
        return tr("you hold no plain ace")
    if rules.must_open_ace and aces:
        return tr("you hold an ace, so you must open with Ge-elfen or Andere Alte")
    return tr("you hold nothing but aces and trumps")


def _why_not_play(rules: np.record, view: np.record, seat: int, card: str) -> str:
    reason = ""
    if view.trick == 1:
        reason = _why_not_first(view, card)
    elif view.seat != view.leader and view.indicator == NONE:
        led, best = (PACK.names[each] for each in (view.table[view.leader], view.best))
        strict = ("", "") if rules.post_talon == FOLLOW_ONLY else (_trumps(view), best)
        reason = why_not_follow(PACK, card, names_of(view.hand[seat]), led, *strict)
    shown = tr(" or ").join(suit_name(suit) for suit in range(4) if view.melded >> suit & 1)
    return reason or tr("you must play king or queen of {suits}, as you have just shown them", suits=shown)


def _why_not_first(view: np.record, card: str) -> str:
    """Why a card may not be played to the first trick, by how it was opened."""
    plain, opening = card[0] != _trumps(view), view.opening
    if view.seat != view.leader:
        return "" if plain else tr("play no trump to the first trick while you hold other cards")
    if opening != Opening.TRUMP and not plain:
        return tr("you have opened with a card that is no trump")
    if opening in (Opening.GEELFEN, Opening.ANDERE_ALTE) and card[1] != "A":
        return tr("you have opened with an ace")
    return tr("you have opened with a card that is no ace") if opening == Opening.HOEHER_HAT else ""


def _why_not_meld(rules: np.record, view: np.record, seat: int, suit: str) -> str:
    king, queen = (SUITS.index(suit) * RANKS_PER_SUIT + rank for rank in (KING, QUEEN))
    hand, shown = int(view.hand[seat]), int(view.declared[seat])
    if not all(copies(hand, card) for card in (king, queen)):
        return tr("you do not hold king and queen of {suit}", suit=FRENCH_SUITS[suit])
    if not all(copies(hand, card) > copies(shown, card) for card in (king, queen)):
        return tr("you have shown your king and queen of {suit} already", suit=FRENCH_SUITS[suit])
    if not view.tricks[side_of(rules, seat)]:
        return tr(TRICKLESS)
    return tr("you could play neither king nor queen of {suit} now", suit=FRENCH_SUITS[suit])


def _why_not_exchange(rules: np.record, view: np.record, seat: int) -> str:
    seven = view.trump * RANKS_PER_SUIT + SEVEN
    if view.trick == 1:
        return tr("nothing is exchanged in the first trick")
    if view.indicator == NONE:
        return tr("the card turned up has been drawn")
    if not copies(int(view.hand[seat]), seven):
        return tr("you do not hold {card}, the card to exchange", card=pretty(PACK.names[seven]))
    if not view.tricks[side_of(rules, seat)]:
        return tr(TRICKLESS)
    lies = tr("{card} lies there already, and nobody can give you the card taken for it")
    return lies.format(card=pretty(PACK.names[seven]))


def _why_not_aus(rules: np.record, view: np.record, seat: int) -> str:
    if rules.claims == AUTO:
        return tr("by these rules aus is said for you, once your side has {points} points", points=GOAL)
    if view.trick == 1:
        return tr("aus is not said in the first trick")
    if view.phase == Phase.TURN and not view.tricks[side_of(rules, seat)]:
        return tr(TRICKLESS)
    if view.phase == Phase.TURN and seat != view.leader and not view.melded and rules.aus_window != ANY_TURN:
        return tr("aus is said only on lead, or after a marriage")
    return tr("your side has fewer than {points} points", points=GOAL)


def _why_not_signal(rules: np.record, view: np.record) -> str:
    if rules.signals == SIGNALS_OFF:
        return tr("by these rules no signals are given")
    if view.trick == 1:
        return tr("no signal is given in the first trick")
    return tr("you have given a signal in this trick already")

"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, SUITS, pretty
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import FRENCH_SUITS, suit_name
from stichwerk.envs.games.family import KING, QUEEN, RANKS_PER_SUIT
from stichwerk.envs.games.gaigel.double import copies
from stichwerk.envs.games.gaigel.options import ANY_TURN, FOLLOW_ONLY, PACK, SIGNALS_OFF
from stichwerk.envs.games.gaigel.state import GOAL, SEVEN, Opening, Phase, side_of
from stichwerk.envs.games.gaigel.text import SPOKEN, names_of
from stichwerk.envs.spec.claims import AUTO
from stichwerk.envs.spec.verbs import Verb

VERBS = {
    **{
        f"open {opening.name.lower()}": Verb(
            name[0].upper() + name[1:], needs="only forehand opens, before the first card"
        )
        for opening, name in SPOKEN.items()
    },
    "meld": Verb("Marriage in"),
    "exchange": Verb("Exchange the trump card"),
    "aus": Verb("Say aus", ends_deal=True),
    "continue": Verb("Go on", needs="only the winner of the last trick can go on without a card"),
}
TRICKLESS = "your side has not won a trick yet"


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    if action.verb.startswith("open "):
        return _why_not_open(rules, view, seat, action) if view.phase == Phase.OPEN else ""
    if action.verb == "continue":
        return ""
    if view.phase == Phase.OPEN:
        return "you are to say first how you open"
    if view.phase == Phase.AFTER and action.verb != "aus":
        return "all cards are played"
    if view.owed != NONE and action.verb != "play":
        return f"you are to play king or queen of {suit_name(view.owed)} now"
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
        return "you hold cards that are not trumps"
    if not plain:
        return "you hold trumps alone, and open with them"
    if opening == Opening.DISSLE and not rules.dissle:
        return "Auf Dissle is not played by these rules"
    if opening in (Opening.GEELFEN, Opening.ANDERE_ALTE):
        return "you hold no ace besides trumps"
    if rules.must_open_ace and aces:
        return "you hold an ace, so you must open with Ge-elfen or Andere Alte"
    return "you hold nothing but aces and trumps"


def _why_not_play(rules: np.record, view: np.record, seat: int, card: str) -> str:
    reason = ""
    if view.trick == 1:
        reason = _why_not_first(view, card)
    elif view.seat != view.leader and view.indicator == NONE:
        led, best = (PACK.names[each] for each in (view.table[view.leader], view.best))
        strict = ("", "") if rules.post_talon == FOLLOW_ONLY else (_trumps(view), best)
        reason = why_not_follow(PACK, card, names_of(view.hand[seat]), led, *strict)
    shown = [suit_name(suit) for suit in range(4) if view.melded >> suit & 1]
    return reason or f"you must play king or queen of {' or '.join(shown)}, as you have just shown them"


def _why_not_first(view: np.record, card: str) -> str:
    """Why a card may not be played to the first trick, by how it was opened."""
    plain, opening = card[0] != _trumps(view), view.opening
    if view.seat != view.leader:
        return "" if plain else "no trump goes to the first trick while you hold other cards"
    if opening != Opening.TRUMP and not plain:
        return "you have opened with a card that is no trump"
    if opening in (Opening.GEELFEN, Opening.ANDERE_ALTE) and card[1] != "A":
        return "you have opened with an ace"
    return "you have opened with a card that is no ace" if opening == Opening.HOEHER_HAT else ""


def _why_not_meld(rules: np.record, view: np.record, seat: int, suit: str) -> str:
    king, queen = (SUITS.index(suit) * RANKS_PER_SUIT + rank for rank in (KING, QUEEN))
    hand, shown = int(view.hand[seat]), int(view.declared[seat])
    if not all(copies(hand, card) for card in (king, queen)):
        return f"you do not hold king and queen of {FRENCH_SUITS[suit]}"
    if not all(copies(hand, card) > copies(shown, card) for card in (king, queen)):
        return f"you have shown your king and queen of {FRENCH_SUITS[suit]} already"
    if not view.tricks[side_of(rules, seat)]:
        return TRICKLESS
    return f"you could play neither king nor queen of {FRENCH_SUITS[suit]} now"


def _why_not_exchange(rules: np.record, view: np.record, seat: int) -> str:
    seven = view.trump * RANKS_PER_SUIT + SEVEN
    if view.trick == 1:
        return "nothing is exchanged in the first trick"
    if view.indicator == NONE:
        return "the card turned up has been drawn"
    if not copies(int(view.hand[seat]), seven):
        return f"you do not hold {pretty(PACK.names[seven])}, the card to exchange"
    if not view.tricks[side_of(rules, seat)]:
        return TRICKLESS
    return f"{pretty(PACK.names[seven])} lies there already, and nobody can give you the card taken for it"


def _why_not_aus(rules: np.record, view: np.record, seat: int) -> str:
    if rules.claims == AUTO:
        return f"by these rules aus is said for you, once your side has {GOAL} points"
    if view.trick == 1:
        return "aus is not said in the first trick"
    if view.phase == Phase.TURN and not view.tricks[side_of(rules, seat)]:
        return TRICKLESS
    if view.phase == Phase.TURN and seat != view.leader and not view.melded and rules.aus_window != ANY_TURN:
        return "aus is said only on lead, or after a marriage"
    return f"your side has fewer than {GOAL} points"


def _why_not_signal(rules: np.record, view: np.record) -> str:
    if rules.signals == SIGNALS_OFF:
        return "by these rules no signals are given"
    if view.trick == 1:
        return "no signal is given in the first trick"
    return "you have given a signal in this trick already"

"""When each refusal of Gaigel is true."""

from stichwerk.envs.games.gaigel.options import PACK
from stichwerk.envs.games.gaigel.state import Opening, Phase
from tests.envs.asked import BEATING, CARD, FOLLOWING, SUIT, SUIT_NAMES, SYMBOLS, Asked, Reasons


def in_double_set(cards: int) -> tuple[str, ...]:
    """The cards of a double set; of two equal ones both."""
    held = int(cards)
    return tuple(n for k, n in enumerate(PACK.names) for _ in range((held >> k & 1) + (held >> 24 + k & 1)))


def hand_of(game, state, seat) -> tuple[str, ...]:
    return in_double_set(state.hand[seat])


def table_of(game, state) -> tuple[tuple[str, ...], str]:
    """The cards on the table, and the trump suit."""
    players = game.rules.players
    played = [state.table[(state.leader + place) % players] for place in range(players)]
    return tuple(PACK.names[card] for card in played if card >= 0), "shdc"[state.trump]


def at(a: Asked, *phases: Phase) -> bool:
    return a.state.phase in phases


def leads(a: Asked) -> bool:
    return a.state.seat == a.state.leader


def plain(a: Asked) -> set[str]:
    return {card for card in a.hand if card[0] != a.trump}


def aces(a: Asked) -> set[str]:
    return {card for card in plain(a) if card[1] == "A"}


def tricks(a: Asked) -> int:
    return int(a.state.tricks[a.game.sides[a.seat]])


def pair(suit: str) -> set[str]:
    return {f"{suit}K", f"{suit}Q"}


def unshown(a: Asked, suit: str) -> bool:
    """Whether the hand has king and queen of a suit that were not declared."""
    shown = in_double_set(a.state.declared[a.seat])
    return all(a.hand.count(card) > shown.count(card) for card in pair(suit))


def opened(a: Asked, *openings: Opening) -> bool:
    return a.state.trick == 1 and leads(a) and a.state.opening in openings


def must_play_shown(a: Asked, *suits: str | None) -> bool:
    shown = {suit for suit in range(4) if a.state.melded >> suit & 1}
    named = [SUIT_NAMES[suit] for suit in " ".join(filter(None, suits)).split() if suit in SUIT_NAMES]
    allowed = {card for suit in named for card in pair(suit)}
    due = a.rules.meld_must_play or a.state.owed >= 0
    return due and {"shdc"[suit] for suit in shown} == {*named} and a.card not in allowed


def seven(a: Asked) -> str:
    return f"{a.trump}7"


def reads(a: Asked, symbol: str, rank: str) -> bool:
    return SYMBOLS[symbol] + rank == seven(a)


REASONS: Reasons = {
    **FOLLOWING,
    **BEATING,
    "only forehand opens, before the first card": lambda a: a.state.opening >= 0,
    "you hold cards that are not trumps": lambda a: bool(plain(a)),
    "you hold only trumps, so you open with them": lambda a: not plain(a) and a.legal == {"open trump"},
    "Auf Dissle is not played by these rules": lambda a: not a.rules.dissle,
    "you hold no plain ace": lambda a: not aces(a),
    "you hold an ace, so you must open with Ge-elfen or Andere Alte": lambda a: (
        a.rules.must_open_ace and a.legal == {"open geelfen", "open andere_alte"} and bool(aces(a))
    ),
    "you hold nothing but aces and trumps": lambda a: plain(a) == aces(a),
    "first say how you open": lambda a: a.state.opening < 0,
    "all cards are played": lambda a: not a.hand,
    "only the winner of the last trick can go on without a card": lambda a: bool(a.hand),
    f"you are to play king or queen of {SUIT} now": lambda a, suit: (
        a.playable <= pair(SUIT_NAMES[suit]) and a.legal == {f"play {card}" for card in a.playable}
    ),
    "play no trump to the first trick while you hold other cards": lambda a: (
        a.state.trick == 1 and not leads(a) and a.card[0] == a.trump and bool(plain(a))
    ),
    "you have opened with a card that is no trump": lambda a: (
        a.state.trick == 1 and leads(a) and a.state.opening != Opening.TRUMP and a.card[0] == a.trump
    ),
    "you have opened with an ace": lambda a: (
        opened(a, Opening.GEELFEN, Opening.ANDERE_ALTE) and a.card[1] != "A"
    ),
    "you have opened with a card that is no ace": lambda a: (
        opened(a, Opening.HOEHER_HAT) and a.card[1] == "A"
    ),
    r"you must play king or queen of ([\w ]+), as you have just shown them": must_play_shown,
    f"you do not hold king and queen of {SUIT}": lambda a, suit: not pair(SUIT_NAMES[suit]) <= {*a.hand},
    f"you have shown your king and queen of {SUIT} already": lambda a, suit: (
        pair(SUIT_NAMES[suit]) <= {*a.hand} and not unshown(a, SUIT_NAMES[suit])
    ),
    f"you could play neither king nor queen of {SUIT} now": lambda a, suit: (
        a.rules.meld_must_play and not pair(SUIT_NAMES[suit]) & a.playable
    ),
    "your side has not won a trick yet": lambda a: tricks(a) == 0,
    "nothing is exchanged in the first trick": lambda a: a.state.trick == 1,
    "the card turned up has been drawn": lambda a: a.state.indicator < 0,
    f"you do not hold {CARD}, the card to exchange": lambda a, *card: (
        reads(a, *card) and seven(a) not in a.hand
    ),
    f"{CARD} lies there already, and nobody can give you the card taken for it": lambda a, *card: (
        reads(a, *card) and PACK.names[a.state.indicator] == seven(a) and not a_mate_can_give(a)
    ),
    "by these rules aus is said for you, once your side has 101 points": lambda a: a.rules.claims == "auto",
    "aus is not said in the first trick": lambda a: a.state.trick == 1,
    "aus is said only on lead, or after a marriage": lambda a: (
        a.rules.aus_window == "on_lead" and not leads(a) and not a.state.melded
    ),
    "your side has fewer than 101 points": lambda a: (
        a.rules.claims == "safe" and a.state.points[a.game.sides[a.seat]] < 101
    ),
    "by these rules no signals are given": lambda a: a.rules.signals == "off",
    "no signal is given in the first trick": lambda a: a.state.trick == 1,
    "you have given a signal in this trick already": lambda a: bool(a.state.signalled >> a.seat & 1),
}


def a_mate_can_give(a: Asked) -> bool:
    """Whether a partner laid the seven there, still holds the card taken for it, and no chain was used."""
    owner = int(a.state.laid_by)
    if owner in (-1, a.seat) or a.game.sides[owner] != a.game.sides[a.seat] or a.state.chained:
        return False
    return PACK.names[a.state.taken] in in_double_set(a.state.hand[owner])


def opening_hand(hand: str, trump: str) -> dict:
    """A set deal of four players in which forehand gets this hand, and a card of this suit is turned up."""
    own = hand.split()
    left = sorted(PACK.names * 2, key=lambda card: card[0] == trump)  # the trumps last
    for card in own:
        left.remove(card)
    indicator = left.pop()
    return {"deck": [*own[:3], *left[:9], *own[3:], *left[9:15], indicator, *left[15:]], "dealer": 3}


SELDOM = [
    ({}, opening_hand("hA hT hK hQ hJ", "h")),
    ({"must_open_ace": False}, opening_hand("hA hT hK sA dA", "h")),
]
"""Rules and set deals of positions to which random play seldom comes."""

"""When each refusal of Snapszer is true."""

from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import Phase
from tests.envs.asked import BEATING, CARD, FOLLOWING, SUIT, SUIT_NAMES, SYMBOLS, Asked, Reasons


def hand_of(game, state, seat) -> tuple[str, ...]:
    return tuple(name for card, name in enumerate(PACK.names) if state.hand[seat] >> card & 1)


def table_of(game, state) -> tuple[tuple[str, ...], str]:
    """The cards on the table, and the trump suit."""
    played = [state.table[(state.leader + place) % 4] for place in range(4)]
    trump = PACK.names[state.named][0] if state.named >= 0 else ""
    return tuple(PACK.names[card] for card in played if card >= 0), trump


def at(a: Asked, *phases: Phase) -> bool:
    return a.state.phase in phases


def lacks_pair(a: Asked, suit: str) -> bool:
    letter = SUIT_NAMES[suit]
    return a.action.suit == letter and not {f"{letter}K", f"{letter}Q"} <= {*a.hand}


def known_points(a: Asked) -> int:
    """The points that the seat is sure of: its own, and those of partners it has recognised."""
    state, forehand = a.state, (a.state.dealer + 1) % 4
    knows = state.public or state.holder == a.seat
    callers = {forehand, int(state.holder)}
    side = [seat for seat in range(4) if (seat in callers) == (a.seat in callers)] if knows else [a.seat]
    return sum(int(state.points[seat]) for seat in side) - (0 if knows else int(state.by_partner[a.seat]))


REASONS: Reasons = {
    **FOLLOWING,
    **BEATING,
    f"you hold {CARD} yourself": lambda a, symbol, rank: (
        a.action.verb == "name" and a.card == SYMBOLS[symbol] + rank and a.card in a.hand
    ),
    "forehand names a card before the first lead": lambda a: a.state.named >= 0,
    "name a card first": lambda a: a.state.named < 0,
    "all cards are played": lambda a: not a.hand,
    f"you must lead king or queen of {SUIT}, from the marriage": lambda a, suit: (
        at(a, Phase.MELDED) and a.playable == {f"{SUIT_NAMES[suit]}K", f"{SUIT_NAMES[suit]}Q"}
    ),
    "you have shown a marriage already, and lead one of its cards": lambda a: at(a, Phase.MELDED),
    "a marriage can be shown only on lead": lambda a: not at(a, Phase.LEAD, Phase.MELDED),
    f"you do not hold king and queen of {SUIT}": lacks_pair,
    "only the winner of the last trick can go on without a card": lambda a: bool(a.hand),
    "by these rules a claim is made for you, once your side has 66 points": lambda a: (
        a.rules.claims == "auto"
    ),
    "a claim can be made only on lead, or after the last trick": lambda a: at(a, Phase.NAME, Phase.ANSWER),
    "you have not won a trick yet": lambda a: a.state.tricks[a.seat] == 0,
    "nobody can claim before the named card is seen": lambda a: (
        a.rules.claim_needs_reveal and not a.state.public
    ),
    "you cannot be sure that your side has 66 points": lambda a: (
        a.rules.claims == "safe" and known_points(a) < 66
    ),
}
SELDOM: list[tuple[dict, dict]] = []
"""Rules and set deals of positions to which random play seldom comes."""

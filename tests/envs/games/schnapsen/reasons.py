"""When each refusal of Schnapsen and Sixty-six is true."""

from stichwerk.envs.games.schnapsen.options import FULL_PACK
from stichwerk.envs.games.schnapsen.state import Phase
from tests.envs.asked import BEATING, CARD, FOLLOWING, SUIT, SUIT_NAMES, SYMBOLS, Asked, Reasons


def hand_of(asked_game, state, seat) -> tuple[str, ...]:
    return tuple(name for card, name in enumerate(FULL_PACK) if state.hand[seat] >> card & 1)


def table_of(game, state) -> tuple[tuple[str, ...], str]:
    """The cards on the table, and the trump suit."""
    return (FULL_PACK[state.led],) if state.led >= 0 else (), "shdc"[state.trump]


def face_down(a: Asked) -> int:
    return len(a.game.deck) - int(a.state.top)


def closed(a: Asked) -> bool:
    return a.state.closed_by >= 0


def can_draw(a: Asked) -> bool:
    return not closed(a) and face_down(a) > 0


def at(a: Asked, *phases: Phase) -> bool:
    return a.state.phase in phases


def outside(a: Asked, option: str, window: str) -> bool:
    """A table that allows something only in this window, and another moment."""
    inside = {"on_lead": [Phase.LEAD], "after_trick": [Phase.AFTER], "either": [Phase.LEAD, Phase.AFTER]}
    return getattr(a.rules, option) == window and not at(a, *inside[window])


def no_trick_yet(a: Asked) -> bool:
    return a.state.tricks.sum() == 0


def lacks_pair(a: Asked, suit: str) -> bool:
    letter = SUIT_NAMES[suit]
    return a.action.suit == letter and not {f"{letter}K", f"{letter}Q"} <= {*a.hand}


def exchange_card(a: Asked) -> str:
    return "shdc"[a.state.trump] + ("9" if a.rules.nines else "J")


WON = "after a trick that you have won, before the draw"
REASONS: Reasons = {
    **FOLLOWING,
    **BEATING,
    "no card is due before the draw": lambda a: at(a, Phase.AFTER) and can_draw(a),
    "all cards are played": lambda a: not a.hand and not can_draw(a),
    f"you must lead the king of {SUIT}, from the marriage": lambda a, suit: (
        at(a, Phase.MELDED) and a.playable == {f"{SUIT_NAMES[suit]}K"} and a.rules.king_leads_marriage
    ),
    f"you must lead king or queen of {SUIT}, from the marriage": lambda a, suit: (
        at(a, Phase.MELDED) and a.playable == {f"{SUIT_NAMES[suit]}K", f"{SUIT_NAMES[suit]}Q"}
    ),
    "you must play a card": lambda a: bool(a.playable),
    "you have shown a marriage already, and lead one of its cards": lambda a: at(a, Phase.MELDED),
    "a marriage can be shown only on lead": lambda a: at(a, Phase.ANSWER, Phase.AFTER),
    "no marriage can be shown before the first trick": lambda a: (
        no_trick_yet(a) and not a.rules.first_lead_melds
    ),
    "no marriage can be shown once the stock is closed": lambda a: (
        closed(a) and a.rules.meld_phase == "not_after_close"
    ),
    "a marriage can be shown only while cards can be drawn": lambda a: (
        not can_draw(a) and a.rules.meld_phase == "open_only"
    ),
    f"you do not hold king and queen of {SUIT}": lacks_pair,
    "the card turned up has been drawn": lambda a: not closed(a) and face_down(a) == 0,
    "the stock is closed": closed,
    "the trump card can be exchanged only on lead": lambda a: outside(a, "exchange_window", "on_lead"),
    f"the trump card can be exchanged only {WON}": lambda a: outside(a, "exchange_window", "after_trick"),
    f"the trump card can be exchanged only on lead, or {WON}": lambda a: outside(
        a, "exchange_window", "either"
    ),
    "nothing can be exchanged before the first trick": lambda a: (
        no_trick_yet(a) and not a.rules.first_lead_melds
    ),
    r"the exchange needs (\d+) face-down cards? in the stock": lambda a, least: (
        int(least) == a.rules.min_stock > face_down(a)
    ),
    f"you do not hold {CARD}, the card to exchange": lambda a, symbol, rank: (
        SYMBOLS[symbol] + rank == exchange_card(a) and exchange_card(a) not in a.hand
    ),
    "by these rules the stock is never closed": lambda a: a.rules.close_window == "never",
    "the stock is closed already": closed,
    "the stock is used up": lambda a: not closed(a) and face_down(a) == 0,
    "the stock can be closed only on lead": lambda a: outside(a, "close_window", "on_lead"),
    f"the stock can be closed only {WON}": lambda a: outside(a, "close_window", "after_trick"),
    f"the stock can be closed only on lead, or {WON}": lambda a: outside(a, "close_window", "either"),
    r"closing needs (\d+) face-down cards? in the stock": lambda a, least: (
        int(least) == a.rules.min_stock > face_down(a)
    ),
    r"by these rules a claim is made for you, once you have (\d+) points": lambda a, goal: (
        a.rules.claims == "auto" and int(goal) == a.rules.goal
    ),
    "you have not won a trick yet": lambda a: a.state.tricks[a.seat] == 0,
    "a claim can be made only when a card is due": lambda a: (
        not a.playable and a.rules.claim_window == "any_turn"
    ),
    f"a claim can be made only {WON}, or after a marriage": lambda a: (
        at(a, Phase.LEAD) and can_draw(a) and a.rules.claim_window == "after_trick"
    ),
    "a claim cannot be made when you are to answer": lambda a: (
        at(a, Phase.ANSWER) and a.rules.claim_window != "any_turn"
    ),
    "a claim can be made only on lead": lambda a: at(a, Phase.AFTER) and a.rules.claim_window == "on_lead",
    r"you have fewer than (\d+) points": lambda a, goal: (
        a.rules.claims == "safe" and a.state.points[a.seat] < int(goal) == a.rules.goal
    ),
}
SELDOM: list[tuple[dict, dict]] = []
"""Rules and set deals of positions to which random play seldom comes."""

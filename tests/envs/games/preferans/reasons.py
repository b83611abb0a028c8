"""When each refusal of Balkan Preferans is true."""

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.state import Phase
from tests.envs.asked import FOLLOWING, Asked, Reasons

GAMES = ("spades", "diamonds", "hearts", "clubs", "betl", "sans", "preferans")  # from 2 on
PREFERANS = 8
HIGHEST_WITH_TRUMPS = 5


def hand_of(game, state, seat) -> tuple[str, ...]:
    return tuple(name for card, name in enumerate(PACK.names) if int(state.hand[seat]) >> card & 1)


def table_of(game, state) -> tuple[tuple[str, ...], str]:
    """The cards on the table, and the trump suit."""
    plays = [str(game.actions[each].card) for _, each in log_entries(state) if each >= 0]
    on_table = (int(state.table) % (1 << 32)).bit_count()  # the last card is the sign
    trump = "sdhc"[state.game - 2] if 2 <= state.game <= HIGHEST_WITH_TRUMPS else ""
    return tuple(plays[len(plays) - on_table :]), trump


def at(a: Asked, *phases: Phase) -> bool:
    return a.state.phase in phases


def calls(a: Asked) -> list[tuple[int, str]]:
    """The calls of the auction with their seats."""
    return [(seat, str(a.game.actions[each])) for seat, each in log_entries(a.state) if each >= 0]


def numbers_bid(a: Asked) -> list[tuple[int, int]]:
    return [(seat, int(call.split()[1])) for seat, call in calls(a) if call.startswith("bid ")]


def said_igra(a: Asked) -> bool:
    return any(call.startswith("igra") for _, call in calls(a))


def names_a_game(a: Asked) -> bool:
    """Whether the seat has said plain igra, and is to name its game."""
    return (a.seat, "igra") in calls(a) and not any(
        seat == a.seat and call.startswith("declare") for seat, call in calls(a)
    )


def highest_named(a: Asked) -> int:
    declared = [int(call.split()[1]) for _, call in calls(a) if call.startswith("declare ")]
    named = [GAMES.index(call[5:]) + 2 for _, call in calls(a) if call.startswith("igra ")]
    return max([*declared, *named], default=0)


def number(a: Asked) -> int:
    return int(a.action.number or 0)


def place(a: Asked, seat: int) -> int:
    return int((seat - a.state.dealer - 1) % a.rules.players)


def holds(a: Asked, other: str, level: str) -> bool:
    last, bid = numbers_bid(a)[-1]
    earlier = place(a, last) > place(a, a.seat)
    return (last, bid) == (int(other), int(level)) and earlier and number(a) != bid


def next_number(a: Asked, level: str) -> bool:
    bids = numbers_bid(a)
    held = bids and place(a, bids[-1][0]) > place(a, a.seat)
    following = bids[-1][1] + 1 if bids else 2
    return not held and following == int(level) != number(a)


def too_low(a: Asked, named: str) -> bool:
    highest = GAMES.index(named) + 2
    asked = GAMES.index(a.action.verb[5:]) + 2 if a.action.verb != "igra" else 0
    return highest_named(a) == highest and asked <= highest


def named_already(a: Asked, named: str) -> bool:
    highest = GAMES.index(named) + 2
    tie = a.rules.igra_tie == "first" and number(a) == highest
    return highest_named(a) == highest and (number(a) < highest or tie)


def least_hand_game(a: Asked, least: str, level: str) -> bool:
    fewer = {"level": 0, "level_minus_one": 1}[a.rules.igra_min_level]
    bid = numbers_bid(a)[-1][1]
    return bid == int(level) and int(least) == bid - fewer > number(a)


NO_PREFERANS = "by these rules there is no game of preferans"
REASONS: Reasons = {
    **FOLLOWING,
    "no card is played before the contract is settled": lambda a: not at(a, Phase.PLAY),
    "only the declarer discards, with the talon in hand": lambda a: len(a.hand) <= 10,
    "players pass only in the auction": lambda a: a.state.declarer >= 0,
    "you are the first to name a game after igra, and must name one": lambda a: (
        names_a_game(a) and highest_named(a) == 0
    ),
    "numbers are bid in the auction": lambda a: a.state.declarer >= 0,
    "numbers are no longer bid once somebody has said igra": said_igra,
    r"you come before player_(\d), so you can hold (\d), but bid nothing else": holds,
    r"the next number is (\d)": next_number,
    "there is no higher number": lambda a: numbers_bid(a)[-1][1] == (8 if a.rules.enable_preferans else 7),
    "igra is said in the auction": lambda a: a.state.declarer >= 0,
    "igra can only be the first call of a player": lambda a: a.seat in [seat for seat, _ in calls(a)],
    NO_PREFERANS: lambda a: (
        not a.rules.enable_preferans and (a.action.verb == "igra preferans" or number(a) == PREFERANS)
    ),
    r"igra (\w+) has been said, which only a higher game beats": too_low,
    "a game is declared by who has won the auction, before the defenders decide": lambda a: (
        (not at(a, Phase.DECLARE) and not names_a_game(a)) or a.state.game > 0
    ),
    r"the auction has come to (\d), so you cannot declare a lower game": lambda a, level: (
        at(a, Phase.DECLARE) and numbers_bid(a)[-1][1] == int(level) > number(a)
    ),
    "a player who has said plain igra names a game with trumps": lambda a: (
        (a.seat, "igra") in calls(a)
        and number(a) > HIGHEST_WITH_TRUMPS
        and not a.rules.igra_may_declare_notrump
    ),
    r"(\w+) has been named, so you need a higher game, or pass": named_already,
    "only the first to name a game may name 2": lambda a: (
        a.rules.igra_two_needs_first and number(a) == 2 and highest_named(a) > 0
    ),
    r"a hand game must be at least (\d), as (\d) has been bid": least_hand_game,
    "defenders come or stay out once the game is declared": lambda a: not at(a, Phase.COME),
    "only a defender who comes alone chooses that, before kontra": lambda a: not at(a, Phase.JOIN),
    "a contract is doubled or accepted before the first card is played": lambda a: not at(a, Phase.KONTRA),
    "only a lone defender makes an offer, before the first card is played": lambda a: not at(a, Phase.OFFER),
    "there is no offer to answer": lambda a: not at(a, Phase.REPLY),
}
HIGHEST_BID = "bid 2, bid 3, pass, bid 3, bid 4, bid 4, bid 5, bid 5, bid 6, bid 6, bid 7, bid 7"
SELDOM = [
    ({}, {"dealer": 0, "actions": HIGHEST_BID.split(", ")}),
    ({"igra_min_level": "level"}, {"dealer": 0, "actions": ["bid 2", "bid 3", "igra", "pass", "pass"]}),
    (
        {"igra_two_needs_first": True, "igra_tie": "last"},
        {"dealer": 0, "actions": ["igra", "igra", "pass", "declare 2"]},
    ),
]
"""Rules and set deals of positions to which random play seldom comes."""

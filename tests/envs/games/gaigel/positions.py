"""Positions of Gaigel by description: hands dealt card by card, or the counts of a position.

Seat 0 is forehand, hearts are trumps.
"""

from collections import Counter
from itertools import zip_longest

from stichwerk.envs import gaigel_v0
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.games.gaigel.state import Phase
from tests.envs.games.gaigel.model import PACK, POINTS, double_set, names, trick_winner
from tests.envs.support import change, legal, play

DECK = Counter(dict.fromkeys(PACK.names, 2))
TRUMP = "h"


def deck(*hands: str, indicator="hJ", talon="", players=4, order="three_two_turn") -> list[str]:
    """A deck that gives the seats these cards, from forehand on; the lowest cards left fill the rest."""
    dealt = [hand.split() for hand in hands] + [[] for _ in range(players - len(hands))]
    left = DECK - Counter([indicator, *talon.split(), *(card for hand in dealt for card in hand)])
    fill = sorted(left.elements(), key=lambda card: (card[0] == TRUMP, POINTS[card[1]], card))
    while any(len(hand) < 5 for hand in dealt):
        for hand in dealt:
            if len(hand) < 5:
                hand.append(fill.pop(0))
    first, second = ([card for hand in dealt for card in hand[packet]] for packet in (slice(3), slice(3, 5)))
    middle = [*second, indicator] if order == "three_two_turn" else [indicator, *second]
    return [*first, *middle, *talon.split(), *fill]


def set_deal(
    *hands: str,
    actions="",
    players=4,
    indicator="hJ",
    talon="",
    match=None,
    episode="deal",
    observation="summary",
    **rules,
):
    env = gaigel_v0.raw_env({"players": players, **rules}, episode, observation=observation)
    order = rules.get("deal_order", "three_two_turn")
    cards = deck(*hands, indicator=indicator, talon=talon, players=players, order=order)
    env.reset(seed=1, options={"deck": cards, "dealer": players - 1, "match": match})
    play(env, actions)
    return env


def on_lead(*more: str, **kwargs) -> CardGameEnv:
    """Forehand has won the first trick with the ace of spades; `more` are the other cards of the hands."""
    openers = ["sA", "s7", "s7", "sJ", "sJ", "sQ"][: kwargs.get("players", 4)]
    hands = [f"{opener} {cards}" for opener, cards in zip_longest(openers, more, fillvalue="")]
    return set_deal(
        *hands, actions=", ".join(["open geelfen", *(f"play {opener}" for opener in openers)]), **kwargs
    )


def at_the_end(points: list[int], tricks: list[int], seat=0, **kwargs) -> CardGameEnv:
    """All cards are played, `seat` has won the last trick; points and tricks by side."""
    env = on_lead(**kwargs)
    return change(env, phase=Phase.AFTER, seat=seat, leader=seat, points=points, tricks=tricks)


def answering(hand: str, table: str, trump=TRUMP, **rules) -> CardGameEnv:
    """A seat with this hand is to answer the cards on the table, from forehand on, when the talon is gone."""
    cards = list(enumerate(table.split()))
    winner = trick_winner(cards, trump, "")
    seat = len(cards)
    env = on_lead(**rules)
    hands = [0] * seat + [double_set(hand.split())]
    on_table = [PACK.index[card] for _, card in cards]
    best = {"best": on_table[winner], "winning": winner}
    return change(
        env,
        trump="shdc".index(trump),
        indicator=-1,
        top=48,
        trick=9,
        seat=seat,
        hand=hands,
        table=on_table,
        **best,
    )


def plays(env: CardGameEnv) -> str:
    """The cards that may be played."""
    return " ".join(action.removeprefix("play ") for action in legal(env) if action.startswith("play"))


def state(env: CardGameEnv) -> dict:
    return env.snapshot()["state"]


def hand(env: CardGameEnv, seat: int) -> Counter:
    return names(state(env)["hand"][seat])

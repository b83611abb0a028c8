"""Positions by description: a deal set card by card, or the counts of a position and some cards in the hands.

Throughout X is player_0 and Y is player_1. Spades are trumps unless a deal says otherwise.
"""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from stichwerk.envs import schnapsen_v0
from stichwerk.envs.aec import CardGameEnv
from tests.envs.games.schnapsen.model import FULL_PACK, beats, card_points, mask
from tests.envs.support import change, play, true_state

X, Y = 0, 1
NAMES = ("player_0", "player_1")

# A deal in which X wins the first four tricks with aces and tens and keeps the trump jack; Y has no trump.
FOUR_TRICKS = {
    "x": "hA dA cA hT sJ",
    "y": "hJ dJ cJ hQ dQ",
    "turned_up": "sT",
    "stock": "dT cQ cT cK sQ hK sK dK sA",
}
TRICKS = ("play hA, play hJ", "play dA, play dJ", "play cA, play cJ", "play hT, play hQ")


def rules(text: str) -> dict:
    """`"schnapsen score_at=end target=3"`: a preset and changes to it."""
    preset, *changes = text.split()
    pairs = (change.split("=") for change in changes)
    words = {"True": True, "False": False}
    return {"preset": preset} | {
        name: int(value) if value.isdigit() else words.get(value, value) for name, value in pairs
    }


def set_deal(
    variant: str, x="", y="", turned_up="", stock="", actions="", dealer=Y, match=None, **kwargs
) -> CardGameEnv:
    """A deal in which X and Y get these cards; the rest of the pack fills the open places in order."""
    env = schnapsen_v0.raw_env(rules(variant), **kwargs)
    given = [y.split(), x.split()] if dealer == X else [x.split(), y.split()]  # forehand, dealer
    given += [turned_up.split(), stock.split()]
    rest = iter([card for card in env.game.deck if all(card not in cards for cards in given)])
    open_places = [iter(cards) for cards in given]
    deck = [next(open_places[place], None) or next(rest) for place in env.game.rules.layout]
    env.reset(
        seed=0,
        options={
            "deck": deck,
            "dealer": dealer,
            "match": match,
            "actions": actions.split(", ") if actions else [],
        },
    )
    return env


class Side(NamedTuple):
    """What one side has won: `66/4` points in tricks; `m20` of them from marriages; `p40` more that wait;
    `?/3` any points."""

    points: int | None
    tricks: int
    melded: int
    pending: int

    @classmethod
    def parse(cls, text: str) -> "Side":
        points, *others = re.fullmatch(r"(\d+|\?)/(\d+)(?: m(\d+))?(?: p(\d+))?", text).groups(default="0")
        return cls(None if points == "?" else int(points), *map(int, others))

    @property
    def card_points(self) -> int | None:
        return None if self.points is None else self.points - self.melded


def picks(cards: list[str], size: int, total: int | None) -> Iterator[list[str]]:
    """The ways to take so many cards with so many points, equal ranks only once; `cards` run from high to
    low."""
    if total is None:
        yield cards[len(cards) - size :]
        return
    if not card_points(cards[len(cards) - size :]) <= total <= card_points(cards[:size]):
        return
    if size == 0:
        yield []
    for place, card in enumerate(cards[: len(cards) - size + 1] if size else []):
        if place == 0 or cards[place - 1][1] != card[1]:
            yield from (
                [card, *others] for others in picks(cards[place + 1 :], size - 1, total - card_points([card]))
            )


def piles(
    cards: list[str], x: tuple[int, int | None], y: tuple[int, int | None]
) -> tuple[list[str], list[str]] | None:
    """Cards for what X and Y have taken, both given as (number, points), if there are any."""
    cards = sorted(cards, key=lambda card: -card_points([card]))
    for of_x in picks(cards, *x):
        for of_y in picks([card for card in cards if card not in of_x], *y):
            return of_x, of_y
    return None


def position(
    variant: str, x="0/0", y="0/0", closed="", hands=("", ""), lead=X, last=None, score=(0, 0), **kwargs
) -> CardGameEnv:
    """A position at the lead in which both sides have won so much; Y has dealt.

    `closed` is such as `X 20/1, 31/2`: who closed, and the counts of X and Y then. `hands` names some cards
    of X and Y. With `last` the last trick is played, which X leads and this seat wins, and the counts are
    those after it.
    """
    env = schnapsen_v0.raw_env(rules(variant), **kwargs)
    deck, size = env.game.deck, env.game.rules.in_hand
    sides = [Side.parse(x), Side.parse(y)]
    at_close = [Side.parse(text) for text in closed[2:].split(", ")] if closed else []
    tricks = [side.tricks - (last == seat) for seat, side in enumerate(sides)]
    draws = min(sum(side.tricks for side in at_close or sides), len(deck) // 2 - size)
    in_hand = size + draws - sum(tricks)
    exhausted = draws == len(deck) // 2 - size

    rng = random.Random(1)
    held = [hand.split() for hand in hands]
    rest = [card for card in deck if card not in held[X] + held[Y]]
    for _ in range(200):  # try until there are cards with so many points
        rng.shuffle(rest)
        free, won = rest.copy(), [side.card_points for side in sides]
        indicator = None if exhausted else next(card for card in free if card[0] == "s")
        if indicator:
            free.remove(indicator)
        if last is not None:
            held = [[free.pop()], [free.pop()]]
            if beats(held[Y][0], held[X][0], trump="s") != (last == Y):
                continue
            won[last] -= card_points(held[X] + held[Y])
        taken = piles(free, (2 * tricks[X], won[X]), (2 * tricks[Y], won[Y]))
        if taken:
            break
    else:
        raise ValueError(f"no cards make X {x}, Y {y}")
    stock = [card for card in free if card not in taken[X] + taken[Y]]
    held = [[*hand, *(stock.pop() for _ in range(in_hand - len(hand)))] for hand in held]
    gone = [card for card in deck if card not in stock]

    env.reset(seed=1)
    fields = {
        "dealer": Y,
        "score": list(score),
        "hand": [mask(hand) for hand in held],
        "taken": [mask(pile) for pile in taken],
        "draws": draws,
        "trump": 0,
        "turned_up": FULL_PACK.index(indicator or "sJ"),
        "indicator": FULL_PACK.index(indicator) if indicator else -1,
        "deck": [*map(FULL_PACK.index, gone + stock), *[0] * (len(FULL_PACK) - len(deck))],
        "top": len(gone),
        "seat": lead,
        "leader": lead,
        "points": [card_points(taken[seat]) + side.melded for seat, side in enumerate(sides)],
        "pending": [side.pending for side in sides],
        "tricks": tricks,
        "marriages": [
            (side.melded == 40) | (side.melded == 20) << 1 + seat for seat, side in enumerate(sides)
        ],
        "closed_by": "XY".index(closed[0]) if closed else -1,
        "closed_points": [side.points for side in at_close] or [0, 0],
        "closed_tricks": [side.tricks for side in at_close] or [0, 0],
    }
    change(env, **fields)
    if last is not None:
        play(env, f"play {held[X][0]}, play {held[Y][0]}")
    return env


def points(env: CardGameEnv) -> list[int]:
    """The credited points of X and Y."""
    return true_state(env)[0].points.tolist()


def gains(env: CardGameEnv) -> list[int]:
    """What X and Y got for the deal; empty while it goes on."""
    return [int(env.infos[agent]["deal_points"]) for agent in NAMES if env.infos[agent]]

"""Schnapsen and Sixty-six once more in plain Python, by names and counting, to hold the compiled rules
against."""

from math import comb
from typing import ClassVar, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.games.schnapsen.options import FULL_PACK, SchnapsenRules
from tests.envs.counting import change_chance

POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0}
STRENGTH = "9JQKTA"
SELDOM = {"continue"}
MATCH_LIMIT: dict[str, int] = {}


def switched_off(game) -> set[str]:
    """The actions that these rules never allow."""
    off = {"claim"} if game.rules.claims == "auto" else set()
    return off | ({"close"} if game.rules.close_window == "never" else set())


# Cards


def names(mask: int) -> set[str]:
    return {name for card, name in enumerate(FULL_PACK) if mask >> card & 1}


def mask(cards) -> int:
    return sum(1 << FULL_PACK.index(name) for name in cards)


def card_points(cards) -> int:
    return sum(POINTS[name[1]] for name in cards)


def beats(card: str, led: str, trump: str) -> bool:
    """Whether a follower's card takes the trick."""
    if card[0] == led[0]:
        return STRENGTH.index(card[1]) > STRENGTH.index(led[1])
    return card[0] == trump


def stock(game, record) -> list[int]:
    """The face-down cards from the top."""
    return record.deck[record.top : len(game.deck)].tolist()


# Who knows what


def unknown(game, record, seat: int) -> list[int]:
    """The cards whose place the seat does not know, the other hand's first."""
    other = 1 - seat
    return [
        FULL_PACK.index(name) for name in sorted(names(record.hand[other]) - names(record.shown[other]))
    ] + stock(game, record)


def hidden_cards(game, state: np.ndarray, seat: int) -> set[str]:
    return {FULL_PACK[card] for card in unknown(game, state[0], seat)}


def redeal(game, state: np.ndarray, seat: int, rng) -> np.ndarray:
    """Under the presets all that the seat can prove of the other hand is which cards were shown and which are
    missing."""
    world = state.copy()
    record, other = world[0], 1 - seat
    cards = unknown(game, record, seat)
    open_places = len(names(record.hand[other]) - names(record.shown[other]))
    missing = names(record.missing[other])
    rng.shuffle(cards)
    hand = [card for card in cards if FULL_PACK[card] not in missing][:open_places]
    record.hand[other] = record.hand[other] & record.shown[other] | sum(1 << card for card in hand)
    record.deck[record.top : len(game.deck)] = [card for card in cards if card not in hand]
    # What is over and done is hidden as well, and what is to come: nonsense there must make no difference.
    record.deck[: record.top] = rng.sample(range(len(FULL_PACK)), record.top)
    record.dealt[other] = rng.getrandbits(24)
    record.drawn[other] = [rng.randrange(-1, 24) for _ in record.drawn[other]]
    change_chance(record, rng)
    return world


def chance_of_truth(game, state: np.ndarray, seat: int) -> float:
    record, other = state[0], 1 - seat
    places = len(names(record.hand[other]) - names(record.shown[other]))
    candidates = [
        card for card in unknown(game, record, seat) if FULL_PACK[card] not in names(record.missing[other])
    ]
    return 1 / comb(len(candidates), places)


def world(game, state: np.ndarray) -> tuple:
    record = state[0]
    return (
        *record.hand.tolist(),
        *record.dealt.tolist(),
        *record.drawn.ravel().tolist(),
        *stock(game, record),
    )


# What holds in every position


def check(game, state: np.ndarray) -> None:
    record, rules = state[0], game.rules
    places = [names(record.hand[0]), names(record.hand[1]), names(record.taken[0]), names(record.taken[1])]
    places += [
        {FULL_PACK[card]} for card in (record.led, record.indicator, *stock(game, record)) if card >= 0
    ]
    assert sum(map(len, places)) == len(game.deck), "a card is in two places, or in none"
    assert set().union(*places) == set(game.deck), "a card is not of this pack"
    assert len(names(record.taken[0] | record.taken[1])) == 2 * record.tricks.sum()

    assert record.points.tolist() == points(rules, game.actions, record)
    for seat in (0, 1):
        assert names(record.shown[seat]) <= names(record.hand[seat]), "a card shown is not in the hand"
        assert not names(record.missing[seat]) & names(record.hand[seat]), (
            "a card proven missing is in the hand"
        )
    if not over(record):
        in_hand = [len(names(hand)) for hand in record.hand]
        assert in_hand[record.leader] == in_hand[1 - record.leader] - (record.led >= 0)


def over(record) -> bool:
    return int(record.phase) == 4


def points(rules: SchnapsenRules, actions, record) -> list[int]:
    """Both point totals, counted again from the log: card points, marriages once credited, and the last
    trick's ten."""
    total, waiting, has_trick = [0, 0], [0, 0], [False, False]
    trump = "shdc"[record.trump]
    led = None
    for seat, action in log_entries(record):
        verb, _, what = actions[action].partition(" ")
        if verb == "meld":
            value = 40 if what == trump else 20
            at_once = any(has_trick) and rules.marriages_count == "at_once"
            (total if at_once else waiting)[seat] += value
        elif verb == "play" and led is None:
            led = (seat, what)
        elif verb == "play":
            leader, card = led
            winner = seat if beats(what, card, trump) else leader
            total[winner] += card_points([card, what]) + waiting[winner]
            waiting[winner] = 0
            if not any(has_trick) and rules.first_marriage_counts == "that_trick":
                waiting = [0, 0]
            has_trick[winner] = True
            led = None
            last = winner
    if led is None and record.indicator < 0 and not record.hand.any() and rules.last_trick == "ten":
        total[last] += 10
    return total


# Rules


NUMBERS = {
    "min_stock": (1, 2, 3, 5),
    "schneider_max": (32, 33, 0),
    "target": (7, 1, 3),
    "goal": (66, 20, 100),
}


@st.composite
def rules(draw) -> dict:
    """Any rules: each listed value, small and large numbers, and full or small packs."""
    hints = {
        name: hint
        for name, hint in get_type_hints(SchnapsenRules).items()
        if get_origin(hint) is not ClassVar
    }
    values = {
        name: (False, True) if hint is bool else get_args(hint) for name, hint in hints.items()
    } | NUMBERS
    del values["pack"], values["hand_size"]
    options = {name: draw(st.sampled_from(allowed), name) for name, allowed in values.items()}
    if draw(st.booleans(), "small pack"):
        size = draw(st.sampled_from(range(4, 25, 2)))
        options["pack"] = list(draw(st.permutations(FULL_PACK))[:size])
        options["hand_size"] = draw(st.integers(1, size // 2 - 1))
    return options

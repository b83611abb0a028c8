"""Snapszer once more in plain Python, by names and counting, to hold the compiled rules against."""

import numpy as np
from hypothesis import strategies as st

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import Phase
from tests.envs.counting import change_chance, ways
from tests.envs.games.schnapsen.model import beats, card_points, names

SEATS = 4
SELDOM = {"continue"}
MATCH_LIMIT: dict[str, int] = {}


def switched_off(game) -> set[str]:
    return set()


def others(seat: int) -> list[int]:
    return [(seat + i) % SEATS for i in range(1, SEATS)]


def forehand(record) -> int:
    return (int(record.dealer) + 1) % SEATS


def undealt(record) -> list[int]:
    """The cards that will be dealt once forehand has named one."""
    return record.deck[12:].tolist() if record.phase == Phase.NAME else []


# Who knows what


def unknown(record, seat: int) -> list[int]:
    """The cards whose place the seat does not know."""
    held = [
        PACK.index[name]
        for other in others(seat)
        for name in sorted(names(record.hand[other]) - names(record.shown[other]))
    ]
    return held + undealt(record)


def hidden_cards(game, state: np.ndarray, seat: int) -> set[str]:
    """All that the seat does not know the place of, but the named card, whose name has been said."""
    return {PACK.names[card] for card in unknown(state[0], seat) if card != state[0].named}


def redeal(game, state: np.ndarray, seat: int, rng) -> np.ndarray:
    """Swap hidden cards at random within what is shown and proven missing; the named card finds a holder."""
    world = state.copy()
    record = world[0]
    hands = {other: sorted(names(record.hand[other]) - names(record.shown[other])) for other in others(seat)}
    pool = {**hands, "deck": [PACK.names[card] for card in undealt(record)]}
    missing = {**{other: names(record.missing[other]) for other in others(seat)}, "deck": set()}
    places = [(place, i) for place, cards in pool.items() for i in range(len(cards))]
    for _ in range(60 if places else 0):
        (a, i), (b, j) = rng.choice(places), rng.choice(places)
        if pool[a][i] not in missing[b] and pool[b][j] not in missing[a]:
            pool[a][i], pool[b][j] = pool[b][j], pool[a][i]
    for other in others(seat):
        record.hand[other] = PACK.mask(names(record.hand[other]) & names(record.shown[other])) | PACK.mask(
            pool[other]
        )
        record.dealt[other] = rng.getrandbits(24)
    record.deck[:] = rng.sample(range(24), 24)
    if record.phase == Phase.NAME:
        record.deck[12:] = [PACK.index[name] for name in pool["deck"]]
    elif not record.public and record.holder != seat:
        record.holder = next(
            s for s in range(SEATS) if PACK.names[record.named] in names(record.hand[s] | record.played[s])
        )
    change_chance(record, rng)
    return world


def chance_of_truth(game, state: np.ndarray, seat: int) -> float:
    """One over the deals that agree; where the named card came last into forehand's hand, half."""
    record = state[0]
    cards = unknown(record, seat)
    room = tuple(len(names(record.hand[other]) - names(record.shown[other])) for other in others(seat))
    barred = [
        {card for card in cards if PACK.names[card] in names(record.missing[other])} for other in others(seat)
    ]
    deals = ways(tuple(cards), room, barred)
    if record.named not in cards or seat == forehand(record) or record.phase == Phase.NAME:
        return 1 / deals
    place = others(seat).index(forehand(record))
    with_forehand = 0
    if room[place] and record.named not in barred[place]:
        left = tuple(size - (number == place) for number, size in enumerate(room))
        with_forehand = ways(tuple(card for card in cards if card != record.named), left, barred)
    weight = 0.5 if record.holder == forehand(record) else 1.0
    return weight / (deals - with_forehand / 2)


def world(game, state: np.ndarray) -> tuple:
    record = state[0]
    return (*record.hand.tolist(), *record.dealt.tolist(), int(record.holder), *undealt(record))


# What holds in every position


def check(game, state: np.ndarray) -> None:
    record = state[0]
    places = [
        *map(names, record.hand.tolist()),
        *map(names, record.played.tolist()),
        {PACK.names[card] for card in undealt(record)},
    ]
    assert sum(map(len, places)) == 24, "a card is in two places, or in none"
    assert len(set().union(*places)) == 24
    total, pending, tricks = counted(game, record)
    assert record.points.tolist() == total
    if game.rules.pending_marriage_owner == "declarer":
        assert record.pending.tolist() == pending
    assert record.tricks.tolist() == tricks
    for seat in range(SEATS):
        assert names(record.shown[seat]) <= names(record.hand[seat]), "a card shown is not in the hand"
        assert not names(record.missing[seat]) & names(record.hand[seat]), (
            "a card proven missing is in the hand"
        )
    if record.named >= 0:
        assert PACK.names[record.named] in names(record.hand[record.holder] | record.played[record.holder])


def counted(game, record) -> tuple[list[int], list[int], list[int]]:
    """Points, points that wait, and tricks of each seat, counted again from the log."""
    total, waiting, tricks = [0] * SEATS, [0] * SEATS, [0] * SEATS
    sides = {forehand(record), int(record.holder)}
    table: list[tuple[int, str]] = []
    trump = ""
    for seat, action in log_entries(record):
        verb, _, what = game.actions[action].partition(" ")
        if verb == "name":
            trump = what[0]
        elif verb == "meld":
            (total if any(tricks) else waiting)[seat] += 40 if what == trump else 20
        elif verb == "play":
            table.append((seat, what))
        if len(table) == SEATS:
            best = table[0]
            for each in table[1:]:
                best = each if beats(each[1], best[1], trump) else best
            winner = best[0]
            total[winner] += card_points(card for _, card in table)
            for declarer in range(SEATS):
                mates = game.rules.pending_marriage_owner == "team" and (declarer in sides) == (
                    winner in sides
                )
                if declarer == winner or mates:
                    total[declarer] += waiting[declarer]
                    waiting[declarer] = 0
            if game.rules.first_marriage_counts == "that_trick":
                waiting = [0] * SEATS
            tricks[winner] += 1
            table = []
            if sum(tricks) == 6:
                total[winner] += 10
    return total, waiting, tricks


@st.composite
def rules(draw) -> dict:
    """Any rules: each listed value and some numbers."""
    values = {
        "claims": ("free", "safe", "auto"),
        "allow_call_own": (False, True),
        "first_marriage_counts": ("any_later_trick", "that_trick"),
        "pending_marriage_owner": ("declarer", "team"),
        "tie": ("none", "carry", "last_trick"),
        "solo_multiplier": (1, 2),
        "claim_needs_reveal": (False, True),
        "schneider_max": (32, 33, 0),
        "target": (7, 1, 3),
    }
    return {name: draw(st.sampled_from(allowed), name) for name, allowed in values.items()}

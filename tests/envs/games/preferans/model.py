"""Preferans once more in plain Python, by names and counting, to hold the compiled rules against."""

from collections import Counter
from functools import cache
from itertools import pairwise, product
from math import comb

import numpy as np
from hypothesis import strategies as st

from stichwerk.envs.core.log import log_entries, logged_seat, write_log
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.state import (
    Outcome,
    Phase,
    dealt_to,
    discards_of,
    hand_of,
    missing_from,
    played_by,
    set_hand,
    talon_of,
)
from tests.envs.counting import change_chance

STRENGTH = "AKQJT987"
TRUMP = {2: "s", 3: "d", 4: "h", 5: "c"}
SELDOM = {"bid 5", "bid 6", "bid 7"}
MATCH_LIMIT = {"max_hands": 4}  # random players would never come to the end of a match


def switched_off(game) -> set[str]:
    """The actions that these rules never allow."""
    off = set()
    if not game.rules.enable_preferans:
        off |= {"bid 8", "igra preferans", "declare 8"}
    if not game.rules.trick_offer:
        off |= {*(f"offer {tricks}" for tricks in range(6)), "no offer", "agree", "refuse"}
    return off


def names(mask) -> set[str]:
    return set(PACK.cards(int(mask)))


def active(game, record) -> list[int]:
    """The seats in the deal, from forehand on."""
    return [(int(record.dealer) + i) % game.seats for i in (1, 2, 3)]


def others(game, record, seat: int) -> list[int]:
    return [other for other in active(game, record) if other != seat]


def with_talon(record) -> bool:
    """Whether the talon has been turned up."""
    return record.declarer >= 0 and not record.igra


def face_down(record, seat: int) -> list[str]:
    """The two cards that no hand holds, or the discards so far, unless the seat knows them."""
    if not with_talon(record):
        return [PACK.names[card] for card in record.deck[15:17]]
    return [] if seat == record.declarer else sorted(names(discards_of(record)))


def discard_entries(game, record) -> list[int]:
    return [
        i for i, (_, action) in enumerate(log_entries(record)) if game.actions[action].startswith("discard")
    ]


# What everybody can prove, from the log


def played_tricks(game, record) -> list[list[tuple[int, str]]]:
    """The cards of each trick with their seats; the last may be unfinished."""
    tricks: list[list[tuple[int, str]]] = []
    for seat, action in log_entries(record):
        verb, _, card = game.actions[action].partition(" ")
        if verb == "play":
            if not tricks or len(tricks[-1]) == players_in(record):
                tricks.append([])
            tricks[-1].append((seat, card))
    return tricks


def players_in(record) -> int:
    alone = int(record.came).bit_count() == 1 and record.taker < 0
    return 2 if alone else 3


def winner(trick: list[tuple[int, str]], trump: str | None) -> int:
    led = trick[0][1][0]
    ranked = [(card[0] == trump, card[0] == led, -STRENGTH.index(card[1]), seat) for seat, card in trick]
    return max(ranked)[3]


def proven_missing(game, record) -> dict[int, set[str]]:
    """Who could not follow has no card of the suit, who did not trump then no trump, the defence no talon."""
    missing: dict[int, set[str]] = {seat: set() for seat in range(game.seats)}
    if with_talon(record):
        for seat in others(game, record, int(record.declarer)):
            missing[seat] |= {PACK.names[card] for card in record.deck[15:17]}
    trump = TRUMP.get(int(record.game))
    for trick in played_tricks(game, record):
        led = trick[0][1][0]
        for seat, card in trick[1:]:
            if card[0] != led:
                missing[seat] |= {
                    name for name in PACK.names if name[0] in (led, trump if card[0] != trump else led)
                }
    return missing


# Who knows what


def unknown(game, record, seat: int) -> list[str]:
    """The cards whose place the seat does not know."""
    return [
        card for other in others(game, record, seat) for card in sorted(names(hand_of(record, other)))
    ] + face_down(record, seat)


def hidden_cards(game, state: np.ndarray, seat: int) -> set[str]:
    """All that the seat does not know the place of, but the talon, which lay open on the table."""
    record = state[0]
    return set(unknown(game, record, seat)) - names(talon_of(record))


def redeal(game, state: np.ndarray, seat: int, rng) -> np.ndarray:
    """Swap hidden cards at random, keeping to what has been proven."""
    world = state.copy()
    record = world[0]
    missing = {**proven_missing(game, record), "down": set()}
    pool = {
        **{other: sorted(names(hand_of(record, other))) for other in others(game, record, seat)},
        "down": face_down(record, seat),
    }
    places = [(place, i) for place, cards in pool.items() for i in range(len(cards))]
    for _ in range(60 if places else 0):
        (a, i), (b, j) = rng.choice(places), rng.choice(places)
        if pool[a][i] not in missing[b] and pool[b][j] not in missing[a]:
            pool[a][i], pool[b][j] = pool[b][j], pool[a][i]
    for other in others(game, record, seat):
        set_hand(record, other, PACK.mask(pool[other]))
    deck = rng.sample(range(32), 32)
    if not with_talon(record):
        deck[15:17] = [PACK.index[card] for card in pool["down"]]
    elif seat != record.declarer:
        for i, card in zip(discard_entries(game, record), pool["down"], strict=True):
            write_log(record, i, logged_seat(record, i), game.action_index[f"discard {card}"])
    record.deck[:] = deck
    change_chance(record, rng)
    return world


def chance_of_truth(game, state: np.ndarray, seat: int) -> float:
    """One over the ways to deal the unknown cards: each way to hold the hands leaves one for the rest."""
    record, missing = state[0], proven_missing(game, state[0])
    hands = others(game, record, seat)
    groups = Counter(
        frozenset(hand for hand in hands if card in missing[hand]) for card in unknown(game, record, seat)
    )
    return 1 / ways(tuple(groups.items()), tuple((hand, len(names(hand_of(record, hand)))) for hand in hands))


@cache
def ways(groups: tuple[tuple[frozenset[int], int], ...], room: tuple[tuple[int, int], ...]) -> int:
    """In how many ways groups of cards, each barred from some hands, can fill the room in the hands."""
    if not groups:
        return int(not any(size for _, size in room))
    (barred, cards), *rest = groups
    total = 0
    for shares in product(
        *(range(0 if hand in barred else min(size, cards) + 1) or (0,) for hand, size in room)
    ):
        left, here = cards, 1
        for share in shares:
            here *= comb(left, share) if share <= left else 0
            left -= share
        if here:
            total += here * ways(
                tuple(rest),
                tuple((hand, size - share) for (hand, size), share in zip(room, shares, strict=True)),
            )
    return total


def world(game, state: np.ndarray) -> tuple:
    record = state[0]
    return (
        *(int(hand_of(record, seat)) for seat in range(4)),
        *(int(dealt_to(record, seat)) for seat in range(4)),
        int(discards_of(record)),
        *sorted(record.deck[15:17].tolist()),
    )


# What holds in every position


def check(game, state: np.ndarray) -> None:
    record, rules_record = state[0], game.rules_record[0]
    down = names(discards_of(record)) if with_talon(record) else set(face_down(record, 0))
    hands = [names(hand_of(record, seat)) for seat in range(4)]
    places = [*hands, *(names(played_by(record, seat)) for seat in range(4)), down]
    assert sum(map(len, places)) == 32, "a card is in two places, or in none"
    assert len(set().union(*places)) == 32
    for seat, missing in proven_missing(game, record).items():
        assert names(missing_from(rules_record, record, seat)) == missing
        assert not missing & hands[seat], "a card proven missing is in the hand"
    check_tricks(game, record)
    check_sheet(game, record)


def check_tricks(game, record) -> None:
    tricks, trump = played_tricks(game, record), TRUMP.get(int(record.game))
    if tricks and len(tricks[-1]) < players_in(record):
        assert on_table(game, record) == tricks.pop()
    else:
        assert not on_table(game, record)
    won = Counter(winner(trick, trump) for trick in tricks)
    settled = record.outcome != Outcome.NONE and not tricks  # tricks that nobody has played
    assert settled or record.tricks.tolist() == [won[seat] for seat in range(4)]
    for trick, following in pairwise(tricks):
        assert following[0][0] == winner(trick, trump)


def on_table(game, record) -> list[tuple[int, str]]:
    """The cards that lie on the table with their seats, as the engine tells."""
    cards = names(record.table)
    on_top = log_entries(record)[record.log_size - len(cards) :]
    played = [(seat, game.actions[action].removeprefix("play ")) for seat, action in on_top]
    assert {card for _, card in played} == cards
    return played


def own(record) -> np.ndarray:
    """The own columns: the diagonal of the sheet."""
    return record.sheet.diagonal().astype(np.int64)


def received(record) -> np.ndarray:
    """What each seat has received from each."""
    return record.sheet.astype(np.int64) - np.diag(own(record))


def check_sheet(game, record) -> None:
    total = int(own(record).sum())
    assert total >= 0
    assert not record.sheet[game.seats :].any()
    assert not record.sheet[:, game.seats :].any()
    assert (record.refas <= record.refas_written).all()
    balance = received(record).sum(axis=1) - received(record).sum(axis=0) - 10 * own(record)
    assert balance.sum() == -10 * total
    if record.over and game.rules.max_hands == record.deals_done and record.match:
        assert total == 0
        assert record.reward.tolist() == balance.tolist()
    if record.phase == Phase.PLAY:
        assert record.outcome == Outcome.NONE


@st.composite
def rules(draw) -> dict:
    """Any rules: each listed value and some numbers."""
    values = {
        "players": (3, 4),
        "start": (100, 30, 7, 1),
        "max_hands": (3, 1, 6),
        "refa_limit": (None, 0, 5),
        "hat_at_zero": (True, False),
        "enable_preferans": (False, True),
        "igra_tie": ("first", "last"),
        "igra_two_needs_first": (False, True),
        "igra_may_declare_notrump": (False, True),
        "igra_min_level": ("off", "level", "level_minus_one"),
        "max_kontra": (4, 0, 1, 2, 3),
        "kontra_target": (4, 5),
        "plain_two": ("play", "refa_or_hat_win", "refa_or_win", "win"),
        "sans_lead": ("declarer_left", "forehand_nondeclarer"),
        "two_defender_quota": ("joint", "each_two"),
        "betl_kontra_supe": ("both", "kontra_only"),
        "betl_kontra_penalty": (False, True),
        "last_hand_double_fail": (False, True),
        "last_hand_test": ("ge", "gt"),
        "trick_offer": (False, True),
    }
    return {name: draw(st.sampled_from(allowed), name) for name, allowed in values.items()}

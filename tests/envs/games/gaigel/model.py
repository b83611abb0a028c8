"""Gaigel once more in plain Python, by names and counting, to hold the compiled rules against."""

from collections import Counter
from math import prod

import numpy as np
from hypothesis import strategies as st

from stichwerk.envs.core.log import log_entries, write_log
from stichwerk.envs.games.gaigel.cards.hands import proven_before, proven_card, proven_seat
from stichwerk.envs.games.gaigel.options import PACK
from stichwerk.envs.games.gaigel.state import SIGNAL
from tests.envs.counting import change_chance, ways

POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "7": 0}
STRENGTH = "7JQKTA"
SELDOM = {"open trump"}
MATCH_LIMIT: dict[str, int] = {}


def switched_off(game) -> set[str]:
    """The actions that these rules never allow."""
    return {f"signal {suit}" for suit in "shdc"} if game.rules.signals == "off" else set()


# Cards: a double set is a Counter of names


def names(cards: int) -> Counter:
    return Counter(
        {
            name: (cards >> card & 1) + (cards >> 24 + card & 1)
            for card, name in enumerate(PACK.names)
            if cards >> card & 1
        }
    )


def double_set(cards) -> int:
    return sum(
        (1 << PACK.index[name]) + (number == 2) * (1 << 24 + PACK.index[name])
        for name, number in Counter(cards).items()
        if number
    )


def numbers(cards: Counter) -> list[int]:
    return sorted(PACK.index[name] for name in cards.elements())


def talon(record) -> list[int]:
    """The face-down cards from the top."""
    return record.deck[record.top :].tolist()


def seats(game) -> int:
    return game.rules.players


def forehand(game, record) -> int:
    return (int(record.dealer) + 1) % seats(game)


def owners(game, record) -> list[int]:
    """For each card of the deck so far the seat that got it; -1 for the indicator."""
    return owners_among(seats(game), record, game.rules.deal_order)


def owners_among(players: int, record, deal_order: str = "three_two_turn") -> list[int]:
    order = [(int(record["dealer"]) + 1 + place) % players for place in range(players)]
    first, second = ([seat for seat in order for _ in range(packet)] for packet in (3, 2))
    dealt = [*first, *second, -1] if deal_order == "three_two_turn" else [*first, -1, *second]
    drawn = [(winner + place) % players for winner in rounds(record) for place in range(players)]
    return (dealt + drawn)[: record["top"]]


def rounds(record) -> list[int]:
    """Who drew first in each round of drawing so far."""
    return [winner for winner in record["drew_first"].tolist() if winner >= 0]


def own_in_deck(views: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Which cards of the deck each of these seats got: bool[views, 48]; between turns, in ordinary deals."""
    own = np.zeros(views["deck"].shape, bool)
    for view, seat, row in zip(views, seats, own, strict=True):
        players = -(-(int(view["top"]) - 1) // (5 + len(rounds(view))))  # the very last card is the indicator
        owners = owners_among(players, view)
        row[: len(owners)] = np.equal(owners, seat)
    return own


def mates(game, seat: int, other: int) -> bool:
    return game.sides[seat] == game.sides[other]


# Who knows what


def lie_face_down(game, record) -> list[int]:
    """The seats whose cards lie face down on the table."""
    opening = log(game, record)[0][1] if record.log_size else ""
    down = [
        "open andere_alte",
        "open hoeher_hat",
        *(["open dissle"] if game.rules.dissle_lead == "face_down" else []),
    ]
    if record.trick > 1 or opening not in down:
        return []
    return [seat for seat in range(seats(game)) if record.table[seat] >= 0]


def pool(game, record, seat: int) -> dict:
    """The cards whose place the seat does not know, by the hand, table place or talon where they are."""
    others = [other for other in range(seats(game)) if other != seat]
    return {
        **{
            ("hand", other): numbers(names(record.hand[other]) - names(record.shown[other]))
            for other in others
        },
        **{
            ("table", other): [int(record.table[other])]
            for other in lie_face_down(game, record)
            if other != seat
        },
        ("talon",): talon(record),
    }


def hidden_cards(game, state: np.ndarray, seat: int) -> set[str]:
    """The names of cards that the seat does not know the place of, unless it knows that of the other copy."""
    record = state[0]
    hidden = {card for cards in pool(game, record, seat).values() for card in cards}
    known = names(record.hand[seat]) + names(record.gone)
    for shown in record.shown.tolist():
        known += names(shown)
    seen = {
        int(card)
        for other, card in enumerate(record.table)
        if other == seat or other not in lie_face_down(game, record)
    }
    return {PACK.names[card] for card in hidden - seen - {int(record.indicator)}} - set(known)


def redeal(game, state: np.ndarray, seat: int, rng) -> np.ndarray:
    """Swap hidden cards at random, keeping to what is shown and proven missing; draw all else again."""
    world = state.copy()
    record = world[0]
    places = pool(game, record, seat)
    missing = {where: names(record.missing[where[1]]) if where[0] == "hand" else () for where in places}
    each = [(where, i) for where, cards in places.items() for i in range(len(cards))]
    for _ in range(60 if each else 0):
        (a, i), (b, j) = rng.choice(each), rng.choice(each)
        one, two = places[a][i], places[b][j]
        if PACK.names[one] not in missing[b] and PACK.names[two] not in missing[a]:
            places[a][i], places[b][j] = two, one
    for where, cards in places.items():
        if where[0] == "hand":
            record.hand[where[1]] = double_set(
                names(record.shown[where[1]]) + Counter(PACK.names[card] for card in cards)
            )
        elif where[0] == "table":
            record.table[where[1]] = cards[0]
            turn = (where[1] - forehand(game, record)) % seats(game)
            write_log(record, 1 + turn, where[1], game.action_index[f"play {PACK.names[cards[0]]}"])
    for position, owner in enumerate(owners(game, record)):
        if owner != seat:
            record.deck[position] = rng.randrange(24)
    record.deck[record.top :] = places["talon",]
    if record.asker != seat:
        record.asker = rng.choice([-1, *(other for other in range(seats(game)) if other != seat)])
        record.answers = rng.getrandbits(8)
    if game.rules.signals == "partner":
        signal_anew(game, record, seat, rng)
    change_chance(record, rng)
    return world


def signal_anew(game, record, seat: int, rng) -> None:
    """Change or leave out what the opponents have signalled."""
    kept = []
    for actor, action in log_entries(record):
        if action < SIGNAL or mates(game, seat, actor):
            kept.append((actor, action))
        elif rng.random() < 0.5:
            kept.append((actor, SIGNAL + rng.randrange(4)))
    record.log_size, record.log[:] = len(kept), 0
    for entry, (actor, action) in enumerate(kept):
        write_log(record, entry, actor, action)
    for other in range(seats(game)):
        if not mates(game, seat, other):
            record.signal[other] = rng.randrange(-1, 4)
            record.signalled ^= rng.getrandbits(1) << other


def chance_of_truth(game, state: np.ndarray, seat: int) -> float:
    """One over the deals of copies that agree, times those that look alike; 0 if too small to test."""
    record = state[0]
    places = pool(game, record, seat)
    cards = [card for where in places.values() for card in where]
    if len(cards) > 10 or lie_face_down(game, record):
        return 0.0
    hands = [where for where in places if where[0] == "hand"]
    barred = [{PACK.index[name] for name in names(record.missing[where[1]])} for where in hands]
    alike = prod(
        2
        for card in set(cards)
        if cards.count(card) == 2 and not any(where.count(card) == 2 for where in places.values())
    )
    return alike / ways(tuple(cards), tuple(len(places[where]) for where in hands), barred)


def world(game, state: np.ndarray) -> tuple:
    record = state[0]
    return (
        *record.hand.tolist(),
        *record.table.tolist(),
        *talon(record),
        int(record.asker),
        int(record.answers),
    )


# What holds in every position


def check(game, state: np.ndarray) -> None:
    record = state[0]
    places = [
        *map(names, record.hand.tolist()),
        names(record.gone),
        Counter(PACK.names[card] for card in talon(record)),
    ]
    places += [
        Counter([PACK.names[card]]) for card in (*record.table.tolist(), int(record.indicator)) if card >= 0
    ]
    assert sum(places, Counter()) == Counter(game.deck), "a card is in two places, or in none"
    for seat in range(seats(game)):
        hand, shown = names(record.hand[seat]), names(record.shown[seat])
        assert record.held[seat] == hand.total()
        assert shown <= hand, "a card shown is not in the hand"
        assert names(record.declared[seat]) <= shown, "a declared card is not shown"
        assert not set(names(record.missing[seat])) & set(hand), "a card proven missing is in the hand"
    came_to = owners(game, record)
    for number in range(record.proofs):
        owner, card = proven_seat(record, number), proven_card(record, number)
        end = proven_before(game.rules_record[0], record, number)
        came = [record.deck[place] for place in range(end) if came_to[place] == owner]
        assert card in came, "a card is proven to have come from the deck, but did not"
    drew_first = rounds(record)
    assert drew_first == winners(game, record)[: len(drew_first)]
    points, tricks = counted(game, record)
    assert record.points.tolist()[: len(points)] == points
    assert record.tricks.tolist()[: len(tricks)] == tricks
    if game.rules.score == "tokens":
        assert record.score.sum() + record.pool == game.rules.pool


def log(game, record) -> list[tuple[int, str]]:
    """Who did what, in order."""
    return [(actor, game.actions[action]) for actor, action in log_entries(record)]


def played_tricks(game, record) -> list[list[tuple[int, str]]]:
    """The finished tricks: who played what."""
    played = [(seat, action[5:]) for seat, action in log(game, record) if action.startswith("play ")]
    size = seats(game)
    return [played[i : i + size] for i in range(0, len(played) - size + 1, size)]


def winners(game, record) -> list[int]:
    """Who won each trick."""
    trump = PACK.names[record.turned_up][0]
    tricks = played_tricks(game, record)
    opening = log(game, record)[0][1].removeprefix("open ") if tricks else ""
    return [trick_winner(trick, trump, "" if number else opening) for number, trick in enumerate(tricks)]


def counted(game, record) -> tuple[list[int], list[int]]:
    """Points and tricks of each side, counted again from the log."""
    trump = PACK.names[record.turned_up][0]
    points, tricks = [0] * len(set(game.sides)), [0] * len(set(game.sides))
    for seat, action in log(game, record):
        if action.startswith("meld"):
            points[game.sides[seat]] += 40 if action[5:] == trump else 20
    for winner, trick in zip(winners(game, record), played_tricks(game, record), strict=True):
        points[game.sides[winner]] += sum(POINTS[card[1]] for _, card in trick)
        tricks[game.sides[winner]] += 1
    if sum(tricks) * seats(game) == 48 and game.rules.last_trick_10:
        points[game.sides[winner]] += 10
    return points, tricks


def trick_winner(table: list[tuple[int, str]], trump: str, opening: str) -> int:
    """Who wins a trick: the first that nothing beats."""
    led = table[0][1]
    if opening == "geelfen":
        return table[0][0]
    if opening == "andere_alte":
        return next((seat for seat, card in table[1:] if card == led), table[0][0])

    def rank(card: str) -> tuple[bool, int]:
        if card[0] != led[0] and (card[0] != trump or opening in ("hoeher_hat", "dissle")):
            return False, -1
        return card[0] == trump, STRENGTH.index(card[1])

    return max(table, key=lambda each: rank(each[1]))[0]


@st.composite
def rules(draw) -> dict:
    """Any rules: each listed value and some numbers."""
    values = {
        "players": (3, 4, 6),
        "deal_order": ("three_two_turn", "three_turn_two"),
        "dissle": (False, True),
        "dissle_lead": ("face_down", "face_up"),
        "dissle_value": (1, 2),
        "must_open_ace": (False, True),
        "post_talon": ("strict", "follow_only"),
        "meld_must_play": (False, True),
        "aus_window": ("on_lead", "any_turn"),
        "claims": ("free", "safe", "auto"),
        "five_sevens": (False, True),
        "last_trick_wins": (False, True),
        "last_trick_10": (False, True),
        "any_opponent": (False, True),
        "signals": ("off", "partner", "public"),
        "show_points": ("own", "all", "off"),
        "score": ("tokens", "target"),
        "pool": (10, 1, 3),
        "target": (7, 1, 3),
        "tokenless": ("wins", "one_more"),
    }
    return {name: draw(st.sampled_from(allowed), name) for name, allowed in values.items()}

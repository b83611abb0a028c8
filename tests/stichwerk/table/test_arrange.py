"""Positions are set up by hand in every game, and what no play leads to is refused."""

import random
from collections import Counter

import httpx
import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError
from stichwerk.table.positions.arrange import arranged, arranged_data, places_of
from stichwerk.table.positions.position import Position, read_position
from stichwerk.table.table import Table
from tests.envs.support import each_variant
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import open_table
from tests.stichwerk.table.test_table import seated


def begun(env_id: str = "schnapsen_v0", seed: int = 4) -> Position:
    """A position at the first decision of a person."""
    game = make_game(env_id)
    table = Table(game, [None, *["rules"] * (game.seats - 1)], seed=seed)
    table.move_agents()
    return read_position(table.position(0))


def someone(places, rng: random.Random) -> list[int]:
    place = rng.randrange(len(places))
    return [place, rng.randrange(len(places[place][1]))]


def tried(position: Position, change) -> Position | str:
    """The changed position, or why there is none."""
    try:
        return arranged(position, change)
    except InputError as error:
        return str(error)


@each_variant
def test_swaps_and_moves_give_playable_positions(variant):
    rng = random.Random(1)
    table = seated(variant, [0])
    table.move_agents()
    position, swapped = read_position(table.position(0)), 0
    pack = Counter(position.deal.deck)
    for number in range(24):
        places = places_of(position.game, position.deal)
        if number % 4 == 3:
            action = rng.choice(arranged_data(position)["legal"])["name"]
            moved = tried(position, {"act": action})
            assert (
                moved == f"act: got {action}, which ends the deal; expected another move" or moved.seat >= 0
            )
            position = position if isinstance(moved, str) else moved
            continue
        one, other = someone(places, rng), someone(places, rng)
        changed = tried(position, {"swap": [one, other]})
        if isinstance(changed, str):
            assert changed.startswith(("impossible: ", "swap: got "))
            continue
        cards = [places[place][1][card] for place, card in (one, other)]
        found = places_of(changed.game, changed.deal)
        assert cards[1] in found[one[0]][1]
        assert cards[0] in found[other[0]][1]
        assert Counter(changed.deal.deck) == pack
        assert changed.deal.moves == position.deal.moves
        RecordReplay(changed.game).check(changed.deal)
        again = read_position(arranged_data(changed)["text"])
        assert (again.deal.deck, again.seat) == (changed.deal.deck, changed.seat)
        position, swapped = changed, swapped + 1
    assert swapped > 3


def test_the_stock_is_listed_in_drawing_order():
    position = arranged(begun(), {"dealer": 0})
    *_, (words, stock) = places_of(position.game, position.deal)
    assert words == "face down, the next card first"
    for _ in (0, 1):
        legal = [each["name"] for each in arranged_data(position)["legal"]]
        position = arranged(position, {"act": next(each for each in legal if each.startswith("play"))})
    drawn = [
        card
        for words, cards in places_of(position.game, position.deal)
        if words.startswith("player_")
        for card in cards
        if card in stock
    ]
    assert sorted(drawn) == sorted(stock[:2])
    with pytest.raises(InputError, match="act: got claim, which ends the deal; expected another move"):
        arranged(position, {"act": "claim"})


def test_dealer_score_and_moves_can_change():
    position = begun()
    dealt = arranged(position, {"dealer": 1 - position.deal.dealer})
    assert (dealt.deal.dealer, dealt.deal.moves) == (1 - position.deal.dealer, ())
    scored = arranged(dealt, {"match": "{score: [2, 5]}"})
    assert scored.deal.match == {"score": [2, 5]}
    moved = arranged(scored, {"act": arranged_data(scored)["legal"][0]["name"]})
    assert len(moved.deal.moves) == 1
    assert arranged(moved, {"back": True}) == scored
    assert arranged(moved, {}) == moved


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"dealer": 2}, "dealer: got 2; expected 0 to 1"),
        ({"match": "{score: [9, 0]}"}, r"impossible: match score: got \[9, 0\]"),
        ({"match": "7"}, r"score: got '7'; expected such as {score: \[0, 0\]}"),
        ({"act": "play xx"}, "action 'play xx' is not legal for player_0; legal: play"),
        ({"back": True}, "back: got it before the first move"),
        ({"swap": [[9, 0], [0, 0]]}, "swap: got card 0 of place 9; expected a card that is there"),
        ({"swap": [[0, -1], [0, 0]]}, "swap: got card -1 of place 0"),
        ({"swap": [0, 1]}, "change: got .*; expected one of swap, dealer, match, act, back"),
        ({"fly": 1}, "change: got .*; expected one of"),
        ({"swap": [[0, 0], [1, 0]], "dealer": 1}, "change: got .*; expected one of"),
    ],
)
def test_impossible_changes_are_refused(change, fault):
    position = begun(seed=2)
    position = arranged(position, {"dealer": 1})
    with pytest.raises(InputError, match=fault):
        arranged(position, change)


def test_cards_that_contradict_earlier_moves_are_refused():
    """After the stock was closed each card that was played tells of the hand that it left."""
    position = arranged(begun(seed=6), {"dealer": 1})
    position = arranged(position, {"act": "close"})
    for _ in range(2):
        legal = [each["name"] for each in arranged_data(position)["legal"]]
        position = arranged(position, {"act": next(each for each in legal if each.startswith("play"))})
    places = places_of(position.game, position.deal)
    last = len(places) - 1
    swaps = [{"swap": [[hand, 0], [last, n]]} for hand in (0, 1) for n in range(len(places[last][1]))]
    faults = [found for swap in swaps if isinstance(found := tried(position, swap), str)]
    assert faults
    assert all(fault.startswith("impossible: move ") for fault in faults)


def test_a_page_sets_up_positions():
    with served() as tables:
        table, two = open_table(tables), open_table(tables, seats=(None, None))
        text = arranged_data(begun())["text"]

        def asked(table, **body):
            url = tables.page(table, 0).replace("/table/", "/arrange/")
            return httpx.post(url, json=body, headers={"Origin": f"http://{tables.at}"}, timeout=60).json()

        first = asked(table, text=text, deal=1, change={})
        assert first["text"] == text
        changed = asked(table, text=text, deal=1, change={"swap": [[0, 0], [1, 0]]})
        assert changed["places"][0]["cards"] != first["places"][0]["cards"]
        assert (
            "change: got [1]; expected an object or null"
            in asked(table, text=text, deal=1, change=[1])["text"]
        )
        assert "line 1: got 'x'" in asked(table, text="x", deal=1, change={})["text"]
        assert "with other people" in asked(two, text=text, deal=1, change={})["text"]

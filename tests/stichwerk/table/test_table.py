"""A table plays every game with people and agents, gives reasons, and tells a seat only what it knows."""

import json
import random
from dataclasses import replace

import pytest

from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import make_game
from stichwerk.envs.records.jsonl import read_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import IllegalAction, InputError
from stichwerk.table.table import Table
from stichwerk.table.words import short_names
from tests.envs.support import each_variant

ENOUGH = 60  # decisions of a test in which the end of a deal does not matter


def seated(variant, people, episode="deal", seed=5) -> Table:
    game = variant.game
    seats = [None if seat in people else "random" for seat in range(game.seats)]
    return Table(game, seats, episode, seed)


def play(table: Table, rng: random.Random):
    """Play a deal at random; yields before each decision of a person."""
    while not table.result:
        table.move_agents()
        if not table.result:
            yield table.turn
            seat = table.turn
            legal = table.legal(seat)
            table.act(seat, str(rng.choice(legal)))


@each_variant
def test_messages_do_not_depend_on_hidden_cards(variant):
    """The true state is exchanged for another that the seat cannot tell apart."""
    table, rng = seated(variant, range(variant.game.seats)), random.Random(1)
    changed = looked = 0
    while looked < ENOUGH:
        for _ in play(table, rng):
            state = table.env.copy_state()
            for seat in rng.sample(table.people, 2):
                told = json.dumps(table.message(seat), ensure_ascii=False)
                world = variant.model.redeal(table.game, state, seat, rng)
                changed += variant.model.world(table.game, world) != variant.model.world(table.game, state)
                true, table.env._course.states = table.env._course.states, world
                assert json.dumps(table.message(seat), ensure_ascii=False) == told
                table.env._course.states = true
                looked += 1
        for seat in table.people:
            table.next_deal(seat)
    assert changed > 10


@each_variant
def test_hidden_cards_are_not_named_in_messages(variant):
    table, rng = seated(variant, range(variant.game.seats)), random.Random(2)
    looked = 0
    for _ in play(table, rng):
        for seat in table.people:
            message = table.message(seat)
            del message["legal"]  # which may offer to name any card
            told = json.dumps(message, ensure_ascii=False)
            for card in variant.model.hidden_cards(table.game, table.env.copy_state(), seat):
                assert f'"{card}"' not in told
                assert pretty(card) not in told
                looked += 1
    assert looked > 20


@each_variant
def test_tricks_are_sent_in_order_of_play(variant):
    table, rng = seated(variant, range(variant.game.seats)), random.Random(2)
    order = []
    for _ in play(table, rng):
        told = [actor for actor, _ in table.message(0)["trick"]]
        if not told or table.message(0)["trick_complete"]:
            order = []
        elif told != order:
            order.append(told[-1])
            assert told == order


@each_variant
def test_people_and_agents_play_deals_to_their_end(variant):
    table, rng = seated(variant, [1]), random.Random(3)
    for number in (1, 2):
        tricks = 0
        for _ in play(table, rng):
            tricks += table.message(1)["trick_complete"]
        message = table.message(1)
        assert message["result"]["points"] == list(table.result.points)
        assert message["deals_played"] == number
        assert message["legal"] == []
        table.next_deal(1)
    deals = list(read_records(table.record().splitlines()))
    assert [deal.number for _, deal in deals] == [0, 1, 2]
    for game, deal in deals:
        RecordReplay(game).check(deal)
    assert [deal.points is None for _, deal in deals] == [False, False, True]


def test_a_match_is_followed_by_the_next():
    table, rng = Table(make_game("schnapsen_v0"), [None, "random"], "match", 1), random.Random(1)
    deals = 0
    while True:
        list(play(table, rng))
        deals += 1
        assert f"deal {deals}," in table.message(0)["scene"]["lines"][0]["words"]
        over = table.message(0)["result"]["match_over"]
        table.next_deal(0)
        if over:
            break
    assert 3 <= deals <= 13
    assert "score 0 : 0" in table.message(0)["scene"]["lines"][0]["words"]
    assert len(table.deals()) == deals + 1


def test_the_next_deal_is_not_shown_before_all_people_ask_for_it():
    table, rng = Table(make_game("schnapsen_v0"), [None, None], "match", 1), random.Random(1)
    list(play(table, rng))
    ended = table.message(0)["scene"]
    assert [deal.points is None for deal in table.deals(0)] == [False]
    table.next_deal(1)
    assert table.message(0)["scene"] == ended
    assert table.message(0)["result"]["waits_for"] == [0]
    table.next_deal(0)
    assert table.message(0)["result"] is None
    with pytest.raises(InputError, match="during a deal"):
        table.next_deal(0)


@each_variant
def test_undo_restores_earlier_messages(variant):
    table, rng = seated(variant, [0]), random.Random(4)
    kept = []
    for seat in play(table, rng):
        kept.append(table.message(seat))
    for before in reversed(kept):
        table.undo(0)
        now = table.message(0)
        assert {**now, "version": 0} == {**before, "version": 0}
    with pytest.raises(InputError, match="undo: got it before"):
        table.undo(0)
    assert table.totals.tolist() == [0] * table.game.seats


def test_undo_takes_back_deals_that_ended_at_once():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=1)
    list(play(table, random.Random(1)))
    table.result = replace(table.result, further=((1.0, -1.0),))
    table._add((1.0, -1.0))
    table.undo(0)
    assert (table.totals.tolist(), table.deals_played) == ([0, 0], 0)


def test_a_secret_opens_one_seat():
    table = Table(make_game("preferans_v0"), [None, "random", None])
    assert table.secrets.keys() == {0, 2}
    assert all(len(secret) >= 32 for secret in table.secrets.values()), "192 bits"
    assert [table.seat_of(table.secrets[seat]) for seat in (0, 2)] == [0, 2]
    for wrong in ("", "x", table.secrets[0][:-1], table.secrets[0] + "x", "ä"):
        assert table.seat_of(wrong) is None


@pytest.mark.parametrize(
    ("seats", "fault"),
    [
        ([None], "got 1; expected 2"),
        ([None, "nobody"], "agent: got 'nobody'"),
    ],
)
def test_wrong_seats_are_refused(seats, fault):
    with pytest.raises(InputError, match=fault):
        Table(make_game("schnapsen_v0"), seats)


# Refusals


@each_variant
def test_every_refusal_says_why_and_changes_nothing(variant):
    table, rng = seated(variant, range(variant.game.seats)), random.Random(6)
    for turn in play(table, rng):
        before = table.message(turn)
        for name in rng.sample(table.game.actions, 8):
            if name not in table.legal(turn):
                with pytest.raises(IllegalAction) as refusal:
                    table.act(turn, str(name))
                assert len(str(refusal.value)) > 10
        other = (turn + 1) % table.game.seats
        with pytest.raises(IllegalAction, match=f"it is the turn of player_{turn}"):
            table.act(other, str(table.legal(turn)[0]))
        with pytest.raises(IllegalAction, match="got 'plai'; "):
            table.act(turn, "plai")
        assert table.message(turn) == before


def test_refusals_name_the_rule():
    """Many deals of Schnapsen in which the stock is closed at once."""
    table, rng, found = Table(make_game("schnapsen_v0"), [None, None], seed=1), random.Random(1), set()
    for _ in range(40):
        lead = table.turn
        hand = table.message(lead)["scene"]["hands"][0]["cards"]
        missing = next(card for card in table.game.deck if card not in hand)
        with pytest.raises(IllegalAction, match="is not in your hand"):
            table.act(lead, f"play {missing}")
        table.act(lead, "close")
        with pytest.raises(IllegalAction, match="the stock is closed already; possible now: "):
            table.act(lead, "close")
        led = rng.choice([each for each in table.legal(lead) if each.verb == "play"])
        table.act(lead, str(led))
        legal = table.legal(1 - lead)
        for card in table.message(1 - lead)["scene"]["hands"][0]["cards"]:
            if f"play {card}" not in legal:
                with pytest.raises(IllegalAction) as refusal:
                    table.act(1 - lead, f"play {card}")
                said = str(refusal.value)
                found.add(said.partition(";")[0].rpartition(" ")[0])
                assert not said.startswith("you must follow") or led.card[0] != card[0], said
        while not table.result:
            table.act(table.turn, str(rng.choice(table.legal(table.turn))))
        for seat in (0, 1):
            table.next_deal(seat)
    assert "you must follow" in found
    assert any(each.startswith("you can beat ") for each in found)
    assert any(each.startswith("you have no ") for each in found)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["player_0", "search:x,worlds=0"], ["player_0", "search:x"]),
        (["search:x,worlds=0 1", "search:x,worlds=0 2"], ["search:x 1", "search:x 2"]),
        (["search:x,worlds=0", "search:x,ms=5"], ["search:x,worlds=0", "search:x,ms=5"]),
        (["rollout:worlds=9,threads=2", "rules:0.1"], ["rollout:worlds=9", "rules:0.1"]),
    ],
)
def test_short_names_stay_distinct(names, short):
    assert short_names(names) == short
